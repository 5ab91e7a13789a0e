package browser

// The options of a Session's actions mirror the environment tools of CONTRACT.md one to
// one; zero values are the defaults said there.

// NavigateOptions: URL, or Action back, forward, reload.
type NavigateOptions struct{ URL, Action string }

// AnnotateOptions: Scope viewport (default) or page. MaxTokens 0 means the scope's default.
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
}

// ScrollOptions: Direction up, down, left, right, top, bottom; Amount in CSS pixels, 0 for
// most of a page; Target an id whose box scrolls, 0 for the page.
type ScrollOptions struct {
	Direction string
	Amount    float64
	Target    int
}

// ShotOptions: Annotated draws the numbers on the copy; ID shoots one element.
type ShotOptions struct {
	Annotated, FullPage bool
	ID                  int
}

// WaitOptions: any of Text present, Gone absent, URL containing; Seconds bounds it (default 10)
// and is the pause itself when nothing else is given.
type WaitOptions struct {
	Text, Gone, URL string
	Seconds         float64
}

// TabOptions: Action list, open, select, close.
type TabOptions struct {
	Action, URL string
	Tab         int
}

// Fault is an error the caller of an action can mend: what was tried and why it failed,
// and what to do next. Everything else an action returns as error is our own fault.
type Fault struct {
	// Kind is gone, covered, disabled, not_found, blocked, timeout, no_page, dialog, crashed,
	// no_browser, invalid.
	Kind       string
	Message    string
	Suggestion string
}

// Error implements error.
func (f *Fault) Error() string { return f.Message }
