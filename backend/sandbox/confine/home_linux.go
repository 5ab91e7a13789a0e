package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// home is what HOME names in a run with a home of its own, which f is told of.
func (c *Confine) home(spec Spec, w walls, f *folders) (string, error) {
	own, err := filepath.EvalSymlinks(spec.Home)
	if err != nil || !filepath.IsAbs(spec.Home) {
		return "", errors.Join(fmt.Errorf("its home %q cannot be used", spec.Home), err)
	}
	at, err := filepath.EvalSymlinks(c.cfg.Home)
	if err != nil || c.cfg.Home == "" || w.Bubblewrap == "" || inAny(at, f.writable) || inAny(at, f.shown) {
		f.writable = outermost(append(f.writable, own))
		return own, nil
	}
	f.home, f.homeAt = own, at
	for _, path := range slices.Concat(f.writable, f.shown) {
		if err := straighten(own, at, path); err != nil {
			return "", err
		}
	}
	return at, nil
}

// wayHome is the link by which the person's home is named, where a closed folder takes its place.
func (c *Confine) wayHome(f folders, closed []string) []mount {
	if f.home == "" {
		return nil
	}
	at := "/"
	for _, name := range strings.Split(strings.Trim(filepath.Clean(c.cfg.Home), "/"), "/") {
		if at = filepath.Join(at, name); !isLink(at) {
			continue
		}
		if to, err := filepath.EvalSymlinks(at); err == nil && inAny(at, closed) && !within(at, f.homeAt) {
			return []mount{{at, []string{"--symlink", to, at}}}
		}
		break // what is behind it has another name
	}
	return nil
}

// straighten removes links of an earlier run from the way to path, which is put into own where that
// stands at the place at: what is mounted there has to be where its name says.
func straighten(own, at, path string) error {
	rest, inside := strings.CutPrefix(path, at+"/")
	if !inside {
		return nil
	}
	for step := own; rest != ""; {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		step = filepath.Join(step, name)
		if isLink(step) {
			if err := os.Remove(step); err != nil {
				return fmt.Errorf("removing a link from its home: %w", err)
			}
		}
	}
	return nil
}
