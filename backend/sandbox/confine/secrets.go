package confine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/protectedpaths"
)

// besides are places of a home that no tool refuses to read, and that a command has no use for
// either: what was typed into shells and editors, other assistants, other programs' mail.
var besides = []string{
	".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history",
	".sqlite_history",
	".local/share/fish/fish_history", ".viminfo", ".lesshst", ".docker", ".claude", ".codex",
	".gradle/gradle.properties",
	".electrum", ".bitcoin", ".ethereum", ".config/solana", ".config/Slack", ".config/discord", ".ICEauthority",
	".Xauthority",
}

// besidesOfSystem are those of the machine, which mostly only root could read anyway.
var besidesOfSystem = []string{
	"/etc/openvpn", "/etc/ipsec.secrets", "/etc/ppp", "/etc/docker", "/var/lib/containerd", "/var/lib/kubelet",
	"/var/lib/bluetooth",
	"/var/lib/NetworkManager", "/var/spool/cron", "/var/spool/at", "/var/spool/mail", "/var/mail", "/var/log",
	"/var/backups",
	"/var/lib/systemd/coredump", "/boot", "/lost+found", "/swapfile", "/swap.img", "/var/lib/lxd", "/var/lib/libvirt",
	"/var/lib/postgresql", "/var/lib/mysql",
	"/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/fs/bpf", "/sys/firmware",
}

// hidden lists what a run must not see: existing places, links followed, each once, no place
// inside another. more are those of one run.
func (c *Confine) hidden(more []string) []string {
	var all []string
	add := func(path string) {
		if path == "" || !filepath.IsAbs(path) {
			return
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real != "/" {
			all = append(all, real)
		}
	}
	for _, path := range protectedpaths.Secrets(c.cfg.Home, c.cfg.Secret...) {
		add(path)
	}
	for _, path := range more {
		add(path)
	}
	for _, name := range besides {
		add(filepath.Join(c.cfg.Home, name))
	}
	for _, path := range besidesOfSystem {
		add(path)
	}
	keys, _ := filepath.Glob("/etc/ssh/ssh_host_*_key")
	for _, key := range keys {
		add(key)
	}
	for _, home := range c.otherHomes() {
		add(home)
	}
	return outermost(all)
}

// otherHomes are the home folders of other people, which root could read.
func (c *Confine) otherHomes() []string {
	homes := []string{"/root"}
	entries, _ := os.ReadDir("/home")
	for _, e := range entries {
		homes = append(homes, "/home/"+e.Name())
	}
	return slices.DeleteFunc(homes, func(home string) bool { return within(c.cfg.Home, home) })
}

// outermost sorts paths and drops those inside of another.
func outermost(paths []string) []string {
	slices.Sort(paths)
	var kept []string
	for _, p := range slices.Compact(paths) {
		if !slices.ContainsFunc(kept, func(outer string) bool { return within(p, outer) }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// within reports whether path is folder or lies in it. Both are clean and absolute.
func within(path, folder string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder+"/")
}
