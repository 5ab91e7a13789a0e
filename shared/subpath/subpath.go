// Package subpath compares clean, absolute paths by their text. It uses no file system and follows no links.
package subpath

import (
	"slices"
	"strings"
)

// IsWithin reports whether path is folder or inside it.
func IsWithin(path, folder string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder+"/")
}

// Outermost returns the paths that are not inside another one, sorted and without duplicates. The result is never nil,
// and paths is not changed.
func Outermost(paths []string) []string {
	outer := []string{}
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if !slices.ContainsFunc(outer, func(folder string) bool { return IsWithin(p, folder) }) {
			outer = append(outer, p)
		}
	}
	return outer
}
