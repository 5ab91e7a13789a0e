package command

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
)

const maxFolders = 6

// addFolders adds the working directories in before, because the command that changed them may have failed.
func (r *reader) addFolders(before []string) {
	switch {
	case r.Folders == nil || before == nil:
		r.Folders = nil
	default:
		r.Folders = union(before, r.Folders)
	}
	if len(r.Folders) > maxFolders {
		r.Folders = nil
	}
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func (r *reader) isolate(do func()) {
	folders, input := r.Folders, r.stdin
	do()
	r.Folders, r.stdin = folders, input
}

func (r *reader) changeFolder(v bash.Word) (known bool) {
	var next []string
	known = !v.Unknown
	for _, text := range append([]string{v.Text}, v.Alternatives...) {
		switch {
		case v.Unknown:
		case strings.HasPrefix(text, "/"):
			next = union(next, []string{filepath.Clean(text)})
		default:
			known = known && len(r.Folders) > 0
			for _, dir := range r.Folders {
				next = union(next, []string{filepath.Join(dir, text)})
			}
		}
	}
	for _, dir := range next {
		if slices.Contains(r.reading.Folders, dir) {
			continue
		}
		if len(r.reading.Folders) == maxFiles {
			r.warn("It goes to more folders than are listed here.")
			break
		}
		r.reading.Folders = append(r.reading.Folders, dir)
	}
	if !known || v.HasGlob || len(next) > maxFolders {
		next = nil
	}
	r.Folders = next
	return known
}
