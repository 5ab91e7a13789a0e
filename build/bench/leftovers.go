package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// isolate detaches a child process from our open files (such as a lock) and our signals. When interrupted, the
// benchmark itself stops its systems in order.
func isolate(cmd *exec.Cmd) {
	fds, err := os.ReadDir("/proc/self/fd")
	if err == nil {
		for _, e := range fds {
			if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
				syscall.CloseOnExec(fd)
			}
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killLeftovers kills every process that has the scratch folder in its environment, such as the daemon of
// agent-browser, which outlives its server.
func killLeftovers(scratch string) {
	for range 50 {
		left := 0
		dirs, err := filepath.Glob("/proc/[0-9]*")
		if err != nil {
			return
		}
		for _, d := range dirs {
			pid, err := strconv.Atoi(filepath.Base(d))
			if err != nil || pid == os.Getpid() {
				continue
			}
			env, err := os.ReadFile(filepath.Join(d, "environ"))
			if err == nil && bytes.Contains(env, []byte(scratch)) {
				left++
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if left == 0 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
