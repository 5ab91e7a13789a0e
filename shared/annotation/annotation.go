// Package annotation defines what is observed on a surface: numbered elements (annotations), their page, and
// the answer of an action. The number of an annotation is an identity, not a position: it is never used again for
// another element. The package holds plain data and its text form for models; it does not use a browser.
package annotation

// Box is a rectangle in CSS pixels of the top page's viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Page identifies the observed page.
type Page struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	// Version increases whenever what can be acted on has changed.
	Version int `json:"version"`
	// Tab is the tab's number from 1, never reused while the browser runs. It is 0 for the page of a panel, whose
	// URL is "panel:" and its id.
	Tab int `json:"tab"`
}

// Element is one numbered element that a person can act on.
type Element struct {
	ID    int    `json:"id"`
	Role  string `json:"role"`
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	// States are of a fixed vocabulary: required, disabled, checked, unchecked, mixed, expanded,
	// collapsed, selected, pressed, sorted ascending, sorted descending, current, invalid, readonly,
	// focused, multiline,
	// "covered by [20] dialog \"Cookies\"", "off: <reason>".
	States []string `json:"states,omitempty"`
	Box    Box      `json:"box"`
	// Frame is "" for the main document, else the frame's URL.
	Frame string `json:"frame,omitempty"`
	// Usable is false for disabled and covered elements, which are drawn hollow.
	Usable bool `json:"usable"`
	// InView is true when a part of it is in the viewport.
	InView bool `json:"in_view"`
	// Group is the landmark or heading that contains it, for the list next to the page.
	Group string `json:"group,omitempty"`
	// OnlyCoverChanged is true in an answer of changes when only what covers the element has changed, so that the text
	// does
	// not have to describe it again.
	OnlyCoverChanged bool `json:"-"`
}

// Event is something that happened while an action ran. Kind is navigated, navigation_failed, opened_tab,
// closed_tab, dialog, file_chooser, download, console_error, permission, external (an address for another
// program), page (anything else that the page did) or crashed.
type Event struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Tab  int    `json:"tab,omitempty"`
}

// Observation is the result of annotating a page, and of every action on it.
type Observation struct {
	Page Page `json:"page"`
	// Outcome says what was done: `clicked [12] button "Save"`. It is empty for annotate.
	Outcome string  `json:"outcome,omitempty"`
	Events  []Event `json:"events"`
	// Elements are all elements in scope after annotate, and only new or changed ones after an action.
	Elements []Element `json:"elements"`
	// Gone are the numbers of elements that are no longer on the page.
	Gone []int `json:"gone,omitempty"`
	// Changes is true when Elements are only what changed.
	Changes bool `json:"changes,omitempty"`
	// Above and Below count the usable elements outside of the viewport that are not listed.
	Above int `json:"above,omitempty"`
	Below int `json:"below,omitempty"`
	// LeftOut counts the elements that did not fit into the token budget.
	LeftOut int `json:"left_out,omitempty"`
	// SettledMS is how long the page took to settle, SettledBy what it waited for.
	SettledMS int    `json:"settled_ms,omitempty"`
	SettledBy string `json:"settled_by,omitempty"`
	// Note is a hint for the next step, for example that a number now means another element.
	Note string `json:"note,omitempty"`
}
