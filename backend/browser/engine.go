package browser

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	rodcdp "github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/launch"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
)

const (
	// startTimeout bounds a start, including the second try and reopening the tabs of the last Chromium.
	startTimeout = 20 * time.Second
	// closeGrace is how long Chromium may take to write its profile.
	closeGrace        = 3 * time.Second
	disconnectTimeout = 10 * time.Second
	exitTimeout       = 3 * time.Second
	// A Chromium that says nothing for maxSilence hangs. After quiet it is asked, so that it has something to say.
	maxSilence = 9 * time.Second
	quiet      = 3 * time.Second
)

type engine struct {
	b    *Browser
	proc process
	conn *page.Connection
}

type process interface {
	Close(grace time.Duration) error
	Kill()
	Stderr() string
}

func (b *Browser) connect(ctx context.Context, path string) (process, rodcdp.WebSocketable, error) {
	if b.cfg.AttachURL != "" {
		a, err := launch.Attach(ctx, b.cfg.AttachURL)
		if err != nil {
			return nil, nil, err
		}
		return a, a.WS, nil
	}
	p, err := launch.Start(ctx, launch.Options{
		Path: path, ProfileDir: b.cfg.ProfileDir, Proxy: b.cfg.Proxy,
		Headless: b.cfg.Headless, ExtraFlags: b.cfg.Flags,
	})
	if err != nil {
		return nil, nil, err
	}
	return p, p.Pipe, nil
}

func (b *Browser) running(ctx context.Context) (*page.Connection, error) {
	c, closed := b.connected()
	if c != nil {
		return c, nil
	}
	if closed {
		return nil, page.ErrClosed
	}
	select {
	case b.starting <- struct{}{}:
		defer func() { <-b.starting }()
	case <-b.tabs.Done():
		return nil, page.ErrClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("starting the browser: %w", context.Cause(ctx))
	}
	c, closed = b.connected()
	if c != nil {
		return c, nil
	}
	if closed {
		return nil, page.ErrClosed
	}
	return b.start(ctx)
}

func (b *Browser) connected() (c *page.Connection, closed bool) {
	b.tabs.Lock()
	defer b.tabs.Unlock()
	return b.tabs.Conn(), b.tabs.Closed()
}

func (b *Browser) start(ctx context.Context) (*page.Connection, error) {
	b.report(statusStarting, "", "")
	if !b.cfg.SharesDownloadDir {
		b.cleanUp.Do(b.tabs.RemovePartialDownloads)
	}
	path, err := launch.Find(b.cfg.Path)
	if err != nil && b.cfg.AttachURL == "" {
		b.report(statusAbsent, err.Error(), launch.InstallHint)
		message := "No Chromium was found on this machine."
		if b.cfg.Path != "" {
			message = fmt.Sprintf("There is no program %q, which the setting chromium names.", b.cfg.Path)
		}
		return nil, &surface.Fault{
			Kind: surface.FaultNoBrowser, Message: message,
			Suggestion: "Install it with: " + launch.InstallHint,
		}
	}
	// The start goes on when its caller leaves: a half-started browser must not remain.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
	defer cancel()
	e, err := b.startWithRetry(ctx, path)
	if err != nil {
		hint, next := "Run sextant doctor.", "Try again; sextant doctor shows what is wrong."
		if errors.Is(err, launch.ErrSandbox) {
			hint, next = launch.SandboxHint+".", launch.SandboxHint+", then try again."
		}
		b.report(statusFailed, err.Error(), hint)
		return nil, &surface.Fault{
			Kind: surface.FaultNoBrowser, Message: "The browser did not start: " + err.Error(), Suggestion: next,
		}
	}
	b.tabs.SetConn(e.conn, func() {
		b.engine = e
		b.status, b.trouble, b.hint = statusReady, "", ""
	})
	b.tabs.Go(e.watch)
	b.tabs.Restore(ctx, e.conn)
	b.events.PublishState()
	return e.conn, nil
}

// startWithRetry tries again with an empty profile if the profile may be the cause, and keeps the old one beside it. If
// that fails too, it restores the old profile.
func (b *Browser) startWithRetry(ctx context.Context, path string) (*engine, error) {
	e, err := b.startOnce(ctx, path)
	if err == nil || b.cfg.ProfileDir == "" || !errors.Is(err, launch.ErrProfile) {
		return e, err
	}
	backup, moveErr := launch.BackUpProfile(b.cfg.ProfileDir, time.Now())
	if moveErr != nil {
		return nil, errors.Join(err, moveErr)
	}
	e, retryErr := b.startOnce(ctx, path)
	if retryErr != nil {
		// The profile was not the cause.
		return nil, errors.Join(err, launch.RestoreProfile(backup, b.cfg.ProfileDir))
	}
	b.log.Warn("the browser did not start with its profile and now uses an empty one", "err", err, "backup", backup)
	e.conn.AddNote(fmt.Sprintf("The browser did not start with its profile, so it has an empty one and is logged in "+
		"nowhere; the old one is kept as %s.", filepath.Base(backup)))
	return e, nil
}

func (b *Browser) startOnce(ctx context.Context, path string) (*engine, error) {
	proc, ws, err := b.connect(ctx, path)
	if err != nil {
		return nil, err
	}
	e := &engine{b: b, proc: proc, conn: b.tabs.NewConnection(b.profileNotes(proc))}
	o := e.conn.Options(b.docs)
	if b.cfg.AttachURL != "" {
		o.ContextFilter = b.tabs.HasContext
	}
	reg, err := cdp.Open(ctx, ws, o)
	e.conn.Registry = reg
	if err == nil {
		err = e.conn.SetUp(ctx)
	}
	if err != nil {
		err = profileError(proc, err)
		proc.Kill()
		closeErr := errors.Join(proc.Close(0), e.waitDisconnected())
		switch output := proc.Stderr(); {
		case strings.Contains(output, "No usable sandbox"):
			return nil, errors.Join(launch.ErrSandbox, closeErr)
		case output != "":
			err = fmt.Errorf("%w; it said: %s", err, lastLine(output))
		}
		return nil, errors.Join(err, closeErr)
	}
	return e, nil
}

func lastLine(s string) string {
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// endHung ends a Chromium that hangs, and reports whether it did. One that was attached is left alone. It returns when
// the connection has ended.
func (e *engine) endHung() bool {
	conn := e.conn.Registry.Conn()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-conn.Done():
			return false
		case <-ticker.C:
		}
		switch silence := conn.Silence(); {
		case silence > maxSilence && e.b.cfg.AttachURL == "":
			e.b.log.Warn("the browser did not answer and is ended", "for", maxSilence)
			e.proc.Kill()
			<-conn.Done()
			return true
		case silence > quiet:
			conn.Post("", "Browser.getVersion", nil, nil)
		}
	}
}

func (e *engine) watch() {
	trouble := "The browser ended unexpectedly."
	if e.endHung() {
		trouble = "The browser did not answer and was ended."
	}
	b := e.b
	if err := errors.Join(e.proc.Close(closeGrace), e.waitDisconnected()); err != nil {
		b.log.Warn("closing the browser", "err", err)
	}
	b.tabs.ClearConn(e.conn, func() {
		if b.engine == e {
			b.engine = nil
		}
		if b.tabs.Closed() {
			b.status = statusStopped
		} else {
			b.status = statusFailed
			b.trouble = trouble
			b.hint = "It starts again with its tabs at the next action."
		}
	})
	b.events.PublishState()
}

// close only disconnects from a Chromium that was attached.
func (e *engine) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if e.b.cfg.AttachURL == "" {
		_ = proto.BrowserClose{}.Call(e.conn.Registry.Client(ctx))
	}
	return errors.Join(e.proc.Close(closeGrace), e.waitDisconnected())
}

func (e *engine) waitDisconnected() error {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		e.conn.Registry.Conn().Wait()
	}()
	timer := time.NewTimer(disconnectTimeout)
	defer timer.Stop()
	select {
	case <-ended:
		return nil
	case <-timer.C:
		return errors.New("the connection to the browser did not end")
	}
}

func (b *Browser) report(status, trouble, hint string) {
	b.tabs.Lock()
	b.status, b.trouble, b.hint = status, trouble, hint
	b.tabs.Unlock()
	b.events.PublishState()
}
