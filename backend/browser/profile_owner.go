package browser

import (
	"fmt"
	"time"

	"sextant/backend/browser/launch"
)

// profileError adds launch.ErrProfile to err when a Chromium that did not answer ran on the configured profile and
// exits within exitTimeout.
func profileError(proc process, err error) error {
	p, ours := proc.(*launch.Process)
	if !ours || p.TemporaryProfile {
		return err
	}
	timer := time.NewTimer(exitTimeout)
	defer timer.Stop()
	select {
	case <-p.Done():
		return fmt.Errorf("%w: %w", err, launch.ErrProfile)
	case <-timer.C:
		return err
	}
}

func (b *Browser) profileNotes(proc process) []string {
	p, ours := proc.(*launch.Process)
	if !ours || p.ProfileHolder == "" {
		return nil
	}
	b.log.Warn("the profile is in use; using a throw-away one", "profile", b.cfg.ProfileDir, "holder", p.ProfileHolder)
	return []string{"The browser's profile is in use by " + p.ProfileHolder +
		", so this browser has a throw-away one and is logged in nowhere."}
}
