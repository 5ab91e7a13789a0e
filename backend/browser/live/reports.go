package live

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/event"
	"sextant/shared/wire"
)

const (
	// personActed is how long after a press or key of the person what the page does counts as theirs.
	personActed   = 2 * time.Second
	reportTimeout = 3 * time.Second
	// personWaits bounds requests of the person.
	personWaits = 5 * time.Second
)

// HandleReport implements page.Viewer.
func (v *View) HandleReport(t *page.Tab, doc *cdp.Document, what, payload string) {
	switch what {
	case "pointed":
		var at event.PagePoint
		if json.Unmarshal([]byte(payload), &at) == nil {
			at.Tab = t.ID
			v.manager.Events.Publish(event.New(event.PagePointed, at))
		}
	case "picker":
		var p openedPicker
		if doc != nil && v.personHasActed() && json.Unmarshal([]byte(payload), &p) == nil {
			p.Tab = t.ID
			v.manager.Go(func() { v.openPicker(doc, p) })
		}
	case "copied":
		if v.personHasActed() {
			v.manager.Go(v.takeCopied)
		}
	}
}

func (v *View) personHasActed() bool {
	v.manager.Lock()
	defer v.manager.Unlock()
	return time.Since(v.pressed) < personActed
}

// openedPicker is what the page reports about a picker. Suggests is true for the suggestions of a text field.
type openedPicker struct {
	event.Picker
	Suggests bool `json:"suggests"`
}

func (v *View) openPicker(doc *cdp.Document, p openedPicker) {
	ctx, cancel := context.WithTimeout(context.Background(), reportTimeout)
	defer cancel()
	at, err := doc.Placement(ctx)
	if err != nil {
		v.manager.Log.Warn("a list of the page is not shown", "err", err)
		return
	}
	p.Box.X, p.Box.Y = at.ToPage(p.Box.X, p.Box.Y)
	p.Box.Width, p.Box.Height = p.Box.Width*at.ScaleX, p.Box.Height*at.ScaleY
	window := v.manager.ShownSession()
	v.manager.Lock()
	v.picker, v.options = doc, p.Options
	v.picked = recordedInput{in: wire.Input{Type: pickedType}, suggested: p.Suggests}
	if t := window.Active; t != nil {
		v.picked.hit, v.picked.ref = t.ElementAt(p.Box.X+p.Box.Width/2, p.Box.Y+p.Box.Height/2)
		v.picked.url = t.URL
	}
	v.manager.Unlock()
	v.manager.Events.Publish(event.New(event.PickerOpened, p.Picker))
}

// Pick sets the field of the picker id: to the option selected of a list, else to value.
func (v *View) Pick(ctx context.Context, id, selected int, value string) error {
	v.manager.Lock()
	doc, options, picked := v.picker, v.options, v.picked
	v.manager.Unlock()
	gone := &surface.Fault{
		Kind: surface.FaultGone, Message: "The list is no longer on the page.", Suggestion: "Open it again.",
	}
	if doc == nil {
		return gone
	}
	ctx, cancel := context.WithTimeout(ctx, personWaits)
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
	if selected >= 0 && selected < len(options) {
		value = options[selected].Label
	}
	picked.in.Text, picked.at = value, time.Now()
	v.recorder.record(picked)
	v.RequestMarks()
	return nil
}

// takeCopied takes what the person copied on a page out of the browser's clipboard.
func (v *View) takeCopied() {
	ctx, cancel := context.WithTimeout(context.Background(), reportTimeout)
	defer cancel()
	conn := v.connection()
	if conn == nil {
		return
	}
	content, err := v.clipboard.Take(ctx, conn.Registry)
	if err != nil {
		v.manager.Log.Warn("what the page copied was not taken", "err", err)
	}
	if err != nil || content.IsEmpty() {
		return // it is empty after Paste
	}
	v.manager.Lock()
	set := v.systemClipboard
	if set == nil {
		v.copied = content
	}
	v.manager.Unlock()
	if set != nil {
		set(content)
		return
	}
	v.manager.Events.Publish(event.New(event.PageCopied, event.NoData{}))
}

// SetSystemClipboard sets the function that puts what was copied on the system's clipboard; see
// Browser.SetSystemClipboard.
func (v *View) SetSystemClipboard(set func(wire.Clipboard)) {
	v.manager.Lock()
	defer v.manager.Unlock()
	v.systemClipboard = set
}

func (v *View) connection() *page.Connection {
	v.manager.Lock()
	defer v.manager.Unlock()
	return v.manager.Conn()
}

// Copied returns what the person copied last on a page, once.
func (v *View) Copied() wire.Clipboard {
	v.manager.Lock()
	defer v.manager.Unlock()
	content := v.copied
	v.copied = wire.Clipboard{}
	return content
}

// Paste pastes content where the focus of the page of the session's active tab is. No other page gets it.
func (v *View) Paste(ctx context.Context, s *page.Session, content wire.Clipboard) error {
	ctx, cancel := context.WithTimeout(ctx, personWaits)
	defer cancel()
	conn := v.connection()
	if conn == nil {
		return page.ErrBrowserEnded
	}
	return v.clipboard.Hold(ctx, conn.Registry, content, func() error {
		for _, kind := range []string{"keydown", "keyup"} {
			key := wire.Input{Type: kind, Key: "v", Code: "KeyV", Modifiers: controlKey}
			if err := v.DispatchInput(ctx, s, key); err != nil {
				return err
			}
		}
		return nil
	})
}
