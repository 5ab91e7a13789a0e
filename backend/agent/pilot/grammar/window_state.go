package grammar

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sextant/backend/agent/pilot/grammar/token"
	"sextant/backend/agent/pilot/grammar/value"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// WindowState is what the grammar needs to know of the window to interpret a command. It never causes a call.
// Everything in it that comes from a page is outside text.
type WindowState struct {
	// Marks returns the annotations of the active page, nil for none. Marks and Tabs may be nil.
	Marks func() *event.Marks
	// PageInFront reports whether the page is in front, not a panel. It may be nil.
	PageInFront func() bool
	// Tabs returns the window's tabs.
	Tabs func() []event.Tab
	// ActiveTab returns the id of the active tab, 0 for none; may be nil.
	ActiveTab func() int
	// Tools contains all tools that can be called now.
	Tools []toolspec.Definition
	// Paths returns the paths in the workspace that begin with prefix, folders with a trailing slash; may be nil.
	Paths func(prefix string) []string
	// names returns the words of the elements' names, and found what was looked up; nil if they are not remembered.
	names func() []elementName
	found map[string][]annotation.Element
}

// elementName is an element with the words of its name, and those of them that are no numbers.
type elementName struct {
	annotation.Element
	words, letters []string
}

// Remembering returns w with the elements that are on the page now, for one message, which looks names up many times.
// It is not safe for concurrent use.
func (w WindowState) Remembering() WindowState {
	w.found = map[string][]annotation.Element{}
	w.names = sync.OnceValue(func() (names []elementName) {
		for _, e := range w.Elements() {
			words := token.OfName(e.Name)
			names = append(names, elementName{e, words, slices.DeleteFunc(slices.Clone(words), token.IsNumber)})
		}
		return names
	})
	return w
}

const (
	fields = token.Fields
	lists  = "combobox listbox"
)

const (
	maxName = 60
)

// Elements returns the annotated elements of the active page.
func (w WindowState) Elements() []annotation.Element {
	if w.Marks == nil {
		return nil
	}
	if m := w.Marks(); m != nil {
		return m.Elements
	}
	return nil
}

// nameWords returns the words of the elements' names.
func (w WindowState) nameWords() (words []string) {
	for _, e := range w.Elements() {
		words = append(words, token.OfName(e.Name)...)
	}
	return words
}

func (w WindowState) hasElement(id int) bool {
	return slices.ContainsFunc(w.Elements(), func(e annotation.Element) bool { return e.ID == id })
}

func (w WindowState) tabs() []event.Tab {
	if w.Tabs == nil {
		return nil
	}
	return w.Tabs()
}

// markName describes an annotation for people: button “Save”.
func markName(e annotation.Element) string {
	name := excerpt.TruncateRunes(strings.Join(strings.Fields(e.Name), " "), maxName)
	if name == "" {
		return e.Role
	}
	return fmt.Sprintf("%s “%s”", e.Role, name)
}

// Sources returns the origin of the page with the annotations, its address if it has no host; nil for no page.
func (w WindowState) Sources() []string {
	if w.Marks == nil || w.Marks() == nil {
		return nil
	}
	page := w.Marks().Page.URL
	u, err := url.Parse(page)
	if err != nil || u.Host == "" {
		return []string{page}
	}
	return []string{u.Scheme + "://" + u.Host}
}

func words(list string) func(*Parser) []suggestion {
	return func(*Parser) []suggestion {
		var all []suggestion
		for w := range strings.FieldsSeq(list) {
			all = append(all, suggestion{text: w})
		}
		return all
	}
}

// marksOf returns a function that lists the annotations that can be acted on, those with the given roles first.
func marksOf(first string) func(*Parser) []suggestion {
	return func(g *Parser) []suggestion {
		var all, others []suggestion
		for _, e := range g.Window.Elements() {
			v := suggestion{text: strconv.Itoa(e.ID), description: markName(e)}
			if !e.Usable {
				continue
			}
			if first == "" || slices.Contains(strings.Fields(first), e.Role) {
				all = append(all, v)
			} else {
				others = append(others, v)
			}
		}
		return append(all, others...)
	}
}

func tabsOf(g *Parser) []suggestion {
	var all []suggestion
	for _, t := range g.Window.tabs() {
		all = append(all, suggestion{strconv.Itoa(t.ID), token.Abbreviate(t.Title + " " + t.URL)})
	}
	return all
}

func addresses(g *Parser) []suggestion {
	all := []suggestion{{"demo", "the built-in shop"}}
	for _, t := range g.Window.tabs() {
		if strings.HasPrefix(t.URL, "http") && len(t.URL) < 200 {
			all = append(all, suggestion{t.URL, token.Abbreviate(t.Title)})
		}
	}
	return all
}

func panelsOf(g *Parser) []suggestion {
	var all []suggestion
	for _, name := range panelNames(g.Tools) {
		all = append(all, suggestion{text: name})
	}
	return all
}

func surfaces(g *Parser) []suggestion {
	return append([]suggestion{{text: "assistant"}, {text: "page"}}, panelsOf(g)...)
}

func pathsOf(g *Parser) []suggestion {
	if g.Window.Paths == nil {
		return nil
	}
	var all []suggestion
	for _, p := range g.Window.Paths(g.partial) {
		all = append(all, suggestion{text: value.Quoted(p)})
	}
	return all
}

func toolsOf(g *Parser) []suggestion {
	var all []suggestion
	for _, d := range g.Window.Tools {
		all = append(all, suggestion{d.Name, token.FirstSentence(d.Description)})
	}
	return all
}
