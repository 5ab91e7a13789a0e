package browser

import (
	"context"
	"log/slog"

	"sextant/backend/browser/observe/settle"
	"sextant/shared/event"
)

// Config says how the browser is run. It is read once by New.
type Config struct {
	// Path is the setting that names Chromium; "" searches PATH.
	Path string
	// ProfileDir keeps cookies and storage; "" is a throw-away profile.
	ProfileDir string
	// DownloadDir keeps downloaded files, those of sessions other than the window's in folders
	// below it; "" is a throw-away folder that Close removes.
	DownloadDir string
	// MaxDownload bounds one downloaded file in bytes; 0 means 2 GB.
	MaxDownload int64
	// Proxy is host:port of the filtering proxy that all of the browser's requests take.
	Proxy string
	// Headless runs without a window of its own.
	Headless bool
	// AttachURL is the debugging address of a running Chromium (http://127.0.0.1:9222) to
	// attach to instead of starting one; every session has a browser context of its own there.
	AttachURL string
	// Judge says whether an address may be opened in a tab; nil allows all. It is asked for
	// navigate_page, for new tabs, and when a page goes to a file: or chrome: address by itself.
	Judge func(ctx context.Context, url string) error
	// Publish receives BrowserChanged, MarksChanged and PointerMoved of the window's session.
	// It is called by one goroutine, in order; nil drops them.
	Publish func(event.Event)
	// Stepped receives what a person does by hand on the picture of the window's session. It
	// is called by one goroutine, in order, the last time before Close returns; nil drops it.
	Stepped func(Step)
	Log     *slog.Logger
	// Limits bound waiting; the zero value means settle.DefaultLimits.
	Limits settle.Limits
	// Flags are further command line flags for Chromium.
	Flags []string
}

// The options of a Session's actions mirror the environment tools of CONTRACT.md one to
// one; zero values are the defaults said there.

// NavigateOptions: URL, or Action back, forward, reload.
type NavigateOptions struct{ URL, Action string }

// AnnotateOptions: Scope viewport (default) or page; Query keeps only what matches;
// ChangesOnly lists what changed since the last look. Budgets are the caller's.
type AnnotateOptions struct {
	Scope, Query string
	ChangesOnly  bool
}

// ClickOptions: Button left (default), middle, right; Count 1..3; Modifiers Alt, Control, Meta, Shift.
type ClickOptions struct {
	ID        int
	Button    string
	Count     int
	Modifiers []string
}

// TypeOptions: Clear replaces what is there; Submit presses Enter after; Human types with small pauses.
type TypeOptions struct {
	ID                   int
	Text                 string
	Clear, Submit, Human bool
	// Only, when not "", is the origin that Text is a secret for: it is typed only when the element
	// stands in a document of it at that moment, and is not shown in answers and pictures.
	Only string
}

// ScrollOptions: Direction up, down, left, right, top, bottom; Amount in CSS pixels, 0 for
// most of a page; Target an id whose box scrolls, 0 for the page.
type ScrollOptions struct {
	Direction string
	Amount    float64
	Target    int
}

// ShotOptions: Annotated draws the numbers on the copy; ID shoots one element; MaxTokens makes the
// picture so small that it costs about that much at most, 0 for no bound.
type ShotOptions struct {
	Annotated, FullPage bool
	ID                  int
	MaxTokens           int
}

// WaitOptions: any of Text present, Gone absent, URL containing; Seconds bounds it (StandardWait when 0)
// and is the pause itself when nothing else is given.
type WaitOptions struct {
	Text, Gone, URL string
	Seconds         float64
}

// TabOptions: Action list (default), open, select, close.
type TabOptions struct {
	Action, URL string
	Tab         int
}

// The kinds of Fault.
const (
	FaultGone      = "gone"
	FaultCovered   = "covered"
	FaultDisabled  = "disabled"
	FaultNotFound  = "not_found"
	FaultBlocked   = "blocked"
	FaultTimeout   = "timeout"
	FaultNoPage    = "no_page"
	FaultDialog    = "dialog"
	FaultCrashed   = "crashed"
	FaultNoBrowser = "no_browser"
	FaultInvalid   = "invalid"
)

// Fault is an error the caller of an action can mend: what was tried and why it failed,
// and what to do next. Everything else an action returns as error is our own fault, or the
// end of its context.
type Fault struct {
	// Kind is one of the Fault constants.
	Kind       string
	Message    string
	Suggestion string
}

// Error implements error.
func (f *Fault) Error() string { return f.Message }
