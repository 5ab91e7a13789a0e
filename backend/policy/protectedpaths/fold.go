package protectedpaths

import (
	"path/filepath"
	"strings"
	"unicode"
)

func foldPath(path string) []string {
	path = filepath.Clean(path)
	path = filepath.ToSlash(strings.TrimPrefix(path, filepath.VolumeName(path)))
	var all []string
	for element := range strings.SplitSeq(path, "/") {
		if element != "" {
			all = append(all, foldElement(element))
		}
	}
	return all
}

// foldElement maps spellings that some file system accepts for a name to one form. It folds letter case as APFS and
// NTFS do, drops invisible characters as HFS+ does, and drops trailing dots, spaces and stream names as Windows does.
func foldElement(element string) string {
	if isFolded(element) {
		return element
	}
	var b strings.Builder
	for _, r := range element {
		switch {
		case unicode.Is(unicode.Cf, r), r == '\uFEFF':
			continue
		case r == '\u2024' || r == '\uFF0E': // other dots, which some programs replace by this one
			r = '.'
		case r >= 'Ａ' && r <= 'ｚ':
			r -= 'Ａ' - 'A'
		}
		b.WriteRune(foldCase(r))
	}
	name := b.String()
	if stream := strings.IndexByte(name, ':'); stream > 0 {
		name = name[:stream]
	}
	if short := strings.TrimRight(name, ". "); short != "" {
		name = short
	}
	return name
}

func isFolded(element string) bool {
	for i := range len(element) {
		c := element[i]
		if c >= 0x80 || c == ':' || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return element == "" || !strings.HasSuffix(element, ".") && !strings.HasSuffix(element, " ")
}

func foldCase(r rune) rune {
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		if 'a' <= next && next <= 'z' {
			return next
		}
	}
	return unicode.ToLower(r)
}
