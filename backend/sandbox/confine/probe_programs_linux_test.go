package confine

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// successMark is what a probe prints if the kernel allowed a forbidden call.
const successMark = "PROBE-SUCCEEDED"

// probeMain runs this test binary as a probe program: __probe name args.
func probeMain(args []string) (int, bool) {
	if len(args) < 3 || args[1] != "__probe" {
		return 0, false
	}
	run, ok := probePrograms[args[2]]
	if !ok {
		fmt.Println("unknown program", args[2])
		return 2, true
	}
	if err := run(args[3:]); err != nil {
		fmt.Println(args[2], err)
		return 1, true
	}
	return 0, true
}

func num(s string) int { n, _ := strconv.Atoi(s); return n }

func victim() int { return num(os.Getenv("VICTIM")) }

// rawSyscall makes a system call and prints successMark if it was allowed.
func rawSyscall(call uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, e := syscall.Syscall6(call, a[0], a[1], a[2], a[3], a[4], a[5])
	if e != 0 {
		return e
	}
	fmt.Println(successMark)
	return nil
}

func dialAndPrint(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	defer c.Close()
	_, _ = c.Write([]byte("x"))
	if network != "udp" && network != "unixgram" {
		_, err = io.Copy(os.Stdout, c)
	}
	return err
}

func cstr(s string) uintptr {
	b := append([]byte(s), 0)
	return uintptr(unsafe.Pointer(&b[0]))
}

// printDescriptor copies an open descriptor to the output.
func printDescriptor(fd int, err error) error {
	if err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, os.NewFile(uintptr(fd), "opened"))
	return err
}

var probePrograms = map[string]func(args []string) error{
	"wait": func([]string) error { _, err := io.Copy(io.Discard, os.Stdin); return err },
	// sextant HOME WORKSPACE starts a run and waits, as Sextant does.
	"sextant": func(a []string) error {
		_, err := New(Config{Home: a[0]}).Run(context.Background(), Spec{
			Args: []string{"bash", "-c", "setsid sleep 876543 & echo ready; sleep 876543"}, Workspace: a[1],
			Stdout: os.Stdout,
		})
		return err
	},
	"dial": func(a []string) error { return dialAndPrint(a[0], a[1]) },
	"whoami": func([]string) error {
		if os.Geteuid() != os.Getuid() {
			fmt.Println(successMark)
		}
		return nil
	},
	// socket FAMILY TYPE PROTOCOL, in numbers; the family as 64 bits.
	"socket": func(a []string) error {
		family, _ := strconv.ParseUint(a[0], 0, 64)
		return rawSyscall(unix.SYS_SOCKET, uintptr(family), uintptr(num(a[1])), uintptr(num(a[2])))
	},
	// pair TYPE connects a socket pair to another address.
	"pair": func(a []string) error {
		fds, err := unix.Socketpair(unix.AF_UNIX, num(a[0]), 0)
		if err != nil {
			return err
		}
		to := &unix.SockaddrUnix{Name: os.Getenv("DGRAM")}
		if err := unix.Connect(fds[0], to); err != nil {
			_ = unix.Sendto(fds[0], []byte("x"), 0, to)
			return err
		}
		_, err = unix.Write(fds[0], []byte("x"))
		return err
	},
	"fastopen": func([]string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN,
			&unix.SockaddrInet4{Port: num(os.Getenv("TCP")), Addr: [4]byte{127, 0, 0, 1}})
	},
	"stream": func(a []string) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, num(a[0]))
		if err != nil {
			return err
		}
		return unix.Connect(fd, &unix.SockaddrInet4{Port: num(os.Getenv("TCP")), Addr: [4]byte{127, 0, 0, 1}})
	},
	"ptrace":  func(a []string) error { return rawSyscall(unix.SYS_PTRACE, uintptr(num(a[0])), uintptr(num(a[1]))) },
	"syscall": callRaw,
	"readvm":  func([]string) error { return vm(unix.SYS_PROCESS_VM_READV) },
	"writevm": func([]string) error { return vm(unix.SYS_PROCESS_VM_WRITEV) },
	"kill":    func(a []string) error { return unix.Kill(num(a[0]), unix.Signal(num(a[1]))) },
	"tgkill":  func(a []string) error { return unix.Tgkill(num(a[0]), num(a[0]), unix.SIGKILL) },
	"pidfd": func([]string) error {
		fd, err := unix.PidfdOpen(victim(), 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	},
	"queue": func([]string) error {
		info := [32]int32{int32(unix.SIGKILL), 0, -1}
		_, _, e := syscall.Syscall(unix.SYS_RT_SIGQUEUEINFO, uintptr(victim()), uintptr(unix.SIGKILL),
			uintptr(unsafe.Pointer(&info)))
		return asError(e)
	},
	// owner makes a pipe send signals to another process.
	"owner": func([]string) error {
		fds := make([]int, 2)
		if err := unix.Pipe(fds); err != nil {
			return err
		}
		for _, set := range [][2]int{
			{unix.F_SETOWN, victim()},
			{unix.F_SETSIG, int(unix.SIGKILL)},
			{unix.F_SETFL, unix.O_ASYNC | unix.O_NONBLOCK},
		} {
			if _, err := unix.FcntlInt(uintptr(fds[0]), set[0], set[1]); err != nil {
				return err
			}
		}
		_, err := unix.Write(fds[1], []byte("x"))
		return err
	},
	"limit": func([]string) error {
		return unix.Prlimit(victim(), unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 3, Max: 3}, nil)
	},
	"nice": func([]string) error { return unix.Setpriority(unix.PRIO_PROCESS, victim(), 15) },
	"niceall": func([]string) error {
		return unix.Setpriority(unix.PRIO_USER, os.Getuid(), 15)
	},
	"affinity": func([]string) error {
		var set unix.CPUSet
		set.Set(0)
		return unix.SchedSetaffinity(victim(), &set)
	},
	"shm": func(a []string) error {
		b, err := unix.SysvShmAttach(num(os.Getenv("SHM")), 0, 0)
		if err != nil {
			return err
		}
		fmt.Printf("%s\n", b[:64])
		return nil
	},
	"shmremove": func([]string) error {
		_, err := unix.SysvShmCtl(num(os.Getenv("SHM")), unix.IPC_RMID, nil)
		return err
	},
	"descriptors": func([]string) error {
		for fd := 3; fd < 1024; fd++ {
			_ = unix.Ftruncate(fd, 0)
			_, _ = unix.Write(fd, []byte("x"))
			_ = unix.Fchmod(fd, 0o777)
		}
		return nil
	},
	"opath": func(a []string) error {
		fd, err := unix.Open(a[0], unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return printDescriptor(unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_RDONLY, 0))
	},
	"opathwrite": func(a []string) error {
		fd, err := unix.Open(a[0], unix.O_PATH, 0)
		if err != nil {
			return err
		}
		again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_WRONLY|unix.O_TRUNC, 0)
		_ = unix.Close(again)
		return err
	},
	"openat2": func(a []string) error {
		fd, err := unix.Openat2(unix.AT_FDCWD, a[0], &unix.OpenHow{Flags: unix.O_RDWR})
		if err == nil {
			_, _ = unix.Write(fd, []byte("x"))
		}
		return err
	},
	"makeset": func(a []string) error {
		fd, err := unix.Openat(unix.AT_FDCWD, os.Getenv("WS")+"/set", unix.O_CREAT|unix.O_WRONLY, 0o4755)
		_ = unix.Close(fd)
		return err
	},
	"truncate": func(a []string) error { return os.Truncate(a[0], 0) },
	"exchange": func(a []string) error {
		return unix.Renameat2(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], unix.RENAME_EXCHANGE)
	},
	"link": func(a []string) error {
		return unix.Linkat(unix.AT_FDCWD, a[0], unix.AT_FDCWD, a[1], unix.AT_SYMLINK_FOLLOW)
	},
	"linkfd":    linkFD,
	"xattr":     func(a []string) error { return unix.Setxattr(a[0], "user.escape", []byte("x"), 0) },
	"lxattr":    func(a []string) error { return unix.Lsetxattr(a[0], "user.escape", []byte("x"), 0) },
	"fxattr":    onDescriptor(func(fd int) error { return unix.Fsetxattr(fd, "user.escape", []byte("x"), 0) }),
	"fchmod":    onDescriptor(func(fd int) error { return unix.Fchmod(fd, 0o777) }),
	"fchown":    onDescriptor(func(fd int) error { return unix.Fchown(fd, 12345, 12345) }),
	"futimes":   onDescriptor(func(fd int) error { return unix.Futimes(fd, []unix.Timeval{{Sec: 1}, {Sec: 1}}) }),
	"setflags":  onDescriptor(func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.FS_IOC_SETFLAGS, 0x80) }),
	"fchmodat2": func(a []string) error { return unix.Fchmodat(unix.AT_FDCWD, a[0], 0o777, unix.AT_SYMLINK_NOFOLLOW) },
	"bind": func(a []string) error {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Bind(fd, &unix.SockaddrUnix{Name: a[0]})
	},
	"takefd":   takeDescriptor,
	"mapped":   mapped,
	"memfd":    memfd,
	"typein":   typeIn,
	"remount":  remount,
	"escapens": escapeNamespace,
	"dir": func(a []string) error { // through a descriptor of the folder
		fd, err := unix.Open(a[0], unix.O_RDONLY|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		file, err := unix.Openat(fd, a[1], unix.O_RDWR|unix.O_CREAT, 0o644)
		if err == nil {
			_, err = unix.Write(file, []byte("x"))
		}
		return err
	},
	"mknod": func(a []string) error {
		if err := unix.Mknod(os.Getenv("WS")+"/node", uint32(num(a[0]))|0o666,
			int(unix.Mkdev(uint32(num(a[1])), uint32(num(a[2]))))); err != nil {
			return err
		}
		fmt.Println(successMark)
		return nil
	},
}
