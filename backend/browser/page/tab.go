package page

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/browser/page/console"
	"sextant/backend/browser/page/effects"
	"sextant/backend/browser/page/emulation"
	"sextant/backend/browser/page/network"
	"sextant/backend/browser/page/webmcp"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/event"
)

// WithLock runs change under the manager's lock.
func (t *Tab) WithLock(change func()) {
	t.Session.Manager.Lock()
	change()
	t.Session.Manager.Unlock()
}

func newTracker(p *cdp.Page) *settle.Tracker { return settle.NewTracker(p.MainFrameID()) }

// LastBox returns the position of the element in the last answer's snapshot, nil when it is not in it.
func (t *Tab) LastBox(id int) *collect.Rect {
	l := t.lastSnapshot()
	if l == nil {
		return nil
	}
	i, ok := l.ByID[id]
	if !ok {
		return nil
	}
	b := l.Elements[i].Box
	return &collect.Rect{X: b.X, Y: b.Y, W: b.Width, H: b.Height}
}

// ShowPointer publishes where the assistant's pointer goes, if the tab is the window's.
func (t *Tab) ShowPointer(x, y float64, press bool, id int) {
	if t.Session.Owner == "" {
		at := event.Pointer{Tab: t.ID, X: x, Y: y, Press: press, Target: id}
		t.Session.Manager.Events.Publish(event.New(event.PointerMoved, at))
	}
}

// BringToFront makes the tab the visible one of its window. It does nothing in a headless browser.
func (t *Tab) BringToFront(ctx context.Context) error {
	if t.Session.Manager.Config.Headless {
		return nil
	}
	t.Session.Manager.Lock()
	p := t.Page
	t.Session.Manager.Unlock()
	if p == nil {
		return ErrBrowserEnded
	}
	if err := (proto.PageBringToFront{}).Call(p.Client(ctx)); err != nil {
		return fmt.Errorf("showing the tab: %w", err)
	}
	return nil
}

// Tab is one tab of a session. The fields below queue change only under the manager's lock.
type Tab struct {
	ID      int
	Session *Session
	// queue contains a token while someone has the tab's turn.
	queue chan struct{}

	Page                    *cdp.Page
	Tracker                 *settle.Tracker
	Title, URL              string
	CanGoBack, CanGoForward bool
	Dialog                  *Dialog
	Crashed                 bool
	// Failed is the navigation for which Chromium shows an error page, nil if it shows none.
	Failed *effects.Navigation
	Closed bool
	// last is the snapshot that the next answer is compared with.
	Observer  *observe.Observer
	last      *observe.Snapshot
	lastWhole *observe.Snapshot
	// refreshed is a snapshot newer than last, taken for the window only.
	refreshed    *observe.Snapshot
	ScrollOffset [2]float64
	Version      int
	// Width, Height and Scale are the viewport without emulation.
	Width, Height int
	Scale         float64
	// zoom is in percent, 0 for 100.
	zoom      int
	emulation *emulation.Emulation
	// geolocationOrigins are the origins that may use geolocation because of this tab.
	geolocationOrigins []string
	Cancel             context.CancelCauseFunc
	// waiting counts the callers in the queue; yields cancels a refresh of the window's numbers in their favor.
	waiting int
	yields  context.CancelFunc
	// Stale is true while a refresh of the window's numbers is due.
	Stale bool
	// ExpectsTab is true when this tab seems about to open another.
	ExpectsTab bool
	// Drags receives the drag-and-drop that a press starts, Choosers the file chooser that a press opens; nil while
	// no action waits for one.
	Drags    chan *proto.InputDragData
	Choosers chan FileChooser

	// Prints counts the PDFs in work. The page gets the events of a printout then.
	Prints int

	Effects effects.Log
	// acting is true while Run runs an action.
	acting                         bool
	FileChooser                    *FileChooser
	opener                         *Tab
	DialogsInRow, DialogsDismissed int
	StopReason                     string
	// LoginOrigin is the origin that last got a user name and password; if it asks again, it has refused them.
	LoginOrigin string
	Navigations []*effects.Navigation
	Requests    network.Log
	Console     console.Log
	PageTools   webmcp.Tools
}

const (
	defaultWidth  = 1280
	defaultHeight = 800
)

// The causes with which Interrupt ends a running action.
var (
	ErrDialog       = errors.New("a dialog opened")
	ErrTabClosed    = errors.New("the tab was closed")
	ErrCrashed      = errors.New("the page crashed")
	ErrBrowserEnded = errors.New("the browser ended")
)

// newTab adds a tab without a page and makes it the active one. Called under the lock.
func (s *Session) newTab() *Tab {
	s.Manager.lastTab++
	t := &Tab{
		ID: s.Manager.lastTab, Session: s, queue: make(chan struct{}, 1), Width: defaultWidth,
		Height: defaultHeight, Scale: 1,
	}
	t.Observer = observe.NewObserver(t.ID, s.Manager.Elements, func() *cdp.Page {
		s.Manager.Lock()
		defer s.Manager.Unlock()
		return t.Page
	})
	s.Tabs = append(s.Tabs, t)
	s.Active = t
	return t
}

// Interrupt cancels the running action with the cause why. Called under the lock.
func (t *Tab) Interrupt(why error) {
	if t.Cancel != nil {
		t.Cancel(why)
	}
}

// Acquire waits for the tab's turn and returns the function that ends it.
func (t *Tab) Acquire(ctx context.Context) (func(), error) {
	select {
	case t.queue <- struct{}{}:
		return t.release, nil
	default:
	}
	t.WithLock(func() {
		t.waiting++
		if t.yields != nil {
			t.yields()
		}
	})
	defer t.WithLock(func() { t.waiting-- })
	select {
	case t.queue <- struct{}{}:
		return t.release, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the tab: %w", context.Cause(ctx))
	}
}

func (t *Tab) release() {
	<-t.queue
	t.Session.Manager.Lock()
	stale := t.Stale
	t.Session.Manager.Unlock()
	if stale {
		t.Session.Manager.Viewer.RequestMarks()
	}
}

// Begin returns the context of an action, which Interrupt or the returned function ends.
func (t *Tab) Begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	t.Session.Manager.Lock()
	t.Cancel = cancel
	t.Session.Manager.Unlock()
	return ctx, func() {
		t.Session.Manager.Lock()
		t.Cancel = nil
		t.Session.Manager.Unlock()
		cancel(nil)
	}
}

// CheckReady returns a fault that says why the tab cannot act now, nil when it can.
func (t *Tab) CheckReady() *surface.Fault {
	t.Session.Manager.Lock()
	defer t.Session.Manager.Unlock()
	switch {
	case t.Closed:
		return closedFault(t.ID)
	case t.Page == nil:
		return &surface.Fault{
			Kind: surface.FaultNoBrowser, Message: "The browser ended while the action was waiting.",
			Suggestion: "Try again: the browser starts with its tabs.",
		}
	case t.Crashed:
		return crashedFault(t.ID, t.StopReason)
	case t.Dialog != nil:
		return t.DialogFault()
	}
	return nil
}

// DialogFault returns the fault for an action while a dialog is open. Called under the lock.
func (t *Tab) DialogFault() *surface.Fault {
	switch {
	case t.Dialog == nil:
		return &surface.Fault{
			Kind: surface.FaultDialog, Message: "A dialog was open until just now.",
			Suggestion: "Try again.",
		}
	case t.Dialog.Kind == DialogAuth:
		return &surface.Fault{
			Kind: surface.FaultDialog, Message: fmt.Sprintf("Tab %d waits for a %s.", t.ID, t.Dialog.Text),
			Suggestion: "Answer with handle_dialog and username and password, or with accept: false, or open " +
				"another address.",
		}
	}
	answers := `Answer it with press_key "Enter" (accept) or "Escape" (dismiss), or with handle_dialog.`
	if t.Dialog.Kind == "prompt" {
		answers = `Answer it with handle_dialog and text, or press_key "Escape" (dismiss).`
	}
	return &surface.Fault{
		Kind: surface.FaultDialog,
		Message: fmt.Sprintf("A dialog is open in tab %d: %s. The page is blocked until it is answered.", t.ID,
			t.Dialog.Describe()),
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

func (t *Tab) endedFault(cause error) error {
	switch {
	case errors.Is(cause, ErrTabClosed):
		return closedFault(t.ID)
	case errors.Is(cause, ErrCrashed):
		t.Session.Manager.Lock()
		defer t.Session.Manager.Unlock()
		return crashedFault(t.ID, t.StopReason)
	case errors.Is(cause, ErrBrowserEnded), errors.Is(cause, cdp.ErrClosed):
		return &surface.Fault{
			Kind:       surface.FaultNoBrowser,
			Message:    "The browser ended during the action; whether it took effect is not known.",
			Suggestion: "Call annotate_page: the browser starts again with its tabs.",
		}
	case errors.Is(cause, ErrDialog):
		t.Session.Manager.Lock()
		defer t.Session.Manager.Unlock()
		if t.Dialog != nil {
			return t.DialogFault()
		}
	}
	return nil
}

// describe is called under the lock.
func (t *Tab) describe() event.Tab {
	d := event.Tab{
		ID: t.ID, Title: t.Title, URL: t.URL, CanGoBack: t.CanGoBack, CanGoForward: t.CanGoForward, Crashed: t.Crashed,
		Zoom: t.zoom,
	}
	if t.emulation != nil && *t.emulation != (emulation.Emulation{}) {
		d.Device = t.emulation.Name()
	}
	if t.Failed != nil {
		head, text := t.Session.Manager.ExplainFailure(t.Failed.URL, t.Failed.NetworkError)
		d.URL, d.Failure = t.Failed.URL, &event.LoadFailure{Head: head, Text: text}
	}
	if t.Page != nil && t.Tracker != nil {
		d.Loading = t.Tracker.IsLoading()
	}
	switch {
	case t.Dialog != nil:
		d.Dialog, d.DialogType, d.DialogDefault = t.Dialog.Text, event.DialogType(t.Dialog.Kind), t.Dialog.DefaultText
		if d.Dialog == "" {
			d.Dialog = t.Dialog.Kind
		}
	case t.FileChooser != nil:
		d.Dialog, d.DialogType = "The page asks for a file.", dialogFile
		d.DialogMultiple = t.FileChooser.Multiple
	}
	return d
}

// TakeEffects returns the effects since the last answer and removes them. Called under the lock.
func (t *Tab) TakeEffects() []annotation.Event {
	events := t.Effects.Take(t.ID)
	if t.DialogsDismissed > 0 {
		events = append(events, annotation.Event{
			Kind: effects.KindDialog,
			Text: fmt.Sprintf("dialog: %d more in a row were answered for you (alerts accepted, others dismissed)",
				t.DialogsDismissed), Tab: t.ID,
		})
	}
	t.DialogsDismissed = 0
	return events
}

// AddEffect adds an effect for the next answer. about is the tab that it concerns. Called under the lock.
func (t *Tab) AddEffect(kind, text string, about int) { t.Effects.Add(kind, text, about) }

// AddConsoleError adds a console error for the next answer, but only while an action runs. Called under the lock.
func (t *Tab) AddConsoleError(text string) {
	if t.acting {
		t.Effects.AddConsoleError(text, t.ID)
	}
}

// newestElements is called under the lock.
func (t *Tab) newestElements() []annotation.Element {
	switch {
	case t.refreshed != nil:
		return t.refreshed.Elements
	case t.last != nil:
		return t.last.Elements
	}
	return nil
}

// ElementAt returns the smallest usable element at a point of the viewport in the newest snapshot, with its reference,
// nil for none. Called under the lock.
func (t *Tab) ElementAt(x, y float64) (*annotation.Element, annotation.Reference) {
	var best *annotation.Element
	elements := t.newestElements()
	for _, e := range elements {
		box := e.Box
		in := e.InView && e.Usable && x >= box.X && x < box.X+box.Width && y >= box.Y && y < box.Y+box.Height
		if in && (best == nil || box.Width*box.Height < best.Box.Width*best.Box.Height) {
			best = &e
		}
	}
	if best == nil {
		return nil, annotation.Reference{}
	}
	return best, best.ReferenceAmong(elements)
}

// ElementByID returns the element with a number in the newest snapshot of the active tab, with its reference, nil for
// none.
func (s *Session) ElementByID(id int) (*annotation.Element, annotation.Reference) {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil {
		return nil, annotation.Reference{}
	}
	elements := s.Active.newestElements()
	at := slices.IndexFunc(elements, func(e annotation.Element) bool { return e.ID == id })
	if at < 0 {
		return nil, annotation.Reference{}
	}
	return &elements[at], elements[at].ReferenceAmong(elements)
}

// publishMarks also requests a new picture, so that picture and marks match.
func (t *Tab) publishMarks(l *observe.Snapshot) {
	t.WithLock(func() { t.Session.Manager.Viewer.Repaint(t) })
	t.Session.Manager.Events.PublishMarks(l.Marks())
}

// TryRefresh takes a snapshot for the window, unless the tab's turn is taken.
func (t *Tab) TryRefresh(ctx context.Context) {
	select {
	case t.queue <- struct{}{}:
		t.refresh(ctx)
		<-t.queue
	default:
	}
}

// refresh needs the tab's turn.
func (t *Tab) refresh(ctx context.Context) {
	b := t.Session.Manager
	ctx, cancel := context.WithTimeout(ctx, observe.SnapshotTimeout)
	defer cancel()
	ctx, done := t.Begin(ctx)
	defer done()
	b.Lock()
	if t.Page == nil || t.waiting > 0 {
		b.Unlock()
		return
	}
	t.yields = cancel
	defer t.WithLock(func() { t.yields = nil })
	a := &Action{Tab: t, Page: t.Page, Watch: t.Tracker.Begin(b.Config.Limits)}
	b.Unlock()
	a.Watch.SetReadOnly()
	res := a.Watch.Wait(ctx, a.ActivityFunc())
	a.Watch.Close()
	now, err := a.observe(ctx, res)
	if err != nil {
		t.WithLock(func() { t.Stale = true })
		return
	}
	b.Lock()
	// The next answer is compared with the snapshot of the last action, not with this one.
	now.Page.Version = t.Version
	t.refreshed = now
	titleChanged := t.Title != now.Page.Title
	t.Title = now.Page.Title
	b.Unlock()
	t.publishMarks(now)
	if titleChanged {
		b.Events.PublishState()
	}
}
