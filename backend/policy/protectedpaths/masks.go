package protectedpaths

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxHomes bounds how many other persons' homes Secrets looks into.
const maxHomes = 64

// Secrets are the absolute paths that a sandbox has to mask, sorted: the secret places of home
// and of the machine, and the folders own, each also under the name its links lead to. Many of
// them do not exist. Of other persons' homes only what exists is listed. What processes show
// of each other under /proc, and devices, are not in it: a sandbox needs a /proc and a /dev of
// its own.
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

// secretPlaces are the secret places of a home that keep lets through.
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

// otherHomes are the homes this machine has in the usual folders.
func otherHomes() []string {
	all := []string{"/root"}
	for _, parent := range []string{"/home", "/Users", "/var/home"} {
		entries, err := os.ReadDir(parent)
		if err != nil {
			continue // there is none, or it is closed to us and so to what runs in the sandbox
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
