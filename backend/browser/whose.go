package browser

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/launch"
)

// kindle starts a Chromium, and once more with an empty profile when it is the profile that
// no Chromium starts with. The broken one is kept beside it.
func (b *Browser) kindle(ctx context.Context, path string) (*engine, error) {
	e, err := b.ignite(ctx, path)
	if err == nil || b.cfg.ProfileDir == "" || !errors.Is(err, launch.ErrProfile) {
		return e, err
	}
	kept, moving := launch.SetAside(b.cfg.ProfileDir, time.Now())
	if moving != nil {
		return nil, errors.Join(err, moving)
	}
	e, again := b.ignite(ctx, path)
	if again != nil {
		// It was not the profile after all.
		return nil, errors.Join(err, launch.PutBack(kept, b.cfg.ProfileDir))
	}
	b.log.Warn("the browser did not start with its profile and has an empty one", "error", err, "kept", kept)
	b.mu.Lock()
	defer b.mu.Unlock()
	e.notes = append(e.notes, fmt.Sprintf("The browser did not start with its profile, so it has an empty one and is logged in nowhere; the old one is kept as %s.", filepath.Base(kept)))
	return e, nil
}

// lastBreath is how long a Chromium that broke off may take to be seen as ended.
const lastBreath = 3 * time.Second

// profileFault marks err as the profile's when Chromium ended by itself, on a profile that
// is kept, before its first answer.
func profileFault(proc process, err error) error {
	p, ours := proc.(*launch.Process)
	if !ours || p.Throwaway {
		return err
	}
	timer := time.NewTimer(lastBreath)
	defer timer.Stop()
	select {
	case <-p.Done():
		return fmt.Errorf("%w: %w", err, launch.ErrProfile)
	case <-timer.C:
		return err
	}
}

// notes are what the sessions of a new Chromium have to know of whose it is.
func (b *Browser) notes(proc process) []string {
	p, ours := proc.(*launch.Process)
	if !ours || p.Holder == "" {
		return nil
	}
	b.log.Warn("the profile is in use; using a throw-away one", "profile", b.cfg.ProfileDir, "holder", p.Holder)
	return []string{"The browser's profile is in use by " + p.Holder + ", so this browser has a throw-away one and is logged in nowhere."}
}

// untold are the notes that the session was not told yet. Called under Browser.mu.
func (s *Session) untold() []string {
	e := s.b.engine
	if e == nil || s.told == e {
		return nil
	}
	s.told = e
	return e.notes
}

// notEnforced is told where the filtering proxy cannot be in the way of a browser.
const notEnforced = "Where this browser may go is not enforced: it runs elsewhere, so its requests do not pass Sextant's proxy. Only the addresses of navigate_page and browser_tabs are judged."

// newContext makes a browser context. In a browser that is only attached to, it has our
// proxy of its own; one on another machine could not reach that.
func (e *engine) newContext(ctx context.Context) (string, error) {
	req := proto.TargetCreateBrowserContext{DisposeOnDetach: true}
	proxied := e.b.cfg.AttachURL != "" && e.b.cfg.Proxy != ""
	if proxied && e.b.nearby() {
		req.ProxyServer, req.ProxyBypassList = "http://"+e.b.cfg.Proxy, "<-loopback>"
	}
	res, err := req.Call(e.reg.Client(ctx))
	if err != nil {
		return "", err
	}
	if proxied && req.ProxyServer == "" {
		e.b.mu.Lock()
		e.notes = []string{notEnforced}
		e.b.mu.Unlock()
	}
	return string(res.BrowserContextID), nil
}
