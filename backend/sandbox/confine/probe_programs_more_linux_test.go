package confine

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func asError(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// callRaw makes a system call by number; arguments are numbers or =text.
func callRaw(a []string) error {
	var n []uintptr
	for _, s := range a {
		if len(s) > 0 && s[0] == '=' {
			n = append(n, cstr(s[1:]))
			continue
		}
		v, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			return err
		}
		n = append(n, uintptr(v))
	}
	return rawSyscall(n[0], n[1:]...)
}

// vm reads or writes the memory of the process outside. It succeeds if the kernel allows the access, mapped or not.
func vm(call uintptr) error {
	b := make([]byte, 8)
	local := unix.Iovec{Base: &b[0]}
	local.SetLen(8)
	remote := unix.RemoteIovec{Base: 0x400000, Len: 8}
	n, _, e := syscall.Syscall6(call, uintptr(victim()), uintptr(unsafe.Pointer(&local)), 1,
		uintptr(unsafe.Pointer(&remote)), 1, 0)
	runtime.KeepAlive(b)
	if e == 0 && n > 0 || e == syscall.EFAULT {
		fmt.Println(successMark)
	}
	return asError(e)
}

func onDescriptor(do func(fd int) error) func([]string) error {
	return func(a []string) error {
		fd, err := unix.Open(a[0], unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		return do(fd)
	}
}

// linkFD links an unnamed file to a path outside.
func linkFD(a []string) error {
	fd, err := unix.Open(os.Getenv("WS"), unix.O_TMPFILE|unix.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, a[0], unix.AT_SYMLINK_FOLLOW)
}

// memfd runs a program from memory that writes to a file outside.
func memfd(a []string) error {
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return err
	}
	if _, err := unix.Write(fd, []byte("#!/bin/sh\necho escaped >> "+a[0]+"\n")); err != nil {
		return err
	}
	return unix.Exec(fmt.Sprintf("/proc/self/fd/%d", fd), []string{"x"}, os.Environ())
}

// typeIn types into a terminal; the upper half of the request is ignored by the kernel.
func typeIn(a []string) error {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	high, _ := strconv.ParseUint(a[0], 0, 64)
	c := byte('x')
	_, _, e := syscall.Syscall(unix.SYS_IOCTL, uintptr(fd), uintptr(high<<32|unix.TIOCSTI), uintptr(unsafe.Pointer(&c)))
	if e == 0 {
		fmt.Println(successMark)
	}
	return asError(e)
}

// remount tries to make everything writable and to uncover hidden files.
func remount(a []string) error {
	for _, path := range []string{"/", a[0], os.Getenv("HOME"), os.Getenv("HOME") + "/.ssh"} {
		_ = unix.Mount("none", path, "", unix.MS_REMOUNT|unix.MS_BIND, "")
		_ = unix.Unmount(path, unix.MNT_DETACH)
	}
	b, err := os.ReadFile(os.Getenv("SECRET"))
	fmt.Println(string(b), err)
	return os.WriteFile(os.Getenv("CANARY"), []byte("escaped"), 0o644)
}

// escapeNamespace creates a user namespace, in which it would be root, with the call a[0].
func escapeNamespace(a []string) error {
	runtime.LockOSThread()
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)
	var e syscall.Errno
	switch a[0] {
	case "clone":
		var pid uintptr
		pid, _, e = syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if e == 0 && pid == 0 {
			// A forked thread can make raw system calls only.
			_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 42, 0, 0)
		}
		if e == 0 {
			fmt.Println(successMark)
			return nil
		}
	case "clone3":
		args := [11]uint64{uint64(flags)}
		args[4] = uint64(unix.SIGCHLD)
		var pid uintptr
		pid, _, e = syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
		if e == 0 && pid == 0 {
			_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 42, 0, 0)
		}
		if e == 0 {
			fmt.Println(successMark)
			return nil
		}
	}
	return e
}

// takeDescriptor duplicates an open file of the process outside.
func takeDescriptor([]string) error {
	fd, err := unix.PidfdOpen(victim(), 0)
	if err != nil {
		return err
	}
	if _, err := unix.PidfdGetfd(fd, 0, 0); err != nil {
		return err
	}
	fmt.Println(successMark)
	return nil
}

// mapped connects to an IPv4 server by an IPv4-mapped IPv6 address.
func mapped([]string) error {
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Connect(fd, &unix.SockaddrInet6{
		Port: num(os.Getenv("TCP")),
		Addr: [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1},
	})
}
