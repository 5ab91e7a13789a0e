// Package surface is the contract between the tools and the page they act on: a tab of the browser, or the page of
// a panel in Sextant's window. It declares the Surface interface, the options of its actions, and Fault, the
// error of an action that its caller can correct. It contains no implementation: see backend/browser and
// backend/panelpage.
package surface

import (
	"context"
	"time"

	"sextant/shared/annotation"
)

// Surface is one page that tools observe and act on. Actions return what they changed on the page. The methods may be
// called concurrently; actions on one page run one after another. An error that the caller can correct is a *Fault.
type Surface interface {
	// Annotate lists the elements of the page with their numbers.
	Annotate(ctx context.Context, o AnnotateOptions) (annotation.Observation, error)
	// Click presses the mouse on an element.
	Click(ctx context.Context, o ClickOptions) (annotation.Observation, error)
	// Hover moves the mouse over the element id.
	Hover(ctx context.Context, id int) (annotation.Observation, error)
	// Type puts text into an element.
	Type(ctx context.Context, o TypeOptions) (annotation.Observation, error)
	// Select chooses options of the native list id by label or value.
	Select(ctx context.Context, id int, values []string) (annotation.Observation, error)
	// PressKey presses a key such as "Enter" or "Control+a" on the element that has the focus.
	PressKey(ctx context.Context, key string) (annotation.Observation, error)
	// Scroll scrolls the page or the box of an element.
	Scroll(ctx context.Context, o ScrollOptions) (annotation.Observation, error)
	// Wait waits until all conditions in o are true, or for the whole time limit if o has none. The error is a *Fault
	// of kind FaultTimeout if they are not true in time.
	Wait(ctx context.Context, o WaitOptions) (annotation.Observation, error)
	// AwaitCondition waits up to patience for c to be true and reports whether it is. missing describes the parts of c
	// that are not true.
	AwaitCondition(ctx context.Context, c Condition, patience time.Duration) (held bool, missing string, err error)
	// HTML returns the visible content of the page and its frames as HTML, without scripts.
	HTML(ctx context.Context) (html, url, title string, err error)
	// Screenshot takes a picture of the page or of one element.
	Screenshot(ctx context.Context, o ScreenshotOptions) (Picture, error)
	// Selection returns the selected text, "" for none.
	Selection(ctx context.Context) (string, error)

	// Element returns the element id as the newest snapshots contain it, false if they do not.
	Element(id int) (annotation.Element, bool)
	// Annotations returns the elements of the newest snapshot.
	Annotations() []annotation.Element
	// UnlistedAnnotations returns how many elements of the newest observation are before and after the viewport.
	UnlistedAnnotations() (above, below int)
	// OriginOf returns what is known about the origin of the element id.
	OriginOf(id int) ElementOrigin
	// RoleAndName returns the role and name that the element id had when it was last seen, "" for an unknown id.
	RoleAndName(id int) (role, name string)
	// KeyTargets returns the addresses of the documents that a key press may reach.
	KeyTargets() []string
	// Address returns the address of the page, "" for none.
	Address() string
	// DescribeDialog describes the open dialog in a sentence and returns the address of the page that opened it. Both
	// are "" if no dialog is open.
	DescribeDialog() (what, address string)
}

// AnnotateOptions says what to list. Scope is viewport (default) or page. Query keeps only elements that match it.
// ChangesOnly lists the changes since the last snapshot of that scope. The caller enforces token budgets.
type AnnotateOptions struct {
	Scope, Query string
	ChangesOnly  bool
}

// ClickOptions says how to click. Button is left (default), middle or right. Count is 1 to 3; 0 is 1. Modifiers are
// Alt, Control, Meta and Shift.
type ClickOptions struct {
	ID        int
	Button    string
	Count     int
	Modifiers []string
}

// TypeOptions says what to type. Clear replaces the old text, Submit presses Enter afterwards, and Human types key
// by key with pauses, which a panel's page ignores.
type TypeOptions struct {
	ID                   int
	Text                 string
	Clear, Submit, Human bool
	// SecretFor is the origin for which Text is a secret, "" if Text is not secret. Results and pictures do not show a
	// secret, and a browser tab refuses to type it into a document of another origin.
	SecretFor string
}

// ScrollOptions says where to scroll. Direction is up, down, left, right, top or bottom. Amount is in CSS pixels, 0
// for most of a page; top and bottom ignore it. Target is the id of the element to scroll, 0 for the page.
type ScrollOptions struct {
	Direction string
	Amount    float64
	Target    int
}

// ScreenshotOptions says what to capture. Annotated draws the numbers of the elements. FullPage captures the whole
// page, which a panel refuses. ID captures one element. MaxTokens scales the picture down to about that many tokens;
// 0 means no limit.
type ScreenshotOptions struct {
	Annotated, FullPage bool
	ID                  int
	MaxTokens           int
}

// WaitOptions says what to wait for: Text to be present, AbsentText to be absent, the address to contain URL, or
// any combination. Seconds is the time limit, or DefaultWaitSeconds if it is 0. Without a condition it is the length of
// a pause.
type WaitOptions struct {
	Text, AbsentText, URL string
	Seconds               float64
}

// ElementOrigin is what is known, without another snapshot, about a listed element and its document.
type ElementOrigin struct {
	// Origin is the origin of the element's document, such as "https://shop.example"; for an element in a frame, that
	// of the frame's document. It is "" if it is not known.
	Origin string
	// Secret is true if the element hides what is typed into it, or if that is not known.
	Secret bool
	// Submits is true if pressing the element, or Enter in it, sends a form that is not a search.
	Submits bool
	// Gone is true if the number was issued but its element is no longer on this surface.
	Gone bool
}

// DefaultWaitSeconds is the default time limit of a wait, in seconds.
const DefaultWaitSeconds = 10.0
