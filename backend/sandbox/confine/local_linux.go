package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// local reports whether a run may use local sockets: a program with a home of its own starts parts of
// itself that talk over them. They reach every socket that is seen, so that it is one that sees no folder
// in which other programs of the person have theirs, and abstract ones must be kept apart, too.
func local(spec Spec, w walls, f folders) bool {
	if f.home == "" || len(spec.Closed) == 0 || spec.Network && w.Landlock < landlockScopes {
		return false
	}
	for _, path := range slices.Concat(f.writable, f.shown) {
		for _, others := range append(closedHere(spec.Closed), "/tmp", "/var/tmp", "/dev/shm") {
			if within(others, path) {
				return false
			}
		}
		if within(path, "/run") && !within(path, "/run/media") || within(path, "/var/run") {
			return false
		}
	}
	return true
}

// maxDoors bounds how many sockets of other programs are covered.
const maxDoors = 256

// doors are the sockets of programs that run now which a run would see, those of the system's services
// and those in a folder that it was granted.
func doors(f folders, closed []string) []string {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil // then there are none that the kernel speaks of
	}
	own := append([]string{"/run", "/tmp", "/var/tmp", "/var/run", "/dev", "/proc"}, closed...)
	var all []string
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 8 || !strings.HasPrefix(fields[7], "/") {
			continue
		}
		path, err := filepath.EvalSymlinks(strings.Join(fields[7:], " "))
		if err != nil || inAny(path, own) && !inAny(path, f.writable) && !inAny(path, f.shown) || f.home != "" &&
			within(path, f.home) {
			continue
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 && len(all) < maxDoors {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// others covers what other programs have where a run sees it: their sockets, where it may use some, and
// the folders of other runs.
func others(spec Spec, w walls, r rooms, f folders, closed []string) []mount {
	var mounts []mount
	if local(spec, w, f) {
		for _, path := range doors(f, closed) {
			mounts = append(mounts, mount{path, []string{"--ro-bind", r.empty, path}})
		}
	}
	for _, path := range otherRooms(r.base, f) {
		mounts = append(mounts, mount{path, []string{"--tmpfs", path}})
	}
	return mounts
}
