package programs

// Warnings that many programs share. The name of the program comes before each of them.
const (
	ChangesSystemWarning   = "changes this machine's system"
	EndsProgramsWarning    = "ends or stops programs"
	RunsAsOtherUserWarning = "runs as another user"
	RunsCodeWarning        = "runs code that Sextant does not read"
	KeepsRunningWarning    = "leaves something running or planned for later"
	ChangesDiskWarning     = "can overwrite disks"
	ChangesRightsWarning   = "changes who may read or change files"
	ManagesMachinesWarning = "manages machines or services elsewhere"
	RunsAnyCommandWarning  = "can run any command from inside"
	UsesDatabaseWarning    = "can change a database"
)

var riskyPrograms = withWarnings(map[string][]string{
	ChangesSystemWarning: {
		"mount", "umount", "swapon", "swapoff", "modprobe", "insmod", "rmmod", "sysctl", "systemctl", "service",
		"init", "telinit", "reboot", "shutdown", "halt", "poweroff", "hostname", "hostnamectl", "timedatectl",
		"localectl", "loginctl", "useradd", "userdel", "usermod", "groupadd", "groupdel", "adduser", "deluser",
		"passwd", "chpasswd", "chsh", "chfn", "visudo", "vipw", "update-alternatives", "ldconfig", "depmod", "dmesg",
		"ip", "ifconfig", "route", "iptables", "ip6tables", "nft", "ufw", "firewall-cmd", "setcap", "setenforce",
		"apparmor_parser", "dpkg", "dpkg-reconfigure", "rpm", "snap", "flatpak", "gsettings", "dconf", "xdg-settings",
		"journalctl", "launchctl", "defaults", "nmcli", "rfkill", "kexec", "pivot_root", "update-rc.d", "keyctl",
		"losetup", "cryptsetup", "mdadm", "lvm", "hwclock",
	},
	EndsProgramsWarning: {"kill", "killall", "pkill", "xkill", "skill", "fuser", "renice"},
	KeepsRunningWarning: {
		"crontab", "at", "batch", "atrm", "tmux", "screen", "systemd-run", "start-stop-daemon", "daemonize", "byobu",
	},
	ChangesDiskWarning: {
		"mkfs", "mkfs.ext4", "mkfs.ext3", "mkfs.ext2", "mkfs.xfs", "mkfs.btrfs", "mkfs.vfat", "mke2fs", "mkswap",
		"fdisk", "sfdisk", "cfdisk", "parted", "gparted", "wipefs", "blkdiscard", "hdparm", "fsck", "e2fsck",
		"resize2fs", "tune2fs", "badblocks", "debugfs", "sgdisk", "dmsetup",
	},
	ChangesRightsWarning: {"chown", "chgrp", "setfacl", "chattr", "chcon"},
	ManagesMachinesWarning: {
		"kubectl", "helm", "terraform", "tofu", "pulumi", "ansible", "ansible-playbook", "aws", "gcloud", "az",
		"doctl", "heroku", "vercel", "netlify", "fly", "flyctl", "vault", "consul", "nomad", "virsh", "vagrant",
		"mail", "sendmail", "mutt", "msmtp",
	},
	RunsAnyCommandWarning: {
		"vi", "view", "ex", "emacs", "nano", "ed", "less", "more", "most", "pg", "gdb", "lldb", "strace", "ltrace",
		"perf", "bpftrace", "expect", "screenlog", "mc", "ranger", "fzf", "entr", "docker", "podman", "nerdctl",
		"buildah", "lxc", "bwrap", "firejail", "dbus-send", "gdbus", "busctl", "xdg-open", "open", "gio", "osascript",
		"xdotool", "notify-send", "xterm", "gnome-terminal", "tclsh", "wish", "gnuplot", "octave", "m4",
		"qemu-system-x86_64", "wine", "telinit",
	},
	UsesDatabaseWarning: {
		"psql", "mysql", "mariadb", "mysqladmin", "mysqldump", "pg_dump", "pg_restore", "dropdb", "createdb",
		"redis-cli", "mongo", "mongosh", "sqlite3", "sqlite", "duckdb", "cqlsh", "influx",
	},
	RunsCodeWarning: {
		"zsh", "fish", "ksh", "mksh", "csh", "tcsh", "pwsh", "rc", "elvish", "nu", "lua", "luajit", "Rscript", "R",
		"julia", "ghci", "runghc", "scala", "groovy", "kotlin", "clojure", "elixir", "iex", "erl", "ocaml", "racket",
		"guile", "sbcl", "java", "jshell", "deno", "bun", "ts-node", "tsx", "php", "ipython", "ipython3", "irb",
		"pry", "qjs", "gjs", "swift", "dotnet", "mono", "wasmtime", "gosh", "pypy", "pypy3",
	},
})

func withWarnings(by map[string][]string) map[string]Program {
	into := map[string]Program{}
	for sentence, names := range by {
		for _, name := range names {
			into[name] = Program{Warning: sentence}
		}
	}
	return into
}

// codeRunners run a project's own code. Their names say as much about the effects as can be known before they run.
var codeRunners = grantable(
	"pytest", "tox", "nox", "mypy", "ruff", "black", "flake8", "pylint", "isort", "jest", "vitest", "tsc", "eslint",
	"prettier", "vite", "webpack", "rollup", "svelte-check", "golangci-lint", "staticcheck", "javac", "rustc", "gcc",
	"g++", "cc", "c++", "clang", "clang++", "ld", "ninja", "cmake", "meson", "bazel", "just", "rake", "ant", "sbt",
)

func grantable(names ...string) map[string]Program {
	into := map[string]Program{}
	for _, name := range names {
		into[name] = Program{Warning: RunsCodeWarning, Grantable: true}
	}
	return into
}
