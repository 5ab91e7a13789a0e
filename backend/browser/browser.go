// Package browser is the controlled Chromium: its process, its sessions of tabs, and the actions on them.
//
// Browser and Session are the facade of the packages below, which import each other in one direction: launch runs
// the process; cdp follows its tabs and frames; observe takes numbered snapshots of pages; page holds tabs and
// runs one action at a time in each; act clicks, types and runs scripts; inspect reads; live shows the window's tab
// to people. Each caller has a Session with tabs of its own; the window's is "". Every action answers with what
// happened and what changed.
//
// Chromium is started when it is first needed, and one that ended is started again with its tabs at the next
// action. Policy is not decided here: Config.CheckAddress and the proxy do.
package browser

import (
	"context"
	"errors"
	"log/slog"
	"sync"

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

	// starting holds one token while Chromium is being started; cleanUp runs before the first start.
	starting chan struct{}
	cleanUp  sync.Once

	// All below is guarded by the lock of tabs.
	engine  *engine
	status  string
	trouble string
	hint    string
	driver  string
	person  bool
}

// The values of event.BrowserState.Status.
const (
	statusAbsent   = "absent"
	statusStopped  = "stopped"
	statusStarting = "starting"
	statusReady    = "ready"
	statusFailed   = "failed"
)

// New returns a browser that is not running yet.
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
		AttachURL: cfg.AttachURL, CheckAddress: cfg.CheckAddress, Limits: cfg.Limits, Log: cfg.Log,
	}, b.elements, b.events, b.running)
	b.view = live.NewView(b.tabs, cfg.OnPersonStep)
	b.tabs.Connect(b.view, events.NewHandler())
	if _, err := launch.Find(cfg.Path); err != nil && cfg.AttachURL == "" {
		b.status, b.trouble, b.hint = statusAbsent, err.Error(), launch.InstallHint
	}
	return b
}

// Elements numbers the elements of all surfaces: there is one counter, so that a number means one element
// wherever it is. Those of tabs have positive tab numbers; other surfaces take negative ones.
func (b *Browser) Elements() *identity.ElementRegistry { return b.elements }

// Start makes sure that Chromium runs. The error is a *surface.Fault of kind no_browser when there is none or it
// does not start.
func (b *Browser) Start(ctx context.Context) error {
	_, err := b.running(ctx)
	return err
}

// Close ends Chromium and waits until nothing of the browser runs any more.
func (b *Browser) Close() error {
	if !b.tabs.Close() {
		return nil
	}
	b.view.Close()
	b.tabs.Lock()
	e := b.engine
	b.tabs.Unlock()
	// A start that is under way sees that the browser is closed and gives up.
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
	return errors.Join(err, b.tabs.RemoveTemporary())
}

// State is the window's session as the window shows it.
func (b *Browser) State() event.BrowserState {
	b.tabs.Lock()
	defer b.tabs.Unlock()
	s := event.BrowserState{
		Status: event.BrowserStatus(b.status), Error: b.trouble, Hint: b.hint, Actor: b.driver,
		TakenOver: b.person,
	}
	b.tabs.WindowState(&s)
	return s
}

// Tabs is how many tabs a caller has.
func (b *Browser) Tabs(owner string) int { return b.tabs.Tabs(owner) }

// Marks are the numbers of the window's active tab in its newest snapshot; nil before the first.
func (b *Browser) Marks() *event.Marks { return b.tabs.Marks() }

// Session is the tabs of one caller; "" is the window's. It is made on first use.
func (b *Browser) Session(owner string) *Session { return &Session{b.tabs.Session(owner)} }

// CloseSession closes a caller's tabs and forgets its storage. The window's session stays.
func (b *Browser) CloseSession(owner string) { b.tabs.CloseSession(owner) }

// SetTakenOver says whether a person has taken over. It only marks the state: who may act is for the callers
// to enforce.
func (b *Browser) SetTakenOver(person bool) {
	b.tabs.Lock()
	b.person = person
	b.tabs.Signal()
	b.tabs.Unlock()
	b.events.StateChanged()
}

// AwaitGiveBack waits while a person has the page; the error is the end of ctx or of the browser.
func (b *Browser) AwaitGiveBack(ctx context.Context) error {
	return b.tabs.Await(ctx, func() bool { return !b.person })
}

// SetActor marks who acts now: person, model, pilot, mcp, or "" for nobody.
func (b *Browser) SetActor(caller string) {
	b.tabs.Lock()
	was := b.driver
	b.driver = caller
	b.tabs.Unlock()
	if was != caller {
		b.events.StateChanged()
	}
}

// OpenLive starts showing the window's active tab and follows which tab that is; the page takes the size of the
// place it is shown in, in CSS pixels, with scale device pixels each. It starts no Chromium: pictures come once
// there is a tab. With several readers the newest one's size counts. Close it.
func (b *Browser) OpenLive(width, height int, scale float64) (*Live, error) {
	return b.view.Open(width, height, scale)
}

// Input passes on what a person does on the picture of the window's active tab. It does not wait for the page,
// except where order needs it, and never for an action.
func (b *Browser) Input(ctx context.Context, in wire.Input) error {
	return b.view.Input(ctx, b.tabs.Session(""), in)
}
