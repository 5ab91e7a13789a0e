package event

import (
	"encoding/json"
	"time"

	"sextant/shared/toolspec"
)

// CallRequest is what is known of a call before it runs. Events, the audit log and the list of calls embed it.
type CallRequest struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Origin toolspec.Origin `json:"origin"`
	// Caller says who asked, Client names the program that did, "" for none.
	Caller toolspec.Caller `json:"caller"`
	Client string          `json:"client,omitempty"`
	// Sentence says for a person what the call does.
	Sentence string `json:"sentence"`
}

// CallOutcome is what is known of a call once it ended.
type CallOutcome struct {
	DurationMS int64              `json:"duration_ms"`
	Preview    []string           `json:"preview,omitempty"`
	Error      string             `json:"error,omitempty"`
	ErrorType  toolspec.ErrorType `json:"error_type,omitempty"`
	Suggestion string             `json:"suggestion,omitempty"`
	// Sources say where text from outside in the result came from.
	Sources []string `json:"sources,omitempty"`
	// Output is the first 4,000 characters of what the model read.
	Output string `json:"output,omitempty"`
	// Changed are the files that the call changed and that can be restored, absolute paths.
	Changed []string `json:"changed,omitempty"`
	// Undoable is true when the panel that owns the tool can undo the call.
	Undoable bool `json:"undoable,omitempty"`
	// Stored is set when the result was too long to be returned in one piece.
	Stored *toolspec.StoredText `json:"kept,omitempty"`
}

// CallRecord is a call as the audit log and the list of calls identify it.
type CallRecord struct {
	ID string `json:"id"`
	CallRequest
	Conversation string `json:"conversation,omitempty"`
	Turn         string `json:"turn,omitempty"`
	// Target is the address, path or command line that the call acts on.
	Target string `json:"target,omitempty"`
	// Decision is the policy's verdict or the person's answer: allowed, granted, repeated, once,
	// conversation, always, like, denied, refused, none.
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
	// Grant is the id of the standing permission that allowed the call, "" for none.
	Grant   string    `json:"grant,omitempty"`
	Started time.Time `json:"started"`
}

// CallIntent is the audit row that is written before a call runs.
type CallIntent struct {
	CallRecord
	// Answer is the person's answer to the question about the call, AnswerLapsed when nobody answered,
	// "" when nothing was asked. WaitedMS is how long the question waited.
	Answer   string `json:"answer,omitempty"`
	WaitedMS int64  `json:"waited_ms,omitempty"`
}

// AnswerLapsed is recorded as the answer of a question that nobody answered before its call ended.
const AnswerLapsed = "lapsed"

// CallResult is the audit row that is written after a call ended.
type CallResult struct {
	Status   CallStatus `json:"status"`
	Sentence string     `json:"sentence,omitempty"`
	CallOutcome
	// Tokens estimates what the answer costs a model that reads all of it.
	Tokens int `json:"tokens,omitempty"`
}

// CallStart is the data of call.started.
type CallStart struct {
	CallRequest
	// Owner is the panel or MCP server whose tool it is, "" for none.
	Owner string `json:"owner,omitempty"`
	// TimeoutMS is the longest that the call may run.
	TimeoutMS int `json:"timeout_ms"`
	// ReadsOnly is true of a call that only reads.
	ReadsOnly bool `json:"looks,omitempty"`
	// Within is the call that made this one, "" for none.
	Within string `json:"within,omitempty"`
	// App is the address of the MCP server's page that shows the call, "" for none.
	App string `json:"app,omitempty"`
}

// CallChunk is output of a running call. A line of StreamProgress that
// begins with a percentage ("40% · two of five") is also drawn as a bar.
type CallChunk struct {
	Stream Stream `json:"stream"`
	Text   string `json:"text"`
}

// Stream is what a CallChunk is a part of.
type Stream string

// The streams of a call.
const (
	StreamStdout   Stream = "stdout"
	StreamStderr   Stream = "stderr"
	StreamProgress Stream = "progress"
)

// CallStatus is how a call ended.
type CallStatus string

// How a call can end. CallInterrupted means that Sextant ended while the call ran.
const (
	CallDone        CallStatus = "done"
	CallFailed      CallStatus = "failed"
	CallDeclined    CallStatus = "declined"
	CallRefused     CallStatus = "refused"
	CallStopped     CallStatus = "stopped"
	CallInterrupted CallStatus = "interrupted"
)

// CallEnd is the data of call.ended.
type CallEnd struct {
	Tool     string     `json:"tool"`
	Status   CallStatus `json:"status"`
	Sentence string     `json:"sentence"`
	CallOutcome
	// Reason is the person's when declined, the policy's when refused or allowed.
	Reason string `json:"reason,omitempty"`
	// Images are the blob ids of pictures.
	Images []string `json:"images,omitempty"`
	// App is the blob of the whole answer as JSON, for the page that shows the call; "" for none.
	App string `json:"app,omitempty"`
}

// Approval is a question that waits for a person's answer.
type Approval struct {
	ID string `json:"id"`
	// Call is the call that waits. Tool and Args are exactly what will run, except that secret values
	// are replaced by "…" in Args and Data.
	Call string          `json:"call"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Within is the call that made Call, "" for none.
	Within string `json:"within,omitempty"`
	// Root is the call of the program whose client is asked when no window is open, "" for none.
	Root string `json:"root,omitempty"`
	// InWindow is true when only a window may answer yes: the effect outlasts the call, or happens on
	// the person's screen.
	InWindow bool `json:"inWindow,omitempty"`
	// Question names verb, data and target, and ends with a question mark.
	Question string `json:"question"`
	// Does says what the call does, Target to what (a host, path, process or description), Data what it sends or
	// writes, and Why why it asks.
	Does   string `json:"does"`
	Target string `json:"target,omitempty"`
	Data   string `json:"data,omitempty"`
	Why    string `json:"why"`
	// Annotation is the numbered element that the call acts on, 0 for none.
	Annotation int `json:"annotation,omitempty"`
	// Form are the fields to fill in, for a question that is a form.
	Form []FormField `json:"form,omitempty"`
	// Yes and No are the labels of the two answers, "" for the usual ones.
	Yes string `json:"yes,omitempty"`
	No  string `json:"no,omitempty"`
	// Hash binds the answer to tool, canonical arguments, folder and provenance.
	Hash         string    `json:"hash"`
	Choices      []Choice  `json:"choices"`
	Conversation string    `json:"conversation,omitempty"`
	Turn         string    `json:"turn,omitempty"`
	Asked        time.Time `json:"asked"`
}

// Choice is one possible answer, with its scope in words.
type Choice struct {
	Answer Answer `json:"answer"`
	Scope  string `json:"scope"`
}

// Answer is a person's answer to an Approval.
type Answer string

// The answers.
const (
	AnswerOnce         Answer = "once"
	AnswerConversation Answer = "conversation"
	AnswerAlways       Answer = "always"
	// AnswerLike allows all commands of the same program in this folder, always.
	AnswerLike Answer = "like"
	AnswerDeny Answer = "deny"
)

// ApprovalAnswer closes an Approval. Answer is "" when it lapsed because the call was stopped.
type ApprovalAnswer struct {
	ID     string `json:"id"`
	Call   string `json:"call"`
	Answer Answer `json:"answer"`
	Reason string `json:"reason,omitempty"`
	// Filled are the values of a form. Only the asker gets them.
	Filled map[string]any `json:"-"`
}

// FormField is one value of a form. Its texts are the asker's.
type FormField struct {
	Name  string    `json:"name"`
	Title string    `json:"title"`
	About string    `json:"about,omitempty"`
	Kind  FieldKind `json:"kind"`
	// Format of a text is email, uri, date, date-time, or "" for any.
	Format   string       `json:"format,omitempty"`
	Required bool         `json:"required,omitempty"`
	Options  []FormOption `json:"options,omitempty"`
	// Default is the initial value, nil for none.
	Default any `json:"default,omitempty"`
	// Least and Most bound a number, the length of a text in characters, or how many options are chosen.
	Least *float64 `json:"least,omitempty"`
	Most  *float64 `json:"most,omitempty"`
}

// FieldKind is the kind of value of a FormField.
type FieldKind string

// The kinds of fields. FieldChoice is one of the options, FieldChoices any number of them.
const (
	FieldText    FieldKind = "text"
	FieldNumber  FieldKind = "number"
	FieldInteger FieldKind = "integer"
	FieldBoolean FieldKind = "boolean"
	FieldChoice  FieldKind = "choice"
	FieldChoices FieldKind = "choices"
)

// FormOption is a value that can be chosen, and its label.
type FormOption struct {
	Value string `json:"value"`
	Title string `json:"title"`
}
