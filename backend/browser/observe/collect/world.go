// Package collect lists the elements of one document: it runs the collector script in the isolated
// world of a frame and decodes the result. The script changes nothing in the page. The package knows
// nothing of tabs, other frames or ids; package observe joins frames and assigns ids.
package collect

import (
	"context"
	"encoding/json"
)

// World runs scripts in one document; *cdp.Document implements it.
type World interface {
	// Call runs a function declaration in Sextant's isolated world of the document, with
	// JSON arguments, and returns its JSON value (promises are awaited).
	Call(ctx context.Context, function string, args ...any) (json.RawMessage, error)
	// EvalMain evaluates an expression in the page's own world with the command line API
	// (getEventListeners) available, and returns its JSON value.
	EvalMain(ctx context.Context, expression string) (json.RawMessage, error)
	// Text is Call for a function that returns a string, without awaiting promises: the cheap
	// way for large answers.
	Text(ctx context.Context, function string, args ...any) (string, error)
	// Listeners is the browser's answer to DOMDebugger.getEventListeners for the whole document,
	// asked in the page's own world.
	Listeners(ctx context.Context) (json.RawMessage, error)
	// ClosedRoot is the backend number of the closed shadow root of the node that the function
	// returns, 0 when it has none.
	ClosedRoot(ctx context.Context, function string) (int, error)
	// CallNodes is Call with nodes as arguments, by their backend numbers; a node that does
	// not belong to this document is null.
	CallNodes(ctx context.Context, function string, nodes []int) (json.RawMessage, error)
}

// Options bound one collection.
type Options struct {
	// WholePage collects everything; else only what is in or near the viewport, and counts
	// of what is above and below.
	WholePage bool `json:"wholePage"`
	// Query keeps only elements whose role, name or value matches, case-folded.
	Query string `json:"query,omitempty"`
	// Clip is the part of the frame's viewport that is visible to the person in frame
	// coordinates, nil for all of it.
	Clip *Rect `json:"clip,omitempty"`
}

// Rect is a rectangle in CSS pixels of the frame's own viewport.
type Rect struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// RawDocument is the collected content of one document.
type RawDocument struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	// Origin is where the document is from, also of one without an address of its own
	// (about:srcdoc); "" when it is cut off from all.
	Origin string `json:"origin"`
	// Ready is document.readyState.
	Ready string `json:"ready"`
	// Now is the document's clock in milliseconds.
	Now float64 `json:"now"`
	// ViewW, ViewH, ScrollX, ScrollY, DocW, DocH in CSS pixels.
	ViewW   float64 `json:"viewW"`
	ViewH   float64 `json:"viewH"`
	ScrollX float64 `json:"scrollX"`
	ScrollY float64 `json:"scrollY"`
	DocW    float64 `json:"docW"`
	DocH    float64 `json:"docH"`
	// Walked counts the elements seen, to check the listener indexes against.
	Walked int        `json:"walked"`
	Nodes  []RawNode  `json:"nodes"`
	Frames []RawFrame `json:"frames"`
	Above  int        `json:"above"`
	Below  int        `json:"below"`
}

// RawNode is one thing a person could act on, in reading order.
type RawNode struct {
	// Handle is the node's number in this document: given once per DOM node, never reused
	// in the document's life; `node(handle)` in the script gives the node back.
	Handle int      `json:"h"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Value  string   `json:"value,omitempty"`
	States []string `json:"states,omitempty"`
	Box    Rect     `json:"box"`
	InView bool     `json:"inView"`
	Usable bool     `json:"usable"`
	// CoveredBy describes the element that covers it: its handle (0 when it has none) and `dialog "Cookies"`.
	CoveredBy     int    `json:"coveredBy,omitempty"`
	CoveredByText string `json:"coveredByText,omitempty"`
	Group         string `json:"group,omitempty"`
	// Secret: the field hides what is typed into it.
	Secret bool `json:"secret,omitempty"`
	// Key is a fingerprint that survives a re-render: role, name, tag, id, stable attributes and
	// the path of landmarks; equal keys of two live nodes make both ambiguous.
	Key string `json:"key"`
	// Sign is a digest of the node's own text, Row one of the beginning of its row. If a page reuses a node for
	// something else, one of them differs.
	Sign string `json:"sign,omitempty"`
	Row  string `json:"row,omitempty"`
	// Born is when the node came into the document, in milliseconds of its own clock, 0 when it
	// was there before the script.
	Born float64 `json:"born,omitempty"`
}

// RawFrame is one frame element: Box is its content box in this frame's coordinates.
type RawFrame struct {
	Handle int    `json:"h"`
	Src    string `json:"src"`
	Name   string `json:"name"`
	Title  string `json:"title"`
	Box    Rect   `json:"box"`
	// Clip is the part of the frame element that can be seen in this frame's viewport.
	Clip    Rect `json:"clip"`
	Visible bool `json:"visible"`
	// Offscreen frames could be scrolled to.
	Offscreen bool `json:"offscreen"`
	// At is how many of the nodes come before the frame in reading order.
	At int `json:"at"`
	// ScaleX, ScaleY are the CSS transform's scale of the frame's content.
	ScaleX float64 `json:"scaleX"`
	ScaleY float64 `json:"scaleY"`
}

// Point is the point at which to press an element, or the reason why it cannot be pressed.
type Point struct {
	// State is ok, gone, hidden, disabled, covered, moving, offscreen; reused when its row shows
	// something else by now, changed when it says something else itself (Detail says what).
	State         string  `json:"state"`
	X             float64 `json:"x"`
	Y             float64 `json:"y"`
	CoveredBy     int     `json:"coveredBy,omitempty"`
	CoveredByText string  `json:"coveredByText,omitempty"`
	Dismissible   bool    `json:"dismissible,omitempty"`
	// Detail is a sentence for a person where State alone does not say enough.
	Detail string `json:"detail,omitempty"`
	// Mark is the Sign of what it says by now, when that changed.
	Mark string `json:"mark,omitempty"`
	// RowMark is the Row of what its row says by now, when only digits changed there.
	RowMark string `json:"rowMark,omitempty"`
}

// Ready reports whether the element can be pressed at the point.
func (p Point) Ready() bool { return p.State == "ok" || p.State == "moving" }

// Activity is how quiet a document is.
type Activity struct {
	// Mutations counts relevant changes since the script came; QuietMS since the last one.
	Mutations int     `json:"mutations"`
	QuietMS   float64 `json:"quietMs"`
	// Animations counts running finite animations.
	Animations int    `json:"animations"`
	Ready      string `json:"ready"`
}

// SettleState is how settled a document is after an action.
type SettleState struct {
	// Settled is true when no change is waited for any more.
	Settled bool `json:"over"`
	// Mutations counts the moments at which it changed.
	Mutations int `json:"mutations"`
	// Animations counts those that began since and will end.
	Animations int `json:"animations"`
}
