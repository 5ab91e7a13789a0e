package live

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/clipboard"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/event"
	"sextant/shared/wire"
)

const (
	// byHandFor is how long after a press or key of the person what the page does counts as theirs.
	byHandFor     = 2 * time.Second
	reportTimeout = 3 * time.Second
	// pageCall bounds what the person waits for.
	pageCall = 5 * time.Second
)

// byHand is what belongs to the person's use of the page. The manager's lock guards its fields but copying, which is
// held while the browser's clipboard contains what must not stay in it.
type byHand struct {
	clipboard clipboard.Clipboard
	copying   chan struct{}
	// pressed is when the person last pressed a button or key.
	pressed time.Time
	// copied is what the person copied last on a page and the window has not taken.
	copied wire.Clipboard
	// picker is the document with the list or picker that is open, nil for none.
	picker *cdp.Document
}

// HandleReport implements page.Viewer.
func (v *View) HandleReport(t *page.Tab, doc *cdp.Document, what, payload string) {
	switch what {
	case "pointed":
		var at event.PagePoint
		if json.Unmarshal([]byte(payload), &at) != nil {
			return
		}
		at.Tab = t.ID
		v.manager.Events.Publish(event.New(event.PagePointed, at))
		return
	case "picker":
		var p event.Picker
		if doc != nil && v.isByHand() && json.Unmarshal([]byte(payload), &p) == nil {
			p.Tab = t.ID
			v.manager.Go(func() { v.openPicker(doc, p) })
		}
	case "copied":
		if v.isByHand() {
			v.manager.Go(v.takeCopied)
		}
	}
}

func (v *View) isByHand() bool {
	v.manager.Lock()
	defer v.manager.Unlock()
	return time.Since(v.byHand.pressed) < byHandFor
}

func (v *View) openPicker(doc *cdp.Document, p event.Picker) {
	ctx, cancel := context.WithTimeout(context.Background(), reportTimeout)
	defer cancel()
	at, err := doc.Placement(ctx)
	if err != nil {
		v.manager.Log.Warn("a list of the page is not shown", "err", err)
		return
	}
	p.Box.X, p.Box.Y = at.ToPage(p.Box.X, p.Box.Y)
	p.Box.Width, p.Box.Height = p.Box.Width*at.ScaleX, p.Box.Height*at.ScaleY
	v.manager.Lock()
	v.byHand.picker = doc
	v.manager.Unlock()
	v.manager.Events.Publish(event.New(event.PickerOpened, p))
}

// Pick sets the field of the picker id: to the option selected of a list, else to value.
func (v *View) Pick(ctx context.Context, id, selected int, value string) error {
	v.manager.Lock()
	doc := v.byHand.picker
	v.manager.Unlock()
	gone := &surface.Fault{
		Kind: surface.FaultGone, Message: "The list is no longer on the page.", Suggestion: "Open it again.",
	}
	if doc == nil {
		return gone
	}
	ctx, cancel := context.WithTimeout(ctx, pageCall)
	defer cancel()
	raw, err := doc.Call(ctx, "(id, selected, value) => sextantPick(id, selected, value)", id, selected, value)
	if errors.Is(err, cdp.ErrReplaced) {
		return gone
	}
	if err != nil {
		return err
	}
	if done, err := cdp.Decode[bool](raw); err != nil || !done {
		return gone
	}
	v.RequestMarks()
	return nil
}

// takeCopied takes what the person copied on a page out of the browser's clipboard, where other pages could get it.
func (v *View) takeCopied() {
	ctx, cancel := context.WithTimeout(context.Background(), reportTimeout)
	defer cancel()
	reg, unlock, err := v.lockClipboard(ctx)
	if err != nil {
		return
	}
	defer unlock()
	content, err := v.byHand.clipboard.Read(ctx, reg)
	if err == nil && content.IsEmpty() {
		return // Paste has emptied it
	}
	if err == nil {
		err = v.byHand.clipboard.Write(ctx, reg, wire.Clipboard{})
	}
	if err != nil {
		v.manager.Log.Warn("what the page copied was not taken", "err", err)
		return
	}
	v.manager.Lock()
	v.byHand.copied = content
	v.manager.Unlock()
	v.manager.Events.Publish(event.New(event.PageCopied, event.NoData{}))
}

func (v *View) lockClipboard(ctx context.Context) (*cdp.Registry, func(), error) {
	v.manager.Lock()
	conn := v.manager.Conn()
	v.manager.Unlock()
	if conn == nil {
		return nil, nil, page.ErrBrowserEnded
	}
	select {
	case v.byHand.copying <- struct{}{}:
		return conn.Registry, func() { <-v.byHand.copying }, nil
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// Copied returns what the person copied last on a page, once.
func (v *View) Copied() wire.Clipboard {
	v.manager.Lock()
	defer v.manager.Unlock()
	content := v.byHand.copied
	v.byHand.copied = wire.Clipboard{}
	return content
}

// Paste pastes content where the focus of the page of the session's active tab is. No other page gets it.
func (v *View) Paste(ctx context.Context, s *page.Session, content wire.Clipboard) error {
	ctx, cancel := context.WithTimeout(ctx, pageCall)
	defer cancel()
	reg, unlock, err := v.lockClipboard(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := v.byHand.clipboard.Write(ctx, reg, content); err != nil {
		return err
	}
	const control = 2
	key := wire.Input{Type: "keydown", Key: "v", Code: "KeyV", Modifiers: control}
	err = v.DispatchInput(ctx, s, key)
	key.Type = "keyup"
	return errors.Join(err, v.DispatchInput(ctx, s, key),
		v.byHand.clipboard.Write(context.WithoutCancel(ctx), reg, wire.Clipboard{}))
}
