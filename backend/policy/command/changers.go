package command

// Sentences that many programs share; each follows the program's name.
const (
	changesSystem = "changes this machine's system"
	endsPrograms  = "ends or stops programs"
	asAnother     = "runs as another user"
	runsCode      = "runs code that is not read here"
	keepsRunning  = "leaves something running or planned for later"
	changesDisk   = "can overwrite disks"
	takesRights   = "changes who may read or change files"
	otherMachine  = "manages machines or services elsewhere"
	anyCommand    = "can run any command from inside"
	usesDatabase  = "can change a database"
)

// changers do more than change files; each asks.
var changers = warned(map[string][]string{
	changesSystem: {
		"mount", "umount", "swapon", "swapoff", "modprobe", "insmod", "rmmod", "sysctl", "systemctl", "service", "init",
		"telinit", "reboot", "shutdown", "halt",
		"poweroff", "hostname", "hostnamectl", "timedatectl", "localectl", "loginctl", "useradd", "userdel", "usermod",
		"groupadd", "groupdel", "adduser", "deluser",
		"passwd", "chpasswd", "chsh", "chfn", "visudo", "vipw", "update-alternatives", "ldconfig", "depmod", "dmesg",
		"ip", "ifconfig", "route", "iptables", "ip6tables",
		"nft", "ufw", "firewall-cmd", "setcap", "setenforce", "apparmor_parser", "dpkg", "dpkg-reconfigure", "rpm",
		"snap", "flatpak", "gsettings", "dconf", "xdg-settings",
		"journalctl", "launchctl", "defaults", "nmcli", "rfkill", "kexec", "pivot_root", "update-rc.d", "keyctl",
		"losetup", "cryptsetup", "mdadm", "lvm", "hwclock",
	},
	endsPrograms: {"kill", "killall", "pkill", "xkill", "skill", "fuser", "renice"},
	keepsRunning: {
		"crontab", "at", "batch", "atrm", "tmux", "screen", "systemd-run", "start-stop-daemon", "daemonize",
		"byobu",
	},
	changesDisk: {
		"mkfs", "mkfs.ext4", "mkfs.ext3", "mkfs.ext2", "mkfs.xfs", "mkfs.btrfs", "mkfs.vfat", "mke2fs",
		"mkswap", "fdisk", "sfdisk", "cfdisk", "parted", "gparted", "wipefs", "blkdiscard", "hdparm", "fsck", "e2fsck",
		"resize2fs", "tune2fs", "badblocks", "debugfs", "sgdisk", "dmsetup",
	},
	takesRights: {"chown", "chgrp", "setfacl", "chattr", "chcon"},
	otherMachine: {
		"kubectl", "helm", "terraform", "tofu", "pulumi", "ansible", "ansible-playbook", "aws", "gcloud",
		"az", "doctl", "heroku", "vercel", "netlify", "fly", "flyctl", "vault", "consul", "nomad", "virsh", "vagrant",
		"mail", "sendmail", "mutt", "msmtp",
	},
	anyCommand: {
		"vi", "view", "ex", "emacs", "nano", "ed", "less", "more", "most", "pg", "gdb", "lldb", "strace", "ltrace",
		"perf", "bpftrace", "expect", "screenlog", "mc", "ranger", "fzf", "entr",
		"docker", "podman", "nerdctl", "buildah", "lxc", "bwrap", "firejail", "dbus-send", "gdbus", "busctl",
		"xdg-open", "open", "gio", "osascript", "xdotool", "notify-send", "xterm", "gnome-terminal", "tclsh", "wish",
		"gnuplot", "octave", "m4", "qemu-system-x86_64", "wine", "telinit",
	},
	usesDatabase: {
		"psql", "mysql", "mariadb", "mysqladmin", "mysqldump", "pg_dump", "pg_restore", "dropdb", "createdb",
		"redis-cli", "mongo", "mongosh", "sqlite3", "sqlite", "duckdb", "cqlsh", "influx",
	},
	runsCode: {
		"zsh", "fish", "ksh", "mksh", "csh", "tcsh", "pwsh", "rc", "elvish", "nu", "lua", "luajit", "Rscript", "R",
		"julia", "ghci", "runghc", "scala", "groovy", "kotlin", "clojure", "elixir", "iex", "erl", "ocaml", "racket",
		"guile", "sbcl", "java", "jshell", "deno", "bun", "ts-node", "tsx", "php", "ipython", "ipython3", "irb", "pry",
		"qjs", "gjs", "swift", "dotnet", "mono", "wasmtime", "gosh", "pypy", "pypy3",
	},
})

func warned(by map[string][]string) map[string]entry {
	into := map[string]entry{}
	for sentence, names := range by {
		for _, name := range names {
			into[name] = entry{warn: sentence}
		}
	}
	return into
}

// runners run a project's own code by the name of a task; their names tell as much of what
// they do as a person can know beforehand.
var runners = map[string]entry{
	"pytest": {warn: runsCode, named: true}, "tox": {warn: runsCode, named: true}, "nox": {warn: runsCode, named: true},
	"mypy": {warn: runsCode, named: true},
	"ruff": {warn: runsCode, named: true}, "black": {warn: runsCode, named: true},
	"flake8": {warn: runsCode, named: true}, "pylint": {warn: runsCode, named: true},
	"isort": {warn: runsCode, named: true},
	"jest":  {warn: runsCode, named: true}, "vitest": {warn: runsCode, named: true},
	"tsc": {warn: runsCode, named: true}, "eslint": {warn: runsCode, named: true},
	"prettier": {warn: runsCode, named: true},
	"vite":     {warn: runsCode, named: true}, "webpack": {warn: runsCode, named: true},
	"rollup": {warn: runsCode, named: true}, "svelte-check": {warn: runsCode, named: true},
	"golangci-lint": {warn: runsCode, named: true}, "staticcheck": {warn: runsCode, named: true},
	"javac": {warn: runsCode, named: true}, "rustc": {warn: runsCode, named: true},
	"gcc": {warn: runsCode, named: true}, "g++": {warn: runsCode, named: true}, "cc": {warn: runsCode, named: true},
	"c++": {warn: runsCode, named: true}, "clang": {warn: runsCode, named: true},
	"clang++": {warn: runsCode, named: true}, "ld": {warn: runsCode, named: true},
	"ninja": {warn: runsCode, named: true}, "cmake": {warn: runsCode, named: true},
	"meson": {warn: runsCode, named: true}, "bazel": {warn: runsCode, named: true},
	"just": {warn: runsCode, named: true}, "rake": {warn: runsCode, named: true}, "ant": {warn: runsCode, named: true},
	"sbt": {warn: runsCode, named: true},
}
