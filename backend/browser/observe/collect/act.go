package collect

import (
	"context"
	"fmt"
	"time"
)

// AimOptions says how to find a point to press.
type AimOptions struct {
	// Scroll scrolls the element into view if necessary.
	Scroll bool `json:"scroll"`
	// Guard is the kind of guard for the next press, as for GuardPress, "" for none.
	Guard string `json:"arm,omitempty"`
	// PatienceMS is how long to wait, in milliseconds, for an element that is disabled or covered; for one that is
	// hidden or offscreen, it is half of that.
	PatienceMS int `json:"patience"`
	// AcceptMoving accepts the current position of a moving element.
	AcceptMoving bool `json:"hurry,omitempty"`
	// LastRect is the element's position in the newest snapshot, nil when unknown.
	LastRect *Rect `json:"was,omitempty"`
	Expectation
}

// Expectation is the state of an element that the caller was last shown.
type Expectation struct {
	// TextHash is the hash of the element's text, nil to skip the check; IgnoreDigits ignores digits.
	TextHash     *string `json:"sign,omitempty"`
	IgnoreDigits bool    `json:"loose,omitempty"`
	// RowHash is the hash of the beginning of its row, "" to skip the check; IgnoreRowDigits ignores digits.
	RowHash         string `json:"row,omitempty"`
	IgnoreRowDigits bool   `json:"looseRow,omitempty"`
}

// Aim finds a point at which to press the element. PressPoint.State says why it cannot be pressed, if so; for "moving",
// the point is its last position.
func Aim(ctx context.Context, w World, handle int, o AimOptions) (PressPoint, error) {
	return call[PressPoint](ctx, w, "aim", handle, o)
}

// AimNow is like Aim, but waits only for a moving element to stop, and does not check the element's text.
func AimNow(ctx context.Context, w World, handle int, scrollIntoView bool) (PressPoint, error) {
	return Aim(ctx, w, handle, AimOptions{Scroll: scrollIntoView})
}

// GuardPress guards the next trusted press. For the kinds "click" and "press", it stops a press that would not reach
// the element before the page gets it; for "hover" and "up", it only watches. EndPressGuard returns the result. The
// guard expires after 3 s. The error is ErrGone when the element was removed.
func GuardPress(ctx context.Context, w World, handle int, kind string) error {
	_, err := call[bool](ctx, w, "arm", handle, kind, false)
	return err
}

// PressResult says what a press hit.
type PressResult struct {
	// Seen is false when this document got no press.
	Seen bool `json:"seen"`
	// Hit is true when the press reached the element. One that was seen but did not hit was stopped, unless the
	// guard only watches.
	Hit bool `json:"hit"`
	// Text names the element that the press would have reached instead, such as `dialog "Cookies"`.
	Text string `json:"text"`
	// ReleaseMissed is true when the press hit the element but its release did not, and no click followed. It is false
	// for elements that the browser handles itself, such as lists and videos.
	ReleaseMissed bool `json:"releaseMissed"`
	// Changed is true when the page changed after the press.
	Changed bool `json:"changed"`
}

// EndPressGuard returns what the guarded event hit and ends the guard. The result is zero without a guard.
func EndPressGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "hit")
}

// ReadPressGuard is like EndPressGuard, for use while the button is held. The guard of a stopped press stays until
// EndPressGuard, so that the release causes no click either.
func ReadPressGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "hit", true)
}

// ElementChange says whether a node still meets an Expectation.
type ElementChange struct {
	Gone bool `json:"gone"`
	// InOtherRow is true when the node is now in another row. Text is the new text of the node or of its row if that
	// changed. TextHash is set for a changed node, RowHash for a row of which only digits changed.
	InOtherRow bool   `json:"row"`
	Text       string `json:"text"`
	TextHash   string `json:"mark"`
	RowHash    string `json:"rowMark"`
}

// CheckElement reports whether the node still meets an Expectation.
func CheckElement(ctx context.Context, w World, handle int, t Expectation) (ElementChange, error) {
	return call[ElementChange](ctx, w, "still", handle, t)
}

// GuardKeys stops keys and text that would not reach the element, until EndKeyGuard or 3 s after the last that
// reached it. When orFocused is true, the element that has the focus now may receive them too. The error is ErrGone
// when the element was removed.
func GuardKeys(ctx context.Context, w World, handle int, orFocused bool) error {
	_, err := call[bool](ctx, w, "guardKeys", handle, orFocused)
	return err
}

// EndKeyGuard returns whether the text typed since GuardKeys reached the element. Seen is false when this document
// got no text; Text names the element that would have got it instead.
func EndKeyGuard(ctx context.Context, w World) (PressResult, error) {
	return call[PressResult](ctx, w, "keys")
}

// Focus focuses the element. The error is a *Refusal when the page does not allow that.
func Focus(ctx context.Context, w World, handle int) error {
	ok, err := call[bool](ctx, w, "focusOn", handle)
	if err == nil && !ok {
		return &Refusal{Message: "it does not take the focus"}
	}
	return err
}

// TextField is a text field or an editable element before text is typed into it.
type TextField struct {
	// Empty is true when there was nothing to select, Rich for rich text, Multiline when it may have several lines.
	Empty      bool   `json:"empty"`
	Rich       bool   `json:"rich"`
	Multiline  bool   `json:"lines"`
	TextBefore string `json:"before"`
}

// SelectAll selects the whole content of a text field or editable element, so that typing replaces it. EndTyping
// compares with the state before. The error is a *Refusal when the element takes no text.
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

// TypingResult is the state of a text field after typing.
type TypingResult struct {
	// Now is the beginning of the field's text. Exact is true when it is the wanted text except for white space.
	Now   string `json:"now"`
	Exact bool   `json:"exact"`
	// Changed is false when neither the field nor the page has changed, although the field does not have the wanted
	// text.
	Changed bool `json:"taken"`
	Gone    bool `json:"gone"`
}

// EndTyping returns the result of typing into the field of the last SelectAll; want is the wanted text.
func EndTyping(ctx context.Context, w World, want string) (TypingResult, error) {
	return call[TypingResult](ctx, w, "written", want)
}

// SetValue sets a field that cannot be typed into, such as a date or a slider, and returns the new value. done is false
// when the field is of another kind. The error is a *Refusal when the field cannot be changed or the value has another
// format.
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

// SelectOptions chooses options of a native list by label or value. It returns the labels of the chosen options. The
// error is a *Refusal when that is not possible; it names the options when one is not there.
func SelectOptions(ctx context.Context, w World, handle int, values []string) ([]string, error) {
	if values == nil {
		values = []string{}
	}
	return call[[]string](ctx, w, "choose", handle, values)
}

// ScrollBy scrolls the element, or else the first box in it or the closest around it that scrolls; for handle 0, it
// scrolls the document's main scroller. direction is up, down, left, right, top or bottom. amount is in CSS pixels,
// 0 for most of a page. moved is false at the end of the scroll range, or when nothing scrolls.
func ScrollBy(ctx context.Context, w World, handle int, direction string, amount float64) (moved bool, err error) {
	switch direction {
	case "up", "down", "left", "right", "top", "bottom":
	default:
		return false, fmt.Errorf("scrolling: unknown direction %q", direction)
	}
	return call[bool](ctx, w, "scroll", handle, direction, amount)
}

// ActivityOf returns how much the document has changed so far, and what runs in it now.
func ActivityOf(ctx context.Context, w World) (Activity, error) {
	return call[Activity](ctx, w, "rest")
}

// SettleLimits says how long a document must be quiet to count as settled, and how long AwaitSettled waits for that.
type SettleLimits struct {
	// AfterOne applies after one change, AfterSeveral after more than one. Max bounds the whole wait.
	AfterOne, AfterSeveral, Max time.Duration
}

// AwaitSettled waits until the changes that began within the last since have ended, at most p.Max. When draw is true,
// it also waits until the page has drawn a frame. Changes that the page was already repeating before do not count.
func AwaitSettled(ctx context.Context, w World, since time.Duration, draw bool, p SettleLimits) (SettleState, error) {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	return call[SettleState](ctx, w, "awaitSettled", ms(since), draw, ms(p.AfterOne), ms(p.AfterSeveral), ms(p.Max))
}

// AwaitSuggestions waits until the page shows new suggestions for the element, at most limit. It returns at once when
// the element is not a field that asks for suggestions.
func AwaitSuggestions(ctx context.Context, w World, handle int, limit time.Duration) error {
	_, err := call[bool](ctx, w, "awaitSuggestions", handle, limit.Milliseconds())
	return err
}

// NewText is text that has appeared in a document.
type NewText struct {
	// Lines contains at most 24 lines of at most 300 characters, those of live regions (role=alert and the like) first.
	Lines []string `json:"lines"`
	// More is the number of further lines.
	More int `json:"more"`
}

// TakeNewText returns the lines of text that the document shows and did not show at the last call, without those that
// it was already changing before the last since. The result is empty at the first call in a document, and in a document
// of more than 150,000 elements.
func TakeNewText(ctx context.Context, w World, since time.Duration) (NewText, error) {
	return call[NewText](ctx, w, "newText", float64(since)/float64(time.Millisecond))
}

// HasText reports whether the document shows text. It ignores case and differences in white space.
func HasText(ctx context.Context, w World, text string) (bool, error) {
	return call[bool](ctx, w, "hasText", text)
}

// SelectText selects a range of text and returns it. It searches the element of handle (0: the whole document) for
// text, or uses the whole element when text is "". In that range, it selects the characters from start to end (0: to
// the end). The search in a text field is case-sensitive. The error is a *Refusal when there is no such text.
func SelectText(ctx context.Context, w World, handle int, text string, start, end int) (string, error) {
	return call[string](ctx, w, "selectText", handle, text, start, end)
}

// SelectionIsEditable reports whether the document's selection is in editable rich text.
func SelectionIsEditable(ctx context.Context, w World) (bool, error) {
	return call[bool](ctx, w, "edits")
}

// Selection returns the text selected in the document, also in a text field, but not in one that hides its text. It is
// limited to 200,000 characters.
func Selection(ctx context.Context, w World) (string, error) {
	return call[string](ctx, w, "selection")
}

// HTML returns the current document as HTML, with the values of form fields (passwords masked), but without frames,
// scripts, styles and hidden content. It is limited to about 8 million characters, or 400,000 for a page in Sextant's
// window.
func HTML(ctx context.Context, w World) (string, error) { return call[string](ctx, w, "html") }
