package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// ErrNotFound is in the chain of Find's error when this machine has no Chromium.
var ErrNotFound = errors.New("no Chromium found")

// ErrSandbox is returned for a Chromium that cannot confine its pages on this machine.
var ErrSandbox = errors.New("the browser cannot start its sandbox")

// SandboxHint says how Chromium gets its sandbox.
const SandboxHint = "Install the package chromium-sandbox (Debian), or allow user namespaces for Chromium " +
	"(Ubuntu: an AppArmor profile)"

// InstallHint is the command that installs a Chromium on Debian and Ubuntu.
const InstallHint = "sudo apt install chromium"

func names() []string {
	return []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"chrome", "microsoft-edge", "brave-browser",
	}
}

// Find returns the path of Chromium. It looks for setting, a path or a name in PATH, or for the usual names in PATH
// and in the usual places when setting is "". The error has ErrNotFound in its chain.
func Find(setting string) (string, error) {
	if setting != "" {
		path, err := exec.LookPath(setting)
		if err != nil {
			return "", fmt.Errorf("%w at %q (the browser path setting)", ErrNotFound, setting)
		}
		return path, nil
	}
	for _, name := range names() {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	for _, path := range []string{
		"/opt/google/chrome/chrome",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
	} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w in PATH (looked for chromium, google-chrome and similar names)", ErrNotFound)
}
