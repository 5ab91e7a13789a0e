// Package annotator is the vocabulary of a surface: numbered elements (annotations), the
// page they stand on, and the answer an action gives. An annotation's number is an
// identity, not a position (ARCHITECTURE 7): it is given once and never used again for
// another element. Plain data and the text form models read; nothing here talks to a
// browser.
package annotator

// Box is a rectangle in CSS pixels of the top page's viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Page identifies what was seen.
type Page struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	// Version rises whenever what could be acted on changed.
	Version int `json:"version"`
	// Tab is the tab's number, from 1, never reused while the browser lives; 0 for the page of a panel,
	// whose URL is "panel:" and its id.
	Tab int `json:"tab"`
}

// Element is one numbered thing a person could act on.
type Element struct {
	ID    int    `json:"id"`
	Role  string `json:"role"`
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	// States in a fixed vocabulary: required, disabled, checked, unchecked, mixed, expanded,
	// collapsed, selected, pressed, sorted ascending, sorted descending, current, invalid, readonly,
	// focused, multiline,
	// "covered by [20] dialog \"Cookies\"", "off: <reason>".
	States []string `json:"states,omitempty"`
	Box    Box      `json:"box"`
	// Frame is "" for the main document, else the frame's URL.
	Frame string `json:"frame,omitempty"`
	// Usable is false for disabled and covered ones, which are drawn hollow.
	Usable bool `json:"usable"`
	// InView is true when some of it lies in the viewport.
	InView bool `json:"in_view"`
	// Group names the landmark or heading it stands under, for the list beside the page.
	Group string `json:"group,omitempty"`
	// Familiar is true in an answer of changes when nothing is different but whether, and by what, it
	// is covered: the text need not say again what it is.
	Familiar bool `json:"-"`
}

// Event is something that happened while an action ran: kind is one of navigated,
// navigation_failed, opened_tab, closed_tab, dialog, file_chooser, download, console_error,
// permission, external (an address for another program), page (what else the page did) and
// crashed.
type Event struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Tab  int    `json:"tab,omitempty"`
}

// Answer is what annotate and every action return.
type Answer struct {
	Page Page `json:"page"`
	// Outcome is the sentence of what was done: `clicked [12] button "Save"`; empty for annotate.
	Outcome string  `json:"outcome,omitempty"`
	Events  []Event `json:"events"`
	// Elements are all in scope after annotate, and only new or changed ones after an action.
	Elements []Element `json:"elements"`
	// Gone are numbers that stood on the page before and do not any more.
	Gone []int `json:"gone,omitempty"`
	// Changes is true when Elements are only what changed.
	Changes bool `json:"changes,omitempty"`
	// Above, Below count usable elements outside the viewport that are not listed.
	Above int `json:"above,omitempty"`
	Below int `json:"below,omitempty"`
	// LeftOut counts elements cut by the token budget.
	LeftOut int `json:"left_out,omitempty"`
	// SettledMS is how long the page took to come to rest; SettledBy names the cause.
	SettledMS int    `json:"settled_ms,omitempty"`
	SettledBy string `json:"settled_by,omitempty"`
	// Note is a hint that helps the next step, e.g. that an id was re-bound.
	Note string `json:"note,omitempty"`
}
