package event

import (
	"encoding/json"
	"time"

	"sextant/shared/toolspec"
)

// CallStart opens a call's card.
type CallStart struct {
	Tool     string          `json:"tool"`
	Args     json.RawMessage `json:"args"`
	Origin   toolspec.Origin `json:"origin"`
	Owner    string          `json:"owner,omitempty"`
	Sentence string          `json:"sentence"`
	Caller   toolspec.Caller `json:"caller"`
	Client   string          `json:"client,omitempty"`
	// TimeoutMS is the longest this call may run.
	TimeoutMS int `json:"timeout_ms"`
	// Looks is true of a call that only reads: nothing is other than before after it.
	Looks bool `json:"looks,omitempty"`
	// Within is the call that this one is the doing of, "" for none.
	Within string `json:"within,omitempty"`
	// App is the address of the MCP server's page that shows the call, "" for none.
	App string `json:"app,omitempty"`
}

// CallChunk is output of a running call; Stream is stdout, stderr or progress. A line of progress that
// begins with a percentage ("40% · two of five") is drawn as a bar, too.
type CallChunk struct {
	Stream string `json:"stream"`
	Text   string `json:"text"`
}

// CallStatus is how a call ended.
type CallStatus string

// The ends of a call.
const (
	CallDone        CallStatus = "done"
	CallFailed      CallStatus = "failed"
	CallDeclined    CallStatus = "declined"
	CallRefused     CallStatus = "refused"
	CallStopped     CallStatus = "stopped"
	CallInterrupted CallStatus = "interrupted"
)

// CallEnd closes a call's card.
type CallEnd struct {
	Tool       string             `json:"tool"`
	Status     CallStatus         `json:"status"`
	DurationMS int64              `json:"duration_ms"`
	Sentence   string             `json:"sentence"`
	Preview    []string           `json:"preview,omitempty"`
	Error      string             `json:"error,omitempty"`
	ErrorType  toolspec.ErrorType `json:"error_type,omitempty"`
	Suggestion string             `json:"suggestion,omitempty"`
	// Reason is the person's when declined, the policy's when refused or allowed.
	Reason  string   `json:"reason,omitempty"`
	Sources []string `json:"sources,omitempty"`
	// Output is the first 4,000 characters of what the model read.
	Output string `json:"output,omitempty"`
	// Images are blob ids of pictures.
	Images []string `json:"images,omitempty"`
	// Changed are the files it changed in a way that can be undone, absolute paths.
	Changed []string `json:"changed,omitempty"`
	// Undoable is true when the panel whose tool it was can take it back.
	Undoable bool `json:"undoable,omitempty"`
	// App is the blob of the whole answer as JSON, for the page that shows the call; "" for none.
	App string `json:"app,omitempty"`
	// Kept is set when the result was too long to be handed out in one piece.
	Kept *toolspec.Kept `json:"kept,omitempty"`
}

// Approval is a question that waits for a person.
type Approval struct {
	ID string `json:"id"`
	// Call is the call that waits; Tool and Args are exactly what will run, but for secret
	// values, which stand as "…" in Args and Data.
	Call string          `json:"call"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Within is the call that Call is the doing of, "" for none.
	Within string `json:"within,omitempty"`
	// Root is the call of a program whose client is asked when no window is open, "" for none.
	Root string `json:"root,omitempty"`
	// InWindow is true when only a window may say yes: what that begins lasts longer than the
	// call, or happens on the person's screen.
	InWindow bool `json:"inWindow,omitempty"`
	// Question ends with a question mark and names verb, data and target.
	Question string `json:"question"`
	// Does, Target, Data, Why are the facts; Target is the real host, path or process.
	Does   string `json:"does"`
	Target string `json:"target,omitempty"`
	Data   string `json:"data,omitempty"`
	Why    string `json:"why"`
	// Annotation is the numbered element it acts on, 0 for none.
	Annotation int `json:"annotation,omitempty"`
	// Form are the fields that a yes fills in, for a question that is a form.
	Form []FormField `json:"form,omitempty"`
	// Yes and No are what the two answers are called, "" for the usual words.
	Yes string `json:"yes,omitempty"`
	No  string `json:"no,omitempty"`
	// Hash binds the answer to tool, canonical arguments, folder and provenance.
	Hash         string    `json:"hash"`
	Choices      []Choice  `json:"choices"`
	Conversation string    `json:"conversation,omitempty"`
	Turn         string    `json:"turn,omitempty"`
	Asked        time.Time `json:"asked"`
}

// Choice is one possible answer with its scope written out.
type Choice struct {
	Answer Answer `json:"answer"`
	Scope  string `json:"scope"`
}

// Answer is what a person can say to an Approval.
type Answer string

// The answers.
const (
	AnswerOnce         Answer = "once"
	AnswerConversation Answer = "conversation"
	AnswerAlways       Answer = "always"
	// AnswerLike is always, for all commands of the same program in this folder.
	AnswerLike Answer = "like"
	AnswerDeny Answer = "deny"
)

// ApprovalAnswer closes an Approval. Answer is "" when it lapsed because the call was stopped.
type ApprovalAnswer struct {
	ID     string `json:"id"`
	Call   string `json:"call"`
	Answer Answer `json:"answer"`
	Reason string `json:"reason,omitempty"`
	// Filled is what a form was filled in with. It goes to whoever asked and is told to nobody else.
	Filled map[string]any `json:"-"`
}

// FormField is one value of a form. Its words are from whoever asks.
type FormField struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	About string `json:"about,omitempty"`
	// Kind is text, number, integer, boolean, choice (one of Options) or choices (any of them).
	Kind string `json:"kind"`
	// Format of a text: email, uri, date, date-time, "" for any.
	Format   string       `json:"format,omitempty"`
	Required bool         `json:"required,omitempty"`
	Options  []FormOption `json:"options,omitempty"`
	// Default is what stands there first, nil for nothing.
	Default any `json:"default,omitempty"`
	// Least and Most bound a number, a text's length in characters, or how many are chosen.
	Least *float64 `json:"least,omitempty"`
	Most  *float64 `json:"most,omitempty"`
}

// FormOption is a value that can be chosen, and how it is called.
type FormOption struct {
	Value string `json:"value"`
	Title string `json:"title"`
}
