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

const tempMark = ".sextant-"

// tempPrefix cuts base, because file systems limit the length of a name.
func tempPrefix(base string) string { return "." + base[:excerpt.PrefixLen(base, 100)] + tempMark }

func tempName(base string) string { return tempPrefix(base) + strings.ToLower(rand.Text()[:10]) }

var tempSuffix = regexp.MustCompile(`^[a-z2-7]{10}$`)

// Sweep removes the temporary files that a killed process left beside each of files, which are absolute paths. It skips
// folders that it cannot open. Call it before any tool runs.
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
		return nil //nolint:nilerr // the folder is missing or unreadable
	}
	defer func() { _ = root.Close() }()
	dir, err := root.Open(".")
	if err != nil {
		return nil //nolint:nilerr // the folder is missing or unreadable
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
			// A temporary folder is still empty, so Remove is enough.
			if err := root.Remove(name); err != nil {
				return fmt.Errorf("removing %s: %w", filepath.Join(folder, name), err)
			}
		}
	}
	return nil
}
