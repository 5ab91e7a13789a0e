package history

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sextant/shared/excerpt"
)

// tempMark is part of the names under which new contents are written before they replace a file.
const tempMark = ".sextant-"

// tempPrefix is how the temporary names of a file begin; it keeps to the length that file systems
// allow.
func tempPrefix(base string) string { return "." + base[:excerpt.PrefixLen(base, 100)] + tempMark }

// tempName returns a temporary name beside a file.
func tempName(base string) string { return tempPrefix(base) + strings.ToLower(rand.Text()[:10]) }

// tempSuffix is what follows tempPrefix.
var tempSuffix = regexp.MustCompile(`^[a-z2-7]{10}$`)

// Sweep removes the temporary files that a killed process left beside each of files, absolute paths.
// Call it before any tool runs. It returns the last error; a folder that is gone is none.
func Sweep(files []string) error {
	folders := map[string][]string{}
	for _, f := range files {
		folders[filepath.Dir(f)] = append(folders[filepath.Dir(f)], tempPrefix(filepath.Base(f)))
	}
	var last error
	for folder, prefixes := range folders {
		if err := sweepFolder(folder, prefixes); err != nil {
			last = err
		}
	}
	return last
}

func sweepFolder(folder string, prefixes []string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil //nolint:nilerr // gone, or no longer readable
	}
	defer func() { _ = root.Close() }()
	dir, err := root.Open(".")
	if err != nil {
		return nil //nolint:nilerr // as above
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return fmt.Errorf("reading %s: %w", folder, err)
	}
	for _, name := range names {
		for _, prefix := range prefixes {
			if suffix, ok := strings.CutPrefix(name, prefix); !ok || !tempSuffix.MatchString(suffix) {
				continue
			}
			// A folder that was to replace a file is still empty, so Remove is enough.
			if err := root.Remove(name); err != nil {
				return fmt.Errorf("removing %s: %w", filepath.Join(folder, name), err)
			}
		}
	}
	return nil
}
