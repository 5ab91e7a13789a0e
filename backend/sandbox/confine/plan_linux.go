package confine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// plan is what the supervisor is told.
type plan struct {
	// Wrap is bubblewrap's command line up to the program, empty without.
	Wrap  []string
	Enter inner
}

// inner is what the step inside is told.
type inner struct {
	Args, Env []string
	Dir       string
	Limits    Limits
	// Unconfined leaves the walls out.
	Unconfined bool
	// Read and Write are the rules of Landlock, Devices those that may be written besides.
	Read, Write, Devices []string
	// Namespaces says that mounts, processes and shared memory are the run's own already;
	// Network that sockets of the internet are allowed, Closed the TCP ports that are not.
	Namespaces, Network bool
	Closed              []uint16
	// Local says that sockets of the file system are allowed: none of another program is seen.
	Local bool
	// OwnPorts goes on where ports cannot be closed.
	OwnPorts bool
	// Person leaves the limits out; Terminal makes descriptor 0 the terminal of the session.
	Person, Terminal bool
	// Proxied says that a listener for a proxy goes back on wayFD before the command begins, Sockets
	// that so many sockets do.
	Proxied bool
	Sockets int
}

// rooms are the folders of one run.
type rooms struct {
	// base holds the others and is wiped; tmp and varTmp stand for /tmp and /var/tmp, and the
	// empty file for secret ones.
	base, tmp, varTmp, empty string
	// held says to other Sextants that the folders are in use.
	held *os.File
}

func makeRooms(parent string) (rooms, error) {
	base, err := os.MkdirTemp(parent, roomsPrefix)
	if err != nil {
		return rooms{}, fmt.Errorf("making a temporary folder for the run: %w", err)
	}
	// A link on the way would make the sandbox's rules speak of another path than programs do.
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	r := rooms{base: base, tmp: base + "/tmp", varTmp: base + "/var", empty: base + "/empty"}
	if r.held, err = hold(base); err != nil {
		return r, fmt.Errorf("locking the temporary folder of the run: %w", err)
	}
	for _, dir := range []string{r.tmp, r.varTmp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return r, fmt.Errorf("making a temporary folder for the run: %w", err)
		}
	}
	if err := os.WriteFile(r.empty, nil, 0o400); err != nil {
		return r, fmt.Errorf("making an empty file for the run: %w", err)
	}
	return r, nil
}

// plan makes the plan of one run behind w.
func (c *Confine) plan(spec Spec, w walls, r rooms) (plan, error) {
	f, err := c.folders(spec)
	if err != nil {
		return plan{}, err
	}
	if spec.Proxy != nil && w.Bubblewrap == "" {
		return plan{}, errors.New("without namespaces its network cannot be limited to a proxy")
	}
	p := plan{Enter: inner{
		Proxied: spec.Proxy != nil, Sockets: spec.sockets(w), Person: spec.Person && spec.Unconfined,
		Terminal: spec.Terminal != nil,
		Dir:      spec.Dir, Args: spec.Args, Limits: spec.Limits.withDefaults(), Unconfined: spec.Unconfined,
		Network: spec.Network, OwnPorts: spec.OwnPorts,
	}}
	tmp, home := r.tmp, c.cfg.Home
	if spec.Home != "" && !spec.Unconfined {
		if home, err = c.home(spec, w, &f); err != nil {
			return plan{}, err
		}
	}
	switch {
	case spec.Unconfined:
	case w.Bubblewrap != "":
		tmp = "/tmp"
		p.Enter.Local = local(spec, w, f)
		p.Wrap = c.wrap(spec, w, r, f)
		p.Enter.Namespaces = true
		p.Enter.Read = []string{"/"}
		p.Enter.Write = append([]string{"/tmp", "/var/tmp", "/dev/shm", "/dev/pts"}, f.writable...)
		if f.home != "" {
			p.Enter.Write = append(p.Enter.Write, f.homeAt)
		}
		p.Enter.Devices = append(plainDevices(), "/dev/tty", "/dev/ptmx")
	default:
		c.alone(&p.Enter, c.hidden(spec.Hidden), spec.Closed, r, f)
	}
	if spec.Network && !spec.Unconfined && c.cfg.Ports != nil {
		p.Enter.Closed = c.cfg.Ports()
	}
	own := spec.Env
	if spec.ReadOnly && !spec.Unconfined {
		own = append(slices.Clone(own), "XDG_CACHE_HOME="+tmp+"/.cache")
	}
	p.Enter.Env = environment(os.Environ(), home, tmp, spec.Network || spec.Unconfined, spec.Proxy != nil, own)
	if p.Enter.Person {
		p.Enter.Env = with(os.Environ(), spec.Env)
	}
	if p.Enter.Dir == "" {
		p.Enter.Dir = cmp.Or(spec.Workspace, tmp)
	}
	return p, nil
}

// sockets is how many sockets the run hands out: none where it is on the machine's network.
func (s Spec) sockets(w walls) int {
	if w.Bubblewrap == "" || s.Network || s.Unconfined {
		return 0
	}
	return min(s.Sockets, maxSockets)
}

func plainDevices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}
}

// folders are what a run is shown besides the machine: what it may write, and what is there to
// be read. Links are followed.
type folders struct {
	writable, shown []string
	// home is what stands at the place of the person's home, at homeAt; "" for nothing.
	home, homeAt string
}

func (c *Confine) folders(spec Spec) (folders, error) {
	var f folders
	for i, path := range append([]string{spec.Workspace}, spec.Writable...) {
		if path == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			return folders{}, fmt.Errorf("%q cannot be made writable: it is not an absolute path", path)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			if i > 0 && os.IsNotExist(err) {
				continue
			}
			return folders{}, fmt.Errorf("opening the workspace: %w", err)
		}
		switch {
		case real == "/":
			return folders{}, fmt.Errorf("%q is the whole machine: choose a folder as workspace", path)
		case !spec.ReadOnly && !c.Keeps(real):
			f.writable = append(f.writable, real)
		case i == 0:
			f.shown = append(f.shown, real)
		}
	}
	for _, path := range spec.Shown {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) && real != "/" {
			f.shown = append(f.shown, real)
		}
	}
	f.shown = slices.DeleteFunc(outermost(f.shown), func(path string) bool {
		return slices.ContainsFunc(f.writable, func(w string) bool { return within(path, w) })
	})
	f.writable = outermost(f.writable)
	return f, nil
}

// mount is one change to what is seen at a path.
type mount struct {
	at   string
	args []string
}

// wrap is the command line of bubblewrap. Mounts are made from the outside in, so that a
// secret inside of the workspace stays hidden and a workspace inside of a hidden folder is there.
func (c *Confine) wrap(spec Spec, w walls, r rooms, f folders) []string {
	args := []string{
		w.Bubblewrap, "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL",
	}
	if w.UserNamespace {
		args = append(args, "--unshare-user")
	}
	if !spec.Network {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	mounts := own(spec, r)
	var closing []string
	for _, path := range f.shown {
		mounts = append(mounts, mount{path, []string{"--ro-bind", path, path}})
	}
	for _, path := range f.writable {
		mounts = append(mounts, mount{path, []string{"--bind", path, path}})
		mounts = append(mounts, hooks(path)...)
	}
	if f.home != "" {
		mounts = append(mounts, mount{f.homeAt, []string{"--bind", f.home, f.homeAt}})
	}
	closed := closedHere(spec.Closed)
	for _, path := range closed {
		if path == f.homeAt || slices.Contains(f.writable, path) || slices.Contains(f.shown, path) {
			continue
		}
		mounts = append(mounts, mount{path, []string{"--tmpfs", path}})
		closing = append(closing, "--remount-ro", path)
	}
	mounts = append(mounts, c.wayHome(f, closed)...)
	for _, path := range spec.Hidden {
		mounts = append(mounts, anchored(path, f.writable)...)
	}
	for _, path := range c.hidden(spec.Hidden) {
		if within(path, "/run") || slices.Contains(f.writable, path) || slices.Contains(f.shown, path) {
			continue
		}
		if (inAny(path, closed) || f.home != "" && within(path, f.homeAt)) && !inAny(path, f.writable) &&
			!inAny(path, f.shown) {
			continue // what is around it is not there
		}
		if isDir(path) {
			mounts = append(mounts, mount{path, []string{"--tmpfs", path}})
			closing = append(closing, "--remount-ro", path) // last: a workspace may lie inside
		} else {
			mounts = append(mounts, mount{path, []string{"--ro-bind", r.empty, path}})
		}
	}
	mounts = append(mounts, others(spec, w, r, f, closed)...)
	slices.SortStableFunc(mounts, func(a, b mount) int {
		return strings.Count(a.at, "/") - strings.Count(b.at, "/")
	})
	for _, m := range mounts {
		args = append(args, m.args...)
	}
	return append(append(args, closing...), "--")
}

// own are the folders that each run has of its own, and what of the system's it needs in them.
func own(spec Spec, r rooms) []mount {
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
		if real, err := filepath.EvalSymlinks("/etc/resolv.conf"); err == nil && within(real, "/run") {
			mounts = append(mounts, mount{real, []string{"--ro-bind", real, real}})
		}
	}
	return mounts
}

// hooks keeps what git would run later, outside of the sandbox, as it is: the hooks of a
// repository and its configuration, which can name programs. The folder around them becomes a
// mount, so that it cannot be moved away and made anew.
func hooks(folder string) []mount {
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

// anchored keeps the folders between a writable one and what is hidden in it where they are: one that was
// moved away would hold, for the next run, what is hidden at its old place only.
func anchored(path string, writable []string) []mount {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	var mounts []mount
	for at := filepath.Dir(real); slices.ContainsFunc(writable,
		func(w string) bool { return at != w && within(at, w) }); at = filepath.Dir(at) {
		mounts = append(mounts, mount{at, []string{"--bind", at, at}})
	}
	return mounts
}

// closedHere are the folders among paths that are there, links followed, none inside another.
func closedHere(paths []string) []string {
	var all []string
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && filepath.IsAbs(path) && real != "/" && isDir(real) {
			all = append(all, real)
		}
	}
	return outermost(all)
}

func inAny(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return within(path, folder) })
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

// alone makes the rules for a run behind Landlock without namespaces: all is readable but
// what is hidden, other programs' temporary files and sockets, and the tables of processes.
func (c *Confine) alone(in *inner, secrets, closed []string, r rooms, f folders) {
	hidden := append(append(slices.Clone(secrets), closedHere(closed)...), "/proc", "/sys", "/dev", "/run", "/tmp",
		"/var/tmp", "/var/run", "/var/lock", r.base)
	in.Read = around("/", outermost(hidden))
	in.Read = append(in.Read,
		"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version",
		"/proc/filesystems",
		"/proc/sys/kernel", "/proc/sys/vm", "/proc/sys/fs", "/proc/self",
		"/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
		"/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf",
	)
	in.Devices = plainDevices()
	in.Write = []string{r.tmp, r.varTmp}
	for _, path := range f.shown {
		in.Read = append(in.Read, around(path, inside(secrets, path))...)
	}
	for _, path := range f.writable {
		in.Write = append(in.Write, around(path, inside(secrets, path))...)
	}
}

// inside are those of paths that lie in folder.
func inside(paths []string, folder string) []string {
	var in []string
	for _, p := range paths {
		if p != folder && within(p, folder) {
			in = append(in, p)
		}
	}
	return in
}

// around lists folders and files that together are root without the hidden places. Links are
// left out: what they lead to has a rule of its own or none.
func around(root string, hidden []string) []string {
	if slices.Contains(hidden, root) {
		return nil
	}
	deeper := inside(hidden, root)
	if len(deeper) == 0 {
		return []string{root}
	}
	entries, _ := os.ReadDir(root) // what cannot be listed cannot be read inside either
	var all []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			all = append(all, around(filepath.Join(root, e.Name()), deeper)...)
		}
	}
	return all
}
