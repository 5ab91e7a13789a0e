package confine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"sextant/shared/subpath"
)

var systemFolders = []string{
	"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt", "nix", "gnu", "snap", "sys", "proc", "dev",
	"run", "tmp", "var",
}

// PrivateFolders returns the folders for Spec.Restricted of a program with its own grants: home, if it is not "", and
// the folders at the root that do not belong to the system.
func PrivateFolders(home string) []string {
	var all []string
	if home != "" {
		all = append(all, home)
	}
	entries, _ := os.ReadDir("/") // a root that cannot be listed has nothing to restrict
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(systemFolders, e.Name()) {
			all = append(all, "/"+e.Name())
		}
	}
	return all
}

// ToolchainFolders returns the folders inside restricted that a command needs to run: an interpreter may be installed
// in the home folder, next to its libraries. command is a path or a name in PATH.
func ToolchainFolders(command string, restricted []string) []string {
	path, err := exec.LookPath(command)
	if err != nil {
		return nil
	}
	found := []string{path}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		found = append(found, real)
	}
	var shown []string
	for _, p := range found {
		if !slices.ContainsFunc(restricted, func(dir string) bool { return p != dir && subpath.IsWithin(p, dir) }) {
			continue
		}
		dir := filepath.Dir(p)
		// Include the lib folder next to ~/.nvm/versions/node/v22/bin/node, and what ~/.pyenv/shims/python starts, but
		// not all of ~/.local.
		if up := filepath.Dir(dir); slices.Contains([]string{"bin", "shims"}, filepath.Base(dir)) &&
			filepath.Base(up) != ".local" && !slices.Contains(restricted, up) {
			dir = up
		}
		if slices.Contains(restricted, dir) {
			dir = p // not all of the home folder
		}
		shown = append(shown, dir)
	}
	return shown
}
