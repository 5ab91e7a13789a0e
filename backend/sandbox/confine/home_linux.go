package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/subpath"
)

func (s *Sandbox) bindHome(spec Spec, m mechanisms, f *fileAccess) (string, error) {
	own, err := filepath.EvalSymlinks(spec.Home)
	if err != nil || !filepath.IsAbs(spec.Home) {
		return "", errors.Join(fmt.Errorf("the home folder %q cannot be used", spec.Home), err)
	}
	target, err := filepath.EvalSymlinks(s.cfg.Home)
	if err != nil || s.cfg.Home == "" || m.Bubblewrap == "" || withinAny(target, f.writable) ||
		withinAny(target, f.readable) {
		f.writable = subpath.Outermost(append(f.writable, own))
		return own, nil
	}
	f.home, f.homeTarget = own, target
	for _, path := range slices.Concat(f.writable, f.readable) {
		if err := removeLinks(own, target, path); err != nil {
			return "", err
		}
	}
	return target, nil
}

// homeLink restores the symlink to the person's home if a restricted folder covers it.
func (s *Sandbox) homeLink(f fileAccess, restricted []string) []mount {
	if f.home == "" {
		return nil
	}
	at := "/"
	for _, name := range strings.Split(strings.Trim(filepath.Clean(s.cfg.Home), "/"), "/") {
		if at = filepath.Join(at, name); !isLink(at) {
			continue
		}
		to, err := filepath.EvalSymlinks(at)
		if err == nil && withinAny(at, restricted) && !subpath.IsWithin(at, f.homeTarget) {
			return []mount{{at, []string{"--symlink", to, at}}}
		}
		break // the rest of the path is behind the symlink
	}
	return nil
}

// removeLinks removes symlinks that an earlier run left on the way to path. The folder own will be mounted at target,
// and mounts below it must not follow links.
func removeLinks(own, target, path string) error {
	rest, inside := strings.CutPrefix(path, target+"/")
	if !inside {
		return nil
	}
	for step := own; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		step = filepath.Join(step, name)
		if isLink(step) {
			if err := os.Remove(step); err != nil {
				return fmt.Errorf("removing a symlink from the home folder: %w", err)
			}
		}
	}
	return nil
}
