// Package panelpage implements surface.Surface for the page of a panel: what the window draws for the panel, and what
// the panel shows in its frame. It uses the same collector script and the same counter of ids as the browser. It
// reaches the page over the window's WebSocket, because the window has no debugger.
//
// The page in a frame is not trusted. Its answers are limited in size, its boxes are clipped to the frame, and its
// numbers come from our own counter.
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

// WindowClient sends requests to the window that the person sees.
type WindowClient interface {
	// HasWindow reports whether a window is connected.
	HasWindow() bool
	// Ask sends a request to the window and returns the page's answer. It fails if the window does not show the panel
	// or does not answer before ctx ends. Error texts are for people.
	Ask(ctx context.Context, ask wire.SurfaceRequest) (json.RawMessage, error)
}

// Config contains the dependencies of Pages.
type Config struct {
	// Elements issues ids; it is the browser's registry, so that ids are unique.
	Elements *identity.ElementRegistry
	// Title returns a panel's title, "" if there is no such panel.
	Title func(panel string) string
}

// Pages contains the pages of all panels. Its methods may be called concurrently.
type Pages struct {
	cfg Config

	mu      sync.Mutex
	windows WindowClient
	camera  func(context.Context) ([]byte, error)
	pages   map[string]*Page
	byTab   map[int]*Page
	lastDoc int
}

// New returns Pages without a connection to windows. SetWindowClient sets it.
func New(cfg Config) *Pages {
	return &Pages{cfg: cfg, pages: map[string]*Page{}, byTab: map[int]*Page{}}
}

// SetWindowClient sets the connection to windows, nil for none.
func (pages *Pages) SetWindowClient(w WindowClient) {
	pages.mu.Lock()
	defer pages.mu.Unlock()
	pages.windows = w
}

// SetCaptureFunc sets the function that takes a PNG of the whole window of the desktop program, nil if there is no such
// window.
func (pages *Pages) SetCaptureFunc(take func(context.Context) ([]byte, error)) {
	pages.mu.Lock()
	defer pages.mu.Unlock()
	pages.camera = take
}

// HasWindow reports whether a window is connected.
func (pages *Pages) HasWindow() bool {
	w := pages.connected()
	return w != nil && w.HasWindow()
}

func (pages *Pages) connected() WindowClient {
	pages.mu.Lock()
	defer pages.mu.Unlock()
	return pages.windows
}

// Page returns the page of a panel. It does not check that the panel exists or is shown.
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

// PageOf returns the panel's page that contains the element id, nil for elements of tabs and unknown ids.
func (pages *Pages) PageOf(id int) *Page {
	element, ok := pages.cfg.Elements.Element(id)
	if !ok {
		return nil
	}
	pages.mu.Lock()
	defer pages.mu.Unlock()
	return pages.byTab[element.Tab]
}

// Scheme is the prefix of the address of a panel's page, as in "panel:notes".
const Scheme = "panel:"

// Page is the page of one panel. Its methods may be called concurrently; actions run one after another. An error that
// the caller can correct is a *surface.Fault.
type Page struct {
	s     *Pages
	panel string
	// tab is the page's tab number in the registry; it is negative.
	tab   int
	queue chan struct{}

	// The fields below are guarded by Pages.mu.
	docs    [2]document
	last    *snapshot
	whole   *snapshot
	version int
	// secrets are the newest secrets typed into the page; pictures cover the elements that show them.
	secrets []string
	// inFrame is true if the last action on an element was in the frame. Keys then go to the frame.
	inFrame bool
}

type document struct {
	// key is the name that the document gave itself. seq is its number in the registry, which is negative, or 0 if it
	// has none yet.
	key string
	seq int
}

// Panel returns the panel's id.
func (p *Page) Panel() string { return p.panel }

// Address returns the page's address.
func (p *Page) Address() string { return Scheme + p.panel }

var _ surface.Surface = (*Page)(nil)

// KeyTargets implements surface.Surface. Keys reach only the panel's page and its frame, which have one address.
func (p *Page) KeyTargets() []string { return []string{p.Address()} }

// DescribeDialog implements surface.Surface. A panel's page opens no dialogs.
func (p *Page) DescribeDialog() (what, address string) { return "", "" }

// Time limits of one request to the window. aimLimit is for operations that wait for the page: aim and awaitSettled.
// frameLimit is for the other operations in a frame.
const (
	askLimit   = 5 * time.Second
	frameLimit = 3 * time.Second
	aimLimit   = 8 * time.Second
)

var errNoAnswer = errors.New("the page does not answer")

func (p *Page) world(frame bool) collect.World {
	return collect.WindowPage(func(ctx context.Context, name string, args ...any) (json.RawMessage, error) {
		return p.ask(ctx, frame, name, args...)
	})
}

func (p *Page) ask(ctx context.Context, frame bool, name string, args ...any) (json.RawMessage, error) {
	w := p.s.connected()
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
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errNoAnswer)
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

func (p *Page) unreachableFault(why string) *surface.Fault {
	return &surface.Fault{
		Kind: surface.FaultNoPage, Message: fmt.Sprintf("The page of the panel %s cannot be reached: %s", p.name(),
			surface.Truncate(why, 200)),
		Suggestion: "Open the panel in a window and call annotate_page, or call navigate_page to work in the browser.",
	}
}

func (p *Page) name() string {
	if t := p.s.cfg.Title(p.panel); t != "" {
		return t
	}
	return p.panel
}

// documentNumber returns the registry's number of the document. A new key means that the page was reloaded: the
// elements of the old document are then gone.
func (p *Page) documentNumber(frame bool, key string) int {
	key = surface.Truncate(key, 80)
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

func (p *Page) acquire(ctx context.Context) (release func(), err error) {
	select {
	case p.queue <- struct{}{}:
		return func() { <-p.queue }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
