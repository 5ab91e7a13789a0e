// Package annotation defines observations: the numbered elements (annotations) of a page, the page itself, and the
// effects of an action. The number of an annotation identifies its element and is not reused for another one. The
// package contains plain data and its text form for models; it does not use a browser.
package annotation

// Box is a rectangle in CSS pixels, relative to the viewport of the top-level page.
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
	// Version increases with each observation that finds a new document or a change of the listed elements.
	Version int `json:"version"`
	// Tab is the number of the tab, counted from 1 and never reused while the browser runs. It is 0 for the page of a
	// panel, which has a URL of the form "panel:ID".
	Tab int `json:"tab"`
}

// Element is an element that a person can act on, with its number.
type Element struct {
	ID    int    `json:"id"`
	Role  string `json:"role"`
	Name  string `json:"name"`
	Value string `json:"value,omitempty"`
	// States are fixed words (required, disabled, checked, unchecked, mixed, expanded, collapsed, selected, pressed,
	// sorted ascending, sorted descending, current, invalid, readonly, draggable, focused, multiline, invisible, only
	// you), the place among equal elements (at row 2, 3 of 5), the box if asked for (60×40 at 8,240), and states that
	// quote the page: `covered by [20] dialog "Cookies"`, `in "text of the row"`, `or "the other options"`.
	States []string `json:"states,omitempty"`
	Box    Box      `json:"box"`
	// Frame is the URL of the frame that contains the element, "" for the main document.
	Frame string `json:"frame,omitempty"`
	// Usable is false for disabled and covered elements. The window draws their marks hollow.
	Usable bool `json:"usable"`
	// InView is true when a part of the element is in the viewport.
	InView bool `json:"in_view"`
	// Group is the landmark or heading that contains the element. The list next to the page is grouped by it.
	Group string `json:"group,omitempty"`
	// OnlyCoverChanged is true when only the cover of the element has changed since the last observation. The text form
	// then does not describe the element again.
	OnlyCoverChanged bool `json:"-"`
	// OnlyFocusChanged is true when the element has only got or lost the focus. The text form then leaves it out if it
	// lost the focus, or got it by an action on it.
	OnlyFocusChanged bool `json:"-"`
	// Incidental is true when only the cover or the focus of the element has changed, as any action may cause.
	Incidental bool `json:"-"`
}

// Event is something that happened while an action ran. Kind is navigated, navigation_failed, opened_tab, closed_tab,
// dialog, file_chooser, download, console_error, permission, external (the page opened an address of another program),
// page (any other action of the page) or crashed.
type Event struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Tab  int    `json:"tab,omitempty"`
}

// Observation is the result of annotating a page, and of every action on it.
type Observation struct {
	Page Page `json:"page"`
	// Outcome says what the action did: `clicked [12] button "Save"`. It is empty for annotate.
	Outcome string  `json:"outcome,omitempty"`
	Events  []Event `json:"events"`
	// NewText contains lines of text that have appeared on the page since the last observation, without the names of
	// Elements. MoreText is the number of further lines.
	NewText  []string `json:"new_text,omitempty"`
	MoreText int      `json:"more_text,omitempty"`
	// AllNewText contains the lines before any were left out.
	AllNewText []string `json:"-"`
	// ActedOn is the number of the element that the action was on, 0 for none.
	ActedOn int `json:"-"`
	// Elements contains the elements in scope after annotate, or only the new and changed ones if OnlyChanges is true.
	Elements []Element `json:"elements"`
	// Gone contains the numbers of elements that are no longer on the page.
	Gone []int `json:"gone,omitempty"`
	// OnlyChanges is true when Elements contains only new and changed elements.
	OnlyChanges bool `json:"changes,omitempty"`
	// Above and Below count the elements before and after the viewport that are not listed.
	Above int `json:"above,omitempty"`
	Below int `json:"below,omitempty"`
	// LeftOut counts the elements that did not fit into the token budget.
	LeftOut int `json:"left_out,omitempty"`
	// SettledMS is how long the page took to settle, in milliseconds. SettledBy names what the wait depended on.
	SettledMS int    `json:"settled_ms,omitempty"`
	SettledBy string `json:"settled_by,omitempty"`
	// Note is a hint for the next step, for example that a number now refers to a different element.
	Note string `json:"note,omitempty"`
}
