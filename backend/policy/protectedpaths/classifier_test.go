package protectedpaths_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sextant/backend/policy/protectedpaths"
)

// newPlaces returns a Classifier for a home in a folder of the test, and that home.
func newPlaces(t *testing.T) (*protectedpaths.Classifier, string) {
	t.Helper()
	home := filepath.Join(t.TempDir(), "ana")
	for _, dir := range []string{".ssh", "work/.git/hooks", ".local/share/sextant/downloads", ".config/sextant"} {
		makeFolder(t, filepath.Join(home, dir))
	}
	return protectedpaths.New(ownFolders(home)), home
}

func ownFolders(home string) protectedpaths.OwnFolders {
	return protectedpaths.OwnFolders{
		Home: home, Data: filepath.Join(home, ".local/share/sextant"),
		Config: filepath.Join(home, ".config/sextant"),
	}
}

func makeFolder(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

func makeLink(t *testing.T, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Fatal(err)
	}
}

func kindName(k protectedpaths.Kind) string { return [...]string{"ordinary", "sensitive", "secret"}[k] }

func wantKind(t *testing.T, p *protectedpaths.Classifier, path string, want protectedpaths.Kind) {
	t.Helper()
	got := p.Classify(path)
	if got.Kind != want {
		t.Errorf("%s: %s (%q), want %s", path, kindName(got.Kind), got.Description, kindName(want))
	}
	if (got.Description == "") != (got.Kind == protectedpaths.KindOrdinary) {
		t.Errorf("%s: the description is %q", path, got.Description)
	}
}

func TestClassifySecretsOfHome(t *testing.T) {
	p, home := newPlaces(t)
	for _, rel := range []string{
		".ssh", ".ssh/id_ed25519", ".ssh/authorized_keys", ".gnupg/private-keys-v1.d/a.key", ".aws/credentials",
		".azure/msal_token_cache.json",
		".config/gcloud/credentials.db", ".kube/config", ".docker/config.json", ".netrc", ".npmrc", ".pypirc",
		".git-credentials",
		".config/gh/hosts.yml", ".local/share/keyrings/login.keyring", ".config/google-chrome/Default/Cookies",
		".config/chromium/Default/Login Data",
		".mozilla/firefox/x.default/logins.json", ".config/BraveSoftware/Brave-Browser/Default/Cookies",
		".config/microsoft-edge/Default/Cookies",
		".password-store/mail.gpg", ".config/Bitwarden/data.json", ".pgpass", ".vault-token", ".cargo/credentials.toml",
		".m2/settings.xml",
		".thunderbird/x/key4.db", ".local/share/sextant/sextant.db", ".local/share/sextant/secrets/openai_api_key",
		".local/share/sextant",
		"snap/firefox/common/.mozilla/firefox/a/cookies.sqlite", ".config/git/credentials",
	} {
		wantKind(t, p, filepath.Join(home, rel), protectedpaths.KindSecret)
	}
}

func TestClassifySecretsOfMachineAndOtherHomes(t *testing.T) {
	p, _ := newPlaces(t)
	for _, path := range []string{
		"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/sudoers.d/ana", "/etc/ssl/private/key.pem",
		"/etc/ssh/ssh_host_ed25519_key",
		"/run/docker.sock", "/var/run/docker.sock", "/run/user/1000/bus", "/run/secrets/token", "/dev/sda", "/dev/mem",
		"/dev/fd/5", "/dev",
		"/root/.ssh/id_rsa", "/home/bo/.ssh/id_rsa", "/home/bo/.aws/credentials",
		"/Users/bo/Library/Keychains/login.keychain-db", "/var/home/bo/.netrc",
		"/proc/self/environ", "/proc/1/environ", "/proc/1234/mem", "/proc/self/fd/3", "/proc/thread-self/environ",
		"/proc/9/task/9/environ",
		"/proc/self/root/etc/hostname", "/proc/self/cwd/notes.txt", "/proc/1/root", "/proc/kcore",
		"/proc/self/map_files/a-b",
		"notes.txt", "", "./x", "/work/a\x00b",
	} {
		wantKind(t, p, path, protectedpaths.KindSecret)
	}
}

func TestClassifySensitiveFiles(t *testing.T) {
	p, home := newPlaces(t)
	work := filepath.Join(home, "work")
	for _, rel := range []string{
		".git", ".git/hooks/pre-commit", ".git/config", "sub/.git/HEAD", "bare.git/hooks/post-receive", ".gitmodules",
		".bashrc", ".zshrc", ".profile",
		".vscode/tasks.json", ".vscode/settings.json", ".idea/workspace.xml", "x.code-workspace", ".envrc", ".env",
		".env.local", ".env.production",
		".husky/pre-commit", ".pre-commit-config.yaml", ".npmrc", ".netrc", "id_rsa", "deploy/id_ed25519", "vault.kdbx",
		".bash_history", ".mcp.json",
		".devcontainer/devcontainer.json", "mcp-config.json", ".aws/credentials", "Microsoft.PowerShell_profile.ps1",
	} {
		wantKind(t, p, filepath.Join(work, rel), protectedpaths.KindSensitive)
	}
	for _, rel := range []string{
		".config/autostart/x.desktop", ".config/systemd/user/x.service", ".config/fish/conf.d/a.fish", ".gitconfig",
		".config/git/config", ".local/bin/ls",
		"Library/LaunchAgents/x.plist", ".config/nvim/init.lua", ".config/sextant/config.toml",
		".config/sextant/mcp-config.json", ".bashrc",
		".local/share/sextant/panels/sums/manifest.json",
	} {
		wantKind(t, p, filepath.Join(home, rel), protectedpaths.KindSensitive)
	}
	for _, path := range []string{
		"/etc/crontab", "/etc/cron.d/x", "/var/spool/cron/crontabs/ana", "/etc/profile.d/x.sh",
		"/etc/systemd/system/x.service", "/etc/ld.so.preload",
		"/etc/passwd", "/etc/group", "/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/boot/grub/grub.cfg",
	} {
		wantKind(t, p, path, protectedpaths.KindSensitive)
	}
}

func TestClassifyOrdinaryFiles(t *testing.T) {
	p, home := newPlaces(t)
	for _, rel := range []string{
		"", "work", "work/README.md", "work/Makefile", "work/.gitignore", "work/.github/workflows/ci.yml",
		"work/.env.example", "work/git/hooks/x",
		"work/environment.ts", "work/.editorconfig", "work/id_rsa.pub", "work/ssh/config", "work/legit/config",
		".config", ".config/app/settings.ini",
		".local/share/sextant/downloads/report.pdf", ".local/share", "work/bash.rc", "work/.sshd", "work/…", "work/a:b",
		"work/x.env", ".docker/Dockerfile",
		"work/netrc", "work/aws/credentials",
	} {
		wantKind(t, p, filepath.Join(home, rel), protectedpaths.KindOrdinary)
	}
	for _, path := range []string{
		"/", "/etc/hostname", "/usr/share/doc/x", "/tmp/x", "/dev/null", "/dev/stdout", "/dev/shm/x",
		"/proc/cpuinfo", "/proc/self/status",
		"/home", "/home/bo/notes.txt", "/opt/app/config", "/sys/class/thermal",
	} {
		wantKind(t, p, path, protectedpaths.KindOrdinary)
	}
}

func TestClassifyOtherSpellings(t *testing.T) {
	p, home := newPlaces(t)
	for _, name := range []string{
		".SSH", ".Ssh", ".ſsh", ".ssh.", ".ssh. .", ".ssh ", ".ssh::$INDEX_ALLOCATION", ".s\u200csh", ".ss\u202eh",
		"\ufeff.ssh", "．ssh", ".ｓsh", "x/../.ssh",
		"./.ssh", ".//.ssh", "work/../.ssh", "none/../.ssh",
	} {
		wantKind(t, p, home+"/"+name+"/id_ed25519", protectedpaths.KindSecret)
	}
	for _, name := range []string{
		".GIT", ".Git", ".git.", ".git ", "GIT~1", ".g\u200cit", ".gıt/../.git",
		".git::$INDEX_ALLOCATION", ".ENV", ".BashRC",
	} {
		wantKind(t, p, home+"/work/"+name, protectedpaths.KindSensitive)
	}
	wantKind(t, p, strings.ToUpper(home)+"/.ssh/id_ed25519", protectedpaths.KindSecret)
	wantKind(t, p, "/ETC/Shadow", protectedpaths.KindSecret)
	wantKind(t, p, "//etc///shadow", protectedpaths.KindSecret)
	wantKind(t, p, "/usr/../etc/shadow", protectedpaths.KindSecret)
}

func TestClassifyFollowsLinks(t *testing.T) {
	p, home := newPlaces(t)
	work := filepath.Join(home, "work")
	makeLink(t, filepath.Join(home, ".ssh"), filepath.Join(work, "keys"))
	makeLink(t, "../.ssh/id_ed25519", filepath.Join(work, "notes.txt"))
	makeLink(t, "keys", filepath.Join(work, "more"))
	makeLink(t, ".git/hooks", filepath.Join(work, "scripts"))
	makeLink(t, "/etc", filepath.Join(work, "etc"))
	makeLink(t, home, filepath.Join(work, "up"))
	makeLink(t, "round", filepath.Join(work, "round"))
	for path, want := range map[string]protectedpaths.Kind{
		"keys/id_ed25519": protectedpaths.KindSecret, "notes.txt": protectedpaths.KindSecret,
		"more/x/y":           protectedpaths.KindSecret,
		"scripts/pre-commit": protectedpaths.KindSensitive,
		"etc/shadow":         protectedpaths.KindSecret, "etc/hostname": protectedpaths.KindOrdinary,
		"up/work/up/.ssh/a": protectedpaths.KindSecret, "up/work/a.txt": protectedpaths.KindOrdinary,
		"round": protectedpaths.KindSecret, "round/x": protectedpaths.KindSecret,
		"keys/../.netrc": protectedpaths.KindSecret,
		"keys/../work/a": protectedpaths.KindOrdinary,
	} {
		wantKind(t, p, work+"/"+path, want)
	}
}

func TestClassifyLinkedSecretFolderByBothNames(t *testing.T) {
	home := t.TempDir()
	elsewhere := filepath.Join(t.TempDir(), "stick", "keys")
	makeFolder(t, elsewhere)
	makeLink(t, elsewhere, filepath.Join(home, ".ssh"))
	makeLink(t, "/", filepath.Join(home, ".aws")) // leads above the home: nothing else becomes secret by it
	p := protectedpaths.New(ownFolders(home))
	wantKind(t, p, filepath.Join(elsewhere, "id"), protectedpaths.KindSecret)
	wantKind(t, p, filepath.Join(filepath.Dir(elsewhere), "photo.jpg"), protectedpaths.KindOrdinary)
	wantKind(t, p, filepath.Join(home, "notes.txt"), protectedpaths.KindOrdinary)
	if masks := protectedpaths.SecretPaths(home); !slices.Contains(masks, elsewhere) || slices.Contains(masks, "/") {
		t.Errorf("masks %v", masks)
	}
}

func TestResolve(t *testing.T) {
	root := t.TempDir()
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	makeFolder(t, filepath.Join(root, "a/b"))
	makeLink(t, "a/b", filepath.Join(root, "l"))
	makeLink(t, "missing/far", filepath.Join(root, "dangling"))
	for path, want := range map[string]string{
		"a/b": "a/b", "l": "a/b", "l/..": "a", "l/../c": "a/c", "dangling": "missing/far",
		"dangling/x": "missing/far/x", "new/deep/../x": "new/x",
		"l/./../b//": "a/b", "../" + filepath.Base(root) + "/l": "a/b",
	} {
		t.Run(path, func(t *testing.T) {
			got, err := protectedpaths.Resolve(root + "/" + path)
			if err != nil || got != filepath.Join(real, want) {
				t.Errorf("it leads to %s (%v), want %s", got, err, want)
			}
			// Where the whole path exists, the standard library agrees.
			if std, err := filepath.EvalSymlinks(root + "/" + path); err == nil && std != got {
				t.Errorf("it leads to %s, and to %s by the standard library", got, std)
			}
		})
	}
	makeLink(t, "two", filepath.Join(root, "one"))
	makeLink(t, "one", filepath.Join(root, "two"))
	if _, err := protectedpaths.Resolve(filepath.Join(root, "one")); !errors.Is(err, protectedpaths.ErrTooManyLinks) {
		t.Errorf("a circle: %v", err)
	}
	if _, err := protectedpaths.Resolve("a/b"); err == nil {
		t.Error("a relative path was followed")
	}
}

func TestClassifyProcessFiles(t *testing.T) {
	p, home := newPlaces(t)
	makeLink(t, "/proc/self", filepath.Join(home, "work/me"))
	wantKind(t, p, filepath.Join(home, "work/me/environ"), protectedpaths.KindSecret)
	wantKind(t, p, filepath.Join(home, "work/me/status"), protectedpaths.KindOrdinary)
	wantKind(t, p, filepath.Join(home, "work/me/root/tmp"), protectedpaths.KindSecret)
}

func TestSecrets(t *testing.T) {
	_, home := newPlaces(t)
	data, config := ownFolders(home).Data, ownFolders(home).Config
	masks := protectedpaths.SecretPaths(home, data, config, "")
	for _, want := range []string{
		home + "/.ssh", home + "/.gnupg", home + "/.aws", home + "/.docker/config.json", home + "/.mozilla", home +
			"/.config/google-chrome",
		home + "/.local/share/keyrings", "/etc/shadow", "/run/docker.sock", data, config,
	} {
		t.Run(want, func(t *testing.T) {
			if !slices.Contains(masks, want) {
				t.Errorf("%s is not masked", want)
			}
		})
	}
	for i, m := range masks {
		if !filepath.IsAbs(m) || m == "/" || m == "/dev" || m == "/proc" || strings.HasPrefix(m, "/proc/") || i > 0 &&
			masks[i-1] >= m {
			t.Errorf("mask %q", m)
		}
	}
	p := protectedpaths.New(ownFolders(home))
	for _, m := range masks {
		if m != config && p.Classify(m).Kind != protectedpaths.KindSecret {
			t.Errorf("%s is masked, and a file tool may touch it", m)
		}
	}
}

func FuzzClassify(f *testing.F) {
	for _, seed := range []string{"/a/../b", "/.ssh", "//", "/proc/self/root/x", "/a\u200c/.GIT ", "/dev/fd/1"} {
		f.Add(seed)
	}
	p := protectedpaths.New(ownFolders("/home/ana"))
	f.Fuzz(func(t *testing.T, path string) {
		got := p.Classify(path)
		if got.Kind < p.Classify(path+"/.").Kind && filepath.IsAbs(path) {
			t.Errorf("%q is %v, and graver with a dot at its end", path, got)
		}
		if secret := p.Classify("/home/ana/.ssh/" +
			strings.ReplaceAll(path, "..", "")); secret.Kind != protectedpaths.KindSecret {
			t.Errorf("%q below .ssh is %v", path, secret)
		}
	})
}
