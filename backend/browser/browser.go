// Package browser runs the controlled Chromium: its process, its sessions of tabs, and the actions on them.
//
// Browser and Session are the facade of the packages below. launch runs the process; cdp follows its tabs and frames;
// observe takes numbered snapshots of pages; page manages tabs and runs one action at a time in each; act clicks, types
// and runs scripts; inspect reads; live shows the window's tab to people. Each caller has a Session with its own tabs;
// the window's session is "".
//
// Chromium starts when it is first needed. When it ends, the next action starts it again with its tabs.
package browser

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"sextant/backend/browser/act"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/launch"
	"sextant/backend/browser/live"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/events"
	"sextant/backend/browser/publish"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// Browser is one controlled Chromium. Its methods may be called concurrently.
type Browser struct {
	cfg      Config
	log      *slog.Logger
	elements *identity.ElementRegistry
	docs     *cdp.Counter
	events   *publish.Publisher
	tabs     *page.Manager
	view     *live.View

	// starting holds one token while Chromium is being started; cleanUp makes the first start remove the partial
	// downloads of earlier runs.
	starting chan struct{}
	cleanUp  sync.Once

	// The fields below are guarded by the lock of tabs.
	engine  *engine
	status  string
	trouble string
	hint    string
	driver  string
	person  bool
}

const (
	statusAbsent   = "absent"
	statusStopped  = "stopped"
	statusStarting = "starting"
	statusReady    = "ready"
	statusFailed   = "failed"
)

// New returns a browser whose Chromium does not run yet. Close must be called.
func New(cfg Config) *Browser {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Limits == (settle.Limits{}) {
		cfg.Limits = settle.DefaultLimits()
	}
	b := &Browser{
		cfg: cfg, log: cfg.Log,
		elements: identity.NewElementRegistry(), docs: &cdp.Counter{},
		starting: make(chan struct{}, 1), status: statusStopped,
	}
	b.events = publish.NewPublisher(cfg.Publish, b.State)
	b.tabs = page.NewManager(page.Config{
		DownloadDir: cfg.DownloadDir, MaxDownload: cfg.MaxDownload, Proxy: cfg.Proxy, Headless: cfg.Headless,
		AttachURL: cfg.AttachURL, CheckAddress: cfg.CheckAddress, ExplainFailure: cfg.ExplainFailure,
		Limits: cfg.Limits, Log: cfg.Log,
	}, b.elements, b.events, b.running)
	b.view = live.NewView(b.tabs, cfg.OnPersonStep)
	b.tabs.SetHandlers(b.view, events.NewHandler())
	if _, err := launch.Find(cfg.Path); err != nil && cfg.AttachURL == "" {
		b.status, b.trouble, b.hint = statusAbsent, err.Error(), launch.InstallHint
	}
	return b
}

// Elements returns the registry that numbers the elements of all surfaces. One counter serves all of them, so that a
// number identifies one element wherever it is. Tabs have positive tab numbers, other surfaces negative ones.
func (b *Browser) Elements() *identity.ElementRegistry { return b.elements }

// Start makes sure that Chromium runs. The error is a *surface.Fault of kind no_browser when Chromium is missing or
// does not start.
func (b *Browser) Start(ctx context.Context) error {
	_, err := b.running(ctx)
	return err
}

// Close ends Chromium, or only the connection to one that was attached, and waits for the process and for the
// goroutines of the browser. A second call returns nil at once.
func (b *Browser) Close() error {
	if !b.tabs.Close() {
		return nil
	}
	b.view.Close()
	b.tabs.Lock()
	e := b.engine
	b.tabs.Unlock()
	// A start in progress sees that the browser is closed and ends.
	b.starting <- struct{}{}
	var err error
	if e == nil {
		b.tabs.Lock()
		e = b.engine
		b.tabs.Unlock()
	}
	if e != nil {
		err = e.close()
	}
	b.tabs.Wait()
	b.events.Close()
	return errors.Join(err, b.tabs.RemoveTempDir())
}

// State returns the state of the window's session for display.
func (b *Browser) State() event.BrowserState {
	b.tabs.Lock()
	defer b.tabs.Unlock()
	s := event.BrowserState{
		Status: event.BrowserStatus(b.status), Error: b.trouble, Hint: b.hint, Actor: b.driver,
		TakenOver: b.person,
	}
	b.tabs.FillWindowState(&s)
	return s
}

// TabCount returns how many tabs a caller has.
func (b *Browser) TabCount(owner string) int { return b.tabs.TabCount(owner) }

// Marks returns the numbered elements in the newest snapshot of the window's active tab, nil when there is none.
func (b *Browser) Marks() *event.Marks { return b.tabs.Marks() }

// Session returns the session of a caller, which it creates on first use. The window's is "".
func (b *Browser) Session(owner string) *Session { return &Session{b.tabs.Session(owner)} }

// Show makes people see the tabs of a caller in the live view, in place of the window's.
func (b *Browser) Show(owner string) { b.tabs.Show(owner) }

// CloseSession closes a caller's tabs and deletes its storage; see page.Manager.CloseSession.
func (b *Browser) CloseSession(owner string) error { return b.tabs.CloseSession(owner) }

// SetTakenOver records whether the person has taken over. It stops nobody: callers must enforce who may act.
func (b *Browser) SetTakenOver(person bool) {
	b.tabs.Lock()
	b.person = person
	b.tabs.Signal()
	b.tabs.Unlock()
	b.events.PublishState()
}

// AwaitGiveBack waits until the person gives the page back, or until ctx ends.
func (b *Browser) AwaitGiveBack(ctx context.Context) error {
	return b.tabs.Await(ctx, func() bool { return !b.person })
}

// SetActor records who is acting, "" for nobody.
func (b *Browser) SetActor(caller string) {
	b.tabs.Lock()
	was := b.driver
	b.driver = caller
	b.tabs.Unlock()
	if was != caller {
		b.events.PublishState()
	}
}

// OpenLiveReader starts a stream of pictures of the window's active tab, whichever that is. The page takes the given
// size in CSS pixels, limited to a usable range, with scale device pixels per CSS pixel, unless an emulation sets
// others. With several readers, the newest one's size applies. Pictures come once there is a tab; OpenLiveReader does
// not start Chromium. The caller must close the stream.
func (b *Browser) OpenLiveReader(width, height int, scale float64) (*LiveReader, error) {
	return b.view.OpenReader(width, height, scale)
}

// DispatchInput passes the person's input on to the page of a caller's active tab, the window's for "". It waits up to
// 5 s until the browser has handled the input, but never for an action. It refuses input while no page is open or a
// dialog is.
func (b *Browser) DispatchInput(ctx context.Context, owner string, in wire.Input) error {
	return b.view.DispatchInput(ctx, b.tabs.Session(owner), in)
}

// Paste pastes content into the window's active tab as the person. No other page gets it.
func (b *Browser) Paste(ctx context.Context, content wire.Clipboard) error {
	return b.view.Paste(ctx, b.tabs.ShownSession(), content)
}

// SetSystemClipboard sets the function that puts what the person copies on a page on the system's clipboard. It must
// not block. nil, as at first, leaves that to the windows, which get the event PageCopied.
func (b *Browser) SetSystemClipboard(set func(wire.Clipboard)) { b.view.SetSystemClipboard(set) }

// Copied returns what the person copied last in the window's active tab, once.
func (b *Browser) Copied() wire.Clipboard { return b.view.Copied() }

// ReportSteps waits until Config.OnPersonStep got all steps of the person, or until ctx ends.
func (b *Browser) ReportSteps(ctx context.Context) { b.view.ReportSteps(ctx) }

// Pick sets the field of the picker with this id, which the person opened in the window's active tab: to the option
// with the index selected if it is a list, else to value. The error is a *surface.Fault when the field is gone.
func (b *Browser) Pick(ctx context.Context, id, selected int, value string) error {
	return b.view.Pick(ctx, id, selected, value)
}

// Find finds text in the window's active tab; see live.View.Find.
func (b *Browser) Find(ctx context.Context, text string, show int, scroll bool) (wire.Found, error) {
	return b.view.Find(ctx, b.tabs.ShownSession(), text, show, scroll)
}

// MoveTab puts a tab of the window at another place, counted from 0.
func (b *Browser) MoveTab(id, to int) { act.MoveTab(b.tabs.ShownSession(), id, to) }

// SetZoom sets the zoom of the window's active tab in percent.
func (b *Browser) SetZoom(percent int) { b.tabs.SetZoom(percent) }
