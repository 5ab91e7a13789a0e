//go:build unix && !linux

package procgroup

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit is false: on this system the end of a child is only known by reaping it.
func awaitExit(int) bool { return false }
