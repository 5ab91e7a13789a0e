package event

import (
	"encoding/json"
	"time"

	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

// CallRequest describes a call before it runs. Events, the audit log and the list of calls embed it.
type CallRequest struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Origin toolspec.Origin `json:"origin"`
	// Caller is the kind of party that made the call. Client names its program, "" for Sextant itself.
	Caller toolspec.Caller `json:"caller"`
	Client string          `json:"client,omitempty"`
	// Sentence tells a person what the call does.
	Sentence string `json:"sentence"`
}

// CallOutcome describes how a call ended.
type CallOutcome struct {
	DurationMS int64              `json:"duration_ms"`
	Preview    []string           `json:"preview,omitempty"`
	Error      string             `json:"error,omitempty"`
	ErrorType  toolspec.ErrorType `json:"error_type,omitempty"`
	Suggestion string             `json:"suggestion,omitempty"`
	// Sources lists the sources of outside text in the result.
	Sources []string `json:"sources,omitempty"`
	// Output contains the first 4,000 characters of the text that the model read.
	Output string `json:"output,omitempty"`
	// Changed contains the absolute paths of the changed files that can be restored.
	Changed []string `json:"changed,omitempty"`
	// Undoable is true if the panel that owns the tool can undo the call.
	Undoable bool `json:"undoable,omitempty"`
	// Stored is set if the result was too long to be returned in one piece.
	Stored *toolspec.StoredText `json:"kept,omitempty"`
}

// CallRecord is the common part of a call in the audit log and in the list of calls.
type CallRecord struct {
	ID string `json:"id"`
	CallRequest
	Conversation string `json:"conversation,omitempty"`
	Turn         string `json:"turn,omitempty"`
	// Target is the address, path or command line that the call acts on.
	Target string `json:"target,omitempty"`
	// Decision is the decision of the policy or the person's answer: allowed, granted, repeated, once, conversation,
	// always, like, file, folder, host, program, denied, refused, none.
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
	// Grant is the id of the grant that allowed the call, or of the rule that refused it; "" for none.
	Grant   string    `json:"grant,omitempty"`
	Started time.Time `json:"started"`
}

// CallIntent is the audit row that is written before a call runs.
type CallIntent struct {
	CallRecord
	// Answer is the person's answer to the question about the call. It is NoAnswer if nobody answered, and "" if
	// nothing was asked. WaitedMS is how long the question waited, in milliseconds.
	Answer   string `json:"answer,omitempty"`
	WaitedMS int64  `json:"waited_ms,omitempty"`
}

// NoAnswer is the value of CallIntent.Answer for a question that nobody answered before the call ended.
const NoAnswer = "lapsed"

// CallResult is the audit row that is written after a call ended.
type CallResult struct {
	Status   CallStatus `json:"status"`
	Sentence string     `json:"sentence,omitempty"`
	CallOutcome
	// Tokens is the estimated number of tokens of the complete result.
	Tokens int `json:"tokens,omitempty"`
}

// CallStart is the data of call.started.
type CallStart struct {
	CallRequest
	// Owner is the panel or MCP server that owns the tool, "" for none.
	Owner string `json:"owner,omitempty"`
	// TimeoutMS is the time limit of the call in milliseconds.
	TimeoutMS int `json:"timeout_ms"`
	// ReadsOnly is true for a call that changes nothing.
	ReadsOnly bool `json:"looks,omitempty"`
	// ParentCall is the call that made this call, "" for none.
	ParentCall string `json:"within,omitempty"`
	// Elements describes the elements of the page that the call acts on, by the argument with the number of each.
	Elements map[string]annotation.Reference `json:"elements,omitempty"`
	// PageURL is the address of the page on which the person acted by hand, "" for other calls.
	PageURL string `json:"page,omitempty"`
	// AppURI is the address of the MCP server's page that shows the call, "" for none.
	AppURI string `json:"app,omitempty"`
	// Purpose is what the model said the call is for, "" if it said nothing.
	Purpose string `json:"purpose,omitempty"`
	// Still is true for a tool whose running calls are shown without an animation.
	Still bool `json:"still,omitempty"`
}

// CallChunk is a piece of the output of a running call. The window also draws a line of StreamProgress that begins with
// a percentage ("40% · two of five") as a progress bar.
type CallChunk struct {
	Stream Stream `json:"stream"`
	Text   string `json:"text"`
}

// Stream identifies an output stream of a call.
type Stream string

// The streams of a call.
const (
	StreamStdout   Stream = "stdout"
	StreamStderr   Stream = "stderr"
	StreamProgress Stream = "progress"
)

// CallStatus is the state in which a call ended.
type CallStatus string

// The states in which a call can end. CallInterrupted means that Sextant ended while the call was running.
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
	Tool string `json:"tool"`
	// EditedArgs are the arguments that ran if the person edited them, otherwise empty.
	EditedArgs json.RawMessage `json:"edited,omitempty"`

	Status   CallStatus `json:"status"`
	Sentence string     `json:"sentence"`
	CallOutcome
	// Reason is the person's reason if Status is CallDeclined, otherwise why the call was allowed or refused.
	Reason string `json:"reason,omitempty"`
	// Change is what an action on a page caused, nil for other calls.
	Change *annotation.Change `json:"change,omitempty"`
	// Images contains the blob ids of the pictures in the result.
	Images []string `json:"images,omitempty"`
	// AppResult is the id of a blob with the complete result as JSON, for the page that shows the call. It is "" for
	// none.
	AppResult string `json:"app,omitempty"`
}

// Approval is a question that waits for the person's answer.
type Approval struct {
	ID string `json:"id"`
	// Call is the id of the waiting call. Tool and Args are its tool and arguments, with "…" in place of secret values.
	// If the person edits EditArg, or the question comes from an MCP server or about a host, they are not what the
	// answer is about.
	Call string          `json:"call"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// ParentCall is the call that made Call, "" for none.
	ParentCall string `json:"within,omitempty"`
	// RootCall is the MCP call that led to the question, if its client answers when no window is open; otherwise "".
	RootCall string `json:"root,omitempty"`
	// WindowOnly is true if only a window may approve: the call starts a program for the first time, or an MCP server
	// asks during the call.
	WindowOnly bool `json:"inWindow,omitempty"`
	// Question is one sentence with the action, its data and its target. It ends with a question mark.
	Question string `json:"question"`
	// Effect says what the call does. Target is what it acts on: a host, path, process or description. Data is what it
	// sends or writes. Reason says why approval is needed.
	Effect string `json:"does"`
	Target string `json:"target,omitempty"`
	Data   string `json:"data,omitempty"`
	Reason string `json:"why"`
	// Note is what the model said the call is for, "" if it said nothing.
	Note string `json:"note,omitempty"`
	// Diff is a unified diff of the change to a file, "" for none. EditArg is the argument that the person may edit
	// before the call runs, "" for none.
	Diff    string `json:"diff,omitempty"`
	EditArg string `json:"edit,omitempty"`
	// Annotation is the number of the element that the call acts on, 0 for none.
	Annotation int `json:"annotation,omitempty"`
	// Form contains the fields to fill in. It is empty for an ordinary question.
	Form []FormField `json:"form,omitempty"`
	// YesLabel and NoLabel are the labels of the two answers, "" for the usual ones.
	YesLabel string `json:"yes,omitempty"`
	NoLabel  string `json:"no,omitempty"`
	// Hash binds the answer to the tool, its canonical arguments, the folder and the provenance.
	Hash         string    `json:"hash"`
	Choices      []Choice  `json:"choices"`
	Conversation string    `json:"conversation,omitempty"`
	Turn         string    `json:"turn,omitempty"`
	Asked        time.Time `json:"asked"`
}

// Choice is a possible answer. Scope says in words what the answer allows.
type Choice struct {
	Answer Answer `json:"answer"`
	Scope  string `json:"scope"`
}

// Answer is the person's answer to an Approval.
type Answer string

// The possible answers.
const (
	AnswerOnce         Answer = "once"
	AnswerConversation Answer = "conversation"
	AnswerAlways       Answer = "always"
	// AnswerSameProgram allows all commands of the same program in this folder, permanently.
	AnswerSameProgram Answer = "like"
	// These allow more calls of the same conversation: to the same file, folder or host, or of the same program.
	AnswerFile    Answer = "file"
	AnswerFolder  Answer = "folder"
	AnswerHost    Answer = "host"
	AnswerProgram Answer = "program"
	AnswerDeny    Answer = "deny"
)

// ApprovalAnswer closes an Approval. Answer is "" if the call ended before anybody answered.
type ApprovalAnswer struct {
	ID     string `json:"id"`
	Call   string `json:"call"`
	Answer Answer `json:"answer"`
	Reason string `json:"reason,omitempty"`
	// Edited is true if the person changed Approval.EditArg before the call ran. EditedText is its new value.
	Edited     bool   `json:"edited,omitempty"`
	EditedText string `json:"-"`
	// FormValues contains the values of a form. Only the program that asked receives them.
	FormValues map[string]any `json:"-"`
}

// FormField is one field of a form. Its texts come from the program that asked.
type FormField struct {
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	Description string    `json:"about,omitempty"`
	Kind        FieldKind `json:"kind"`
	// Format is the format of a text: email, uri, date, date-time, or "" for any.
	Format   string       `json:"format,omitempty"`
	Required bool         `json:"required,omitempty"`
	Options  []FormOption `json:"options,omitempty"`
	// Default is the initial value, nil for none.
	Default any `json:"default,omitempty"`
	// Min and Max bound a number, the length of a text in characters, or the number of chosen options.
	Min *float64 `json:"least,omitempty"`
	Max *float64 `json:"most,omitempty"`
}

// FieldKind is the kind of value that a FormField accepts.
type FieldKind string

// The kinds of fields. FieldChoice accepts one option, FieldChoices any number of options.
const (
	FieldText    FieldKind = "text"
	FieldNumber  FieldKind = "number"
	FieldInteger FieldKind = "integer"
	FieldBoolean FieldKind = "boolean"
	FieldChoice  FieldKind = "choice"
	FieldChoices FieldKind = "choices"
)

// FormOption is a value that can be chosen. Title is its label.
type FormOption struct {
	Value string `json:"value"`
	Title string `json:"title"`
}
