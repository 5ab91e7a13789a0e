package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/surface"
	"sextant/shared/annotator"
	"sextant/shared/event"
)

// tab is one tab of a session. What is below the queue is guarded by Browser.mu.
type tab struct {
	id int
	s  *Session
	// queue holds one token while an action runs.
	queue chan struct{}

	page          *cdp.Page
	tracker       *settle.Tracker
	title, url    string
	back, forward bool
	dialog        *dialog
	crashed       bool
	closed        bool
	// observer takes snapshots of the tab; last is the one that the next answer is compared with.
	observer *observer
	last     *snapshot
	// lastWhole is the newest snapshot of the whole page.
	lastWhole *snapshot
	// refreshed is a newer snapshot than last that no answer reported yet; it is for the window.
	refreshed *snapshot
	scrolled  [2]float64
	version   int
	// width, height, scale are the tab's own viewport, pretends what it shows instead.
	width, height int
	scale         float64
	pretends      *Emulation
	// located are the origins that may ask for the position because of this tab.
	located []string
	cancel  context.CancelCauseFunc
	// waiting counts the actions in the queue; yields ends a refresh of the window's numbers for them.
	waiting int
	yields  context.CancelFunc
	// stale is true while a refresh of the window's numbers is asked for and no snapshot began since.
	stale bool
	// expects is true while a tab that this one opens is on its way.
	expects bool
	// drags takes the drag-and-drop that a press of ours begins, choosers the question for
	// files that it asks; nil while neither is waited for.
	drags    chan *proto.InputDragData
	choosers chan chooser

	// effects are what the next answer reports.
	effects effectLog
	// acting is true while an action runs, not while the window's numbers are refreshed.
	acting  bool
	chooser *chooser
	// opener is the tab that opened this one, nil for none.
	opener *tab
	// storm counts the dialogs that came in a row, muted those of them that were answered
	// unasked, and stopped says why the page was ended.
	storm, muted int
	stopped      string
	// refused is the site that a user name was given to last.
	refused string
	trips   []*trip
	traffic traffic
	journal journal
	offers  pageTools
}

// The viewport of a tab that nobody watches.
const (
	defaultWidth  = 1280
	defaultHeight = 800
)

// The reasons that end a running action.
var (
	errDialog       = errors.New("a dialog opened")
	errTabClosed    = errors.New("the tab was closed")
	errCrashed      = errors.New("the page crashed")
	errBrowserEnded = errors.New("the browser ended")
)

// newTab returns a tab without a page. Called under the lock.
func (s *Session) newTab() *tab {
	s.b.lastTab++
	t := &tab{id: s.b.lastTab, s: s, queue: make(chan struct{}, 1), width: defaultWidth, height: defaultHeight, scale: 1}
	t.observer = newObserver(t.id, s.b.elements, func() *cdp.Page {
		s.b.Lock()
		defer s.b.Unlock()
		return t.page
	})
	s.tabs = append(s.tabs, t)
	s.active = t
	return t
}

// interrupt ends the running action. Called under mu.
func (t *tab) interrupt(why error) {
	if t.cancel != nil {
		t.cancel(why)
	}
}

// acquire waits for the tab's turn.
func (t *tab) acquire(ctx context.Context) (func(), error) {
	select {
	case t.queue <- struct{}{}:
		return t.release, nil
	default:
	}
	t.set(func() {
		t.waiting++
		if t.yields != nil {
			t.yields()
		}
	})
	defer t.set(func() { t.waiting-- })
	select {
	case t.queue <- struct{}{}:
		return t.release, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the tab: %w", context.Cause(ctx))
	}
}

// release ends the tab's turn. A look that was asked for meanwhile and that no look of the action
// answered is asked for again.
func (t *tab) release() {
	<-t.queue
	t.s.b.Lock()
	stale := t.stale
	t.s.b.Unlock()
	if stale {
		t.s.b.viewer.PageChanged()
	}
}

// begin makes the context of an action, which ends when the tab is in no state to go on.
func (t *tab) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t.s.b.Lock()
	t.cancel = cancel
	t.s.b.Unlock()
	return ctx, func() {
		t.s.b.Lock()
		t.cancel = nil
		t.s.b.Unlock()
		cancel(nil)
	}
}

// fit tells why the tab cannot act now, nil when it can.
func (t *tab) fit() *surface.Fault {
	t.s.b.Lock()
	defer t.s.b.Unlock()
	switch {
	case t.closed:
		return closedFault(t.id)
	case t.page == nil:
		return &surface.Fault{
			Kind: surface.FaultNoBrowser, Message: "The browser ended while this was waiting.",
			Suggestion: "Try again: the browser starts with its tabs.",
		}
	case t.crashed:
		return crashedFault(t.id, t.stopped)
	case t.dialog != nil:
		return t.dialogFault()
	}
	return nil
}

// dialogFault says that a dialog is in the way. Called under mu.
func (t *tab) dialogFault() *surface.Fault {
	switch {
	case t.dialog == nil:
		return &surface.Fault{Kind: surface.FaultDialog, Message: "A dialog was open until now.", Suggestion: "Try again."}
	case t.dialog.kind == dialogAuth:
		return &surface.Fault{
			Kind: surface.FaultDialog, Message: fmt.Sprintf("Tab %d waits for a %s.", t.id, t.dialog.text),
			Suggestion: "Answer with handle_dialog and username and password, or with accept: false, or open another address.",
		}
	}
	answers := `Answer it with press_key "Enter" (accept) or "Escape" (dismiss), or with handle_dialog.`
	if t.dialog.kind == "prompt" {
		answers = `Answer it with handle_dialog and text, or press_key "Escape" (dismiss).`
	}
	return &surface.Fault{
		Kind:       surface.FaultDialog,
		Message:    fmt.Sprintf("A dialog is open in tab %d: %s. The page stands still until it is answered.", t.id, t.dialog.said()),
		Suggestion: answers,
	}
}

func closedFault(id int) *surface.Fault {
	return &surface.Fault{
		Kind: surface.FaultNoPage, Message: fmt.Sprintf("Tab %d was closed.", id),
		Suggestion: "Call browser_tabs to see what is open.",
	}
}

func crashedFault(id int, why string) *surface.Fault {
	if why == "" {
		why = "crashed"
	}
	return &surface.Fault{
		Kind: surface.FaultCrashed, Message: fmt.Sprintf("The page in tab %d %s.", id, why),
		Suggestion: `Call navigate_page with action "reload", or another url.`,
	}
}

// ended translates the reason an action's context ended into what its caller reads.
func (t *tab) ended(cause error) error {
	switch {
	case errors.Is(cause, errTabClosed):
		return closedFault(t.id)
	case errors.Is(cause, errCrashed):
		t.s.b.Lock()
		defer t.s.b.Unlock()
		return crashedFault(t.id, t.stopped)
	case errors.Is(cause, errBrowserEnded), errors.Is(cause, cdp.ErrClosed):
		return &surface.Fault{
			Kind: surface.FaultNoBrowser, Message: "The browser ended in the middle of it; whether it took effect is not known.",
			Suggestion: "Call annotate_page: the browser starts again with its tabs.",
		}
	case errors.Is(cause, errDialog):
		t.s.b.Lock()
		defer t.s.b.Unlock()
		if t.dialog != nil {
			return t.dialogFault()
		}
	}
	return nil
}

// describe is the tab as the window lists it. Called under mu.
func (t *tab) describe() event.Tab {
	d := event.Tab{
		ID: t.id, Title: t.title, URL: t.url, Back: t.back, Forward: t.forward, Crashed: t.crashed,
	}
	if t.pretends != nil && *t.pretends != (Emulation{}) {
		d.Device = t.pretends.name()
	}
	if t.page != nil && t.tracker != nil {
		d.Loading = t.tracker.Loading()
	}
	switch {
	case t.dialog != nil:
		d.Dialog, d.DialogType, d.DialogDefault = t.dialog.text, t.dialog.kind, t.dialog.preset
		if d.Dialog == "" {
			d.Dialog = t.dialog.kind
		}
	case t.chooser != nil:
		d.Dialog, d.DialogType = "The page asks for a file.", dialogFile
	}
	return d
}

// take returns what happened since the last answer. Called under the lock.
func (t *tab) take() []annotator.Event {
	events := t.effects.take(t.id)
	if t.muted > 0 {
		events = append(events, annotator.Event{
			Kind: kindDialog, Text: fmt.Sprintf("dialog: %d more in a row were answered unasked (alerts accepted, others dismissed)", t.muted), Tab: t.id,
		})
	}
	t.muted = 0
	return events
}

// note remembers an effect for the next answer. Called under the lock.
func (t *tab) note(kind, text string, about int) { t.effects.note(kind, text, about) }

// complain remembers an error of the page's scripts, but only while an action runs: what timers do in between
// is for console_messages. Called under the lock.
func (t *tab) complain(text string) {
	if t.acting {
		t.effects.consoleError(text, t.id)
	}
}

// newestElements are the elements that were seen last. Called under the lock.
func (t *tab) newestElements() []annotator.Element {
	switch {
	case t.refreshed != nil:
		return t.refreshed.elements
	case t.last != nil:
		return t.last.elements
	}
	return nil
}

// elementAt is the smallest numbered element at a point of the viewport, nil for none. Called under the lock.
func (t *tab) elementAt(x, y float64) *annotator.Element {
	var best *annotator.Element
	for _, e := range t.newestElements() {
		box := e.Box
		in := e.InView && e.Usable && x >= box.X && x < box.X+box.Width && y >= box.Y && y < box.Y+box.Height
		if in && (best == nil || box.Width*box.Height < best.Box.Width*best.Box.Height) {
			best = &e
		}
	}
	return best
}

// publishMarks tells the window what a snapshot of its tab found; the picture under the numbers has to be as new
// as they are.
func (t *tab) publishMarks(l *snapshot) {
	t.set(func() { t.s.b.viewer.Repaint(t) })
	t.s.b.events.marks(l.marks())
}

// tryRefresh takes a snapshot for the window, unless an action has the tab's turn.
func (t *tab) tryRefresh(ctx context.Context) {
	select {
	case t.queue <- struct{}{}:
		t.refresh(ctx)
		<-t.queue
	default:
	}
}

// refresh takes a snapshot of the viewport and tells the window, for who holds the turn.
func (t *tab) refresh(ctx context.Context) {
	b := t.s.b
	ctx, cancel := context.WithTimeout(ctx, snapshotTimeout)
	defer cancel()
	ctx, done := t.begin(ctx)
	defer done()
	b.Lock()
	if t.page == nil || t.waiting > 0 {
		b.Unlock()
		return
	}
	t.yields = cancel
	defer t.set(func() { t.yields = nil })
	a := &action{t: t, page: t.page, watch: t.tracker.Begin(b.cfg.Limits)}
	b.Unlock()
	a.watch.Looks()
	res := a.watch.Wait(ctx, a.rester())
	a.watch.Close()
	now, err := a.see(ctx, res)
	if err != nil {
		t.set(func() { t.stale = true }) // it gave way to an action, mostly
		return
	}
	b.Lock()
	// What an action will answer is compared with what it saw itself, not with this.
	now.page.Version = t.version
	t.refreshed = now
	b.Unlock()
	t.publishMarks(now)
}
