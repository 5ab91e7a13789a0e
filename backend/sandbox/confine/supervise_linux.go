package confine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervise runs the next step as its child and ends with it. Whatever detaches itself from
// the command falls to this process, which is the nearest that adopts, so that nothing is left
// when it ends. It returns only why the command could not be started.
func supervise() error {
	var p plan
	if err := readPlan(&p); err != nil {
		return err
	}
	// The main thread lives as long as the process, so the children's tie to it holds.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("adopting what a command leaves: %w", err)
	}
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // the command is also kept out by the walls
	unix.CloseOnExec(toldFD)
	unix.CloseOnExec(lifeFD)
	// what leaked into us goes no further; start hands on what it should
	_ = unix.CloseRange(lifeFD+1, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	child, err := start(p)
	if err != nil {
		return err
	}
	end := sync.OnceFunc(func() { go killing() })
	go func() {
		// A byte asks the command to end; the end of the pipe is the end of the call or of Sextant.
		life, word := os.NewFile(lifeFD, "life"), make([]byte, 1)
		for {
			if _, err := life.Read(word); err != nil {
				break
			}
			terminate(p.Enter.Namespaces)
		}
		end()
	}()
	code := 1
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil: // no child is left
			tell(told{Exit: &code})
			os.Exit(0)
		case pid == child:
			code = exitCode(status)
			end()
		}
	}
}

// killing kills what is left until this process ends, which it does when nothing is: a fork can
// slip past one look.
func killing() {
	for {
		killAll()
		time.Sleep(time.Millisecond)
	}
}

// exitCode is the code of a process as a shell tells it.
func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

// start begins the step inside.
func start(p plan) (pid int, err error) {
	enter, err := jsonFile(p.Enter)
	if err != nil {
		return 0, err
	}
	own, err := os.Open("/proc/self/exe")
	if err != nil {
		return 0, fmt.Errorf("opening our own program: %w", err)
	}
	// The path names the descriptor as it is numbered there.
	argv := append(p.Wrap, "/proc/self/fd/"+strconv.Itoa(ownFD), verb, innerAt)
	if len(p.Wrap) == 0 {
		argv[0] = "/proc/self/exe"
	}
	path := argv[0]
	files := []uintptr{0, 1, 2, enter.Fd(), toldFD, own.Fd()}
	if p.Enter.Proxied || p.Enter.Sockets > 0 {
		files = append(files, wayFD)
		defer func() { _ = unix.Close(wayFD) }()
	}
	pid, err = syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir: "/", Env: []string{"PATH=/usr/bin:/bin"},
		Files: files,
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", path, err)
	}
	return pid, nil
}

// jsonFile is v as JSON in a file that has no name, to be read from its start.
func jsonFile(v any) (*os.File, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("writing what to run: %w", err)
	}
	fd, err := unix.MemfdCreate("plan", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("writing what to run: %w", err)
	}
	f := os.NewFile(uintptr(fd), "plan")
	if _, err := io.Copy(f, bytes.NewReader(body)); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("writing what to run: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("writing what to run: %w", err)
	}
	return f, nil
}

// killAll ends every descendant. All are stopped first, until a look finds no new one, so that
// none can start another while the rest dies.
func killAll() {
	stopped := map[int]bool{}
	for range 50 {
		fresh := false
		for _, pid := range descendants(os.Getpid()) {
			if !stopped[pid] {
				stopped[pid], fresh = true, true
				_ = unix.Kill(pid, unix.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	for pid := range stopped {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// terminate asks every process of the command to end. Bubblewrap's own, which would take all of it down
// at once, are left out: they are those outside of the run's namespace, and its first process.
func terminate(namespaces bool) {
	depth := len(numbersIn(os.Getpid()))
	for _, pid := range descendants(os.Getpid()) {
		if own := numbersIn(pid); namespaces && (len(own) <= depth || own[len(own)-1] == "1") {
			continue
		}
		_ = unix.Kill(pid, unix.SIGTERM)
	}
}

// numbersIn are the numbers of a process in the namespaces that it is in, the outermost first.
func numbersIn(pid int) []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), "NSpid:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Fields(line)
}

// descendants are all processes below pid, dead ones that nobody asked for yet left out.
func descendants(pid int) []int {
	children := map[int][]int{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, alive := parentOf(child); alive {
			children[parent] = append(children[parent], child)
		}
	}
	var all []int
	for next := []int{pid}; len(next) > 0; {
		below := children[next[0]]
		next = append(next[1:], below...)
		all = append(all, below...)
	}
	return all
}

func parentOf(pid int) (parent int, alive bool) {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The name may hold anything, so what follows its last bracket counts.
	_, rest, _ := strings.Cut(string(line[bytes.LastIndexByte(line, ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 || fields[0] == "Z" {
		return 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, err == nil
}
