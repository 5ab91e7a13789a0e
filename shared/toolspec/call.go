package toolspec

import (
	"encoding/json"
	"fmt"
)

// Caller says what kind of party asked for a call.
type Caller string

// Who can ask for a call.
const (
	CallerPerson Caller = "person"
	CallerPilot  Caller = "pilot"
	CallerModel  Caller = "model"
	CallerHTTP   Caller = "http"
	CallerMCP    Caller = "mcp"
	CallerRun    Caller = "run"
	CallerPanel  Caller = "panel"
	// CallerApp is the page of an MCP server; Client is then the server's name.
	CallerApp     Caller = "app"
	CallerCreated Caller = "created"
)

// Call is one request to run a tool. Args is a JSON object; the pipeline replaces it by its validated form with
// defaults before an executor gets it.
type Call struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Panel is the panel whose tools are in scope, "" for none.
	Panel string `json:"panel,omitempty"`
	// Within is the call that made this one, "" for none. Both are judged and recorded; a person is shown the
	// outer one.
	Within string     `json:"within,omitempty"`
	From   Provenance `json:"from"`
	// Surface is what the call acts on, nil for nothing. The pipeline resolves it once, before the
	// call is described.
	Surface *Surface `json:"-"`
}

// Surface is what a call acts on: a browser tab, or the page of a panel.
type Surface struct {
	// Session names whose browser tabs are meant, as Provenance.Session.
	Session string
	// Panel is the id of the panel whose page is meant, "" for the browser.
	Panel string
}

// WindowTab reports whether s is a tab of the window's browser, which a person can take over.
func (s *Surface) WindowTab() bool { return s != nil && s.Session == "" && s.Panel == "" }

// Provenance says who asked for a call, on whose behalf, and what the asking context has read. The policy decides
// by it.
type Provenance struct {
	Caller Caller `json:"caller"`
	// Client names the program that asks (MCP client, HTTP client), "" for Sextant itself.
	Client       string `json:"client,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Turn         string `json:"turn,omitempty"`
	// Session names whose browser tabs are meant: "" for the window's, anything else for those of a program.
	Session string `json:"session,omitempty"`
	// Interactive is true when a person can be asked.
	Interactive bool `json:"interactive,omitempty"`
	// Root is the call of a program whose client answers the questions of this call and its steps, "" when
	// windows do. It is not part of any hash.
	Root string `json:"-"`
	// TypedHosts are the hosts that a person typed in this turn (host or host:port, lower case), which opens
	// them.
	TypedHosts []string `json:"typed_hosts,omitempty"`
	// Outside lists the sources of text from outside in the asking context (page origins, MCP servers, files).
	// A context with such text is tainted.
	Outside []string `json:"outside,omitempty"`
	// YesTo is what `sextant run --yes-to` allows without a question: "", "read" or "all".
	YesTo string `json:"yes_to,omitempty"`
	// Unpaged is true of a program that cannot read a result in parts; it gets results in one piece.
	Unpaged bool `json:"unpaged,omitempty"`
	// Child is set when a subagent asks. Its permissions and what it read are those of Conversation and Turn,
	// which it works for; only its messages are its own.
	Child Child `json:"child,omitzero"`
}

// Child is the conversation and turn of a subagent, and the title of its task, which a model wrote.
type Child struct {
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"`
	Title        string `json:"title"`
}

// Place returns the conversation and turn in which the call is shown.
func (p Provenance) Place() (conversation, turn string) {
	if p.Child.Conversation != "" {
		return p.Child.Conversation, p.Child.Turn
	}
	return p.Conversation, p.Turn
}

// Owner names the owner of a result, a change or a file that was read: a conversation, or else a program or the
// person outside of any. It is unique and does not change with a restart.
func (p Provenance) Owner() string {
	if p.Conversation != "" {
		return "conversation " + p.Conversation
	}
	// Quoted, because a program chooses its own name.
	return fmt.Sprintf("%s %q %q", p.Caller, p.Client, p.Session)
}

// ErrorType classifies a failed Result.
type ErrorType string

// The five kinds of failure.
const (
	ValidationError ErrorType = "validation_error"
	UserError       ErrorType = "user_error"
	SystemError     ErrorType = "system_error"
	PermissionError ErrorType = "permission_error"
	SecurityError   ErrorType = "security_error"
)

// Result is the outcome of one call. The JSON fields are its public form; the others stay within the process.
type Result struct {
	Success    bool      `json:"success"`
	Value      any       `json:"result,omitempty"`
	Error      string    `json:"error,omitempty"`
	ErrorType  ErrorType `json:"error_type,omitempty"`
	Suggestion string    `json:"suggestion,omitempty"`
	DurationMS int64     `json:"duration_ms"`
	// Asked is the question that a person answered with yes before the call ran, "" for none.
	Asked string `json:"asked,omitempty"`
	// Stored is set when the text was too long to be returned in one piece; read_result reads it in parts.
	Stored *StoredText `json:"kept,omitempty"`

	// Text is what a model reads; when empty, it reads Value as JSON. Of a failure it is what the call produced
	// until then, read after the error.
	Text string `json:"-"`
	// Images are shown to models that accept pictures, and returned as MCP image content.
	Images []Image `json:"-"`
	// Sentence says for a person, in the past tense, what was done: "Opened shop.example".
	Sentence string `json:"-"`
	// Preview are a few short lines for a person.
	Preview []string `json:"-"`
	// Sources say where text from outside in this result came from: "https://shop.example", "mcp:github". Empty
	// means that there is none.
	Sources []string `json:"-"`
	// Read says what the text was read from besides Sources ("file /home/ada/plan.txt"), so that it is recognised
	// when it is sent out. The pipeline sets it, except for tools that return what an earlier call read.
	Read []string `json:"-"`
	// Changed are the files that the call changed and that can be restored, absolute paths.
	Changed []string `json:"-"`
	// Undoable is true when the panel that owns the tool can undo the call.
	Undoable bool `json:"-"`
	// App is the whole answer of an MCP server, for the page that shows it; nil for none.
	App json.RawMessage `json:"-"`
	// Spooled is the complete text when the tool has cut it in Text, nil when Text is complete.
	Spooled SpooledText `json:"-"`
}

// StoredText names a stored result: Handle for read_result, and the Bytes and Lines of its text. Cut is true when even
// the stored text is only the beginning.
type StoredText struct {
	Handle string `json:"handle"`
	Bytes  int64  `json:"bytes"`
	Lines  int    `json:"lines"`
	Cut    bool   `json:"cut,omitempty"`
}

// SpooledText is a long text that a tool wrote to a file while it ran. The receiver of the Result stores or discards
// it.
type SpooledText interface {
	// Discard removes the text. It may be called more than once.
	Discard()
}

// JSONAppender is a Value that writes its own JSON object. The object is always valid and cheaper to write than by
// reflection. It may leave out what Result.Text says.
type JSONAppender interface{ AppendJSON(b []byte) []byte }

// Image is an encoded picture inside a Result.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// OK returns a successful Result holding value.
func OK(value any) Result { return Result{Success: true, Value: value} }

// Fail returns a failed Result: what went wrong, and what to do instead.
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
