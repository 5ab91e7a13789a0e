//go:build unix && !linux

package procgroup

import "syscall"

func sysProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// waitForExit returns false: on this system a child's exit is only known by reaping it.
func waitForExit(int) bool { return false }
