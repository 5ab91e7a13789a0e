package surface

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

// Fault is an error that the caller of an action can correct: it says what was tried, why it failed, and what to do
// next. All other errors of an action are internal errors or the end of its context.
type Fault struct {
	// Kind is one of the Fault constants.
	Kind       string
	Message    string
	Suggestion string
}

// Error implements error.
func (f *Fault) Error() string { return f.Message }
