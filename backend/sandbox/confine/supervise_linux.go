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

// supervise runs the inner step as its child and exits with it. As the subreaper it adopts every process that detaches
// itself from the command, so that none survives. It returns only if it fails.
func supervise() error {
	var p plan
	if err := readPlan(&p); err != nil {
		return err
	}
	// The main thread lives as long as the process, so the parent-death signal works.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming the subreaper: %w", err)
	}
	unix.CloseOnExec(reportFD)
	unix.CloseOnExec(lifelineFD)
	// Leaked descriptors must not reach the command. startInner passes on the ones that it needs.
	_ = unix.CloseRange(lifelineFD+1, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC)
	child, err := startInner(p)
	// The sandbox also prevents access by the command. Before this, the kernel lets us set the child's user ids.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if err != nil {
		return err
	}
	end := sync.OnceFunc(func() { go killUntilExit() })
	go func() {
		// A byte requests SIGTERM. The end of the pipe means that the caller canceled the run or Sextant ended.
		lifeline, buf := os.NewFile(lifelineFD, "lifeline"), make([]byte, 1)
		for {
			if _, err := lifeline.Read(buf); err != nil {
				break
			}
			terminateDescendants(p.Inner.Namespaces)
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
			sendReport(stepReport{Exit: &code})
			os.Exit(0)
		case pid == child:
			code = exitCode(status)
			end()
		}
	}
}

// killUntilExit kills the descendants repeatedly, because a fork can escape one pass. supervise ends the process when
// no child is left.
func killUntilExit() {
	for {
		killDescendants()
		time.Sleep(time.Millisecond)
	}
}

func exitCode(status syscall.WaitStatus) int {
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

func startInner(p plan) (pid int, err error) {
	enter, err := jsonFile(p.Inner)
	if err != nil {
		return 0, err
	}
	own, err := os.Open("/proc/self/exe")
	if err != nil {
		return 0, fmt.Errorf("opening our own binary: %w", err)
	}
	// The path contains the number that the descriptor has in the child.
	argv := append(p.Bubblewrap, "/proc/self/fd/"+strconv.Itoa(selfFD), stepArg, innerStep)
	if len(p.Bubblewrap) == 0 {
		argv[0] = "/proc/self/exe"
	}
	sys := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if len(p.Overlays) > 0 {
		if argv, err = withOverlays(p.Overlays, argv, sys); err != nil {
			return 0, err
		}
	}
	path := argv[0]
	files := []uintptr{0, 1, 2, enter.Fd(), reportFD, own.Fd()}
	if p.Inner.Proxied || p.Inner.MaxConns > 0 {
		files = append(files, controlFD)
		defer func() { _ = unix.Close(controlFD) }()
	}
	pid, err = syscall.ForkExec(path, argv, &syscall.ProcAttr{
		Dir: "/", Env: []string{"PATH=/usr/bin:/bin"},
		Files: files,
		Sys:   sys,
	})
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", path, err)
	}
	return pid, nil
}

// jsonFile returns an anonymous file that contains v as JSON, positioned at its start.
func jsonFile(v any) (*os.File, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	fd, err := unix.MemfdCreate("plan", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	f := os.NewFile(uintptr(fd), "plan")
	if _, err := io.Copy(f, bytes.NewReader(body)); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("writing the plan: %w", err)
	}
	return f, nil
}

// killDescendants kills every descendant. It first stops all of them, so that none can start another process meanwhile.
func killDescendants() {
	stopped := map[int]bool{}
	for range 50 {
		foundNew := false
		for _, pid := range descendants(os.Getpid()) {
			if !stopped[pid] {
				stopped[pid], foundNew = true, true
				_ = unix.Kill(pid, unix.SIGSTOP)
			}
		}
		if !foundNew {
			break
		}
	}
	for pid := range stopped {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// terminateDescendants sends SIGTERM to every process of the command. It spares bubblewrap's processes, one outside the
// run's namespace and one that is the first inside: if they ended, the kernel would kill the rest.
func terminateDescendants(namespaces bool) {
	depth := len(namespacePIDs(os.Getpid()))
	for _, pid := range descendants(os.Getpid()) {
		if own := namespacePIDs(pid); namespaces && (len(own) <= depth || own[len(own)-1] == "1") {
			continue
		}
		_ = unix.Kill(pid, unix.SIGTERM)
	}
}

func namespacePIDs(pid int) []string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(text), "NSpid:")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Fields(line)
}

// descendants returns all descendants of pid, without zombies.
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
	// The process name may contain any character, so the fields are read after the last bracket.
	_, rest, _ := strings.Cut(string(line[bytes.LastIndexByte(line, ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 2 || fields[0] == "Z" {
		return 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, err == nil
}
