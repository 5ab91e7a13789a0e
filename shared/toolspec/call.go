package toolspec

import (
	"encoding/json"
	"fmt"
	"slices"

	"sextant/shared/annotation"
)

// Caller is the kind of party that makes a call.
type Caller string

// The kinds of callers.
const (
	CallerPerson Caller = "person"
	CallerPilot  Caller = "pilot"
	CallerModel  Caller = "model"
	CallerHTTP   Caller = "http"
	CallerMCP    Caller = "mcp"
	CallerRun    Caller = "run"
	CallerPanel  Caller = "panel"
	// CallerApp is the page of an MCP server. Provenance.Client is then the name of the server.
	CallerApp Caller = "app"
	// CallerCreatedTool is a created tool. Provenance.Client is then the name of the tool.
	CallerCreatedTool Caller = "created"
)

// Call is a request to run a tool. Args is a JSON object. Before a tool runs, the pipeline validates the arguments and
// fills in defaults.
type Call struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Panel is the panel whose tools are in scope, "" for none.
	Panel string `json:"panel,omitempty"`
	// ParentCall is the call that made this call, "" for none. The policy judges both and both are recorded, but a
	// person is shown only the parent.
	ParentCall string     `json:"within,omitempty"`
	From       Provenance `json:"from"`
	// Refused is the result of a call that does not run, because it cannot be read or its task does not allow it. The
	// pipeline only records it. It is nil for all other calls.
	Refused *Result `json:"-"`
	// Purpose is what the model said before the call; "" if it said nothing or no model made the call.
	Purpose string `json:"-"`
	// Surface is what the call acts on, nil if it acts on no page. The pipeline resolves it once, before the call is
	// described.
	Surface *Surface `json:"-"`
}

// Surface identifies a browser tab or the page of a panel.
type Surface struct {
	// Session identifies the set of browser tabs, as Provenance.Session does.
	Session string
	// Panel is the id of the panel, "" for the browser.
	Panel string
}

// IsWindowTab reports whether s is a tab of the window's browser, which a person can take over.
func (s *Surface) IsWindowTab() bool { return s != nil && s.Session == "" && s.Panel == "" }

// Provenance says who made a call, on whose behalf, and what the caller's context contained. The policy decides by it.
type Provenance struct {
	Caller Caller `json:"caller"`
	// Client names the MCP or HTTP client that makes the call, "" for Sextant itself.
	Client       string `json:"client,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Turn         string `json:"turn,omitempty"`
	// Session identifies a set of browser tabs: "" is the window's, any other value that of a program.
	Session string `json:"session,omitempty"`
	// Interactive is true if a person can be asked.
	Interactive bool `json:"interactive,omitempty"`
	// RootCall is the MCP call that led to this call, if its client answers the questions. It is "" if a window answers
	// them. It is not part of any hash.
	RootCall string `json:"-"`
	// TypedHosts contains the hosts that a person typed in this turn, as host or host:port in lower case. The turn may
	// open them without a question.
	TypedHosts []string `json:"typed_hosts,omitempty"`
	// TypedText is everything that a person typed in this turn. It is not part of any hash.
	TypedText string `json:"-"`
	// Outside lists the sources of outside text in the caller's context: page origins, MCP servers, files. A context
	// with outside text is tainted.
	Outside []string `json:"outside,omitempty"`
	// Private lists the private sources in the caller's context (Result.PrivateSources). It is not part of any hash.
	Private []string `json:"-"`
	// YesTo is what `sextant run --yes-to` allows without a question: "", "read" or "all".
	YesTo string `json:"yes_to,omitempty"`
	// UnattendedRun is the id of the run of a schedule or batch that makes the call, "" for none.
	UnattendedRun string `json:"unattended_run,omitempty"`
	// InBrowser is true if the call acts in the browser whatever panel is open. The calls of a recipe do.
	InBrowser bool `json:"-"`
	// NeedsFullResults is true for a program that cannot read a result in parts. It gets each result in one piece.
	NeedsFullResults bool `json:"unpaged,omitempty"`
	// Subagent is set if a subagent makes the call. The subagent's permissions and sources are those of Conversation
	// and Turn, on whose behalf it works; only its messages are separate.
	Subagent Subagent `json:"child,omitzero"`
}

// Subagent identifies the conversation and turn of a subagent. Title is the title of its task, written by a model.
type Subagent struct {
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"`
	Title        string `json:"title"`
}

// ShownIn returns the conversation and turn that show the call.
func (p Provenance) ShownIn() (conversation, turn string) {
	if p.Subagent.Conversation != "" {
		return p.Subagent.Conversation, p.Subagent.Turn
	}
	return p.Conversation, p.Turn
}

// Owner identifies the owner of a result, a file change or a read file: a conversation, or a program or person outside
// of any conversation. It is unique and stays the same after a restart.
func (p Provenance) Owner() string {
	if p.Conversation != "" {
		return "conversation " + p.Conversation
	}
	// A program chooses its own name, so the parts are quoted.
	return fmt.Sprintf("%s %q %q", p.Caller, p.Client, p.Session)
}

// SortedUnion returns the strings in a and b, each once.
func SortedUnion(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// ErrorType is the kind of failure of a Result.
type ErrorType string

// The kinds of failures.
const (
	ValidationError ErrorType = "validation_error"
	UserError       ErrorType = "user_error"
	SystemError     ErrorType = "system_error"
	PermissionError ErrorType = "permission_error"
	SecurityError   ErrorType = "security_error"
)

// Result is the outcome of a call. The fields with a JSON name are public; the others stay within the process.
type Result struct {
	Success    bool      `json:"success"`
	Value      any       `json:"result,omitempty"`
	Error      string    `json:"error,omitempty"`
	ErrorType  ErrorType `json:"error_type,omitempty"`
	Suggestion string    `json:"suggestion,omitempty"`
	DurationMS int64     `json:"duration_ms"`
	// ApprovedQuestion is the question that a person answered with yes before the call ran, "" for none.
	ApprovedQuestion string `json:"asked,omitempty"`
	// Stored is set if the text was too long to be returned in one piece. The tool read_result then reads it in parts.
	Stored *StoredText `json:"kept,omitempty"`

	// Text is what a model reads; if it is empty, the model reads Value as JSON. In a failed Result, Text is the output
	// until the failure, and the model reads it after the error.
	Text string `json:"-"`
	// Images contains pictures for models that accept them. MCP clients get them as image content.
	Images []Image `json:"-"`
	// ImageIDs are the ids of Images below /api/blobs/. The pipeline sets them.
	ImageIDs []string `json:"images,omitempty"`
	// Sentence tells a person in the past tense what the call did: "Opened shop.example".
	Sentence string `json:"-"`
	// Preview contains a few short lines for a person.
	Preview []string `json:"-"`
	// Sources lists the sources of outside text in the result, such as "https://shop.example" or "mcp:github". It is
	// empty if there is no outside text.
	Sources []string `json:"-"`
	// PrivateSources lists what the text was read from that is the person's own: files and commands of this machine
	// ("file /home/ada/plan.txt"), and origins where the person is signed in. The pipeline sets it, except for tools
	// that return what an earlier call read.
	PrivateSources []string `json:"-"`
	// Changed contains the absolute paths of the changed files that can be restored.
	Changed []string `json:"-"`
	// Undoable is true if the panel that owns the tool can undo the call.
	Undoable bool `json:"-"`
	// Change is what an action on a page caused, nil for other tools.
	Change *annotation.Change `json:"-"`
	// AppResult is the complete answer of an MCP server, for the page that shows it; nil for none.
	AppResult json.RawMessage `json:"-"`
	// Spooled is the complete text if the tool has cut Text, nil if Text is complete.
	Spooled SpooledText `json:"-"`
}

// StoredText describes a stored result. Handle is the argument of read_result, and Bytes and Lines are the size of the
// text. Cut is true if the text was too long to be stored completely.
type StoredText struct {
	Handle string `json:"handle"`
	Bytes  int64  `json:"bytes"`
	Lines  int    `json:"lines"`
	Cut    bool   `json:"cut,omitempty"`
}

// SpooledText is a long text that a tool wrote to a file while it was running. The receiver of the Result must store or
// discard it.
type SpooledText interface {
	// Discard removes the text. Further calls do nothing.
	Discard()
}

// JSONAppender is implemented by a Result.Value that appends itself to b as a JSON object, more cheaply than by
// reflection. The object is always valid. It may omit what Result.Text contains.
type JSONAppender interface{ AppendJSON(b []byte) []byte }

// Image is an encoded picture in a Result.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// OK returns a successful Result with value.
func OK(value any) Result { return Result{Success: true, Value: value} }

// Fail returns a failed Result. message says what went wrong, and suggestion says what to do instead.
func Fail(kind ErrorType, message, suggestion string) Result {
	return Result{Error: message, ErrorType: kind, Suggestion: suggestion}
}

// ModelText returns the text that a model reads for r.
func (r Result) ModelText() string {
	if !r.Success {
		text := "error (" + string(r.ErrorType) + "): " + r.Error
		if r.Suggestion != "" {
			text += "\nsuggestion: " + r.Suggestion
		}
		if r.Text != "" {
			text += "\n" + r.Text
		}
		return text
	}
	if r.Text != "" || r.Value == nil {
		return r.Text
	}
	if s, ok := r.Value.(string); ok {
		return s
	}
	b, err := json.Marshal(r.Value)
	if err != nil {
		return "(result cannot be shown: " + err.Error() + ")"
	}
	return string(b)
}
