package confine

import "fmt"

// program32 is a 32-bit program, gzipped and in base64. It runs chmod 777 on its argument, then unshare of the user
// namespace, and prints successMark if that worked.
const program32 = "H4sICKMPAmsCA3AzMgCrd/VxY2RkZIABJgZmBhAvpIGFwwRIb4GKmzAoAMU1gLJMEHmoGhD2B7JBmB2IQXLdMSocO/8DWTv4gbyzDTvMgOzdQKbA2YbWA6ViO1iA7N0glTsnA7XvEoCoAgkY3j7bEBDk7+SqGxzq7Ozq6uLqwsWgV5xRXFJUkpjEoFeSWlHCQCzghrqHHeZWqDthgBGJZkYSXwzEgljUAQBSTySSLAEAAA=="

// systemProbes returns probes for everything but plain files.
func systemProbes() []probe {
	var all []probe
	all = append(all, socketProbes()...)
	all = append(all, processProbes()...)
	return append(all, kernelProbes()...)
}

func socketProbes() []probe {
	all := []probe{
		{name: "TCP", script: "$P dial tcp 127.0.0.1:$TCP"},
		{
			name:   "TCP by another name",
			script: "$P dial tcp localhost:$TCP; $P dial tcp 0.0.0.0:$TCP; $P dial tcp 127.1.2.3:$TCP",
		},
		{name: "TCP over IPv6", script: "$P dial tcp [::1]:$TCP6"},
		{name: "TCP mapped into IPv6", script: "$P mapped"},
		{name: "TCP to the machine's address", script: "$P dial tcp $ADDRESS:$TCP"},
		{name: "TCP by the shell", script: "exec 3<>/dev/tcp/127.0.0.1/$TCP; cat <&3"},
		{name: "TCP with data in the greeting", script: "$P fastopen"},
		{name: "UDP", script: "$P dial udp 127.0.0.1:$UDP"},
		{name: "UDP by the shell", script: "echo x > /dev/udp/127.0.0.1/$UDP"},
		{name: "UDP to the machine's address", script: "$P dial udp $ADDRESS:$UDP"},
		{name: "UNIX socket outside", script: "$P dial unix $SOCK"},
		{name: "UNIX socket in /tmp, as X11's", script: "$P dial unix $SOCKTMP"},
		{name: "UNIX socket in the workspace", script: "$P dial unix $SOCKWS"},
		{name: "UNIX socket by a link", script: "ln -s $SOCK $WS/s; $P dial unix $WS/s"},
		{
			name:   "UNIX socket by proc",
			script: "$P dial unix /proc/self/root$SOCK; $P dial unix /proc/$OUTER/root$SOCKTMP",
		},
		{name: "UNIX datagrams", script: "$P dial unixgram $DGRAM"},
		{name: "abstract socket", script: "$P dial unix $ABSTRACT"},
		{name: "a pair turned elsewhere", script: "$P pair 2"},
		{name: "a raw pair turned elsewhere", script: "$P pair 3"},
		{name: "a pair with flags turned elsewhere", script: "$P pair 524290"},
		{name: "system bus", script: "[ -S /run/dbus/system_bus_socket ] && $P dial unix " +
			"/run/dbus/system_bus_socket && echo PROBE-''SUCCEEDED"},
		{name: "docker", script: "for s in /run/docker.sock /var/run/docker.sock; do [ -S $s ] && $P dial unix $s " +
			"&& echo PROBE-''SUCCEEDED; done"},
		{
			name: "messages to systemd",
			script: "systemctl --no-pager list-units && echo PROBE-''SUCCEEDED; systemd-run true && echo " +
				"PROBE-''SUCCEEDED",
		},
		{name: "variables that name sockets and keys", script: "env; cat /proc/self/environ; export -p"},
		{
			name: "with network: our own port", network: true,
			script: "$P dial tcp 127.0.0.1:$TCP; $P dial tcp $ADDRESS:$TCP; exec 3<>/dev/tcp/127.0.0.1/$TCP; cat <&3",
		},
		{name: "with network: our own port over IPv6", network: true, script: "$P mapped"},
		{name: "with network: our own port in the greeting", network: true, script: "$P fastopen"},
		{name: "with network: our own port by many paths", network: true, script: "$P stream 262"},
		{name: "with network: our own port by a plain stream", network: true, script: "$P stream 0; $P stream 6"},
		{name: "with network: UNIX socket", network: true, script: "$P dial unix $SOCK; $P dial unix $SOCKTMP"},
		{name: "with network: abstract socket", network: true, script: "$P dial unix $ABSTRACT"},
		{name: "with network: datagrams", network: true, script: "$P dial unixgram $DGRAM; $P pair 2"},
	}
	for _, s := range []struct {
		name string
		args string
	}{
		{"packets", "17 3 0"},
		{"raw IP", "2 3 1"},
		{"raw IPv6", "10 3 58"},
		{"VSOCK", "40 1 0"},
		{"kernel events", "16 3 15"},
		{"audit", "16 3 9"},
		{"netfilter", "16 3 12"},
		{"kernel crypto", "38 5 0"},
		{"Bluetooth", "31 3 1"},
		{"CAN", "29 3 1"},
		{"TIPC", "30 1 0"},
		{"XDP", "44 3 0"},
		{"keys", "15 3 2"},
		{"RDS", "21 5 0"},
		{"QIPCRTR", "42 2 0"},
		{"SMC", "43 1 0"},
		{"NFC", "39 5 0"},
		{"UNIX with an upper half", "0x100000001 1 0"},
		{"packets with an upper half", "0x100000011 3 0"},
		{"netlink with an upper half", "0x100000010 3 15"},
	} {
		all = append(all, probe{name: "socket of " + s.name, insideOnly: true, script: "$P socket " + s.args})
	}
	return all
}

func processProbes() []probe {
	all := []probe{
		{name: "trace: attach", script: "$P ptrace 16 $VICTIM"},
		{name: "trace: seize", script: "$P ptrace 0x4206 $VICTIM"},
		{name: "read another's memory", script: "$P readvm"},
		{name: "write another's memory", script: "$P writevm"},
		{
			name:   "another's memory in proc",
			script: "cat /proc/$VICTIM/mem; head -c 100 /proc/$VICTIM/maps && echo PROBE-''SUCCEEDED",
		},
		{
			name: "write another's memory in proc",
			script: "dd if=/dev/zero of=/proc/$VICTIM/mem bs=1 count=1 seek=4194304 conv=notrunc && echo " +
				"PROBE-''SUCCEEDED",
		},
		{name: "another's environment", script: "tr '\\0' '\\n' < /proc/$VICTIM/environ; cat /proc/*/environ"},
		{name: "another's command line", script: "tr '\\0' ' ' < /proc/$VICTIM/cmdline; cat /proc/*/cmdline; ps aux"},
		{name: "another's program", script: "/proc/$VICTIM/exe __probe whoami && echo PROBE-''SUCCEEDED"},
		{
			name: "another's files in proc", insideOnly: true,
			script: "cat /proc/$VICTIM/fd/* /proc/$OUTER/fd/*; ls -l /proc/$OUTER/fd | grep canary && echo " +
				"PROBE-''SUCCEEDED",
		},
		{name: "kill", script: "$P kill $VICTIM 9"},
		{name: "stop", script: "$P kill $VICTIM 19"},
		{name: "kill by thread", script: "$P tgkill $VICTIM"},
		{name: "kill by descriptor", script: "$P pidfd"},
		{name: "kill by queue", script: "$P queue"},
		{name: "kill by a pipe's news", script: "$P owner"},
		{name: "kill everybody", insideOnly: true, script: "kill -9 -1"},
		{name: "kill the group", insideOnly: true, script: "kill -9 0"},
		{name: "kill the parent", insideOnly: true, script: "$P kill $PPID 9; kill -9 $PPID; kill -9 1"},
		{name: "another's limits", script: "$P limit"},
		{name: "another's priority", script: "$P nice"},
		{name: "everybody's priority", script: "$P niceall"},
		{name: "another's processors", script: "$P affinity"},
		{
			name: "another's namespaces", insideOnly: true,
			script: "nsenter -t $VICTIM -a true && echo PROBE-''SUCCEEDED; nsenter -t 1 -m cat $SECRET",
		},
		{
			name:       "join a namespace",
			insideOnly: true,
			script:     "$P syscall 308 3 0; nsenter -t $OUTER -m -n -p cat $SECRET",
		},
		{name: "take another's descriptor", script: "$P takefd"},
		{name: "compare with another", script: "$P syscall 312 $VICTIM $$ 1 0 0"},
		{name: "move another's pages", script: "$P syscall 279 $VICTIM 0 0 0 0 0"},
		{
			name:   "a program that runs as its owner",
			script: "$BASE/changes-user __probe whoami; $BASE/changes-root __probe whoami",
		},
		{name: "su and sudo", script: "su -c 'echo PROBE-''SUCCEEDED' nobody < /dev/null; sudo -n echo " +
			"PROBE-''SUCCEEDED; pkexec true && echo PROBE-''SUCCEEDED"},
		{
			name: "get capabilities back", insideOnly: true,
			script: "grep -E 'Cap(Eff|Prm|Bnd):.*[1-9a-f]' /proc/self/status && echo PROBE-''SUCCEEDED; grep " +
				"'NoNewPrivs:.*0' /proc/self/status && echo PROBE-''SUCCEEDED",
		},
		{name: "shared memory", script: "$P shm"},
		{
			name:   "remove shared memory",
			script: "$P shmremove; ipcrm -m $SHM; ipcs -m | grep -w $SHM && echo PROBE-''SUCCEEDED",
		},
		{name: "shared memory's file", script: "cat $SHMFILE; echo x >> $SHMFILE"},
		{name: "message queue", insideOnly: true, script: "$P syscall 240 =sextant-escape 0x42 0600 0"},
		{
			name: "a process that stays", insideOnly: true,
			script: "setsid bash -c 'sleep 2; echo escaped >> $OUT/late; echo escaped >> $WS/late' & disown; " +
				"(setsid nohup sleep 1000 >/dev/null 2>&1 &)",
		},
		{name: "a program without a file", script: "$P memfd $CANARY"},
		{
			name: "a library put into programs", insideOnly: true,
			script: "echo \"$LD_PRELOAD $BASH_ENV $ENV $PROMPT_COMMAND\"; ls",
		},
		{name: "type into a terminal", script: "$P typein 0"},
		{name: "type into a terminal with an upper half", script: "$P typein 1"},
		{
			name: "the person's terminal", insideOnly: true,
			script: "echo PROBE-''SUCCEEDED > /dev/tty; echo x > /dev/console && echo PROBE-''SUCCEEDED",
		},
	}
	for _, way := range []string{"clone", "clone3"} {
		all = append(all, probe{name: "root in a namespace by " + way, script: "$P escapens " + way})
	}
	for _, flag := range []string{"-U", "-m", "-n", "-p --fork", "-i", "-u", "-C", "-T", "-Urm"} {
		all = append(all, probe{name: "unshare " + flag, insideOnly: true, script: "unshare " + flag +
			" echo PROBE-''SUCCEEDED"})
	}
	return all
}

func kernelProbes() []probe {
	all := []probe{
		{
			name: "mount", insideOnly: true,
			script: "mount -t tmpfs x $WS && echo PROBE-''SUCCEEDED; mount --bind $HOME/.ssh $WS; cat $WS/id_ed25519",
		},
		{name: "remount and uncover", insideOnly: true, script: "$P remount $OUT"},
		{
			name: "uncover secrets", insideOnly: true,
			script: "umount -l $HOME/.ssh; umount -l $HOME/.netrc; cat $SECRET $HOME/.netrc",
		},
		{name: "the other architecture", script: "echo " + program32 +
			" | base64 -d | gunzip > $WS/o; chmod +x $WS/o; cp $WS/probe $WS/oo; cat $WS/o > $WS/oo; $WS/oo $CANARY"},
		{name: "another root", insideOnly: true, script: "$P syscall 161 =/"},
		{
			name: "bubblewrap inside", insideOnly: true,
			script: "bwrap --bind / / cat $SECRET; bwrap --dev-bind / / sh -c 'echo x >> $CANARY'",
		},
		{
			name: "keep what is mounted", insideOnly: true,
			script: "cat /proc/self/mountinfo | grep -c . ; cat /proc/1/root$SECRET",
		},
		{
			name: "load a module", insideOnly: true,
			script: "insmod $WS/probe; modprobe dummy && echo PROBE-''SUCCEEDED; $P syscall 313 0 =x 0",
		},
		{
			name: "press keys of the kernel", insideOnly: true,
			script: "echo h > /proc/sysrq-trigger && echo PROBE-''SUCCEEDED",
		},
		{
			name: "the kernel's log", insideOnly: true,
			script: "dmesg | grep . && echo PROBE-''SUCCEEDED; timeout 1 head -c 10 /dev/kmsg && echo " +
				"PROBE-''SUCCEEDED",
		},
		{
			name: "the kernel's memory", insideOnly: true,
			script: "head -c 1 /dev/mem && echo PROBE-''SUCCEEDED; head -c 1 /proc/kcore && echo PROBE-''SUCCEEDED",
		},
		{
			name: "disks", insideOnly: true,
			script: "for d in /dev/sd? /dev/vd? /dev/nvme0n1 /dev/dm-0 /dev/loop0 /dev/loop-control; do head -c 1 " +
				"$d && echo PROBE-''SUCCEEDED; done",
		},
		{
			name: "devices", insideOnly: true,
			script: "for d in kvm fuse net/tun uinput input/event0 dri/card0 vhost-net snd/timer rtc0 vsock " +
				"btrfs-control; do (exec 3<>/dev/$d) && echo PROBE-''SUCCEEDED; done",
		},
		{name: "make a disk", insideOnly: true, script: "$P mknod 24576 254 0"},
		{name: "make a device", insideOnly: true, script: "$P mknod 8192 1 1"},
		{
			name: "control groups", insideOnly: true,
			script: "mkdir /sys/fs/cgroup/sextant-escape /sys/fs/cgroup/pids/sextant-escape " +
				"/sys/fs/cgroup/memory/sextant-escape && echo PROBE-''SUCCEEDED; echo x > " +
				"/sys/fs/cgroup/release_agent; echo $VICTIM > /sys/fs/cgroup/cgroup.procs",
		},
		{
			name: "cron and at", insideOnly: true,
			script: "echo '* * * * * true' | crontab - && echo PROBE-''SUCCEEDED; echo true | at now && echo " +
				"PROBE-''SUCCEEDED; touch /var/spool/cron/crontabs/sextant-escape",
		},
		{
			name: "core dumps", insideOnly: true,
			script: "ulimit -c unlimited; [ $(ulimit -c) = unlimited ] && echo PROBE-''SUCCEEDED; bash -c 'kill " +
				"-SEGV $$'; ls core* && echo PROBE-''SUCCEEDED",
		},
		{
			name: "more than the limits", insideOnly: true,
			script: "ulimit -n 1048576 && echo PROBE-''SUCCEEDED; ulimit -f unlimited && echo PROBE-''SUCCEEDED",
		},
	}
	for _, c := range []struct{ name, args string }{
		{"bpf", "321 5 0 0"},
		{"performance events", "298 0 0 -1 -1 0"},
		{"page faults", "323 1"},
		{"io_uring", "425 1 0"},
		{"io_uring register", "427 0 0 0 0"},
		{"keys: session", "250 0 -3 0"},
		{"keys: add", "248 =user =x =x 1 -4"},
		{"keys: request", "249 =user =x 0 -4"},
		{"kernel", "246 0 0 0 0"},
		{"kernel by file", "320 0 0 0 =x 0"},
		{"accounting", "163 =/x"},
		{"swap", "167 =/x 0"},
		{"clock", "227 0 0"},
		{"time of day", "164 0 0"},
		{"name of the machine", "170 =x 1"},
		{"domain", "171 =x 1"},
		{"restart", "169 0 0 0"},
		{"log", "103 10 0 0"},
		{"handles", "303 -100 =/ 0 0 0"},
		{"open by handle", "304 -100 0 0"},
		{"watch all", "300 0 0"},
		{"quotas", "179 0 0 0 0"},
		{"ports", "172 3"},
		{"new mounts", "430 =tmpfs 0"},
		{"copy of mounts", "428 -100 =/ 1"},
		{"move mounts", "429 -100 =/ -100 =/ 0"},
		{"set mounts", "442 -100 =/ 0 0 0"},
		{"hidden memory", "447 0"},
		{"personality", "135 8"},
		{"advise another", "440 3 0 0 0 0"},
		{"a call of tomorrow", "600"},
		{"x32: getpid", "0x40000027"},
		{"x32: socket", "0x40000029 1 1 0"},
		{"x32: unshare", "0x40000110 0x10000000"},
	} {
		all = append(all, probe{name: fmt.Sprintf("system call %s", c.name), insideOnly: true, script: "$P syscall " +
			negative(c.args)})
	}
	return all
}

// negative replaces negative numbers by their two's complement.
func negative(args string) string {
	var out string
	for i := 0; i < len(args); i++ {
		if args[i] == '-' {
			n := uint64(0)
			for i++; i < len(args) && args[i] >= '0' && args[i] <= '9'; i++ {
				n = n*10 + uint64(args[i]-'0')
			}
			i--
			out += fmt.Sprintf("%#x", -n)
			continue
		}
		out += string(args[i])
	}
	return out
}
