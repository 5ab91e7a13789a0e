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

// deniedCalls are system calls that no ordinary command needs: they inspect or control other processes, change mounts,
// namespaces, clocks or the kernel, store keys, or are large attack surfaces (bpf, io_uring, userfaultfd).
var deniedCalls = []string{
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

// deniedWithoutNamespaces are calls that only namespaces can contain: changes of file metadata, for which Landlock has
// no rule, shared memory and queues, and priorities and limits of other processes.
var deniedWithoutNamespaces = []string{
	"chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat",
	"futimesat",
	"setxattr", "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr", "removexattrat",
	"shmget", "shmat", "shmctl", "semget", "semop", "semtimedop", "semctl", "msgget", "msgsnd", "msgrcv", "msgctl",
	"mq_open", "mq_unlink", "ioprio_set", "setpriority",
}

// absentCalls fail as if the kernel did not have them, and programs use older calls instead. A filter cannot inspect
// their arguments, which are in memory.
var absentCalls = []string{"clone3", "openat2"}

// lastKnownCall is the highest system call number that was reviewed. Later calls fail as if the kernel did not have
// them.
const lastKnownCall = 467

const namespaceFlags = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME

// deniedIoctls are ioctl requests that inject input into another terminal, which would run commands there, or change
// file flags through a descriptor that is only open for reading.
var deniedIoctls = []uint32{
	unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD, unix.TIOCCONS,
	unix.FS_IOC_SETFLAGS, 0x40046602, 0x401c5820, 0x40087602, unix.FS_IOC_ENABLE_VERITY,
	unix.FS_IOC_SET_ENCRYPTION_POLICY,
}

const setIDBits = 0o6000

func (in *innerPlan) seccompProgram() ([]unix.SockFilter, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return nil, fmt.Errorf("no seccomp filter for this processor: %w", err)
	}
	f := filterBuilder{info: info}
	f.deny(deniedCalls...)
	if !in.Namespaces {
		f.deny(deniedWithoutNamespaces...)
	}
	f.denyIf("clone", seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: namespaceFlags})
	f.denySockets(in)
	f.denySetID()
	if !in.Namespaces {
		for _, call := range []string{
			"prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setattr",
			"sched_setparam",
		} {
			f.denyIf(call, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: 0})
		}
	}
	policy := seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{
		{Names: f.names, NamesWithCondtions: f.conditions, Action: errno(unix.EPERM)},
		{Names: f.known(absentCalls), Action: errno(unix.ENOSYS)},
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

type filterBuilder struct {
	info       *arch.Info
	names      []string
	conditions []seccomp.NameWithConditions
}

func (f *filterBuilder) known(names []string) []string {
	var found []string
	for _, name := range names {
		if _, ok := f.info.SyscallNames[name]; ok {
			found = append(found, name)
		}
	}
	return found
}

func (f *filterBuilder) deny(names ...string) { f.names = append(f.names, f.known(names)...) }

func (f *filterBuilder) denyIf(name string, conditions ...seccomp.Condition) {
	if len(f.known([]string{name})) > 0 && !slices.Contains(f.names, name) {
		f.conditions = append(f.conditions, seccomp.NameWithConditions{Name: name, Conditions: conditions})
	}
}

// denySockets allows IP and route-netlink sockets only with a network or own namespaces, and Unix sockets only if their
// paths can be restricted. A socket pair is allowed like a pipe, unless its type could later be connected elsewhere.
func (f *filterBuilder) denySockets(in *innerPlan) {
	not := func(arg uint32, value uint64) seccomp.Condition {
		return seccomp.Condition{Argument: arg, Operation: seccomp.NotEqual, Value: value}
	}
	is := func(arg uint32, value uint64) seccomp.Condition {
		return seccomp.Condition{Argument: arg, Operation: seccomp.Equal, Value: value}
	}
	hasPathSockets := landlockVersion() >= landlockABISockets || in.LocalSockets
	if !in.Network && !in.Namespaces && !hasPathSockets {
		f.deny("socket")
	}
	families := []seccomp.Condition{}
	if in.Network || in.Namespaces {
		families = append(families, not(0, unix.AF_INET), not(0, unix.AF_INET6), not(0, unix.AF_NETLINK))
	}
	if hasPathSockets {
		families = append(families, not(0, unix.AF_UNIX))
	}
	f.denyIf("socket", families...)
	f.denyIf("socket", is(0, unix.AF_NETLINK), not(2, unix.NETLINK_ROUTE))
	for _, family := range []uint64{unix.AF_INET, unix.AF_INET6} {
		// Landlock blocks ports only for TCP, so protocols that fall back to TCP (MPTCP) are denied.
		f.denyIf("socket", is(0, family), not(2, 0), not(2, unix.IPPROTO_TCP), not(2, unix.IPPROTO_UDP),
			not(2, unix.IPPROTO_ICMP), not(2, unix.IPPROTO_ICMPV6))
	}
	// Landlock also misses connections that begin with data (TCP Fast Open).
	for call, arg := range map[string]uint32{"sendto": 3, "sendmsg": 2, "sendmmsg": 3} {
		f.denyIf(call, seccomp.Condition{Argument: arg, Operation: seccomp.BitsSet, Value: unix.MSG_FASTOPEN})
	}
	f.denyIf("socketpair", not(0, unix.AF_UNIX))
	var types []seccomp.Condition
	for _, socketType := range []uint64{unix.SOCK_STREAM, unix.SOCK_SEQPACKET} {
		for _, flags := range []uint64{
			0, unix.SOCK_CLOEXEC, unix.SOCK_NONBLOCK,
			unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK,
		} {
			types = append(types, not(1, socketType|flags))
		}
	}
	f.denyIf("socketpair", types...)
}

// denySetID prevents a run from creating programs that other users could run with the person's rights.
func (f *filterBuilder) denySetID() {
	set := func(arg uint32, bits uint64) seccomp.Condition {
		return seccomp.Condition{Argument: arg, Operation: seccomp.BitsSet, Value: bits}
	}
	for call, arg := range map[string]uint32{
		"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "creat": 1,
		"mknod": 1, "mknodat": 2,
	} {
		f.denyIf(call, set(arg, setIDBits))
	}
	const creating = unix.O_CREAT | unix.O_TMPFILE&^unix.O_DIRECTORY
	f.denyIf("open", set(1, creating), set(2, setIDBits))
	f.denyIf("openat", set(2, creating), set(3, setIDBits))
}

const (
	numberAt = 0
	archAt   = 4
	arg1At   = 24
)

// prelude returns the rules that the library cannot express: calls of another architecture kill the process, unreviewed
// call numbers fail as unknown, and ioctl requests are compared by their lower half, as the kernel does.
func (f *filterBuilder) prelude() []bpf.Instruction {
	deny := bpf.RetConstant{Val: uint32(errno(unix.EPERM))}
	p := []bpf.Instruction{
		bpf.LoadAbsolute{Off: archAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(f.info.ID), SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: numberAt, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: lastKnownCall, SkipFalse: 1},
		bpf.RetConstant{Val: uint32(errno(unix.ENOSYS))},
	}
	for _, request := range deniedIoctls {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_IOCTL, SkipFalse: 4},
			bpf.LoadAbsolute{Off: arg1At, Size: 4}, bpf.JumpIf{Cond: bpf.JumpEqual, Val: request, SkipFalse: 1}, deny,
			bpf.LoadAbsolute{Off: numberAt, Size: 4})
	}
	return p
}

// loadSeccomp loads the filter for this thread, which must be the one that executes the command.
func (in *innerPlan) loadSeccomp() error {
	code, err := in.seccompProgram()
	if err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	_, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(code)
	if e != 0 {
		return fmt.Errorf("loading the seccomp filter: %w", e)
	}
	return nil
}
