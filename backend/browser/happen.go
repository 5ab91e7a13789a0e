package browser

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/surface"
	"sextant/shared/annotator"
)

const (
	// maxEvents bounds what a tab remembers between two answers.
	maxEvents = 30
	// maxErrors bounds the console errors that one answer tells; the rest are counted.
	maxErrors = 5
)

// The kinds of annotator.Event that the browser makes.
const (
	kindNavigated = "navigated"
	kindFailed    = "navigation_failed"
	kindOpened    = "opened_tab"
	kindClosed    = "closed_tab"
	kindDialog    = "dialog"
	kindChooser   = "file_chooser"
	kindDownload  = "download"
	kindConsole   = "console_error"
	kindCrashed   = "crashed"
	kindDenied    = "permission"
	kindExternal  = "external"
	kindPage      = "page"
)

// happening is something that the next answer tells.
type happening struct {
	annotator.Event
	times int
	// trip and load, when not nil, are told as they stand when the answer is written.
	trip *trip
	load *download
}

// text is h as it is told. Called under mu.
func (h *happening) event() annotator.Event {
	e := h.Event
	switch {
	case h.trip != nil:
		e.Kind, e.Text = h.trip.tell()
	case h.load != nil:
		e.Text = h.load.tell()
	}
	if h.times > 1 {
		e.Text += fmt.Sprintf(" (%d times)", h.times)
	}
	return e
}

// note remembers what happened for the next answer; the same again is counted. Called under mu.
func (t *tab) note(kind, text string, about int) {
	for _, h := range t.events {
		if h.Kind == kind && h.Text == text && h.Tab == about && h.trip == nil && h.load == nil {
			h.times++
			return
		}
	}
	t.remember(&happening{Event: annotator.Event{Kind: kind, Text: text, Tab: about}, times: 1})
}

// remember is note for what is told as it will stand then. Called under mu.
func (t *tab) remember(h *happening) {
	if len(t.events) >= maxEvents {
		t.events = t.events[1:]
	}
	t.events = append(t.events, h)
}

// forgive forgets what an error has told already. Called under mu.
func (t *tab) forgive(kind string) {
	t.events = slices.DeleteFunc(t.events, func(h *happening) bool { return h.event().Kind == kind })
}

// take hands over what happened since the last answer. Called under mu.
func (t *tab) take() []annotator.Event {
	events := make([]annotator.Event, 0, len(t.events))
	errors, more := 0, 0
	for _, h := range t.events {
		e := h.event()
		if e.Kind == kindConsole {
			if errors++; errors > maxErrors {
				more += h.times
				continue
			}
		}
		events = append(events, e)
	}
	if more += t.unsaid; more > 0 {
		events = append(events, annotator.Event{
			Kind: kindConsole, Text: fmt.Sprintf("console error: %d more, see console_messages", more), Tab: t.id,
		})
	}
	if t.muted > 0 {
		events = append(events, annotator.Event{
			Kind: kindDialog, Text: fmt.Sprintf("dialog: %d more in a row were answered unasked (alerts accepted, others dismissed)", t.muted), Tab: t.id,
		})
	}
	t.events, t.unsaid, t.muted = nil, 0, 0
	return events
}

// complain tells of an error of the page's scripts, but only while an action runs: what
// timers do in between is for console_messages. Called under mu.
func (t *tab) complain(text string) {
	if text = annotator.Clean(text, 200); !t.acting || text == "" {
		return
	}
	// Quoted, it cannot be read as another event behind it.
	text = annotator.Quote(text)
	told := 0
	for _, h := range t.events {
		if h.Kind == kindConsole {
			told++
			if h.Text == text {
				h.times++
				return
			}
		}
	}
	if told >= maxErrors {
		t.unsaid++
		return
	}
	t.note(kindConsole, text, t.id)
}

// trip is one navigation of the tab's main frame.
type trip struct {
	loader, url string
	// hops are the statuses of the redirects, status that of the document, 0 for none.
	hops   []int
	status int
	// failed is the network error that the browser shows a page of its own about.
	failed string
	moved  bool
}

// maxHops bounds the redirects that are told one by one; browsers stop at 20.
const maxHops = 6

// tell is the trip's event: `navigated to https://… (302 → 200)`.
func (r *trip) tell() (kind, text string) {
	if r.failed != "" {
		return kindFailed, fmt.Sprintf("navigation to %s failed: %s (%s)", surface.Clip(r.url, 220), reason(r.failed), surface.Clip(r.failed, 60))
	}
	text = "navigated to " + surface.Clip(r.url, 230)
	var way []string
	hops := r.hops
	if len(hops) > maxHops {
		way, hops = append(way, fmt.Sprintf("%d redirects", len(hops))), nil
	}
	for _, s := range hops {
		way = append(way, fmt.Sprint(s))
	}
	if r.status != 0 {
		way = append(way, status(r.status))
	}
	if len(way) > 0 {
		text += " (" + strings.Join(way, " → ") + ")"
	}
	return kindNavigated, text
}

func newEvent(kind string, about int) annotator.Event { return annotator.Event{Kind: kind, Tab: about} }
