package confine

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// testWorld is a small machine around the sandbox: a home with secrets, files outside the workspace, servers, a
// process and shared memory. damage finds what a probe changed, reached or learned.
type testWorld struct {
	t                       *testing.T
	base, home, ws, outside string
	tmp                     string // a folder in the real /tmp
	token                   string // the content of every secret
	contacts                atomic.Int64
	env, serverVars         []string // variables of probes, and those of servers
	victim                  *exec.Cmd
	shm                     int
	before                  map[string]string
	leaked                  *os.File
	noSecretInWorkspace     bool // the workspace contains no secret
}

// newTestWorld creates a world under base, which runs must be able to see; see visibleBase.
func newTestWorld(t *testing.T, base string) *testWorld {
	t.Helper()
	var b [8]byte
	_, _ = rand.Read(b[:])
	w := &testWorld{
		t: t, base: base, home: base + "/home", ws: base + "/home/project", outside: base + "/outside",
		token: "t0ken" + hex.EncodeToString(b[:]),
	}
	tmp, err := os.MkdirTemp("/tmp", "sextant-world-")
	if err != nil {
		t.Fatal(err)
	}
	w.tmp = tmp
	t.Cleanup(func() { os.RemoveAll(tmp) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.must(os.MkdirAll(w.ws, 0o755))
	program, err := os.ReadFile(self)
	w.must(err)
	w.must(os.WriteFile(w.ws+"/probe", program, 0o755))
	w.must(os.WriteFile(base+"/changes-user", program, 0o755))
	w.must(os.Chown(base+"/changes-user", os.Getuid(), -1))
	w.startServers()
	w.reset()
	return w
}

func (w *testWorld) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *testWorld) writeFile(path, body string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(body), 0o644))
}

// reset restores everything and takes a snapshot.
func (w *testWorld) reset() {
	w.t.Helper()
	w.stopVictim()
	for _, dir := range []string{w.home, w.outside} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if path != w.ws+"/probe" && path != dir {
				_ = os.Chmod(path, 0o755)
				if path != w.ws && path != w.ws+"/socket" && !d.IsDir() {
					_ = os.Remove(path)
				}
			}
			return nil
		})
	}
	os.RemoveAll(w.outside)
	for _, name := range []string{
		".ssh/id_ed25519", ".aws/credentials", ".netrc",
		".config/google-chrome/Default/Cookies", ".gnupg/key", "sextant-data/sextant.db", "project/.hidden/secret",
		".bash_history",
	} {
		w.writeFile(w.home+"/"+name, w.token+"\n")
	}
	for _, name := range []string{
		".bashrc", ".profile", ".gitconfig", "notes.txt", "project/.git/config",
		"project/.git/hooks/pre-commit", "project/.git/HEAD",
	} {
		w.writeFile(w.home+"/"+name, "# as it was\n")
	}
	w.writeFile(w.outside+"/canary", "as it was\n")
	w.writeFile(w.outside+"/empty/canary", "as it was\n")
	w.writeFile(w.tmp+"/canary", "as it was\n")
	w.must(os.MkdirAll(w.outside+"/folder", 0o777))
	w.must(os.Symlink(w.outside+"/canary", w.outside+"/link"))
	w.must(unix.Mkfifo(w.outside+"/fifo", 0o666))
	fifo, err := os.OpenFile(w.outside+"/fifo", os.O_RDWR|unix.O_NONBLOCK, 0)
	w.must(err)
	w.t.Cleanup(func() { fifo.Close() })
	w.sharedMemory()
	if w.leaked != nil {
		w.leaked.Close()
	}
	// A descriptor that leaks into children.
	fd, err := unix.Open(w.outside+"/canary", unix.O_RDWR, 0)
	w.must(err)
	w.leaked = os.NewFile(uintptr(fd), "leaked")
	w.startVictim()
	w.contacts.Store(0)
	w.env = slices.Clone(w.serverVars)
	w.env = append(w.env,
		"WS="+w.ws, "OUT="+w.outside, "CANARY="+w.outside+"/canary", "FIFO="+w.outside+"/fifo", "BASE="+w.base, "RTMP="+
			w.tmp,
		"SECRET="+w.home+"/.ssh/id_ed25519", "P="+w.ws+"/probe __probe", "VICTIM="+strconv.Itoa(w.victim.Process.Pid),
		"OUTER="+strconv.Itoa(os.Getpid()), "SHM="+strconv.Itoa(w.shm), "SHMFILE=/dev/shm/"+filepath.Base(w.base))
	w.before = w.snapshot()
}

// startServers starts servers that count contacts and answer with the token.
func (w *testWorld) startServers() {
	serve := func(name, network, address string) {
		ln, err := net.Listen(network, address)
		if err != nil {
			w.t.Logf("no server %s: %v", name, err)
			return
		}
		w.t.Cleanup(func() { ln.Close() })
		if a, ok := ln.Addr().(*net.TCPAddr); ok {
			address = strconv.Itoa(a.Port)
		}
		w.serverVars = append(w.serverVars, name+"="+address)
		go func() {
			for {
				c, err := ln.Accept()
				if err != nil {
					return
				}
				w.contacts.Add(1)
				_, _ = c.Write([]byte(w.token + "\n"))
				_ = c.Close()
			}
		}()
	}
	serve("TCP", "tcp4", "0.0.0.0:0")
	serve("TCP6", "tcp6", "[::1]:0")
	serve("SOCK", "unix", w.base+"/socket")
	serve("SOCKTMP", "unix", w.tmp+"/socket")
	serve("SOCKWS", "unix", w.ws+"/socket")
	serve("ABSTRACT", "unix", "@"+w.token[:8]+filepath.Base(w.base))
	listen := func(name, network, address string) {
		c, err := net.ListenPacket(network, address)
		if err != nil {
			w.t.Logf("no server %s: %v", name, err)
			return
		}
		w.t.Cleanup(func() { c.Close() })
		if a, ok := c.LocalAddr().(*net.UDPAddr); ok {
			address = strconv.Itoa(a.Port)
		}
		w.serverVars = append(w.serverVars, name+"="+address)
		go func() {
			b := make([]byte, 100)
			for {
				if _, _, err := c.ReadFrom(b); err != nil {
					return
				}
				w.contacts.Add(1)
			}
		}()
	}
	listen("UDP", "udp4", "0.0.0.0:0")
	listen("DGRAM", "unixgram", w.base+"/datagrams")
	if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if ip, ok := a.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
				w.serverVars = append(w.serverVars, "ADDRESS="+ip.IP.String())
				break
			}
		}
	}
}

// sharedMemory writes the token to shared memory.
func (w *testWorld) sharedMemory() {
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o666)
	if err == nil {
		w.shm = id
		if b, err := unix.SysvShmAttach(id, 0, 0); err == nil {
			copy(b, w.token)
			_ = unix.SysvShmDetach(b)
		}
		w.t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	}
	path := "/dev/shm/" + filepath.Base(w.base)
	if os.WriteFile(path, []byte(w.token), 0o644) == nil {
		w.t.Cleanup(func() { os.Remove(path) })
	}
}

// startVictim starts a process of the same user that has the token.
func (w *testWorld) startVictim() {
	w.victim = exec.Command(w.ws+"/probe", "__probe", "wait")
	w.victim.Dir = w.outside
	w.victim.Env = []string{"VICTIM_SECRET=" + w.token}
	w.victim.Args = append(w.victim.Args, w.token)
	in, err := w.victim.StdinPipe()
	w.must(err)
	w.t.Cleanup(func() { in.Close(); w.stopVictim() })
	w.must(w.victim.Start())
}

func (w *testWorld) stopVictim() {
	if w.victim != nil && w.victim.ProcessState == nil {
		_ = w.victim.Process.Kill()
		_ = w.victim.Wait()
	}
}

// watched are files of the machine that a probe may try to change.
var watched = []string{
	"/etc/passwd", "/etc/hosts", "/etc/ld.so.preload", "/etc/profile", "/etc/crontab", "/etc/environment",
	"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname",
	"/proc/sys/vm/overcommit_memory",
	"/proc/sys/fs/protected_symlinks", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/uevent_helper",
}

// escape begins the names of files that probes create outside.
const escape = "sextant-escape"

// watchedFolders must not contain such a file.
var watchedFolders = []string{
	"/etc", "/etc/cron.d", "/etc/profile.d", "/etc/systemd/system", "/etc/sudoers.d", "/usr/local/bin", "/usr/bin",
	"/var/spool/cron", "/var/spool",
	"/dev/shm", "/dev/mqueue", "/tmp", "/var/tmp", "/run", "/lib/modules", "/", "/usr/local", "/opt", "/srv",
	"/sys/fs/cgroup",
}

// snapshot describes everything that must not change.
func (w *testWorld) snapshot() map[string]string {
	s := map[string]string{}
	for _, root := range []string{w.home, w.outside, w.tmp} {
		_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			guarded := strings.HasPrefix(path, w.ws+"/.hidden") || strings.HasPrefix(path, w.ws+"/.git/")
			if path == w.ws || strings.HasPrefix(path, w.ws+"/") && !guarded {
				return nil // writable, except hooks and secrets
			}
			s[path] = describe(path)
			return nil
		})
	}
	for _, path := range watched {
		s[path] = describe(path)
	}
	for _, dir := range watchedFolders {
		names, _ := filepath.Glob(dir + "/" + escape + "*")
		s["names in "+dir] = strings.Join(names, " ")
	}
	var segment unix.SysvShmDesc
	_, err := unix.SysvShmCtl(w.shm, unix.IPC_STAT, &segment)
	s["shared memory"] = fmt.Sprint(err, segment.Perm.Mode)
	var limit unix.Rlimit
	_ = unix.Prlimit(w.victim.Process.Pid, unix.RLIMIT_NOFILE, nil, &limit)
	nice, _ := unix.Getpriority(unix.PRIO_PROCESS, w.victim.Process.Pid)
	var cpus unix.CPUSet
	_ = unix.SchedGetaffinity(w.victim.Process.Pid, &cpus)
	s["the process outside"] = fmt.Sprint(limit, nice, cpus)
	return s
}

// describe returns a file's attributes and content, without following symlinks.
func describe(path string) string {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return "missing"
	}
	text := fmt.Sprintf("mode %o owner %d:%d links %d", st.Mode, st.Uid, st.Gid, st.Nlink)
	if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") {
		body, _ := os.ReadFile(path)
		return text + " " + string(body)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFREG {
		body, _ := os.ReadFile(path)
		sum := sha256.Sum256(body)
		text += fmt.Sprintf(" changed %d content %x", st.Mtim.Nano(), sum[:6])
	}
	if to, err := os.Readlink(path); err == nil {
		text += " symlink to " + to
	}
	names := make([]byte, 4096)
	if n, err := unix.Llistxattr(path, names); err == nil {
		text += " attributes " + string(names[:n])
	}
	return text
}

// damage returns what a run with this output changed, reached or learned.
func (w *testWorld) damage(output string) []string {
	var found []string
	if strings.Contains(output, w.token) {
		found = append(found, "it printed a secret")
	}
	if strings.Contains(output, successMark) {
		found = append(found, "the kernel allowed it")
	}
	if n := w.contacts.Load(); n > 0 {
		found = append(found, fmt.Sprintf("it reached a server %d times", n))
	}
	if err := w.victim.Process.Signal(unix.Signal(0)); err != nil || stopped(w.victim.Process.Pid) {
		found = append(found, "the process outside was ended")
	}
	now := w.snapshot()
	for path, is := range now {
		if was := w.before[path]; was != is {
			found = append(found, fmt.Sprintf("%s was %q, is now %q", path, was, is))
		}
	}
	for path := range w.before {
		if _, ok := now[path]; !ok {
			found = append(found, path+" was removed")
		}
	}
	_ = filepath.WalkDir(w.ws, func(path string, d fs.DirEntry, err error) error {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() &&
			info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
			found = append(found, path+" is setuid or setgid")
			os.Remove(path)
		}
		return nil
	})
	sort.Strings(found)
	return found
}

// stopped reports whether pid is dead or stopped.
func stopped(pid int) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	rest := strings.TrimSpace(string(line[strings.LastIndexByte(string(line), ')')+1:]))
	return strings.HasPrefix(rest, "Z") || strings.HasPrefix(rest, "T") || strings.HasPrefix(rest, "t")
}
