// Package browser is the controlled Chromium as a surface: tabs, numbered elements and the
// actions on them.
//
// It joins the rooms below it. launch runs the process, frames follows its tabs and frames,
// collect looks into documents, identity gives numbers, input is the hand, settle waits for
// what an action caused, live carries the picture. Each caller has a Session with tabs of
// its own; the window's is "". In a tab one action runs at a time, others queue. Every
// action's answer carries what happened and what changed (ARCHITECTURE 8).
//
// Nothing is started before it is needed, and a Chromium that died is started again with
// its tabs at the next need. Policy is not decided here: Config.Judge and the proxy do.
package browser

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/launch"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/browser/observe/settle"
	"sextant/shared/event"
)

// Browser is one controlled Chromium. Its methods may be called concurrently.
type Browser struct {
	cfg  Config
	log  *slog.Logger
	book *identity.Book
	docs *cdp.Counter
	out  *voice

	// stop is closed and quit called by Close; what runs in the background stands in wg.
	stop     chan struct{}
	quit     context.CancelFunc
	wg       sync.WaitGroup
	starting chan struct{}

	mu       sync.Mutex
	changed  chan struct{}
	engine   *engine
	sessions map[string]*Session
	lastTab  int
	closed   bool
	status   string
	trouble  string
	hint     string
	driving  string
	person   bool
	lives    []*Live
	cast     *tab
	due      *due
	poke     chan struct{}
	// agent is the user agent of the running Chromium.
	agent  string
	scribe *scribe
	// tidied is done before the first Chromium starts.
	tidied sync.Once
	// temporary holds downloads when no folder is configured; Close removes it.
	temporary string
}

// The words of event.BrowserState.Status.
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
		book: identity.NewBook(), docs: &cdp.Counter{},
		stop: make(chan struct{}), starting: make(chan struct{}, 1),
		changed:  make(chan struct{}),
		sessions: map[string]*Session{},
		status:   statusStopped,
		poke:     make(chan struct{}, 1),
	}
	b.out = newVoice(cfg.Publish, b.State)
	b.scribe = newScribe(b)
	if cfg.OnPersonStep != nil {
		b.wg.Add(1)
		go b.scribe.run()
	}
	life, quit := context.WithCancel(context.Background())
	b.quit = quit
	b.wg.Add(1)
	go b.refresh(life)
	if _, err := launch.Find(cfg.Path); err != nil && cfg.AttachURL == "" {
		b.status, b.trouble, b.hint = statusAbsent, err.Error(), launch.InstallHint
	}
	return b
}

// Book holds the numbers of all surfaces: there is one counter, so that a number means one element
// wherever it stands. Those of tabs have positive tab numbers; other surfaces take negative ones.
func (b *Browser) Book() *identity.Book { return b.book }

// Start makes sure that Chromium runs. The error is a *Fault of kind no_browser when there
// is none or it does not start.
func (b *Browser) Start(ctx context.Context) error {
	_, err := b.running(ctx)
	return err
}

// Close ends Chromium and waits until nothing of the browser runs any more.
func (b *Browser) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	close(b.stop)
	b.quit()
	e := b.engine
	lives := b.lives
	b.mu.Unlock()
	for _, l := range lives {
		l.Close()
	}
	// A start that is under way sees closed and gives up.
	b.starting <- struct{}{}
	var err error
	if e == nil {
		b.mu.Lock()
		e = b.engine
		b.mu.Unlock()
	}
	if e != nil {
		err = e.close()
	}
	b.wg.Wait()
	b.out.close()
	if b.temporary != "" {
		err = errors.Join(err, os.RemoveAll(b.temporary))
	}
	return err
}

// State is the window's session as the window shows it.
func (b *Browser) State() event.BrowserState {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := event.BrowserState{
		Status: event.BrowserStatus(b.status), Error: b.trouble, Hint: b.hint, Driving: b.driving, PersonHas: b.person,
		Tabs: []event.Tab{},
	}
	if w := b.sessions[""]; w != nil {
		s.Tabs, s.Downloads = w.list(), w.downloading()
		if w.active != nil {
			s.Active = w.active.id
		}
	}
	return s
}

// Tabs is how many tabs a caller has.
func (b *Browser) Tabs(owner string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s := b.sessions[owner]; s != nil {
		return len(s.tabs)
	}
	return 0
}

// Marks are the numbers of the window's active tab after its newest look; nil before the first.
func (b *Browser) Marks() *event.Marks {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.sessions[""]
	if w == nil || w.active == nil || w.active.look == nil && w.active.glanced == nil {
		return nil
	}
	if w.active.glanced != nil {
		return w.active.glanced.marks()
	}
	return w.active.look.marks()
}

// Session is the tabs of one caller; "" is the window's. It is made on first use.
func (b *Browser) Session(owner string) *Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.sessions[owner]
	if s == nil {
		s = &Session{b: b, owner: owner}
		b.sessions[owner] = s
	}
	return s
}

// CloseSession closes a caller's tabs and forgets its storage. The window's session stays.
func (b *Browser) CloseSession(owner string) {
	b.mu.Lock()
	s := b.sessions[owner]
	if s == nil || owner == "" {
		b.mu.Unlock()
		return
	}
	delete(b.sessions, owner)
	e, contextID := b.engine, s.contextID
	b.mu.Unlock()
	if e != nil && contextID != "" {
		e.dispose(contextID)
	}
	b.forgetFiles(owner)
}

// SetHand says whether a person has taken over. It only marks the state: who may act is
// for the callers to keep.
func (b *Browser) SetPersonControl(person bool) {
	b.mu.Lock()
	b.person = person
	b.signal()
	b.mu.Unlock()
	b.out.state()
}

// Returned waits while a person has the page; the error is the end of ctx or of the browser.
func (b *Browser) AwaitGiveBack(ctx context.Context) error {
	return b.await(ctx, func() bool { return !b.person })
}

// Driving marks who acts now: person, model, pilot, mcp, or "" for nobody.
func (b *Browser) SetDriver(caller string) {
	b.mu.Lock()
	was := b.driving
	b.driving = caller
	b.mu.Unlock()
	if was != caller {
		b.out.state()
	}
}

// signal wakes everybody who waits for the books to change. Called under mu.
func (b *Browser) signal() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// await waits until ok, which is called under mu, is true.
func (b *Browser) await(ctx context.Context, ok func() bool) error {
	for {
		b.mu.Lock()
		if ok() {
			b.mu.Unlock()
			return nil
		}
		if b.closed {
			b.mu.Unlock()
			return errClosed
		}
		changed := b.changed
		b.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var errClosed = errors.New("the browser is closed")
