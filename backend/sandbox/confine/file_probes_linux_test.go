package confine

import (
	"fmt"
	"strings"
)

// probe is an attempt to escape. Its script runs in the sandbox. It succeeded if anything outside changed or was
// reached, or if its output contains a secret.
type probe struct {
	name, script string
	// insideOnly skips the run outside the sandbox, where it would harm this machine.
	insideOnly bool
	// needsNamespaces marks probes that Landlock alone does not stop.
	needsNamespaces bool
	// network grants the network.
	network bool
}

// pathForms are ways to write the path of $F, a file outside.
var pathForms = []struct{ name, before, path string }{
	{"plain path", "", `$F`},
	{"dots", "", `$WS/../../../../../../../../../..$F`},
	{"dots from here", "cd $WS", `./../../../../../../../../../..$F`},
	{"doubled slashes", "", `//$F`},
	{"link to the file", "ln -s $F $WS/l", `$WS/l`},
	{"link to the folder", "ln -s $(dirname $F) $WS/d", `$WS/d/$(basename $F)`},
	{"link to the root", "ln -s / $WS/r", `$WS/r$F`},
	{"link of links", "ln -s $F $WS/a; ln -s a $WS/b", `$WS/b`},
	{"hard link", "ln $F $WS/h", `$WS/h`},
	{"hard link to a link", "ln -P $F $WS/hp", `$WS/hp`},
	{"own root in proc", "", `/proc/self/root$F`},
	{"own folder in proc", "cd $WS", `/proc/self/cwd/../../../../../../../../../..$F`},
	{"thread in proc", "", `/proc/thread-self/root$F`},
	{"first process's root", "", `/proc/1/root$F`},
	{"parent's root", "", `/proc/$PPID/root$F`},
	{"root of the process outside", "", `/proc/$VICTIM/root$F`},
	{"folder of the process outside", "", `/proc/$VICTIM/cwd/../../../../../../../..$F`},
	{"root of what started it", "", `/proc/$OUTER/root$F`},
	{"descriptors of what started it", "", `/proc/$OUTER/cwd/../../../../../../../..$F`},
	{"through the temporary folder", "ln -s $F $TMPDIR/l", `$TMPDIR/l`},
	{"mapped files of a process", "", `/proc/$OUTER/map_files/../root$F`},
}

// fileProbes returns actions on files, with every form of the path.
func fileProbes() []probe {
	var all []probe
	for _, f := range pathForms {
		setup := func(target string) string { return "F=" + target + "; " + f.before + "\n" }
		all = append(all,
			probe{name: "read a secret by " + f.name, script: setup("$SECRET") + "cat " + f.path},
			probe{name: "write outside by " + f.name, script: setup("$CANARY") + "echo escaped >> " + f.path},
		)
		if !strings.Contains(f.before, "ln ") { // removing a link removes nothing else
			all = append(all, probe{name: "delete outside by " + f.name, script: setup("$OUT/empty/canary") + "rm -f " +
				f.path})
		}
	}
	secrets := []string{
		"$HOME/.aws/credentials", "$HOME/.netrc", "$HOME/.config/google-chrome/Default/Cookies",
		"$HOME/.gnupg/key", "$HOME/sextant-data/sextant.db", "$WS/.hidden/secret", "$HOME/.bash_history",
	}
	for _, s := range secrets {
		all = append(all, probe{name: "read " + s, script: "cat " + s},
			probe{name: "copy " + s, script: "cp -a " + s + " $WS/copy; mv " + s +
				" $WS/moved; cat $WS/copy $WS/moved"})
	}
	for i, s := range []string{
		"$HOME/.bashrc", "$HOME/.profile", "$HOME/.gitconfig", "$HOME/.ssh/authorized_keys", "$HOME/.ssh/rc",
		"$HOME/.config/autostart/x.desktop",
		"$HOME/.config/systemd/user/x.service", "$HOME/.local/bin/ls", "$HOME/.zshrc", "$HOME/.bash_profile",
		"$HOME/.config/git/config",
		"$HOME/.vimrc", "$HOME/.config/fish/config.fish", "$HOME/.pam_environment", "$HOME/.netrc",
		"$HOME/.cargo/config.toml", "$HOME/.npmrc",
	} {
		all = append(all, probe{
			name:   "plant a start-up file " + s,
			script: fmt.Sprintf("mkdir -p $(dirname %s); echo 'echo escaped %d' >> %s", s, i, s),
		})
	}
	for _, s := range []string{
		"/etc/cron.d/sextant-escape", "/etc/profile.d/sextant-escape.sh", "/etc/ld.so.preload", "/etc/passwd",
		"/etc/hosts", "/etc/crontab", "/etc/environment",
		"/usr/bin/sextant-escape", "/usr/local/bin/sextant-escape", "/etc/sudoers.d/sextant-escape",
		"/etc/systemd/system/sextant-escape.service",
		"/var/spool/cron/sextant-escape", "/var/tmp/sextant-escape", "/dev/shm/sextant-escape", "/run/sextant-escape",
		"/tmp/sextant-escape", "/sextant-escape",
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/vm/overcommit_memory",
		"/proc/sys/fs/protected_symlinks",
		"/proc/sys/kernel/hostname", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/uevent_helper",
		"/lib/modules/sextant-escape",
	} {
		all = append(all, probe{name: "write " + s, insideOnly: true, script: "echo '0' >> " + s})
	}
	return append(all, changeProbes()...)
}

// changeProbes returns attempts to change files outside without opening them for writing.
func changeProbes() []probe {
	return []probe{
		{name: "truncate by path", script: "$P truncate $CANARY"},
		{name: "open to truncate", script: ": > $CANARY"},
		{name: "chmod", script: "chmod 777 $CANARY"},
		{name: "chmod of a folder", script: "chmod 700 $OUT/folder"},
		{name: "chmod through a descriptor", script: "$P fchmod $CANARY"},
		{name: "chmod without following", script: "$P fchmodat2 $CANARY"},
		{name: "chown", script: "chown 12345 $CANARY || chgrp $(id -G | tr ' ' '\\n' | tail -1) $CANARY; $P fchown " +
			"$CANARY"},
		{name: "times", script: "touch -d 2001-01-01 $CANARY"},
		{name: "times through a descriptor", script: "$P futimes $CANARY"},
		{name: "attribute", script: "$P xattr $CANARY"},
		{name: "attribute without following", script: "$P lxattr $CANARY"},
		{name: "attribute through a descriptor", script: "$P fxattr $CANARY"},
		{name: "flags of the file system", script: "$P setflags $CANARY; lsattr $CANARY | grep -q A && echo " +
			"PROBE-''SUCCEEDED"},
		{name: "move out", script: "echo x > $WS/f; mv $WS/f $OUT/moved"},
		{name: "move in", script: "mv $OUT/empty/canary $WS/taken"},
		{name: "move a folder in", script: "mv $OUT/folder $WS/folder"},
		{name: "exchange", script: "echo x > $WS/f; $P exchange $WS/f $CANARY"},
		{name: "link out", script: "echo x > $WS/f; $P link $WS/f $OUT/linked"},
		{name: "link in and write", script: "$P link $CANARY $WS/in; echo x >> $WS/in"},
		{name: "name a file without one outside", script: "$P linkfd $OUT/named"},
		{name: "make a folder", script: "mkdir $OUT/new"},
		{name: "remove a folder", script: "rmdir $OUT/folder"},
		{name: "make a link", script: "ln -s x $OUT/new"},
		{name: "replace a link", script: "ln -sfn /etc/passwd $OUT/link"},
		{name: "make a fifo", script: "mkfifo $OUT/new"},
		{name: "write into a fifo", script: "timeout 2 bash -c 'echo x > $FIFO'; [ $? = 0 ] && echo PROBE-''SUCCEEDED"},
		{name: "bind a socket", script: "$P bind $OUT/new"},
		{name: "path descriptor reopened to read", script: "$P opath $SECRET"},
		{name: "path descriptor reopened to write", script: "$P opathwrite $CANARY"},
		{name: "openat2", script: "$P openat2 $CANARY"},
		{name: "through a descriptor of the folder", script: "$P dir $OUT canary; $P dir $OUT new"},
		{name: "dots from a descriptor", script: "$P dir $WS ../../outside/canary"},
		{
			name: "descriptors that leaked", insideOnly: true,
			script: "$P descriptors; ls -l /proc/self/fd /proc/$PPID/fd /proc/$OUTER/fd; for f in /proc/$OUTER/fd/* " +
				"/proc/$VICTIM/fd/*; do echo x >> $f; done",
		},
		{
			name:   "/dev/fd of a reopened file",
			script: "exec 7< $CANARY; echo escaped >> /dev/fd/7; echo escaped >> /proc/self/fd/7",
		},
		{
			name:   "unpack over it",
			script: "cd $WS; mkdir -p s$OUT; echo x > s$CANARY; tar -C s -cf t.tar .; tar -C / -xf t.tar",
		},
		{name: "unpack with times and modes", script: "cp -a $CANARY $WS/c; cp -a $WS/probe $OUT/"},
		{name: "git writes elsewhere", script: "git --git-dir=$OUT/git --work-tree=$OUT init"},
		{name: "dd without truncating", script: "dd if=/dev/zero of=$CANARY bs=1 count=1 conv=notrunc"},
		{
			name: "plant a git hook", needsNamespaces: true,
			script: "echo x >> $WS/.git/hooks/pre-commit; echo x > $WS/.git/hooks/post-commit",
		},
		{
			name: "plant a git hook by configuration", needsNamespaces: true,
			script: "git -C $WS config core.hooksPath /tmp/x; echo x >> $WS/.git/config",
		},
		{
			name: "plant a git hook by moving the folder", needsNamespaces: true,
			script: "mv $WS/.git $WS/.git2; mkdir -p $WS/.git/hooks; echo x > $WS/.git/hooks/pre-commit",
		},
		{
			name: "make a program that runs as its owner",
			script: "cp /bin/true $WS/t; chmod u+s $WS/t; chmod 6755 $WS/t; $P makeset; install -m 4755 /bin/true " +
				"$WS/i",
		},
	}
}
