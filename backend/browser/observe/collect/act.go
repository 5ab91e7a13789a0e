package collect

import (
	"context"
	"fmt"
	"time"
)

// AimOptions say how to find a point to press.
type AimOptions struct {
	// Scroll brings the element into view first, through all the boxes around it.
	Scroll bool `json:"scroll"`
	// Arm guards the next press as GuardPress does: "click", "press" or "".
	Arm string `json:"arm,omitempty"`
	// Patience is how long to wait for an element that cannot be pressed yet, in milliseconds.
	Patience int `json:"patience"`
	// AcceptMoving accepts the current position of a moving element.
	AcceptMoving bool `json:"hurry,omitempty"`
	// LastRect is the element's position in the newest snapshot, nil when unknown.
	LastRect *Rect `json:"was,omitempty"`
	// Expectation is what must still be true of the element.
	Expectation
}

// Expectation is what the caller was last shown of an element.
type Expectation struct {
	// Sign is a digest of its text, nil when that does not matter; Loose ignores digits.
	Sign  *string `json:"sign,omitempty"`
	Loose bool    `json:"loose,omitempty"`
	// Row is a digest of the start of its row, "" for none; LooseRow ignores digits.
	Row      string `json:"row,omitempty"`
	LooseRow bool   `json:"looseRow,omitempty"`
}

// Aim finds where to press the element of handle. State says why it cannot be pressed, if so;
// "moving" comes with its last position. An error is a mistake of ours or the end of the document,
// never the element's state.
func Aim(ctx context.Context, w World, handle int, o AimOptions) (Point, error) {
	return call[Point](ctx, w, "aim", handle, o)
}

// AimNow is Aim without waiting.
func AimNow(ctx context.Context, w World, handle int, scroll bool) (Point, error) {
	return Aim(ctx, w, handle, AimOptions{Scroll: scroll})
}

// GuardPress guards the next trusted press ("click", "press"): one that would not reach the element is
// stopped before the page gets it. Other kinds ("hover", "up") are only watched. EndPressGuard returns
// the result. ErrGone when the element was removed.
func GuardPress(ctx context.Context, w World, handle int, kind string) error {
	_, err := call[bool](ctx, w, "arm", handle, kind, false)
	return err
}

// PressResult is what a press hit.
type PressResult struct {
	// Seen is false when this document got no press.
	Seen bool `json:"seen"`
	// Hit is true when it reached the element; else it was stopped.
	Hit bool `json:"hit"`
	// Text names what it would have reached instead: `dialog "Cookies"`.
	Text string `json:"text"`
	// Slipped is true when the press hit the element but its release did not, without a click and
	// without any change of the page.
	Slipped bool `json:"slipped"`
}

// EndPressGuard returns what the guarded event hit, and ends the guard.
func EndPressGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "hit")
}

// ReadPressGuard is EndPressGuard while the button is held: a stopped press stays guarded, so that
// its release causes no click either, until EndPressGuard.
func ReadPressGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "hit", true)
}

// ElementState says whether a node still meets an Expectation.
type ElementState struct {
	// Gone is true when the node was removed.
	Gone bool `json:"gone"`
	// Row is true when the node is in another row now. Text is the new text of the node or the row
	// when it differs, Mark the Sign of that, and RowMark the Row when only digits changed there.
	Row     bool   `json:"row"`
	Text    string `json:"text"`
	Mark    string `json:"mark"`
	RowMark string `json:"rowMark"`
}

// CheckElement reports whether the node of a handle still meets an Expectation.
func CheckElement(ctx context.Context, w World, handle int, t Expectation) (ElementState, error) {
	return call[ElementState](ctx, w, "still", handle, t)
}

// GuardKeys stops keys and text that would not reach the element, until EndKeyGuard is called. With
// lent, the element that has the focus now may take them too. ErrGone when the element was removed.
func GuardKeys(ctx context.Context, w World, handle int, lent bool) error {
	_, err := call[bool](ctx, w, "guardKeys", handle, lent)
	return err
}

// EndKeyGuard reports whether the text typed since GuardKeys reached the element. Seen is false when
// this document got none; Text names the element that would have got it instead.
func EndKeyGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "keys")
}

// Focus focuses the element. A *Refusal when the page does not allow it.
func Focus(ctx context.Context, w World, handle int) error {
	ok, err := call[bool](ctx, w, "focusOn", handle)
	if err == nil && !ok {
		return &Refusal{Message: "it does not take the focus"}
	}
	return err
}

// TextField is a text field or editable element that is about to be typed into.
type TextField struct {
	// Empty is true when there was nothing to select, Rich for rich text, Lines when it may have
	// several lines.
	Empty bool `json:"empty"`
	Rich  bool `json:"rich"`
	Lines bool `json:"lines"`
	// Before is its text before typing.
	Before string `json:"before"`
}

// SelectAll selects everything a text field or editable element holds, so that typing replaces it,
// and starts the watch that EndTyping ends. A *Refusal when it takes no text.
func SelectAll(ctx context.Context, w World, handle int) (TextField, error) {
	r, err := call[struct {
		TextField
		Editable bool   `json:"editable"`
		Why      string `json:"why"`
	}](ctx, w, "selectAll", handle)
	if err == nil && !r.Editable {
		err = &Refusal{Message: r.Why}
	}
	return r.TextField, err
}

// TypingResult is the result of typing.
type TypingResult struct {
	// Now is the field's text, Exact true when that is the wanted text except for white space.
	Now   string `json:"now"`
	Exact bool   `json:"exact"`
	// Changed is false when the field has the same text as before and the page did not change.
	Changed bool `json:"taken"`
	// Gone is true when the field was removed.
	Gone bool `json:"gone"`
}

// EndTyping returns the result of typing since SelectAll; want is the wanted text.
func EndTyping(ctx context.Context, w World, want string) (TypingResult, error) {
	return call[TypingResult](ctx, w, "written", want)
}

// SetValue sets a field that is not typed into (date, time, month, week, colour, slider) and
// fires input and change. done is false when the field is of another kind. A *Refusal names the
// form of value the field takes.
func SetValue(ctx context.Context, w World, handle int, value string) (done bool, now string, err error) {
	r, err := call[struct {
		Done  bool   `json:"done"`
		Value string `json:"value"`
		Why   string `json:"why"`
	}](ctx, w, "fill", handle, value)
	if err == nil && r.Why != "" {
		err = &Refusal{Message: r.Why}
	}
	return r.Done, r.Value, err
}

// SelectOptions chooses options of a native list by label or value and fires input and change.
// It returns the labels that are chosen now. A *Refusal names the options there are.
func SelectOptions(ctx context.Context, w World, handle int, values []string) ([]string, error) {
	if values == nil {
		values = []string{}
	}
	return call[[]string](ctx, w, "choose", handle, values)
}

// ScrollBy scrolls the box of handle, or the document's main scroller for 0. direction is up,
// down, left, right, top or bottom; amount in CSS pixels, 0 for most of a page. moved is false at
// the end of the scroll range.
func ScrollBy(ctx context.Context, w World, handle int, direction string, amount float64) (moved bool, err error) {
	switch direction {
	case "up", "down", "left", "right", "top", "bottom":
	default:
		return false, fmt.Errorf("scrolling: unknown direction %q", direction)
	}
	return call[bool](ctx, w, "scroll", handle, direction, amount)
}

// ActivityOf returns the current activity of the document.
func ActivityOf(ctx context.Context, w World) (Activity, error) {
	return call[Activity](ctx, w, "rest")
}

// SettleLimits is how long a document must be quiet to count as settled, and how long AwaitSettled
// waits for that.
type SettleLimits struct {
	// Once applies after one change, Several after more than one.
	Once, Several, Limit time.Duration
}

// AwaitSettled waits until the changes that began within the last since are over, or p.Limit has
// passed; with draw only after the page has drawn a frame. Changes that the page already repeated
// before do not count.
func AwaitSettled(ctx context.Context, w World, since time.Duration, draw bool, p SettleLimits) (SettleState, error) {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return call[SettleState](ctx, w, "awaitSettled", ms(since), draw, ms(p.Once), ms(p.Several), ms(p.Limit))
}

// HasText reports whether text can be read in the document: whitespace and case folded, open shadow roots included.
func HasText(ctx context.Context, w World, text string) (bool, error) {
	return call[bool](ctx, w, "hasText", text)
}

// SelectText selects text: in the element of handle (0 the whole document), the place where text
// is (all of it when empty), there the characters from start to end (end 0: to the end).
// It returns what is selected now; a *Refusal when there is no such text.
func SelectText(ctx context.Context, w World, handle int, text string, start, end int) (string, error) {
	return call[string](ctx, w, "selectText", handle, text, start, end)
}

// SelectionIsEditable reports whether the selection of the document is in editable rich text.
func SelectionIsEditable(ctx context.Context, w World) (bool, error) {
	return call[bool](ctx, w, "edits")
}

// Selection is the text selected in the document, in a text field too.
func Selection(ctx context.Context, w World) (string, error) {
	return call[string](ctx, w, "selection")
}

// HTML is the document as it is now: open shadow content and live form values in place
// (passwords masked), without scripts, styles and what is hidden. Bounded to about 8 million characters.
func HTML(ctx context.Context, w World) (string, error) { return call[string](ctx, w, "html") }
