package protectedpaths

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxLinks is the maximum number of links in one path, the same as in Linux.
const maxLinks = 40

// ErrTooManyLinks is returned by Resolve for a path with too many links, such as a loop.
var ErrTooManyLinks = errors.New("too many links")

// Resolve follows the links of an absolute path. What does not exist or cannot be read stays as it is written. A link
// can be replaced between Resolve and the use of the path, so the caller has to check the file that it opened.
func Resolve(path string) (string, error) {
	return follow(path, func(string) {})
}

// follow resolves path and calls step with the path of each link, including the rest after it, and with the result.
func follow(path string, step func(string)) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("following %q: the path is not absolute", path)
	}
	volume := filepath.VolumeName(path)
	root := volume + string(filepath.Separator)
	at, rest := root, strings.TrimPrefix(path, volume)
	links, missing := 0, false
	for {
		element, after, found := nextElement(rest)
		if !found {
			step(at)
			return at, nil
		}
		rest = after
		switch element {
		case ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, element)
		if missing {
			at = next
			continue
		}
		info, err := os.Lstat(next)
		if err != nil {
			// Links below this path cannot be read.
			missing, at = true, next
			continue
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if err != nil {
			missing, at = true, next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("following %q: %w", path, ErrTooManyLinks)
		}
		step(filepath.Join(next, rest))
		if filepath.IsAbs(target) {
			at, target = root, strings.TrimPrefix(target, filepath.VolumeName(target))
		}
		rest = target + string(filepath.Separator) + rest
	}
}

func nextElement(path string) (element, rest string, found bool) {
	path = strings.TrimLeftFunc(path, separator)
	if path == "" {
		return "", "", false
	}
	if end := strings.IndexFunc(path, separator); end >= 0 {
		return path[:end], path[end:], true
	}
	return path, "", true
}

func separator(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }
