// Package collect lists the elements of one document and helps to act on them: it runs the collector script in the
// isolated world of a frame and decodes the result. Listing changes nothing in the page. The package knows nothing
// of tabs, other frames or ids; package observe joins frames and assigns ids.
package collect

import (
	"context"
	"encoding/json"
)

// World runs scripts in one document. *cdp.Document implements it; WindowPage returns a limited one.
type World interface {
	// Call runs a function declaration in Sextant's isolated world of the document with JSON arguments. It awaits
	// promises and returns the JSON value.
	Call(ctx context.Context, function string, args ...any) (json.RawMessage, error)
	// EvalMain evaluates an expression in the page's main world with the command line API (getEventListeners) and
	// returns the JSON value.
	EvalMain(ctx context.Context, expression string) (json.RawMessage, error)
	// CallText is like Call, but the function must return a string and promises are not awaited. It is faster for large
	// answers.
	CallText(ctx context.Context, function string, args ...any) (string, error)
	// Listeners returns the browser's answer to DOMDebugger.getEventListeners for the whole document, asked in the
	// page's main world.
	Listeners(ctx context.Context) (json.RawMessage, error)
	// ClosedRoot returns the backend id of the closed shadow root of the node that the function returns, 0 for none.
	ClosedRoot(ctx context.Context, function string) (int, error)
	// CallNodes is like Call, but the arguments are nodes, by their backend ids. A node of another document becomes
	// null.
	CallNodes(ctx context.Context, function string, nodes []int) (json.RawMessage, error)
}

// Options says what to collect.
type Options struct {
	// WholePage collects all elements. Otherwise, only those with a visible part in the viewport are collected;
	// others are counted as above or below.
	WholePage bool `json:"wholePage"`
	// Query keeps only elements whose role, name and value together contain all of its words, ignoring case.
	Query string `json:"query,omitempty"`
	// Clip is the visible part of the frame's viewport in the frame's coordinates, nil for all of it.
	Clip *Rect `json:"clip,omitempty"`
}

// Rect is a rectangle in CSS pixels.
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
	// Origin is the document's origin, also when it has no address of its own (about:srcdoc); "" for an opaque one.
	Origin     string `json:"origin"`
	ReadyState string `json:"ready"`
	// Now is the document's clock in milliseconds.
	Now float64 `json:"now"`
	// ViewW, ViewH, ScrollX, ScrollY, DocW and DocH are in CSS pixels.
	ViewW   float64 `json:"viewW"`
	ViewH   float64 `json:"viewH"`
	ScrollX float64 `json:"scrollX"`
	ScrollY float64 `json:"scrollY"`
	DocW    float64 `json:"docW"`
	DocH    float64 `json:"docH"`
	// ElementCount is the number of elements in the document, those in open shadow roots included.
	ElementCount int        `json:"walked"`
	Nodes        []RawNode  `json:"nodes"`
	Frames       []RawFrame `json:"frames"`
	Above        int        `json:"above"`
	Below        int        `json:"below"`
}

// RawNode is one listed element.
type RawNode struct {
	// Handle is the node's number in this document. It is never reused.
	Handle int      `json:"h"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Value  string   `json:"value,omitempty"`
	States []string `json:"states,omitempty"`
	Box    Rect     `json:"box"`
	InView bool     `json:"inView"`
	Usable bool     `json:"usable"`
	// CoveredBy is the handle of the element that covers the node (0 when it has none), CoveredByText its name, such
	// as `dialog "Cookies"`.
	CoveredBy     int    `json:"coveredBy,omitempty"`
	CoveredByText string `json:"coveredByText,omitempty"`
	Group         string `json:"group,omitempty"`
	// Secret is true when the field hides what is typed into it.
	Secret bool `json:"secret,omitempty"`
	// Submits is true if pressing the node, or Enter in it, sends a form that is not a search.
	Submits bool `json:"submits,omitempty"`
	// Key is a fingerprint that survives a re-render: role, name, tag, id, stable attributes, the path of landmarks and
	// RowHash.
	Key string `json:"key"`
	// TextHash is a hash of the node's own text, RowHash one of the beginning of its row.
	TextHash string `json:"sign,omitempty"`
	RowHash  string `json:"row,omitempty"`
	// Born is when the node, or the subtree with it, was inserted into the document, in milliseconds of the
	// document's clock; 0 when it was there before the script.
	Born float64 `json:"born,omitempty"`
}

// RawFrame is one frame element. Box is its content box in the coordinates of the document that contains it.
type RawFrame struct {
	Handle int    `json:"h"`
	Src    string `json:"src"`
	Name   string `json:"name"`
	Title  string `json:"title"`
	Box    Rect   `json:"box"`
	// Clip is the visible part of the frame element, in the same coordinates.
	Clip    Rect `json:"clip"`
	Visible bool `json:"visible"`
	// Offscreen is true when the frame is out of view but can be scrolled to.
	Offscreen bool `json:"offscreen"`
	// NodesBefore is the number of nodes before the frame in reading order.
	NodesBefore int `json:"at"`
	// ScaleX and ScaleY are the scale of the frame's content by CSS transforms.
	ScaleX float64 `json:"scaleX"`
	ScaleY float64 `json:"scaleY"`
}

// PressPoint is the point at which to press an element, or the reason why it cannot be pressed.
type PressPoint struct {
	// State is ok, gone, hidden, disabled, covered, moving or offscreen; "reused" when the row has other words than
	// expected, and "changed" when the element's own text or the digits of its row differ (Detail is the new text).
	State         string  `json:"state"`
	X             float64 `json:"x"`
	Y             float64 `json:"y"`
	CoveredBy     int     `json:"coveredBy,omitempty"`
	CoveredByText string  `json:"coveredByText,omitempty"`
	Dismissible   bool    `json:"dismissible,omitempty"`
	// Detail is the new text for "changed" and "reused". Otherwise, it may say more than State.
	Detail string `json:"detail,omitempty"`
	// TextHash is the hash of the element's current text when that has changed.
	TextHash string `json:"mark,omitempty"`
	// RowHash is the hash of the row's current text when only its digits have changed.
	RowHash string `json:"rowMark,omitempty"`
}

// Ready reports whether the element can be pressed at the point.
func (p PressPoint) Ready() bool { return p.State == "ok" || p.State == "moving" }

// Activity describes how much a document is changing.
type Activity struct {
	// Mutations is the number of relevant changes since the script was installed, QuietMS the time since the last
	// one.
	Mutations int     `json:"mutations"`
	QuietMS   float64 `json:"quietMs"`
	// Animations is the number of running animations that end soon.
	Animations int    `json:"animations"`
	ReadyState string `json:"ready"`
}

// SettleState describes how far a document has settled after an action.
type SettleState struct {
	// Settled is true when there are no more changes to wait for.
	Settled bool `json:"over"`
	// Mutations is the number of moments at which the document changed.
	Mutations int `json:"mutations"`
	// Animations is the number of running animations that have begun since the action and end soon.
	Animations int `json:"animations"`
}
