package protectedpaths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxHomes is how many homes of other users Secrets looks into.
const maxHomes = 64

// Secrets returns the absolute paths that a sandbox has to mask, sorted: the secret places of home and of the machine,
// and the folders own, each also where its links lead. Many of them do not exist; of the homes of other users only what
// exists is listed. Devices, and what processes show of each other under /proc, are not included: a sandbox needs a
// /dev and a /proc of its own.
func Secrets(home string, own ...string) []string {
	var all []string
	for path, place := range systemPlaces() {
		if place.Kind == Secret && !strings.HasPrefix(path, "/proc/") && path != "/dev" {
			all = append(all, path)
		}
	}
	for _, dir := range withResolved(home) {
		all = append(all, secretPlaces(dir, func(string) bool { return true })...)
	}
	for _, dir := range otherHomes() {
		all = append(all, secretPlaces(dir, func(path string) bool {
			_, err := os.Lstat(path)
			return err == nil
		})...)
	}
	for _, dir := range own {
		all = append(all, withResolved(dir)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// secretPlaces returns the secret places of a home for which keep reports true.
func secretPlaces(home string, keep func(path string) bool) []string {
	var all []string
	for rel, place := range homePlaces() {
		path := filepath.Join(home, filepath.FromSlash(rel))
		if place.Kind != Secret || !keep(path) {
			continue
		}
		all = append(all, path)
		if real, ok := linkTarget(home, path); ok {
			all = append(all, real)
		}
	}
	return all
}

// otherHomes returns the homes of this machine in the usual folders.
func otherHomes() []string {
	all := []string{"/root"}
	for _, parent := range []string{"/home", "/Users", "/var/home"} {
		entries, err := os.ReadDir(parent)
		if err != nil {
			continue // it does not exist, or neither we nor the sandbox may read it
		}
		for _, e := range entries {
			if len(all) >= maxHomes {
				return all
			}
			all = append(all, filepath.Join(parent, e.Name()))
		}
	}
	return all
}
