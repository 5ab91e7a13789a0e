package protectedpaths

import (
	"path/filepath"
	"strings"
	"unicode"
)

// foldPath splits a path into its elements, each folded, "." and ".." resolved as written.
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

// foldElement brings all spellings that some file system takes for one name to one form: case as
// APFS and NTFS ignore it, characters without a shape as HFS+ does, and dots, spaces and the
// name of a stream at the end as Windows does.
func foldElement(element string) string {
	if isFolded(element) {
		return element
	}
	var b strings.Builder
	for _, r := range element {
		switch {
		case unicode.Is(unicode.Cf, r), r == '\uFEFF':
			continue
		case r == '\u2024' || r == '\uFF0E': // other dots, which some programs turn into one
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

// isFolded reports whether fold leaves element as it is.
func isFolded(element string) bool {
	for i := range len(element) {
		c := element[i]
		if c >= 0x80 || c == ':' || 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return element == "" || !strings.HasSuffix(element, ".") && !strings.HasSuffix(element, " ")
}

// foldCase is the form that all letters have which differ in case only: ſ, S and s are s.
func foldCase(r rune) rune {
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		if 'a' <= next && next <= 'z' {
			return next
		}
	}
	return unicode.ToLower(r)
}
