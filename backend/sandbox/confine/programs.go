package confine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// system are the folders at the top of a machine that programs are made of.
var system = []string{
	"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt", "nix", "gnu", "snap", "sys", "proc", "dev",
	"run", "tmp", "var",
}

// Private are the folders of which a program with grants of its own is shown only what it was granted
// (Spec.Closed): home, "" for not known, and what lies at the top of the machine and is not the system's.
func Private(home string) []string {
	var all []string
	if home != "" {
		all = append(all, home)
	}
	entries, _ := os.ReadDir("/") // what cannot be listed cannot be read either
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(system, e.Name()) {
			all = append(all, "/"+e.Name())
		}
	}
	return all
}

// Toolchain are the folders in closed that a command itself needs: an interpreter may be installed in
// the home, beside its own libraries. command is a path, or a name in PATH.
func Toolchain(command string, closed []string) []string {
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
		if !slices.ContainsFunc(closed, func(dir string) bool { return p != dir && within(p, dir) }) {
			continue
		}
		dir := filepath.Dir(p)
		// ~/.nvm/versions/node/v22/bin/node lies beside lib; ~/.local/bin/x beside everything.
		if up := filepath.Dir(dir); filepath.Base(dir) == "bin" && filepath.Base(up) != ".local" &&
			!slices.Contains(closed, up) {
			dir = up
		}
		shown = append(shown, dir)
	}
	return shown
}
