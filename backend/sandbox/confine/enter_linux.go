package confine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// verb is the hidden first argument that makes our program a step of a run.
const verb = "__confine"

// Descriptors that the steps hand on.
const (
	planFD  = 3 // what to do, as JSON
	toldFD  = 4 // what happened, back to Sextant, a JSON object a line
	lifeFD  = 5 // supervisor: ends when Sextant does
	ownFD   = 5 // enter: our own program
	wayFD   = 6 // a socket back to Sextant that takes a listener or sockets, where there are any
	innerAt = "enter"
	outerAt = "supervise"
)

// told is a line on toldFD.
type told struct {
	// Failed says why the sandbox could not be set up, Began that the command follows, Exit how
	// it ended.
	Failed string `json:"failed,omitempty"`
	Began  bool   `json:"began,omitempty"`
	Exit   *int   `json:"exit,omitempty"`
}

func tell(t told) {
	line, err := json.Marshal(t)
	if err == nil {
		_, _ = unix.Write(toldFD, append(line, '\n'))
	}
}

// Enter makes this process a step of a run and never returns, if that is what it was started
// as; else it does nothing. It is the first thing that main does, and TestMain of packages
// whose tests start runs.
func Enter() {
	if len(os.Args) != 3 || os.Args[1] != verb {
		return
	}
	runtime.LockOSThread()
	var err error
	switch os.Args[2] {
	case outerAt:
		err = supervise()
	case innerAt:
		err = become()
	default:
		err = fmt.Errorf("there is no step %q", os.Args[2])
	}
	tell(told{Failed: err.Error()})
	os.Exit(1)
}

// readPlan reads what to do from its descriptor.
func readPlan(into any) error {
	f := os.NewFile(planFD, "plan")
	defer f.Close()
	if err := json.NewDecoder(f).Decode(into); err != nil {
		return fmt.Errorf("reading what to run: %w", err)
	}
	return nil
}

// become puts up the walls around this process and then is the command. It returns only why
// it could not.
func become() error {
	var in inner
	if err := readPlan(&in); err != nil {
		return err
	}
	if !in.Namespaces || in.Terminal {
		// Bubblewrap did it; without, the command gets a session of its own here. A terminal is
		// taken by who leads one, which behind bubblewrap is its first process.
		_, _ = unix.Setsid() // fails only when it has one
	}
	if in.Terminal {
		if err := unix.IoctlSetInt(0, unix.TIOCSCTTY, 0); err != nil {
			return fmt.Errorf("taking the terminal: %w", err)
		}
	}
	if !in.Person {
		if err := in.limit(); err != nil {
			return err
		}
	}
	if err := os.Chdir(in.Dir); err != nil {
		return fmt.Errorf("going to the folder: %w", err)
	}
	path, ok := find(in.Args[0], in.Env)
	if !ok {
		return fmt.Errorf("there is no program %q", in.Args[0])
	}
	if in.Proxied || in.Sockets > 0 {
		address, err := handOut(in.Proxied, in.Sockets)
		if err != nil {
			return err
		}
		if in.Proxied {
			in.Env = throughProxy(in.Env, address)
		}
	}
	if !in.Unconfined {
		if err := dropPrivileges(); err != nil {
			return err
		}
		if err := in.restrict(); err != nil {
			return fmt.Errorf("setting up Landlock: %w", err)
		}
	}
	// Nothing of ours goes on: what is open closes when the command takes over. It cannot be
	// closed here, the way back is needed for one more line.
	if err := unix.CloseRange(planFD, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing descriptors: %w", err)
	}
	if !in.Unconfined {
		if err := in.sieve(); err != nil {
			return err
		}
	}
	tell(told{Began: true})
	return fmt.Errorf("starting %s: %w", path, syscall.Exec(path, in.Args, in.Env))
}

// handOut makes what reaches in and out of the run's own network and hands it to Sextant: a port of
// loopback that Sextant then serves, and sockets that it then connects. Nothing of ours has to run
// inside: a socket belongs to the network that it was made in, whoever holds it.
func handOut(proxied bool, sockets int) (address string, err error) {
	var fds []int
	if proxied {
		ln, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return "", fmt.Errorf("opening a port for the proxy: %w", err)
		}
		defer func() { _ = ln.Close() }()
		tcp, ok := ln.(*net.TCPListener)
		if !ok {
			return "", errors.New("the port for the proxy is not one of TCP")
		}
		f, err := tcp.File()
		if err != nil {
			return "", fmt.Errorf("opening a port for the proxy: %w", err)
		}
		defer func() { _ = f.Close() }()
		address = ln.Addr().String()
		fds = append(fds, int(f.Fd()))
	}
	var own []int
	defer func() {
		for _, fd := range own {
			_ = unix.Close(fd)
		}
	}()
	for range sockets {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return "", fmt.Errorf("opening a socket into the run: %w", err)
		}
		own = append(own, fd)
		fds = append(fds, fd)
	}
	if err := unix.Sendmsg(wayFD, []byte{0}, unix.UnixRights(fds...), nil, 0); err != nil {
		return "", fmt.Errorf("handing on what reaches into the run: %w", err)
	}
	// Only once all of it is taken does the command begin.
	if n, err := unix.Read(wayFD, make([]byte, 1)); n != 1 {
		return "", fmt.Errorf("nobody took what reaches into the run: %w", err)
	}
	_ = unix.Close(wayFD)
	return address, nil
}

// limit sets the limits of resources for this process and all that come of it.
func (in *inner) limit() error {
	processes := in.Limits.Processes
	if !in.Namespaces {
		// The kernel counts all of the person's; in a namespace it counts from none.
		processes += ours()
	}
	limits := []struct {
		what  int
		value uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_DATA, in.Limits.Memory},
		{unix.RLIMIT_FSIZE, in.Limits.FileSize},
		{unix.RLIMIT_NPROC, processes},
		{unix.RLIMIT_NOFILE, in.Limits.Files},
		{unix.RLIMIT_RTPRIO, 0},
		{unix.RLIMIT_MSGQUEUE, 1 << 20},
	}
	for _, l := range limits {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(l.what, &now); err != nil {
			return fmt.Errorf("reading a limit: %w", err)
		}
		value := min(l.value, now.Max)
		if err := syscall.Setrlimit(l.what, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("setting limit %d to %d: %w", l.what, value, err)
		}
	}
	// When memory runs out, the kernel ends this before anything of the person's.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("900"), 0) // a wish, not a wall
	return nil
}

// ours counts processes and threads of this user.
func ours() uint64 {
	entries, _ := os.ReadDir("/proc")
	count, uid := uint64(0), os.Getuid()
	for _, e := range entries {
		if e.Name()[0] < '0' || e.Name()[0] > '9' {
			continue
		}
		f, err := os.Open("/proc/" + e.Name() + "/status")
		if err != nil {
			continue
		}
		mine := false
		for lines := bufio.NewScanner(f); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ":")
			fields := strings.Fields(value)
			if name == "Uid" && len(fields) > 0 {
				mine = fields[0] == strconv.Itoa(uid)
			}
			if name == "Threads" && mine && len(fields) > 0 {
				n, _ := strconv.ParseUint(fields[0], 10, 32)
				count += n
			}
		}
		_ = f.Close()
	}
	return count
}

// dropPrivileges gives up every capability for good, also those that root would get back by
// starting a program.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	for c := uintptr(0); c <= 63; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err == unix.EINVAL { // past the last one
			break
		}
		if err != nil && os.Geteuid() == 0 && held(int(c)) {
			return fmt.Errorf("giving up capability %d: %w", c, err)
		}
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // older kernels have none
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("giving up capabilities: %w", err)
	}
	return nil
}

// held reports whether a program started now could still get capability c.
func held(c int) bool {
	there, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0)
	return err == nil && there == 1
}
