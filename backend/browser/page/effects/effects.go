// Package effects collects what happens in a tab between two answers, such as navigations, new tabs, dialogs, downloads
// and console errors.
package effects

import (
	"fmt"
	"slices"

	"sextant/shared/annotation"
)

const (
	maxEffects = 30
	maxErrors  = 5
)

// The kinds of annotation.Event of a browser tab.
const (
	KindNavigated        = "navigated"
	KindNavigationFailed = "navigation_failed"
	KindTabOpened        = "opened_tab"
	KindTabClosed        = "closed_tab"
	KindDialog           = "dialog"
	KindFileChooser      = "file_chooser"
	KindDownload         = "download"
	kindConsole          = "console_error"
	KindCrashed          = "crashed"
	KindPermissionDenied = "permission"
	KindExternal         = "external"
	KindPage             = "page"
)

// Source is an effect whose text depends on when it is read: a navigation, a download.
type Source interface {
	Effect() (kind, text string)
}

type effect struct {
	annotation.Event
	times  int
	source Source
}

func (e *effect) event() annotation.Event {
	ev := e.Event
	if e.source != nil {
		ev.Kind, ev.Text = e.source.Effect()
	}
	if e.times > 1 {
		ev.Text += fmt.Sprintf(" (%d times)", e.times)
	}
	return ev
}

// Log contains the newest effects in a tab since its last answer. It is not safe for concurrent use.
type Log struct {
	list []*effect
	// uncounted is the number of console errors that were not added to list because maxErrors were.
	uncounted int
}

// Add adds an effect, or increases the count of an equal one.
func (l *Log) Add(kind, text string, tab int) {
	for _, e := range l.list {
		if e.Kind == kind && e.Text == text && e.Tab == tab && e.source == nil {
			e.times++
			return
		}
	}
	l.add(&effect{Event: annotation.Event{Kind: kind, Text: text, Tab: tab}, times: 1})
}

// AddSource adds an effect whose kind and text are determined when the answer is written.
func (l *Log) AddSource(kind string, tab int, source Source) {
	l.add(&effect{Event: annotation.Event{Kind: kind, Tab: tab}, times: 1, source: source})
}

func (l *Log) add(e *effect) {
	if len(l.list) >= maxEffects {
		l.list = l.list[1:]
	}
	l.list = append(l.list, e)
}

// Remove removes the effects of a kind.
func (l *Log) Remove(kind string) {
	l.list = slices.DeleteFunc(l.list, func(e *effect) bool { return e.event().Kind == kind })
}

// AddConsoleError adds a console error, or increases the count of an equal one. It only counts errors beyond maxErrors.
func (l *Log) AddConsoleError(text string, tab int) {
	if text = annotation.Clean(text, 200); text == "" {
		return
	}
	// Quotes prevent the text from looking like another event.
	text = annotation.Quote(text)
	listed := 0
	for _, e := range l.list {
		if e.Kind == kindConsole {
			listed++
			if e.Text == text {
				e.times++
				return
			}
		}
	}
	if listed >= maxErrors {
		l.uncounted++
		return
	}
	l.Add(kindConsole, text, tab)
}

// Take returns the effects since the last call and removes them. Console errors beyond maxErrors become one event
// about tab.
func (l *Log) Take(tab int) []annotation.Event {
	events := make([]annotation.Event, 0, len(l.list))
	errors, more := 0, 0
	for _, e := range l.list {
		ev := e.event()
		if ev.Kind == kindConsole {
			if errors++; errors > maxErrors {
				more += e.times
				continue
			}
		}
		events = append(events, ev)
	}
	if more += l.uncounted; more > 0 {
		events = append(events, annotation.Event{
			Kind: kindConsole, Text: fmt.Sprintf("console error: %d more, see console_messages", more), Tab: tab,
		})
	}
	l.list, l.uncounted = nil, 0
	return events
}
