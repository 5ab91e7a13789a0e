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
	// Arm guards the press that follows as Arm does: "click", "press" or "".
	Arm string `json:"arm,omitempty"`
	// Patience is how many milliseconds an element that cannot be pressed yet is waited for.
	Patience int `json:"patience"`
	// AcceptMoving takes a moving element where it is now.
	AcceptMoving bool `json:"hurry,omitempty"`
	// LastRect is where the element was in the newest snapshot, nil when that is not known.
	LastRect *Rect `json:"was,omitempty"`
	// Expectation is what the element must still be.
	Expectation
}

// Expectation is what the owner of an element's number knows of it.
type Expectation struct {
	// Sign is a short word for what it says, nil when that does not matter; Loose leaves digits out.
	Sign  *string `json:"sign,omitempty"`
	Loose bool    `json:"loose,omitempty"`
	// Row is a digest of what the row that it is in begins with, "" for none; LooseRow
	// leaves digits out.
	Row      string `json:"row,omitempty"`
	LooseRow bool   `json:"looseRow,omitempty"`
}

// Aim finds where to press the element of handle. The answer's State says why it cannot be
// pressed, if so; "moving" comes with a point that was true a moment ago. An error is our own
// fault or the document's end, never the element's state.
func Aim(ctx context.Context, w World, handle int, o AimOptions) (Point, error) {
	return call[Point](ctx, w, "aim", handle, o)
}

// AimNow is AimAt without patience.
func AimNow(ctx context.Context, w World, handle int, scroll bool) (Point, error) {
	return Aim(ctx, w, handle, AimOptions{Scroll: scroll})
}

// GuardPress guards the next trusted press ("click", "press"): one that would not reach the element is
// stopped before the page feels it. Of other kinds ("hover", "up") it only watches the next event.
// EndPressGuard returns what came. ErrGone when the element has left.
func GuardPress(ctx context.Context, w World, handle int, kind string) error {
	_, err := call[bool](ctx, w, "arm", handle, kind, false)
	return err
}

// PressResult is what a press met.
type PressResult struct {
	// Seen is false when no press came to this document.
	Seen bool `json:"seen"`
	// Hit is true when it reached the element; else it was stopped.
	Hit bool `json:"hit"`
	// Text names what it would have reached instead: `dialog "Cookies"`.
	Text string `json:"text"`
	// Slipped is true when the press reached the element but its release met something else, no
	// click came of it, and nothing changed.
	Slipped bool `json:"slipped"`
}

// EndPressGuard says what the event that Arm waited for met, and ends the guard.
func EndPressGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "hit")
}

// ReadPressGuard is Hit while the button is still held: a press that was stopped stays guarded, so that
// its release makes no click either, until Hit ends that.
func ReadPressGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "hit", true)
}

// ElementState says whether a node is still what its number's owner knows.
type ElementState struct {
	// Gone: it has left the document.
	Gone bool `json:"gone"`
	// Row is true when the row that it is in shows something else; Text is what it, or the
	// row, says now when that differs, Mark the Sign of that, and RowMark the Row when only
	// digits changed there.
	Row     bool   `json:"row"`
	Text    string `json:"text"`
	Mark    string `json:"mark"`
	RowMark string `json:"rowMark"`
}

// CheckElement reports whether the node of a handle is still what its number's owner knows.
func CheckElement(ctx context.Context, w World, handle int, t Expectation) (ElementState, error) {
	return call[ElementState](ctx, w, "still", handle, t)
}

// GuardKeys keeps keys and text that would not reach the element from the page, until KeysMet
// is called. lent lets what has the focus now take them too. ErrGone when the element has left.
func GuardKeys(ctx context.Context, w World, handle int, lent bool) error {
	_, err := call[bool](ctx, w, "guardKeys", handle, lent)
	return err
}

// EndKeyGuard says whether what was typed since GuardKeys reached the element. Seen false: nothing
// was typed into this document; Text names what would have got it instead.
func EndKeyGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "keys")
}

// Focus puts the keyboard focus on the element. A *Refusal when the page does not let it there.
func Focus(ctx context.Context, w World, handle int) error {
	ok, err := call[bool](ctx, w, "focusOn", handle)
	if err == nil && !ok {
		return &Refusal{Message: "it does not take the focus"}
	}
	return err
}

// TextField is a text field or editable element that is about to be typed into.
type TextField struct {
	// Empty says that there was nothing to select, Rich that it is no plain field, Lines that it
	// may hold several lines.
	Empty bool `json:"empty"`
	Rich  bool `json:"rich"`
	Lines bool `json:"lines"`
	// Before is what it held.
	Before string `json:"before"`
}

// SelectAll selects everything a text field or editable element holds, so that typing replaces it,
// and begins the watch that Written ends. A *Refusal when it takes no text.
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

// TypingResult is what became of typing.
type TypingResult struct {
	// Now is what the field holds, Exact true when that is what was wanted but for white space.
	Now   string `json:"now"`
	Exact bool   `json:"exact"`
	// Changed is false when the field holds what it held before, and nothing else came of it.
	Changed bool `json:"taken"`
	// Gone is true when the field left the page.
	Gone bool `json:"gone"`
}

// EndTyping says what became of typing since SelectAll, when the field should now contain want.
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
// down, left, right, top or bottom; amount in CSS pixels, 0 for most of a page. moved is false
// at the end of the way.
func ScrollBy(ctx context.Context, w World, handle int, direction string, amount float64) (moved bool, err error) {
	switch direction {
	case "up", "down", "left", "right", "top", "bottom":
	default:
		return false, fmt.Errorf("scrolling: unknown direction %q", direction)
	}
	return call[bool](ctx, w, "scroll", handle, direction, amount)
}

// ActivityOf says how quiet the document is.
func ActivityOf(ctx context.Context, w World) (Activity, error) {
	return call[Activity](ctx, w, "rest")
}

// SettleLimits is how long a document's changes must have been over to count as over, and how
// long AwaitSettled waits for that.
type SettleLimits struct {
	// Once holds after one change, Several after more than one.
	Once, Several, Limit time.Duration
}

// AwaitSettled waits until what happened in the document since a while ago is over, or p.Limit has
// passed, and returns how quiet it is then; with draw only after the page has drawn a frame.
// What the page did repeatedly before that does not count.
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
