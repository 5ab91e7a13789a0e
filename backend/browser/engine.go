package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	rodcdp "github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/launch"
	"sextant/backend/surface"
)

// The viewport of a tab that nobody looks at.
const (
	defaultWidth  = 1280
	defaultHeight = 800
)

// startLimit bounds the time from starting Chromium to its first answer.
const startLimit = 20 * time.Second

// closeGrace is what a Chromium gets to write its profile, hushLimit how long its connection may
// take to end after it.
const (
	closeGrace = 3 * time.Second
	hushLimit  = 10 * time.Second
)

// engine is one running Chromium. It implements cdp.Handler.
type engine struct {
	b    *Browser
	proc process
	reg  *cdp.Registry
	// tabs is guarded by Browser.mu.
	tabs map[*cdp.Page]*tab
	// notes are what every session is told once; guarded by Browser.mu.
	notes []string
}

// process is the Chromium at the other end: ours, or one that is only attached to.
type process interface {
	Close(grace time.Duration) error
	Kill()
	Why() string
}

// connect starts a Chromium of our own, or attaches to the one that was named.
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
		Headless: b.cfg.Headless, Extra: b.cfg.Flags,
	})
	if err != nil {
		return nil, nil, err
	}
	return p, p.Pipe, nil
}

// ours reports whether a browser context belongs to one of our sessions.
func (b *Browser) ours(contextID string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.sessions {
		if s.contextID != "" && s.contextID == contextID {
			return true
		}
	}
	return false
}

// running returns the living engine, starting Chromium when there is none.
func (b *Browser) running(ctx context.Context) (*engine, error) {
	b.mu.Lock()
	e, closed := b.engine, b.closed
	b.mu.Unlock()
	if e != nil {
		return e, nil
	}
	if closed {
		return nil, errClosed
	}
	select {
	case b.starting <- struct{}{}:
		defer func() { <-b.starting }()
	case <-b.stop:
		return nil, errClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("starting the browser: %w", context.Cause(ctx))
	}
	b.mu.Lock()
	e, closed = b.engine, b.closed
	b.mu.Unlock()
	if e != nil {
		return e, nil
	}
	if closed {
		return nil, errClosed
	}
	return b.start(ctx)
}

func (b *Browser) start(ctx context.Context) (*engine, error) {
	b.report(statusStarting, "", "")
	b.tidied.Do(b.tidyAll)
	path, err := launch.Find(b.cfg.Path)
	if err != nil && b.cfg.AttachURL == "" {
		b.report(statusAbsent, err.Error(), launch.InstallHint)
		return nil, &surface.Fault{
			Kind: surface.FaultNoBrowser, Message: "No Chromium was found on this machine.",
			Suggestion: "Install it with: " + launch.InstallHint,
		}
	}
	// A caller that leaves must not leave a half-started browser behind.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), startLimit)
	defer cancel()
	e, err := b.kindle(ctx, path)
	if err != nil {
		b.report(statusFailed, err.Error(), "Run sextant doctor.")
		return nil, &surface.Fault{
			Kind: surface.FaultNoBrowser, Message: "The browser did not start: " + err.Error(),
			Suggestion: "Try again; sextant doctor shows what is wrong.",
		}
	}
	b.mu.Lock()
	b.engine = e
	b.status, b.trouble, b.hint = statusReady, "", ""
	sessions := make([]*Session, 0, len(b.sessions))
	for _, s := range b.sessions {
		s.contextID = ""
		sessions = append(sessions, s)
	}
	b.signal()
	b.mu.Unlock()
	b.wg.Add(1)
	go e.watch()
	for _, s := range sessions {
		s.restore(ctx, e)
	}
	b.out.state()
	return e, nil
}

// ignite runs the process and gets its first answers.
func (b *Browser) ignite(ctx context.Context, path string) (*engine, error) {
	proc, ws, err := b.connect(ctx, path)
	if err != nil {
		return nil, err
	}
	o := cdp.Options{Docs: b.docs, Log: b.log, PageSetUp: pageSetUp(), Greeting: greeting, Tell: tellName}
	if b.cfg.AttachURL != "" {
		o.Only = b.ours
	}
	e := &engine{b: b, proc: proc, notes: b.notes(proc), tabs: map[*cdp.Page]*tab{}}
	o.Handler = e
	e.reg, err = cdp.Open(ctx, ws, o)
	if err == nil && b.cfg.AttachURL == "" {
		err = e.allowDownloads(ctx, "", "")
	}
	if err == nil {
		err = e.introduce(ctx)
	}
	if err != nil {
		err = profileFault(proc, err)
		proc.Kill()
		closing := errors.Join(proc.Close(0), e.hush())
		if said := proc.Why(); said != "" {
			err = fmt.Errorf("%w; it said: %s", err, lastLine(said))
		}
		return nil, errors.Join(err, closing)
	}
	return e, nil
}

// introduce asks who the browser is.
func (e *engine) introduce(ctx context.Context) error {
	v, err := proto.BrowserGetVersion{}.Call(e.reg.Client(ctx))
	if err != nil {
		return fmt.Errorf("asking for the browser's version: %w", err)
	}
	e.b.mu.Lock()
	e.b.agent = v.UserAgent
	e.b.mu.Unlock()
	return nil
}

func lastLine(s string) string {
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func pageSetUp() []proto.Request {
	return []proto.Request{
		proto.EmulationSetDeviceMetricsOverride{Width: defaultWidth, Height: defaultHeight, DeviceScaleFactor: 1},
		proto.PageSetInterceptFileChooserDialog{Enabled: true},
	}
}

// watch waits for the end of this Chromium, wished or not.
func (e *engine) watch() {
	defer e.b.wg.Done()
	<-e.reg.Conn().Done()
	if err := errors.Join(e.proc.Close(closeGrace), e.hush()); err != nil {
		e.b.log.Warn("closing the browser", "error", err)
	}
	b := e.b
	b.mu.Lock()
	if b.engine == e {
		b.engine = nil
	}
	for _, t := range e.tabs {
		t.page = nil
		t.dialog, t.chooser, t.look = nil, nil, nil
		t.interrupt(errBrowserEnded)
	}
	e.tabs = map[*cdp.Page]*tab{}
	for _, s := range b.sessions {
		for _, d := range s.downloads {
			if d.State == downloadRunning {
				d.end(downloadFailed, "the browser ended")
				d.sweep()
			}
		}
	}
	if b.closed {
		b.status = statusStopped
	} else {
		b.status = statusFailed
		b.trouble = "The browser ended unexpectedly."
		b.hint = "It starts again with its tabs at the next action."
	}
	b.cast = nil
	b.signal()
	b.mu.Unlock()
	b.out.state()
}

// close asks Chromium to write its profile and go, and waits until it has.
func (e *engine) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if e.b.cfg.AttachURL == "" {
		_ = proto.BrowserClose{}.Call(e.reg.Client(ctx))
	}
	return errors.Join(e.proc.Close(closeGrace), e.hush())
}

// hush waits until nothing reads from the browser or writes to it any more. Its owner has closed
// the connection, so that a wait with an end is only for what nobody foresaw.
func (e *engine) hush() error {
	quiet := make(chan struct{})
	go func() {
		defer close(quiet)
		e.reg.Conn().Wait()
	}()
	timer := time.NewTimer(hushLimit)
	defer timer.Stop()
	select {
	case <-quiet:
		return nil
	case <-timer.C:
		return errors.New("the connection to the browser does not end")
	}
}

// dispose closes a browser context with all its tabs.
func (e *engine) dispose(contextID string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := proto.TargetDisposeBrowserContext{
		BrowserContextID: proto.BrowserBrowserContextID(contextID),
	}.Call(e.reg.Client(ctx))
	if err != nil {
		e.b.log.Warn("closing a session's tabs", "error", err)
	}
}

func (b *Browser) report(status, trouble, hint string) {
	b.mu.Lock()
	b.status, b.trouble, b.hint = status, trouble, hint
	b.mu.Unlock()
	b.out.state()
}
