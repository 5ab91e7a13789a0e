//go:build !linux

package launch

import (
	"os"
	"os/exec"
)

// tieToParent does nothing where a parent's death cannot be made to reach the child: there the
// closed pipe ends Chromium.
func tieToParent(*exec.Cmd) {}

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func terminate(int) {}

func isBrowserProcess(int) bool { return true }

func smallShm() bool { return false }
