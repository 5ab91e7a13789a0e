package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/subpath"
)

// allowsLocalSockets reports whether a run may use Unix sockets. It needs its own home, must see no sockets of other
// programs, and cannot reach their abstract ones.
func allowsLocalSockets(spec Spec, m mechanisms, f fileAccess) bool {
	if f.home == "" || len(spec.Restricted) == 0 || spec.Network && m.Landlock < landlockABIScopes {
		return false
	}
	for _, path := range slices.Concat(f.writable, f.readable) {
		for _, others := range append(existingFolders(spec.Restricted), "/tmp", "/var/tmp", "/dev/shm") {
			if subpath.IsWithin(others, path) {
				return false
			}
		}
		if subpath.IsWithin(path, "/run") && !subpath.IsWithin(path, "/run/media") ||
			subpath.IsWithin(path, "/var/run") {
			return false
		}
	}
	return true
}

const maxCoveredSockets = 256

// foreignSockets returns the sockets of other running programs that would be visible to a run, at most
// maxCoveredSockets.
func foreignSockets(f fileAccess, restricted []string) []string {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil // the kernel lists no sockets
	}
	covered := append([]string{"/run", "/tmp", "/var/tmp", "/var/run", "/dev", "/proc"}, restricted...)
	var all []string
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 8 || !strings.HasPrefix(fields[7], "/") {
			continue
		}
		path, err := filepath.EvalSymlinks(strings.Join(fields[7:], " "))
		granted := withinAny(path, f.writable) || withinAny(path, f.readable)
		if err != nil || withinAny(path, covered) && !granted || f.home != "" && subpath.IsWithin(path, f.home) {
			continue
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 && len(all) < maxCoveredSockets {
			all = append(all, path)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func coverOthers(spec Spec, m mechanisms, r runFolders, f fileAccess, restricted []string) []mount {
	var mounts []mount
	if allowsLocalSockets(spec, m, f) {
		for _, path := range foreignSockets(f, restricted) {
			mounts = append(mounts, mount{path, []string{"--ro-bind", r.empty, path}})
		}
	}
	for _, path := range otherRunFolders(r.base, f) {
		mounts = append(mounts, mount{path, []string{"--tmpfs", path}})
	}
	return mounts
}
