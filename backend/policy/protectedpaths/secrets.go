package protectedpaths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const maxHomes = 64

// SecretPaths returns the sorted absolute paths that a sandbox must hide: the secret places in home, in other users'
// homes and in the system, the folders own, and the targets of links. A path may not exist. Devices and the /proc files
// of processes are not included, because a sandbox needs its own /dev and /proc.
func SecretPaths(home string, own ...string) []string {
	var all []string
	for path, place := range systemPlaces() {
		if place.Kind == KindSecret && !strings.HasPrefix(path, "/proc/") && path != "/dev" {
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

func secretPlaces(home string, keep func(path string) bool) []string {
	var all []string
	for rel, place := range homePlaces() {
		path := filepath.Join(home, filepath.FromSlash(rel))
		if place.Kind != KindSecret || !keep(path) {
			continue
		}
		all = append(all, path)
		if real, ok := linkTarget(home, path); ok {
			all = append(all, real)
		}
	}
	return all
}

func otherHomes() []string {
	all := []string{"/root"}
	for _, parent := range []string{"/home", "/Users", "/var/home"} {
		entries, err := os.ReadDir(parent)
		if err != nil {
			continue // the folder does not exist, or neither Sextant nor the sandbox may read it
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
