// Package surface is the contract between the tools and what they act on: a tab of the browser, or the page of
// a panel in Sextant's window. It declares the Surface interface, the options of its actions, and Fault, the
// error of an action that its caller can correct. It contains no implementation: see backend/browser and
// backend/panelpage.
package surface

import (
	"context"
	"time"

	"sextant/shared/annotation"
)

// Surface is one page that tools observe and act on. Every action returns what it changed on the page. Its methods
// may be called concurrently; actions on one page queue. Errors are *Fault where the caller can correct them.
// Methods without a context answer from the last snapshots and do not ask the page.
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
	// Press presses a key such as "Enter" or "Control+a" where the page has its focus.
	Press(ctx context.Context, key string) (annotation.Observation, error)
	// Scroll scrolls the page or the box of an element.
	Scroll(ctx context.Context, o ScrollOptions) (annotation.Observation, error)
	// Wait waits until everything that o names is true, or for o.Seconds when it names nothing.
	Wait(ctx context.Context, o WaitOptions) (annotation.Observation, error)
	// Holds reports whether c is true, waiting for it up to patience; missing says what is not.
	Holds(ctx context.Context, c Condition, patience time.Duration) (held bool, missing string, err error)
	// HTML is what the page shows, without scripts and hidden content, with its frames.
	HTML(ctx context.Context) (html, url, title string, err error)
	// Screenshot is a picture of the page or of one element.
	Screenshot(ctx context.Context, o ScreenshotOptions) (Picture, error)
	// Selection is the selected text, "" for none.
	Selection(ctx context.Context) (string, error)

	// Element is what the newest snapshots say about the element id.
	Element(id int) (annotation.Element, bool)
	// Annotations are the elements of the newest snapshot.
	Annotations() []annotation.Element
	// OriginOf returns the origin of the element id and whether it hides typed text.
	OriginOf(id int) ElementOrigin
	// RoleAndName are those of the element id when it was last seen, "" for an unknown one.
	RoleAndName(id int) (role, name string)
	// KeyTargets are the addresses of the documents that a key press may reach.
	KeyTargets() []string
	// Address is the address of the page, "" for none.
	Address() string
	// OpenDialog describes the open dialog in a sentence, with the address of the page that opened it; "" for none.
	OpenDialog() (what, address string)
}

// AnnotateOptions says what to list: Scope is viewport (default) or page, Query keeps only matches,
// ChangesOnly lists the changes since the last snapshot. Token budgets are up to the caller.
type AnnotateOptions struct {
	Scope, Query string
	ChangesOnly  bool
}

// ClickOptions says how to click: Button left (default), middle, right; Count 1..3; Modifiers Alt, Control, Meta,
// Shift.
type ClickOptions struct {
	ID        int
	Button    string
	Count     int
	Modifiers []string
}

// TypeOptions says what to type: Clear replaces the old text, Submit presses Enter after, Human types key by key.
type TypeOptions struct {
	ID                   int
	Text                 string
	Clear, Submit, Human bool
	// SecretFor, when not "", is the origin that Text is a secret for: it is typed only when the element
	// is in a document of that origin then, and is not shown in results and pictures.
	SecretFor string
}

// ScrollOptions says where to scroll: Direction up, down, left, right, top, bottom; Amount in CSS pixels,
// 0 for most of a page; Target the id of the element to scroll, 0 for the page.
type ScrollOptions struct {
	Direction string
	Amount    float64
	Target    int
}

// ScreenshotOptions says what to capture: Annotated draws the marks on a copy, ID captures one element, MaxTokens
// scales the picture down to about that cost, 0 for no bound.
type ScreenshotOptions struct {
	Annotated, FullPage bool
	ID                  int
	MaxTokens           int
}

// WaitOptions says what to wait for: Text to be present, Gone to be absent, the address to contain URL, or
// any of them together. Seconds bounds the wait (DefaultWaitSeconds when 0); alone it is a pause.
type WaitOptions struct {
	Text, Gone, URL string
	Seconds         float64
}

// ElementOrigin is the known origin of a listed element, without another snapshot.
type ElementOrigin struct {
	// Origin is that of the element's document, its frame's if it is in one:
	// "https://shop.example". It is "" when that is not known.
	Origin string
	// Secret is true when the element hides what is typed into it, or is not known.
	Secret bool
	// Gone is true when the element's document was left for good.
	Gone bool
}

// DefaultWaitSeconds is the default time limit of a wait, in seconds.
const DefaultWaitSeconds = 10.0
