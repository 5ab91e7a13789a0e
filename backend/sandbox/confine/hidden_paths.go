package confine

import (
	"os"
	"path/filepath"
	"slices"

	"sextant/backend/policy/protectedpaths"
	"sextant/shared/subpath"
)

// extraHomePaths are private files in a home folder that file tools may read but commands do not need: shell and editor
// histories, other assistants' files, other programs' messages.
var extraHomePaths = []string{
	".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history",
	".sqlite_history",
	".local/share/fish/fish_history", ".viminfo", ".lesshst", ".docker", ".claude", ".codex",
	".gradle/gradle.properties",
	".electrum", ".bitcoin", ".ethereum", ".config/solana", ".config/Slack", ".config/discord", ".ICEauthority",
	".Xauthority",
}

var extraSystemPaths = []string{
	"/etc/openvpn", "/etc/ipsec.secrets", "/etc/ppp", "/etc/docker", "/var/lib/containerd", "/var/lib/kubelet",
	"/var/lib/bluetooth",
	"/var/lib/NetworkManager", "/var/spool/cron", "/var/spool/at", "/var/spool/mail", "/var/mail", "/var/log",
	"/var/backups",
	"/var/lib/systemd/coredump", "/boot", "/lost+found", "/swapfile", "/swap.img", "/var/lib/lxd", "/var/lib/libvirt",
	"/var/lib/postgresql", "/var/lib/mysql",
	"/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security", "/sys/fs/bpf", "/sys/firmware",
}

// hiddenPaths returns existing paths with symlinks resolved, none inside another.
func (s *Sandbox) hiddenPaths(more []string) []string {
	var all []string
	add := func(path string) {
		if path == "" || !filepath.IsAbs(path) {
			return
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && real != "/" {
			all = append(all, real)
		}
	}
	for _, path := range protectedpaths.SecretPaths(s.cfg.Home, s.cfg.SecretPaths...) {
		add(path)
	}
	for _, path := range more {
		add(path)
	}
	for _, name := range extraHomePaths {
		add(filepath.Join(s.cfg.Home, name))
	}
	for _, path := range extraSystemPaths {
		add(path)
	}
	keys, _ := filepath.Glob("/etc/ssh/ssh_host_*_key")
	for _, key := range keys {
		add(key)
	}
	for _, home := range s.otherHomes() {
		add(home)
	}
	return subpath.Outermost(all)
}

// otherHomes returns the home folders of other users. Root could read them.
func (s *Sandbox) otherHomes() []string {
	homes := []string{"/root"}
	entries, _ := os.ReadDir("/home")
	for _, e := range entries {
		homes = append(homes, "/home/"+e.Name())
	}
	return slices.DeleteFunc(homes, func(home string) bool { return subpath.IsWithin(s.cfg.Home, home) })
}
