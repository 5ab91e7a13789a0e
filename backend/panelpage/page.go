// Package panelpage is the page of a panel as a surface: what the window draws for the panel, and what the panel
// shows in its frame. It uses the same collector script and the same numbers as the browser and answers in the same
// form, but asks its questions over the window's WebSocket, because no debugger reaches a page of ours.
//
// The page in a frame is not trusted: its answers are bounded, its boxes are clipped to the frame, and its numbers
// come from our own counter, so that it can misreport nothing but itself.
package panelpage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/surface"
	"sextant/shared/wire"
)

// Windows sends questions to the window that a person sees.
type Windows interface {
	// HasWindow reports whether one is connected.
	HasWindow() bool
	// Ask returns what the window answers to a question about the panel it shows; an error's text is
	// for people.
	Ask(ctx context.Context, ask wire.SurfaceRequest) (json.RawMessage, error)
}

// Config is what Pages depend on.
type Config struct {
	// Elements issues ids; it is the browser's registry, so that ids are unique.
	Elements *identity.ElementRegistry
	// Title is a panel's title, "" for one that is not there.
	Title func(panel string) string
}

// Pages is the pages of all panels. Safe for concurrent use.
type Pages struct {
	cfg Config

	mu      sync.Mutex
	windows Windows
	camera  func(context.Context) ([]byte, error)
	pages   map[string]*Page
	byTab   map[int]*Page
	lastDoc int
}

// New returns the pages of panels, without a window yet.
func New(cfg Config) *Pages {
	return &Pages{cfg: cfg, pages: map[string]*Page{}, byTab: map[int]*Page{}}
}

// Connect sets how windows are reached; nil for not at all.
func (pages *Pages) Connect(w Windows) {
	pages.mu.Lock()
	defer pages.mu.Unlock()
	pages.windows = w
}

// Camera sets how a picture of the program's own window is taken, a PNG of all that it shows; nil for a
// program without one.
func (pages *Pages) Camera(take func(context.Context) ([]byte, error)) {
	pages.mu.Lock()
	defer pages.mu.Unlock()
	pages.camera = take
}

// HasWindow reports whether a window is open.
func (pages *Pages) HasWindow() bool {
	w := pages.reached()
	return w != nil && w.HasWindow()
}

func (pages *Pages) reached() Windows {
	pages.mu.Lock()
	defer pages.mu.Unlock()
	return pages.windows
}

// Page is the page of a panel, shown or not.
func (pages *Pages) Page(panel string) *Page {
	pages.mu.Lock()
	defer pages.mu.Unlock()
	p := pages.pages[panel]
	if p == nil {
		p = &Page{s: pages, panel: panel, tab: -1 - len(pages.pages), queue: make(chan struct{}, 1)}
		pages.pages[panel], pages.byTab[p.tab] = p, p
	}
	return p
}

// PageOf is the panel's page that a number belongs to, nil for none.
func (pages *Pages) PageOf(id int) *Page {
	element, ok := pages.cfg.Elements.Element(id)
	if !ok {
		return nil
	}
	pages.mu.Lock()
	defer pages.mu.Unlock()
	return pages.byTab[element.Tab]
}

// Scheme begins the address of a panel's page: "panel:notes".
const Scheme = "panel:"

// Page is one panel's page. All methods may be called concurrently; actions queue. Errors are
// *surface.Fault where the caller can correct them.
type Page struct {
	s     *Pages
	panel string
	// tab is the page's tab number in the registry, negative.
	tab   int
	queue chan struct{}

	// All below is guarded by Pages.mu.
	docs    [2]document
	last    *snapshot
	whole   *snapshot
	version int
	// secrets are the newest that were typed into the page; pictures cover what shows them.
	secrets []string
	// inFrame is true when the last action was in the frame: keys go there.
	inFrame bool
}

// document is one load of the panel's page or of its frame.
type document struct {
	// key is what the document calls itself, seq its number in the registry (negative), 0 for none yet.
	key string
	seq int
}

// Panel is the panel's id.
func (p *Page) Panel() string { return p.panel }

// Address is the page's address.
func (p *Page) Address() string { return Scheme + p.panel }

var _ surface.Surface = (*Page)(nil)

// KeyTargets implements surface.Surface: keys reach the panel's own page only.
func (p *Page) KeyTargets() []string { return []string{p.Address()} }

// OpenDialog implements surface.Surface: a panel's page opens no dialogs.
func (p *Page) OpenDialog() (what, address string) { return "", "" }

// Limits of one question: an action may wait for an element to be ready.
const (
	askLimit   = 5 * time.Second
	frameLimit = 3 * time.Second
	aimLimit   = 8 * time.Second
)

var errSilent = errors.New("the page does not answer")

// world is the page's document, or the one in its frame, as the collector asks it.
func (p *Page) world(frame bool) collect.World {
	return collect.OwnPage(func(ctx context.Context, name string, args ...any) (json.RawMessage, error) {
		return p.ask(ctx, frame, name, args...)
	})
}

// ask calls one function in the page, or in the document in its frame.
func (p *Page) ask(ctx context.Context, frame bool, name string, args ...any) (json.RawMessage, error) {
	w := p.s.reached()
	if w == nil || !w.HasWindow() {
		return nil, p.unreachableFault("No window is open.")
	}
	ask := wire.SurfaceRequest{Panel: p.panel, Frame: frame, Operation: name, Args: make([]json.RawMessage, len(args))}
	for i, a := range args {
		var err error
		if ask.Args[i], err = json.Marshal(a); err != nil {
			return nil, fmt.Errorf("asking the window: %w", err)
		}
	}
	limit := askLimit
	if name == "aim" || name == "awaitSettled" {
		limit = aimLimit
	} else if frame {
		limit = frameLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errSilent)
	defer cancel()
	value, err := w.Ask(ctx, ask)
	switch {
	case err == nil:
		return value, nil
	case context.Cause(ctx) != nil:
		return nil, context.Cause(ctx)
	}
	return nil, p.unreachableFault(err.Error())
}

// unreachableFault is the fault for a page that nobody shows.
func (p *Page) unreachableFault(why string) *surface.Fault {
	return &surface.Fault{
		Kind: surface.FaultNoPage, Message: fmt.Sprintf("The page of the panel %s cannot be reached: %s", p.name(),
			surface.Clip(why, 200)),
		Suggestion: "Open the panel in a window and call annotate_page, or call navigate_page to work in the browser.",
	}
}

// name is the panel's title, or its id.
func (p *Page) name() string {
	if t := p.s.cfg.Title(p.panel); t != "" {
		return t
	}
	return p.panel
}

// number is the registry's number of the document with the key. With another key the page was reloaded:
// the ids of the old document end.
func (p *Page) number(frame bool, key string) int {
	key = surface.Clip(key, 80)
	i := 0
	if frame {
		i = 1
	}
	p.s.mu.Lock()
	d := p.docs[i]
	if d.seq != 0 && d.key == key {
		p.s.mu.Unlock()
		return d.seq
	}
	p.s.lastDoc--
	p.docs[i] = document{key: key, seq: p.s.lastDoc}
	seq := p.s.lastDoc
	p.s.mu.Unlock()
	if d.seq != 0 {
		p.s.cfg.Elements.EndDocument(d.seq)
	}
	return seq
}

// frameOf reports whether a document of the page is the frame's; alive is false for one that was replaced.
func (p *Page) frameOf(seq int) (frame, alive bool) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	for i, d := range p.docs {
		if d.seq == seq && seq != 0 {
			return i == 1, true
		}
	}
	return false, false
}

// acquire waits for the page's turn.
func (p *Page) acquire(ctx context.Context) (release func(), err error) {
	select {
	case p.queue <- struct{}{}:
		return func() { <-p.queue }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
