package launch

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// tieToParent gives the child its own process group, so that all its processes can be killed at once, and has it
// killed when the thread that starts it ends.
func tieToParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func terminate(pid int) { _ = syscall.Kill(pid, syscall.SIGTERM) }

// isBrowserProcess reports whether pid is a running browser. The pid of a lock may belong to another program by now.
// It returns true for a process whose program it cannot read.
func isBrowserProcess(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil {
		return false
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return true
	}
	first, _, _ := strings.Cut(string(line), "\x00")
	first = strings.ToLower(first)
	for _, name := range []string{"chrom", "edge", "brave"} {
		if strings.Contains(first, name) {
			return true
		}
	}
	return false
}

// smallShm reports whether shared memory may be too small for Chromium, as in many containers.
func smallShm() bool {
	var s syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &s); err != nil {
		return true
	}
	return int64(s.Blocks)*s.Bsize < 256<<20
}
