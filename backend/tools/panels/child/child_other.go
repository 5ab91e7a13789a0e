//go:build unix && !linux

package child

import "syscall"

func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit is false: here the death of a child is only learned by reaping it.
func awaitExit(int) bool { return false }
