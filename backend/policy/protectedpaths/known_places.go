package protectedpaths

import (
	"slices"
	"strings"
)

// AccountList describes the lists of this computer's accounts, which a person may name.
const AccountList = "a list of this computer's accounts"

const (
	keys        = "a folder of keys"
	logins      = "a file of log-ins"
	cloud       = "credentials of a cloud service"
	browser     = "a browser's profile"
	passwords   = "a password store"
	mail        = "a folder of mail"
	system      = "a secret of the system"
	startup     = "a shell start-up file"
	history     = "a history of commands"
	autostart   = "a program that starts automatically"
	onPath      = "a folder of commands on the PATH"
	schedule    = "a schedule of commands"
	gitOwn      = "git's own files"
	gitSettings = "git's settings"
	hooks       = "hooks that run automatically"
	editor      = "an editor's settings, which can run programs"
	environment = "environment variables, often with secrets"
	packages    = "a package manager's settings"
	privateKey  = "a private key"
	process     = "the memory or files of a running program"
	device      = "a device"
	kernel      = "a kernel setting"
)

func homePlaces() map[string]Classification {
	all := map[string]Classification{}
	addPlaces(all, KindSecret, keys, ".ssh", ".gnupg", ".config/age", ".config/sops", ".pki", ".putty")
	addPlaces(all, KindSecret, cloud, ".aws", ".azure", ".config/gcloud", ".kube", ".config/doctl", ".oci", ".fly",
		".config/rclone", ".s3cfg", ".boto", ".terraform.d/credentials.tfrc.json", ".vault-token", ".config/heroku",
		".databrickscfg", ".docker/config.json", ".config/containers/auth.json", ".config/helm", ".config/hcloud")
	addPlaces(all, KindSecret, logins, ".netrc", "_netrc", ".authinfo", ".authinfo.gpg", ".npmrc", ".yarnrc",
		".yarnrc.yml", ".pypirc", ".git-credentials", ".config/git/credentials", ".config/gh", ".config/hub",
		".config/glab-cli", ".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml",
		".m2/settings-security.xml", ".composer/auth.json", ".config/composer/auth.json", ".pgpass", ".my.cnf",
		".mylogin.cnf", ".subversion/auth", ".config/pip/pip.conf", ".nuget/nuget.config", ".claude.json",
		".claude/.credentials.json", ".codex/auth.json")
	addPlaces(all, KindSecret, browser, ".mozilla", ".config/google-chrome", ".config/google-chrome-beta",
		".config/google-chrome-unstable", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge",
		".config/microsoft-edge-beta", ".config/microsoft-edge-dev", ".config/vivaldi", ".config/opera",
		".config/mozilla", ".librewolf", ".waterfox", ".zen", ".cache/mozilla", ".cache/google-chrome",
		".cache/chromium", ".cache/BraveSoftware", ".cache/microsoft-edge", "snap/firefox", "snap/chromium",
		"snap/brave", ".var/app/org.mozilla.firefox", ".var/app/org.chromium.Chromium", ".var/app/com.google.Chrome",
		".var/app/com.brave.Browser", ".var/app/com.microsoft.Edge", "Library/Application Support/Google/Chrome",
		"Library/Application Support/Chromium", "Library/Application Support/Firefox",
		"Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge", "Library/Safari",
		"Library/Cookies", "AppData/Local/Google/Chrome", "AppData/Local/Chromium", "AppData/Roaming/Mozilla",
		"AppData/Local/Mozilla", "AppData/Local/BraveSoftware", "AppData/Local/Microsoft/Edge")
	addPlaces(all, KindSecret, passwords, ".password-store", ".local/share/keyrings", ".gnome2/keyrings",
		".local/share/kwalletd", ".kde/share/apps/kwallet", ".config/keepassxc", ".config/Bitwarden",
		".config/Bitwarden CLI", ".config/1Password", ".config/op", ".local/share/pass", "Library/Keychains",
		"Library/Group Containers/2BUA8C4S2C.com.1password", "AppData/Roaming/Microsoft/Credentials",
		"AppData/Local/Microsoft/Credentials", "AppData/Roaming/Microsoft/Protect", "AppData/Local/Microsoft/Vault",
		"AppData/Roaming/gnupg")
	addPlaces(all, KindSecret, mail, ".thunderbird", "Library/Mail", ".local/share/evolution", "Library/Messages",
		".config/Signal", "AppData/Roaming/Thunderbird")
	addPlaces(all, KindSensitive, startup, ".config/fish", ".config/environment.d", ".config/powershell",
		"Documents/PowerShell", "Documents/WindowsPowerShell", ".config/plasma-workspace", ".zsh", ".oh-my-zsh",
		".bashrc.d")
	addPlaces(all, KindSensitive, autostart, ".config/autostart", ".config/autostart-scripts", ".config/systemd",
		".local/share/systemd", ".local/share/dbus-1", ".config/dbus-1", "Library/LaunchAgents",
		"Library/LaunchDaemons", ".config/upstart", ".local/share/applications",
		"AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup")
	addPlaces(all, KindSensitive, onPath, ".local/bin", "bin")
	addPlaces(all, KindSensitive, gitSettings, ".config/git", ".gitconfig")
	addPlaces(all, KindSensitive, editor, ".config/nvim", ".config/Code", ".config/Cursor", ".vim", ".config/emacs",
		".emacs.d", ".config/zed")
	addPlaces(all, KindSensitive, packages, ".cargo/config", ".cargo/config.toml", ".config/pip", ".pip", ".gradle",
		".config/pypoetry", ".condarc")
	addPlaces(all, KindSensitive, schedule, ".crontab")
	return all
}

func systemPlaces() map[string]Classification {
	all := map[string]Classification{}
	addPlaces(all, KindSecret, system, "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers",
		"/etc/sudoers.d", "/etc/ssl/private", "/etc/krb5.keytab", "/etc/ssh/ssh_host_rsa_key",
		"/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssh/ssh_host_dsa_key",
		"/etc/security/opasswd", "/etc/NetworkManager/system-connections", "/etc/wireguard", "/etc/wpa_supplicant",
		"/var/lib/sss/secrets", "/run/secrets", "/var/run/secrets", "/etc/docker/key.json", "/etc/rancher",
		"/etc/kubernetes", "/var/lib/docker", "/var/lib/containers", "/run/docker.sock", "/var/run/docker.sock",
		"/run/containerd", "/run/podman", "/run/dbus", "/var/run/dbus", "/run/user", "/var/run/user",
		"/private/etc/master.passwd", "/etc/master.passwd", "/Library/Keychains", "/Windows/System32/config",
		"/proc/kcore", "/proc/keys", "/proc/kmsg")
	addPlaces(all, KindSecret, device, "/dev")
	addPlaces(all, KindOrdinary, "", "/dev/shm")
	addPlaces(all, KindSensitive, kernel, "/proc/sys", "/proc/sysrq-trigger", "/sys/kernel", "/sys/fs", "/sys/power",
		"/sys/firmware")
	addPlaces(all, KindSensitive, schedule, "/etc/crontab", "/etc/cron.d", "/etc/cron.hourly", "/etc/cron.daily",
		"/etc/cron.weekly", "/etc/cron.monthly", "/var/spool/cron", "/var/spool/at", "/etc/anacrontab")
	addPlaces(all, KindSensitive, autostart, "/etc/systemd", "/lib/systemd", "/usr/lib/systemd", "/etc/init.d",
		"/etc/rc.local", "/etc/xdg/autostart", "/Library/LaunchAgents", "/Library/LaunchDaemons", "/etc/udev",
		"/etc/dbus-1")
	addPlaces(all, KindSensitive, startup, "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/bashrc",
		"/etc/zsh", "/etc/zshenv", "/etc/zshrc", "/etc/fish", "/etc/environment", "/etc/environment.d",
		"/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/pam.d")
	addPlaces(all, KindSensitive, AccountList, "/etc/passwd", "/etc/passwd-", "/etc/group", "/etc/group-",
		"/etc/subuid", "/etc/subgid")
	addPlaces(all, KindSensitive, "the files that the machine starts from", "/boot", "/efi")
	return all
}

func addPlaces(all map[string]Classification, kind Kind, what string, paths ...string) {
	for _, p := range paths {
		all[p] = Classification{kind, what}
	}
}

func sensitiveFileName(name string) (string, bool) {
	switch name {
	case ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv",
		".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc",
		".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".pam_environment", ".hushlogin", "config.fish",
		"profile.ps1", "microsoft.powershell_profile.ps1":
		return startup, true
	case ".git", ".hg", ".svn", ".jj", ".bzr", "git~1":
		return gitOwn, true
	case ".gitconfig", ".gitmodules", ".hgrc":
		return gitSettings, true
	case ".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml":
		return hooks, true
	case ".vscode", ".idea", ".devcontainer", ".devcontainer.json", ".fleet", ".zed", ".cursor", ".claude",
		".mcp.json", ".vimrc", ".gvimrc", ".exrc", ".nvimrc", ".emacs", ".emacs.el", ".dir-locals.el", ".nvim.lua",
		"mcp-config.json", ".theia":
		return editor, true
	case ".envrc", ".env", ".direnv", ".dev.vars":
		return environment, true
	case ".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".condarc", ".pnpmfile.cjs":
		return packages, true
	case ".netrc", "_netrc", ".git-credentials", ".pgpass", ".authinfo", ".my.cnf", ".htpasswd":
		return logins, true
	case ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store":
		return keys, true
	case "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk":
		return privateKey, true
	case ".bash_history", ".zsh_history", ".python_history", ".psql_history", ".mysql_history", ".node_repl_history",
		".sqlite_history", ".lesshst":
		return history, true
	}
	return "", false
}

func classifyByFileName(at []string) Classification {
	for i, name := range at {
		if what, ok := sensitiveFileName(name); ok {
			return Classification{KindSensitive, what}
		}
		switch {
		case strings.HasPrefix(name, ".env.") &&
			!slices.Contains([]string{"example", "sample", "template", "dist"}, name[len(".env."):]):
			return Classification{KindSensitive, environment}
		case strings.HasSuffix(name, ".kdbx"), strings.HasSuffix(name, ".kdb"), strings.HasSuffix(name, ".keychain"),
			strings.HasSuffix(name, ".keychain-db"), strings.HasSuffix(name, ".agilekeychain"),
			strings.HasSuffix(name, ".opvault"):
			return Classification{KindSensitive, passwords}
		case strings.HasSuffix(name, ".code-workspace"):
			return Classification{KindSensitive, editor}
		case strings.HasSuffix(name, ".git") && i+1 < len(at) &&
			slices.Contains([]string{"hooks", "config", "info"}, at[i+1]):
			return Classification{KindSensitive, gitOwn}
		}
	}
	return Classification{}
}

// classifyProcessPath classifies the files of a process under /proc: its memory, environment and open files, and its
// view of the file system.
func classifyProcessPath(at []string) Classification {
	if len(at) < 3 || at[0] != "proc" || !isProcessFolder(at[1]) {
		return Classification{}
	}
	name := at[2]
	if name == "task" && len(at) >= 5 {
		name = at[4]
	}
	switch name {
	case "environ", "mem", "fd", "fdinfo", "map_files", "maps", "smaps", "numa_maps", "root", "cwd", "auxv", "stack",
		"syscall", "cmdline", "pagemap", "clear_refs", "oom_score_adj", "attr", "ns", "exe", "coredump_filter",
		"uid_map", "gid_map", "setgroups", "timerslack_ns":
		return Classification{KindSecret, process}
	}
	return Classification{}
}

func isProcessFolder(name string) bool {
	return name == "self" || name == "thread-self" || name != "" && strings.Trim(name, "0123456789") == ""
}

func isHarmlessDevice(path string) bool {
	switch path {
	case "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/stdin",
		"/dev/stdout", "/dev/stderr":
		return true
	}
	return false
}
