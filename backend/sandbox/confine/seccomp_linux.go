package confine

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// neverCalled are system calls that no command of a person needs inside: they look into or
// steer other processes, change mounts, namespaces, clocks or the kernel, keep keys, or are
// wide doors into the kernel (bpf, io_uring, userfaultfd, perf events).
var neverCalled = []string{
	"ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "process_madvise", "process_mrelease",
	"move_pages", "migrate_pages",
	"mount", "umount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "move_mount",
	"open_tree",
	"mount_setattr", "open_tree_attr", "statmount", "listmount", "unshare", "setns",
	"keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd",
	"io_uring_setup", "io_uring_enter", "io_uring_register",
	"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "create_module", "query_module",
	"get_kernel_syms",
	"name_to_handle_at", "open_by_handle_at", "fanotify_init", "fanotify_mark", "quotactl", "quotactl_fd", "acct",
	"swapon", "swapoff",
	"reboot", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "stime", "sethostname", "setdomainname",
	"syslog",
	"vhangup", "nfsservctl", "lookup_dcookie", "iopl", "ioperm", "modify_ldt", "uselib", "_sysctl", "sysfs", "ustat",
	"bdflush",
	"vm86", "vm86old", "personality", "memfd_secret", "lsm_set_self_attr", "map_shadow_stack",
}

// neverAlone are those whose effect only namespaces keep inside: metadata of files (Landlock
// knows no rule for it), shared memory and queues, priorities and limits of other processes.
var neverAlone = []string{
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat",
	"futimesat",
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
	"shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl",
	"mq_open", "mq_unlink", "ioprio_set", "setpriority",
}

// notThere are those that programs try and do without when the kernel has them not: their
// arguments lie in memory, where a filter cannot look.
var notThere = []string{"clone3", "openat2"}

// lastKnown is the highest number of a system call that was looked at; what a later kernel
// adds is not there for a run.
const lastKnown = 467

const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME

// neverAsked are requests to devices and files: what is typed into a terminal that is not the
// run's own would be run by its owner, and attributes of a file change through a descriptor
// that was opened for reading.
var neverAsked = []uint32{
	unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD, unix.TIOCCONS,
	unix.FS_IOC_SETFLAGS, 0x40046602, 0x401c5820, 0x40087602, unix.FS_IOC_ENABLE_VERITY,
	unix.FS_IOC_SET_ENCRYPTION_POLICY,
}

// Bits of a mode that make a program run as its owner.
const setID = 0o6000

// filter makes the program that judges system calls.
func (in *inner) filter() ([]unix.SockFilter, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, fmt.Errorf("no filter of system calls for this processor: %w", err)
	}
	f := filtering{info: info}
	f.deny(neverCalled...)
	if !in.Namespaces {
		f.deny(neverAlone...)
	}
	f.when("clone", seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: namespaces})
	f.sockets(in)
	f.noSetID()
	if !in.Namespaces {
		for _, call := range []string{
			"prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setattr",
			"sched_setparam",
		} {
			f.when(call, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: 0})
		}
	}
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Names: f.names, NamesWithCondtions: f.conditions, Action: errno(unix.EPERM)},
		{Names: f.known(notThere), Action: errno(unix.ENOSYS)},
	}}
	rest, err := policy.Assemble()
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(append(f.prelude(), rest...))
	if err != nil {
		return nil, err
	}
	out := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		out[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	return out, nil
}

func errno(e unix.Errno) seccomp.Action { return seccomp.ActionErrno | seccomp.Action(e) }

// filtering gathers what is denied.
type filtering struct {
	info       *arch.Info
	names      []string
	conditions []seccomp.NameWithConditions
}

func (f *filtering) known(names []string) []string {
	var there []string
	for _, name := range names {
		if _, ok := f.info.SyscallNames[name]; ok {
			there = append(there, name)
		}
	}
	return there
}

func (f *filtering) deny(names ...string) { f.names = append(f.names, f.known(names)...) }

// when denies a call whose arguments meet all conditions.
func (f *filtering) when(name string, conditions ...seccomp.Condition) {
	if len(f.known([]string{name})) > 0 && !slices.Contains(f.names, name) {
		f.conditions = append(f.conditions, seccomp.NameWithConditions{Name: name, Conditions: conditions})
	}
}

// sockets denies all families but those that stay inside or were granted. A pair of connected
// sockets is a pipe, unless it is of a kind that can be sent elsewhere later.
func (f *filtering) sockets(in *inner) {
	not := func(arg uint32, value uint64) seccomp.Condition {
		return seccomp.Condition{Argument: arg, Operation: seccomp.NotEqual, Value: value}
	}
	is := func(arg uint32, value uint64) seccomp.Condition {
		return seccomp.Condition{Argument: arg, Operation: seccomp.Equal, Value: value}
	}
	pathsKept := landlockVersion() >= landlockSockets || in.Local
	if !in.Network && !in.Namespaces && !pathsKept {
		f.deny("socket")
	}
	families := []seccomp.Condition{}
	if in.Network || in.Namespaces {
		families = append(families, not(0, unix.AF_INET), not(0, unix.AF_INET6), not(0, unix.AF_NETLINK))
	}
	if pathsKept {
		families = append(families, not(0, unix.AF_UNIX))
	}
	f.when("socket", families...)
	f.when("socket", is(0, unix.AF_NETLINK), not(2, unix.NETLINK_ROUTE))
	for _, family := range []uint64{unix.AF_INET, unix.AF_INET6} {
		// Closed ports are closed to TCP only; what becomes TCP later (MPTCP) is not.
		f.when("socket", is(0, family), not(2, 0), not(2, unix.IPPROTO_TCP), not(2, unix.IPPROTO_UDP),
			not(2, unix.IPPROTO_ICMP), not(2, unix.IPPROTO_ICMPV6))
	}
	// Nor are they to a connection that begins with data.
	for call, arg := range map[string]uint32{"sendto": 3, "sendmsg": 2, "sendmmsg": 3} {
		f.when(call, seccomp.Condition{Argument: arg, Operation: seccomp.BitsSet, Value: unix.MSG_FASTOPEN})
	}
	f.when("socketpair", not(0, unix.AF_UNIX))
	var kinds []seccomp.Condition
	for _, kind := range []uint64{unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
		for _, flags := range []uint64{
			0, unix.SOCK_CLOEXEC, unix.SOCK_NONBLOCK,
			unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK,
		} {
			kinds = append(kinds, not(1, kind|flags))
		}
	}
	f.when("socketpair", kinds...)
}

// noSetID keeps programs from being made that run as the person for whoever starts them.
func (f *filtering) noSetID() {
	set := func(arg uint32, bits uint64) seccomp.Condition {
		return seccomp.Condition{Argument: arg, Operation: seccomp.BitsSet, Value: bits}
	}
	for call, arg := range map[string]uint32{
		"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1,
		"mknod": 1, "mknodat": 2,
	} {
		f.when(call, set(arg, setID))
	}
	const making = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
	f.when("open", set(1, making), set(2, setID))
	f.when("openat", set(2, making), set(3, setID))
}

// Offsets into what a filter sees of a call.
const (
	numberAt = 0
	archAt   = 4
	arg1At   = 24
)

// prelude is what the library cannot say: another architecture's calls end the process (the
// library would let them through), numbers nobody looked at are not there, and arguments are
// compared as the kernel reads them, by their lower half.
func (f *filtering) prelude() []bpf.Instruction {
	deny := bpf.RetConstant{Val: uint32(errno(unix.EPERM))}
	p := []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(f.info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: numberAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: lastKnown, SkipFalse: 1},
		bpf.RetConstant{Val: uint32(errno(unix.ENOSYS))},
	}
	for _, request := range neverAsked {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_IOCTL, SkipFalse: 4},
			bpf.LoadAbsolute{Off: arg1At, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: request, SkipFalse: 1}, deny,
			bpf.LoadAbsolute{Off: numberAt, Size: 4})
	}
	return p
}

// sieve loads the filter for the thread, which must be the one that becomes the command.
func (in *inner) sieve() error {
	code, err := in.filter()
	if err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(code)
	if e != 0 {
		return fmt.Errorf("loading the filter of system calls: %w", e)
	}
	return nil
}
