package confine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/subpath"
)

type plan struct {
	// Bubblewrap is its command line up to the program, empty if it is not used.
	Bubblewrap []string
	// Overlays are mounted before bubblewrap starts.
	Overlays []overlayMount
	Inner    innerPlan
}

type innerPlan struct {
	Args, Env []string
	Dir       string
	Limits    Limits
	// Unconfined skips all confinement.
	Unconfined bool
	// Read, Write and Devices are the paths that Landlock allows the run to read, write and use as devices.
	Read, Write, Devices []string
	// Namespaces is true if the run has its own mounts, processes and shared memory. Network is true if it uses the
	// machine's network, except BlockedPorts.
	Namespaces, Network bool
	BlockedPorts        []uint16
	// LocalSockets allows sockets in the file system, because no socket of another program is visible.
	LocalSockets bool
	// AllowBlockedPorts continues if ports cannot be blocked.
	AllowBlockedPorts bool
	// Inherit skips the limits. Terminal makes descriptor 0 the controlling terminal.
	Inherit, Terminal bool
	// Proxied and MaxConns make the inner step send a listener for the proxy, and that many sockets, over controlFD
	// before the command starts.
	Proxied  bool
	MaxConns int
}

// runFolders are the temporary folders of one run.
type runFolders struct {
	// base contains the others and is removed at the end. tmp and varTmp become /tmp and /var/tmp. empty covers hidden
	// files.
	base, tmp, varTmp, empty string
	// lock shows other Sextant processes that the folders are in use.
	lock *os.File
}

func makeRunFolders(parent string) (runFolders, error) {
	base, err := os.MkdirTemp(parent, runFolderPrefix)
	if err != nil {
		return runFolders{}, fmt.Errorf("creating the temporary folder of the run: %w", err)
	}
	// Resolve symlinks, because rules and programs must use the same path.
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	r := runFolders{base: base, tmp: base + "/tmp", varTmp: base + "/var", empty: base + "/empty"}
	if r.lock, err = lockFolder(base); err != nil {
		return r, fmt.Errorf("locking the temporary folder of the run: %w", err)
	}
	for _, dir := range []string{r.tmp, r.varTmp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return r, fmt.Errorf("creating the temporary folder of the run: %w", err)
		}
	}
	if err := os.WriteFile(r.empty, nil, 0o400); err != nil {
		return r, fmt.Errorf("creating an empty file for the run: %w", err)
	}
	return r, nil
}

func (s *Sandbox) plan(spec Spec, m mechanisms, r runFolders) (plan, error) {
	f, err := s.resolveAccess(spec)
	if err != nil {
		return plan{}, err
	}
	if spec.Proxy != nil && m.Bubblewrap == "" {
		return plan{}, errors.New("the network of a run cannot be limited to a proxy without bubblewrap")
	}
	overlays, err := spec.overlayMounts(m, f)
	if err != nil {
		return plan{}, err
	}
	p := plan{Overlays: overlays, Inner: innerPlan{
		Proxied: spec.Proxy != nil, MaxConns: spec.connLimit(m), Inherit: spec.Inherit && spec.Unconfined,
		Terminal: spec.Terminal != nil,
		Dir:      spec.Dir, Args: spec.Args, Limits: spec.Limits.withDefaults(), Unconfined: spec.Unconfined,
		Network: spec.Network, AllowBlockedPorts: spec.AllowBlockedPorts,
	}}
	if spec.DenyHidden {
		if err := os.Chmod(r.empty, 0); err != nil {
			return plan{}, fmt.Errorf("closing an empty file for the run: %w", err)
		}
	}
	tmp, home := r.tmp, s.cfg.Home
	if spec.Home != "" && !spec.Unconfined {
		if home, err = s.bindHome(spec, m, &f); err != nil {
			return plan{}, err
		}
	}
	switch {
	case spec.Unconfined:
	case m.Bubblewrap != "":
		tmp = "/tmp"
		p.Inner.LocalSockets = allowsLocalSockets(spec, m, f)
		p.Bubblewrap = s.bubblewrapArgs(spec, m, r, f)
		p.Inner.Namespaces = true
		p.Inner.Read = []string{"/"}
		p.Inner.Write = append([]string{"/tmp", "/var/tmp", "/dev/shm", "/dev/pts"}, f.writable...)
		if f.home != "" {
			p.Inner.Write = append(p.Inner.Write, f.homeTarget)
		}
		p.Inner.Devices = append(plainDevices(), "/dev/tty", "/dev/ptmx")
	default:
		s.landlockOnly(&p.Inner, spec.Restricted, r, f)
	}
	if spec.Network && !spec.Unconfined && s.cfg.BlockedPorts != nil {
		p.Inner.BlockedPorts = s.cfg.BlockedPorts()
	}
	env := spec.Env
	if spec.ReadOnly && !spec.Unconfined {
		env = append(slices.Clone(env), "XDG_CACHE_HOME="+tmp+"/.cache")
	}
	p.Inner.Env = cleanEnv(os.Environ(), home, tmp, spec.Network || spec.Unconfined, spec.Proxy != nil, env)
	if p.Inner.Inherit {
		p.Inner.Env = mergeEnv(os.Environ(), spec.Env)
	}
	if p.Inner.Dir == "" {
		p.Inner.Dir = cmp.Or(spec.Workspace, tmp)
	}
	return p, nil
}

// connLimit returns how many sockets the run creates, 0 if it uses the machine's network.
func (s Spec) connLimit(m mechanisms) int {
	if m.Bubblewrap == "" || s.Network || s.Unconfined {
		return 0
	}
	return min(s.MaxConns, maxSockets)
}

func plainDevices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
}

type fileAccess struct {
	writable, readable []string
	// hidden are the paths that the run must not see.
	hidden []string
	// home is mounted at homeTarget, the person's home; "" means that nothing is mounted.
	home, homeTarget string
}

func (s *Sandbox) resolveAccess(spec Spec) (fileAccess, error) {
	var f fileAccess
	for i, path := range append([]string{spec.Workspace}, spec.Writable...) {
		if path == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			return fileAccess{}, fmt.Errorf("%q cannot be made writable: it is not an absolute path", path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			if i > 0 && os.IsNotExist(err) {
				continue
			}
			return fileAccess{}, fmt.Errorf("opening the workspace: %w", err)
		}
		switch {
		case real == "/":
			return fileAccess{}, fmt.Errorf("%q is the whole machine; choose a folder as workspace", path)
		case !spec.ReadOnly && !s.ForcesReadOnly(real):
			f.writable = append(f.writable, real)
		case i == 0:
			f.readable = append(f.readable, real)
		}
	}
	for _, path := range spec.Readable {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) && real != "/" {
			f.readable = append(f.readable, real)
		}
	}
	if !spec.Unconfined {
		f.hidden = s.hiddenPaths(spec.Hidden)
	}
	for _, path := range spec.Visible {
		real, err := filepath.EvalSymlinks(path)
		if err == nil && filepath.IsAbs(path) && real != "/" && !withinAny(real, f.hidden) {
			f.readable = append(f.readable, real)
		}
	}
	f.readable = slices.DeleteFunc(subpath.Outermost(f.readable), func(path string) bool {
		return slices.ContainsFunc(f.writable, func(w string) bool { return subpath.IsWithin(path, w) })
	})
	f.writable = subpath.Outermost(f.writable)
	return f, nil
}

type mount struct {
	target string
	args   []string
}

// bubblewrapArgs returns the command line of bubblewrap. Outer folders are mounted first, so that a secret inside the
// workspace is hidden and a workspace inside a hidden folder is visible.
func (s *Sandbox) bubblewrapArgs(spec Spec, m mechanisms, r runFolders, f fileAccess) []string {
	args := []string{
		m.Bubblewrap, "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
	if m.UserNamespace {
		args = append(args, "--unshare-user")
	}
	if !spec.Network {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	mounts := ownMounts(spec, r)
	var closing []string
	for _, path := range f.readable {
		mounts = append(mounts, mount{path, []string{"--ro-bind", path, path}})
	}
	for _, path := range f.writable {
		mounts = append(mounts, mount{path, []string{"--bind", path, path}})
		mounts = append(mounts, protectGit(path)...)
	}
	if f.home != "" {
		mounts = append(mounts, mount{f.homeTarget, []string{"--bind", f.home, f.homeTarget}})
	}
	restricted := existingFolders(spec.Restricted)
	for _, path := range restricted {
		if path == f.homeTarget || slices.Contains(f.writable, path) || slices.Contains(f.readable, path) {
			continue
		}
		mounts = append(mounts, mount{path, spec.emptyFolder(path)})
		closing = append(closing, "--remount-ro", path)
	}
	mounts = append(mounts, s.homeLink(f, restricted)...)
	for _, path := range spec.Hidden {
		mounts = append(mounts, pinParents(path, f.writable)...)
	}
	for _, path := range f.hidden {
		if subpath.IsWithin(path, "/run") || slices.Contains(f.writable, path) || slices.Contains(f.readable, path) {
			continue
		}
		if (withinAny(path, restricted) || f.home != "" && subpath.IsWithin(path, f.homeTarget)) &&
			!withinAny(path, f.writable) &&
			!withinAny(path, f.readable) {
			continue // the folder around it is not visible
		}
		if isDir(path) {
			mounts = append(mounts, mount{path, spec.emptyFolder(path)})
			closing = append(closing, "--remount-ro", path) // last, because a workspace may be inside
		} else {
			mounts = append(mounts, mount{path, []string{"--ro-bind", r.empty, path}})
		}
	}
	mounts = append(mounts, coverOthers(spec, m, r, f, restricted)...)
	slices.SortStableFunc(mounts, func(a, b mount) int {
		return strings.Count(a.target, "/") - strings.Count(b.target, "/")
	})
	for _, mnt := range mounts {
		args = append(args, mnt.args...)
	}
	return append(append(args, closing...), "--")
}

// emptyFolder returns the arguments that put an empty folder at path. With DenyHidden it can be passed through, to what
// is mounted inside, but not listed.
func (s Spec) emptyFolder(path string) []string {
	if s.DenyHidden {
		return []string{"--perms", "0111", "--tmpfs", path}
	}
	return []string{"--tmpfs", path}
}

func ownMounts(spec Spec, r runFolders) []mount {
	mounts := []mount{
		{"/tmp", []string{"--bind", r.tmp, "/tmp"}},
		{"/var/tmp", []string{"--bind", r.varTmp, "/var/tmp"}},
		{"/dev/shm", []string{"--size", "1073741824", "--tmpfs", "/dev/shm"}},
		{"/run", []string{"--tmpfs", "/run"}},
	}
	for _, path := range []string{"/var/run", "/var/lock"} {
		if isDir(path) && !isLink(path) {
			mounts = append(mounts, mount{path, []string{"--tmpfs", path}})
		}
	}
	if spec.Network {
		if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && subpath.IsWithin(real, "/run") {
			mounts = append(mounts, mount{real, []string{"--ro-bind", real, real}})
		}
	}
	return mounts
}

// protectGit makes the hooks and configuration of a repository read-only, because git would later run them outside the
// sandbox. The folder around them becomes a mount, so that it cannot be replaced.
func protectGit(folder string) []mount {
	git := filepath.Join(folder, ".git")
	if !isDir(git) || isLink(git) {
		return nil
	}
	mounts := []mount{{git, []string{"--bind", git, git}}}
	for _, name := range []string{"hooks", "config", "config.worktree"} {
		path := filepath.Join(git, name)
		if _, err := os.Lstat(path); err == nil && !isLink(path) {
			mounts = append(mounts, mount{path, []string{"--ro-bind", path, path}})
		}
	}
	return mounts
}

// pinParents turns the folders between a writable folder and a hidden path into mounts. If they could be moved, the
// next run would not hide the path at its new place.
func pinParents(path string, writable []string) []mount {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	var mounts []mount
	for at := filepath.Dir(real); slices.ContainsFunc(writable,
		func(w string) bool { return at != w && subpath.IsWithin(at, w) }); at = filepath.Dir(at) {
		mounts = append(mounts, mount{at, []string{"--bind", at, at}})
	}
	return mounts
}

// existingFolders returns the existing folders among paths, symlinks resolved, none inside another.
func existingFolders(paths []string) []string {
	var all []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) && real != "/" && isDir(real) {
			all = append(all, real)
		}
	}
	return subpath.Outermost(all)
}

func withinAny(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return subpath.IsWithin(path, folder) })
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

// landlockOnly sets the rules for a run without namespaces. Everything is readable except hidden paths, process tables,
// and temporary files and sockets of other programs.
func (s *Sandbox) landlockOnly(in *innerPlan, restricted []string, r runFolders, f fileAccess) {
	hidden := slices.Concat(f.hidden, existingFolders(restricted),
		[]string{"/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/var/run", "/var/lock", r.base})
	in.Read = complement("/", subpath.Outermost(hidden))
	in.Read = append(in.Read,
		"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version",
		"/proc/filesystems",
		"/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/fs", "/proc/self",
		"/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
		"/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf",
	)
	in.Devices = plainDevices()
	in.Write = []string{r.tmp, r.varTmp}
	for _, path := range f.readable {
		in.Read = append(in.Read, complement(path, pathsWithin(f.hidden, path))...)
	}
	for _, path := range f.writable {
		in.Write = append(in.Write, complement(path, pathsWithin(f.hidden, path))...)
	}
}

func pathsWithin(paths []string, folder string) []string {
	var found []string
	for _, p := range paths {
		if p != folder && subpath.IsWithin(p, folder) {
			found = append(found, p)
		}
	}
	return found
}

// complement omits symlinks, because their targets have their own rules.
func complement(root string, hidden []string) []string {
	if slices.Contains(hidden, root) {
		return nil
	}
	deeper := pathsWithin(hidden, root)
	if len(deeper) == 0 {
		return []string{root}
	}
	entries, _ := os.ReadDir(root) // a folder that cannot be listed is not readable
	var all []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			all = append(all, complement(filepath.Join(root, e.Name()), deeper)...)
		}
	}
	return all
}
