package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/surface"
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
	look          *look
	// known is what earlier looks learnt of each document, by its number.
	known map[int]*collect.Known
	// whole is the newest look at the whole page, for changes since then.
	whole *look
	// glanced is a newer look than look that no answer told of yet; it is for the window.
	glanced  *look
	scrolled [2]float64
	version  int
	// width, height, scale are the tab's own viewport, pretends what it shows instead.
	width, height int
	scale         float64
	pretends      *Emulation
	// located are the origins that may ask for the position because of this tab.
	located []string
	cancel  context.CancelCauseFunc
	// waiting counts the actions in the queue; yields ends a look that nobody asked for.
	waiting int
	yields  context.CancelFunc
	// owed is true while the window's marks are asked to be looked at again and no look began since.
	owed bool
	// expects is true while a tab that this one opens is on its way.
	expects bool
	// drags takes the drag-and-drop that a press of ours begins, choosers the question for
	// files that it asks; nil while neither is waited for.
	drags    chan *proto.InputDragData
	choosers chan chooser

	// events are what the next answer tells, unsaid the console errors left out of them.
	events []*happening
	unsaid int
	// acting is true while an action runs, not while a look does that nobody asked for.
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
	written int
	offers  pageTools
}

// The reasons that end a running action.
var (
	errDialog       = errors.New("a dialog opened")
	errTabClosed    = errors.New("the tab was closed")
	errCrashed      = errors.New("the page crashed")
	errBrowserEnded = errors.New("the browser ended")
)

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
	t.s.b.mu.Lock()
	owed := t.owed
	t.s.b.mu.Unlock()
	if owed {
		t.s.b.nudge()
	}
}

// begin makes the context of an action, which ends when the tab is in no state to go on.
func (t *tab) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t.s.b.mu.Lock()
	t.cancel = cancel
	t.s.b.mu.Unlock()
	return ctx, func() {
		t.s.b.mu.Lock()
		t.cancel = nil
		t.s.b.mu.Unlock()
		cancel(nil)
	}
}

// fit tells why the tab cannot act now, nil when it can.
func (t *tab) fit() *surface.Fault {
	t.s.b.mu.Lock()
	defer t.s.b.mu.Unlock()
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
		t.s.b.mu.Lock()
		defer t.s.b.mu.Unlock()
		return crashedFault(t.id, t.stopped)
	case errors.Is(cause, errBrowserEnded), errors.Is(cause, cdp.ErrClosed):
		return &surface.Fault{
			Kind: surface.FaultNoBrowser, Message: "The browser ended in the middle of it; whether it took effect is not known.",
			Suggestion: "Call annotate_page: the browser starts again with its tabs.",
		}
	case errors.Is(cause, errDialog):
		t.s.b.mu.Lock()
		defer t.s.b.mu.Unlock()
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
		d.Dialog, d.DialogType, d.DialogDefault = t.dialog.text, event.DialogType(t.dialog.kind), t.dialog.preset
		if d.Dialog == "" {
			d.Dialog = t.dialog.kind
		}
	case t.chooser != nil:
		d.Dialog, d.DialogType = "The page asks for a file.", dialogFile
	}
	return d
}
