package confine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const probeCode = 7

// detect first removes folders left by Sextant processes that were killed.
func (s *Sandbox) detect() (mechanisms, string) {
	removeStaleRunFolders(s.cfg.TempDir)
	version := landlockVersion()
	if slices.Contains(s.cfg.DisabledMechanisms, "landlock") {
		version = 0
	}
	if version < landlockABIRefer {
		return mechanisms{}, fmt.Sprintf("this kernel has no Landlock, or an old version (%d; 2 is needed)", version)
	}
	var candidates []mechanisms
	reason := "bubblewrap is not installed"
	if bwrap, err := exec.LookPath("bwrap"); err == nil && !slices.Contains(s.cfg.DisabledMechanisms, "bubblewrap") {
		with := mechanisms{Available: true, Bubblewrap: bwrap, UserNamespace: true, Landlock: version}
		candidates = append(candidates, with)
		if os.Geteuid() == 0 {
			with.UserNamespace = false
			candidates = append(candidates, with)
		}
	}
	if version >= landlockABIScopes {
		candidates = append(candidates, mechanisms{Available: true, Landlock: version})
	}
	for _, m := range candidates {
		err := s.probe(m)
		if err == nil {
			return m, ""
		}
		reason = strings.TrimPrefix(err.Error(), ErrSetup.Error()+": ")
	}
	if version < landlockABIScopes {
		reason += fmt.Sprintf("; without it Landlock version %d is needed, and this kernel has %d",
			landlockABIScopes, version)
	}
	return mechanisms{}, reason
}

func (s *Sandbox) probe(m mechanisms) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	p, err := s.start(ctx, Spec{Args: []string{"/bin/sh", "-c", fmt.Sprintf("exit %d", probeCode)}}, m)
	if err != nil {
		return err
	}
	exit, err := p.Wait()
	if err == nil && exit.Code != probeCode {
		err = fmt.Errorf("a test program in it ended with exit code %d: %s", exit.Code, p.lastOutput())
	}
	return err
}
