package toolspec

import (
	"encoding/json"
	"fmt"
)

// Caller is the kind of party that asked for a call.
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

// Call is one request to run a tool. Args is a JSON object; the Pipeline replaces it by
// its validated form (defaults filled in) before an executor sees it.
type Call struct {
	ID   string          `json:"id"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
	// Panel is the panel whose tools are in scope, "" for none.
	Panel string `json:"panel,omitempty"`
	// Within is the call that this one is the doing of, "" for none: both are judged and recorded,
	// and a person sees one.
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

// Provenance says who asked, on whose behalf and what the asking context has read.
// It is the second input of policy.Decide.
type Provenance struct {
	Caller Caller `json:"caller"`
	// Client names a program (MCP client, HTTP agent) for people; "" for our own doors.
	Client       string `json:"client,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Turn         string `json:"turn,omitempty"`
	// Session names whose browser tabs are meant: "" is the window's, anything else a
	// program's own.
	Session string `json:"session,omitempty"`
	// Interactive is true when a person can be asked.
	Interactive bool `json:"interactive,omitempty"`
	// Root is the call of a program whose client is asked what this call and its steps ask, ""
	// when windows are. It says where an answer comes from, not who asks: no hash holds it.
	Root string `json:"-"`
	// TypedHosts are hosts a person typed in this turn (host or host:port, lower case);
	// typing an address opens it.
	TypedHosts []string `json:"typed_hosts,omitempty"`
	// Outside lists sources of outside text in the asking context (page origins, MCP
	// servers, files); not empty means the context is tainted.
	Outside []string `json:"outside,omitempty"`
	// YesTo is what `sextant run --yes-to` allowed beforehand: "", "read" or "all".
	YesTo string `json:"yes_to,omitempty"`
	// Unpaged is true of a program that cannot read a result in parts: it gets each as it is.
	Unpaged bool `json:"unpaged,omitempty"`
	// Child is set when a subagent asks. What it may do, what it read and what is kept of it are
	// those of Conversation and Turn, which it works for; only its talk is its own.
	Child Child `json:"child,omitzero"`
}

// Child is the talk of a subagent: its conversation and turn, and the title of its task, which a
// model wrote.
type Child struct {
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"`
	Title        string `json:"title"`
}

// Place is the conversation and turn in which what is done is shown.
func (p Provenance) Place() (conversation, turn string) {
	if p.Child.Conversation != "" {
		return p.Child.Conversation, p.Child.Turn
	}
	return p.Conversation, p.Turn
}

// Owner names whose a result, a change or a file that was read is: a conversation's, or else a
// program's or a person's own outside of any. It is unique and stays the same over a restart.
func (p Provenance) Owner() string {
	if p.Conversation != "" {
		return "conversation " + p.Conversation
	}
	// Quoted, because a program chooses its own name.
	return fmt.Sprintf("%s %q %q", p.Caller, p.Client, p.Session)
}

// ErrorType classifies a failed Result (C7).
type ErrorType string

// The five kinds of failure.
const (
	ValidationError ErrorType = "validation_error"
	UserError       ErrorType = "user_error"
	SystemError     ErrorType = "system_error"
	PermissionError ErrorType = "permission_error"
	SecurityError   ErrorType = "security_error"
)

// Result is the outcome of one call. The JSON fields are the public form of
// CONTRACT.md "Results"; the others travel inside the process only.
type Result struct {
	Success    bool      `json:"success"`
	Value      any       `json:"result,omitempty"`
	Error      string    `json:"error,omitempty"`
	ErrorType  ErrorType `json:"error_type,omitempty"`
	Suggestion string    `json:"suggestion,omitempty"`
	DurationMS int64     `json:"duration_ms"`
	// Asked is the question that a person said yes to before it ran, "" for none.
	Asked string `json:"asked,omitempty"`
	// Kept is set when the text was too long to be handed out in one piece: read_result reads
	// all of it in parts.
	Kept *Kept `json:"kept,omitempty"`

	// Text is what a model reads; when empty it reads Value as JSON. Of a failure it is what it
	// came to until then, read after the error.
	Text string `json:"-"`
	// Images are shown to models that can see and returned as MCP image content.
	Images []Image `json:"-"`
	// Sentence says in the past tense what was done, for a person: "Opened shop.example".
	Sentence string `json:"-"`
	// Preview are a few short lines for the card.
	Preview []string `json:"-"`
	// Sources say where outside text in this result came from: "https://shop.example",
	// "mcp:github". Empty means nothing from outside.
	Sources []string `json:"-"`
	// Read says what else the text was read from, beside Sources ("file /home/ada/plan.txt"), so
	// that it is known again where it goes out. The Pipeline finds it by itself but for tools
	// that hand on what an earlier call read.
	Read []string `json:"-"`
	// Changed are the files it changed in a way that can be undone, absolute paths.
	Changed []string `json:"-"`
	// Undoable is true when the panel whose tool it was can take it back.
	Undoable bool `json:"-"`
	// App is the whole answer as an MCP server gave it, for the page that shows it; nil for none.
	App json.RawMessage `json:"-"`
	// Whole is the whole text when the tool has cut it in Text; nil when Text is all of it.
	Whole Whole `json:"-"`
}

// Kept names a result that is kept whole: Handle for read_result, Bytes and Lines of its text.
// Cut is true when even that is only the beginning of what there was.
type Kept struct {
	Handle string `json:"handle"`
	Bytes  int64  `json:"bytes"`
	Lines  int    `json:"lines"`
	Cut    bool   `json:"cut,omitempty"`
}

// Whole is a long text that a tool wrote to a file while it ran. Who takes the Result keeps it
// or discards it.
type Whole interface {
	// Discard throws it away; it may be called more than once.
	Discard()
}

// Written is a Value that writes its own JSON object: always valid, and cheaper than to have it
// written and read over again on its way. What Result.Text says already may be missing in it.
type Written interface{ AppendJSON(b []byte) []byte }

// Image is an encoded picture inside a Result.
type Image struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// OK returns a successful Result holding value.
func OK(value any) Result { return Result{Success: true, Value: value} }

// Fail returns a failed Result: what went wrong and how to mend the call.
func Fail(kind ErrorType, message, suggestion string) Result {
	return Result{Error: message, ErrorType: kind, Suggestion: suggestion}
}

// ModelText is the text a model reads for r.
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
