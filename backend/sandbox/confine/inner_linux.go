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

const stepArg = "__confine"

const (
	planFD         = 3 // the plan, as JSON
	reportFD       = 4 // reports of steps to Sextant, one JSON object per line
	lifelineFD     = 5 // supervisor: a pipe that closes when Sextant ends
	selfFD         = 5 // inner step: Sextant's own binary
	controlFD      = 6 // a socket that sends the run's sockets to Sextant, if there are any
	innerStep      = "enter"
	overlayStep    = "overlay"
	supervisorStep = "supervise"
)

type stepReport struct {
	// Failed says why the setup failed. Started is true when the command is about to start. Exit is its exit code.
	Failed  string `json:"failed,omitempty"`
	Started bool   `json:"began,omitempty"`
	Exit    *int   `json:"exit,omitempty"`
}

func sendReport(t stepReport) {
	line, err := json.Marshal(t)
	if err == nil {
		_, _ = unix.Write(reportFD, append(line, '\n'))
	}
}

// RunStep runs a step and does not return if this process was started as one; otherwise it does nothing. main must call
// it first, and so must TestMain of packages whose tests start runs.
func RunStep() {
	if len(os.Args) < 3 || os.Args[1] != stepArg {
		return
	}
	runtime.LockOSThread()
	var err error
	switch os.Args[2] {
	case supervisorStep:
		err = supervise()
	case innerStep:
		err = runInner()
	case overlayStep:
		err = mountOverlays(strings.Join(os.Args[3:], ""))
	default:
		err = fmt.Errorf("unknown step %q", os.Args[2])
	}
	sendReport(stepReport{Failed: err.Error()})
	os.Exit(1)
}

func readPlan(into any) error {
	f := os.NewFile(planFD, "plan")
	defer f.Close()
	if err := json.NewDecoder(f).Decode(into); err != nil {
		return fmt.Errorf("reading the plan: %w", err)
	}
	return nil
}

// runInner confines this process and then executes the command. It returns only if it fails.
func runInner() error {
	var in innerPlan
	if err := readPlan(&in); err != nil {
		return err
	}
	if !in.Namespaces || in.Terminal {
		// Bubblewrap already started a session, but its first process leads it. Only a session leader can acquire a
		// terminal.
		_, _ = unix.Setsid() // fails only if this process leads one
	}
	if in.Terminal {
		if err := unix.IoctlSetInt(0, unix.TIOCSCTTY, 0); err != nil {
			return fmt.Errorf("taking the terminal: %w", err)
		}
	}
	if !in.Inherit {
		if err := in.setLimits(); err != nil {
			return err
		}
	}
	if err := os.Chdir(in.Dir); err != nil {
		return fmt.Errorf("changing to the working folder: %w", err)
	}
	path, ok := lookPath(in.Args[0], in.Env)
	if !ok {
		return fmt.Errorf("program %q was not found", in.Args[0])
	}
	if in.Proxied || in.MaxConns > 0 {
		address, err := passSockets(in.Proxied, in.MaxConns)
		if err != nil {
			return err
		}
		if in.Proxied {
			in.Env = withProxyVars(in.Env, address)
		}
	}
	if !in.Unconfined {
		if err := dropPrivileges(); err != nil {
			return err
		}
		if err := in.applyLandlock(); err != nil {
			return fmt.Errorf("setting up Landlock: %w", err)
		}
	}
	// Close all other descriptors on exec. They cannot be closed now, because reportFD is still needed.
	if err := unix.CloseRange(planFD, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing descriptors: %w", err)
	}
	if !in.Unconfined {
		if err := in.loadSeccomp(); err != nil {
			return err
		}
	}
	sendReport(stepReport{Started: true})
	return fmt.Errorf("starting %s: %w", path, syscall.Exec(path, in.Args, in.Env))
}

// passSockets creates sockets in the run's own network and sends them to Sextant: a listener for the proxy, and sockets
// for Process.Dial. A socket stays in the network it was created in, so no part of Sextant has to run inside.
func passSockets(proxied bool, sockets int) (address string, err error) {
	var fds []int
	if proxied {
		ln, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return "", fmt.Errorf("opening a port for the proxy: %w", err)
		}
		defer func() { _ = ln.Close() }()
		tcp, ok := ln.(*net.TCPListener)
		if !ok {
			return "", errors.New("the port for the proxy is not a TCP port")
		}
		f, err := tcp.File()
		if err != nil {
			return "", fmt.Errorf("opening a port for the proxy: %w", err)
		}
		defer func() { _ = f.Close() }()
		address = ln.Addr().String()
		fds = append(fds, int(f.Fd()))
	}
	var created []int
	defer func() {
		for _, fd := range created {
			_ = unix.Close(fd)
		}
	}()
	for range sockets {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return "", fmt.Errorf("opening a socket into the run: %w", err)
		}
		created = append(created, fd)
		fds = append(fds, fd)
	}
	if err := unix.Sendmsg(controlFD, []byte{0}, unix.UnixRights(fds...), nil, 0); err != nil {
		return "", fmt.Errorf("sending the sockets of the run: %w", err)
	}
	// The command must not start before Sextant confirms.
	if n, err := unix.Read(controlFD, make([]byte, 1)); n != 1 {
		return "", fmt.Errorf("the sockets of the run were not received: %w", err)
	}
	_ = unix.Close(controlFD)
	return address, nil
}

func (in *innerPlan) setLimits() error {
	processes := in.Limits.Processes
	if !in.Namespaces {
		// The kernel counts all processes of the person; in a user namespace it counts from zero.
		processes += countUserThreads()
	}
	limits := []struct {
		kind  int
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
		if err := syscall.Getrlimit(l.kind, &now); err != nil {
			return fmt.Errorf("reading a limit: %w", err)
		}
		value := min(l.value, now.Max)
		if err := syscall.Setrlimit(l.kind, &syscall.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("setting limit %d to %d: %w", l.kind, value, err)
		}
	}
	// When memory runs out, the kernel should kill this process before the person's other programs.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("900"), 0) // only a hint
	return nil
}

func countUserThreads() uint64 {
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
		isOurs := false
		for lines := bufio.NewScanner(f); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ":")
			fields := strings.Fields(value)
			if name == "Uid" && len(fields) > 0 {
				isOurs = fields[0] == strconv.Itoa(uid)
			}
			if name == "Threads" && isOurs && len(fields) > 0 {
				n, _ := strconv.ParseUint(fields[0], 10, 32)
				count += n
			}
		}
		_ = f.Close()
	}
	return count
}

// dropPrivileges drops all capabilities permanently, including those that root would regain with exec.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	for c := uintptr(0); c <= 63; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err == unix.EINVAL { // past the last capability
			break
		}
		if err != nil && os.Geteuid() == 0 && inBoundingSet(int(c)) {
			return fmt.Errorf("giving up capability %d: %w", c, err)
		}
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // not supported by older kernels
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("giving up capabilities: %w", err)
	}
	return nil
}

func inBoundingSet(c int) bool {
	value, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(c), 0, 0, 0)
	return err == nil && value == 1
}
