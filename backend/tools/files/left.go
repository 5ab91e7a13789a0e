package files

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// leftMark stands in the names under which new contents are written before they get their own.
const leftMark = ".sextant-"

// tempName is a name beside a file for its new content.
func tempName(base string) string {
	return "." + cutName(base) + leftMark + strings.ToLower(rand.Text()[:10])
}

// tempEnd is what follows leftMark.
var tempEnd = regexp.MustCompile(`^[a-z2-7]{10}$`)

// Sweep removes what a write that was killed left beside each of files, absolute paths. Call it
// before any tool runs. It returns what it could not remove.
func Sweep(files []string) error {
	folders := map[string][]string{}
	for _, f := range files {
		folders[filepath.Dir(f)] = append(folders[filepath.Dir(f)], "."+cutName(filepath.Base(f))+leftMark)
	}
	var kept error
	for folder, begins := range folders {
		if err := sweepFolder(folder, begins); err != nil {
			kept = err
		}
	}
	return kept
}

// sweepFolder removes the files of folder that begin so and end as a temporary name does. A folder
// that is gone has none.
func sweepFolder(folder string, begins []string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil //nolint:nilerr // gone, or no longer ours to read
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
		for _, begin := range begins {
			if end, ok := strings.CutPrefix(name, begin); !ok || !tempEnd.MatchString(end) {
				continue
			}
			// A folder that was to take a file's place is empty still.
			if err := root.Remove(name); err != nil {
				return fmt.Errorf("removing %s: %w", filepath.Join(folder, name), err)
			}
		}
	}
	return nil
}
