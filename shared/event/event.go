// Package event is the vocabulary of change. Every change in Sextant is one Event:
// Broker → Recorder (which gives it a sequence number and stores it) → WebSocket hub →
// a reducer in the window. An Event with Seq 0 is live only (tabs, marks, pointer): it is
// never stored and its newest value is in the state snapshot.
package event

import (
	"encoding/json"
	"time"

	"sextant/shared/annotator"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Kind names what changed.
type Kind string

// The kinds of events. The comment names the type of Event.Data.
const (
	ConversationCreated Kind = "conversation.created" // chat.Conversation
	ConversationUpdated Kind = "conversation.updated" // chat.Conversation
	ConversationDeleted Kind = "conversation.deleted" // Removed
	MessageAdded        Kind = "message.added"        // chat.Message
	MessageWaiting      Kind = "message.waiting"      // Waiting
	MessageTaken        Kind = "message.taken"        // Taken
	MessageDropped      Kind = "message.dropped"      // Removed
	BranchStarted       Kind = "branch.started"       // Branch
	BranchChosen        Kind = "branch.chosen"        // BranchRef
	TurnStarted         Kind = "turn.started"         // Turn
	TextDelta           Kind = "text.delta"           // Delta
	ThoughtDelta        Kind = "thought.delta"        // Delta, of what a model thinks before it answers
	TurnEnded           Kind = "turn.ended"           // Turn
	TurnNoted           Kind = "turn.noted"           // Note
	RoundEnded          Kind = "round.ended"          // Round
	BudgetRaised        Kind = "budget.raised"        // chat.Bill, what was spent then
	CallStarted         Kind = "call.started"         // CallStart
	CallOutput          Kind = "call.output"          // CallChunk
	CallEnded           Kind = "call.ended"           // CallEnd
	ApprovalAsked       Kind = "approval.asked"       // Approval
	ApprovalAnswered    Kind = "approval.answered"    // ApprovalAnswer
	PanelOpened         Kind = "panel.opened"         // PanelRef
	PanelClosed         Kind = "panel.closed"         // PanelRef
	PanelsChanged       Kind = "panels.changed"       // PanelList
	CatalogueChanged    Kind = "catalogue.changed"    // Empty
	ActivityBarChanged  Kind = "activitybar.changed"  // ActivityBar
	SurfaceFocused      Kind = "surface.focused"      // SurfaceRef
	MCPChanged          Kind = "mcp.changed"          // MCPList
	SettingChanged      Kind = "setting.changed"      // Setting
	BrowserChanged      Kind = "browser.changed"      // BrowserState, live
	MarksChanged        Kind = "marks.changed"        // Marks, live
	PointerMoved        Kind = "pointer.moved"        // Pointer, live
	DiskChanged         Kind = "disk.changed"         // Disk, live
)

// Live reports whether events of kind k are never stored.
func (k Kind) Live() bool {
	return k == BrowserChanged || k == MarksChanged || k == PointerMoved || k == DiskChanged
}

// Mergeable reports whether a slow reader may get several of kind k joined or only the newest.
func (k Kind) Mergeable() bool {
	return k.Live() || k == TextDelta || k == ThoughtDelta || k == CallOutput
}

// Event is one change. Conversation, Turn and Call are set where they apply.
type Event struct {
	Seq          int64           `json:"seq"`
	Kind         Kind            `json:"kind"`
	Time         time.Time       `json:"time"`
	Conversation string          `json:"conversation,omitempty"`
	Turn         string          `json:"turn,omitempty"`
	Call         string          `json:"call,omitempty"`
	Data         json.RawMessage `json:"data"`
}

// New makes an Event of kind k with data; it panics only if data cannot be JSON, which
// is a programming error because every data type of this package can.
func New(k Kind, data any) Event {
	b, err := json.Marshal(data)
	if err != nil {
		panic("event.New: " + string(k) + ": " + err.Error())
	}
	return Event{Kind: k, Time: time.Now().UTC(), Data: b}
}

// In returns e placed in a conversation and turn.
func (e Event) In(conversation, turn string) Event {
	e.Conversation, e.Turn = conversation, turn
	return e
}

// Of returns e tied to a call.
func (e Event) Of(call string) Event {
	e.Call = call
	return e
}

// Empty is the data of events that only say "ask again".
type Empty struct{}

// Removed names something that is gone.
type Removed struct {
	ID string `json:"id"`
}

// Turn is the data of turn.started and turn.ended.
type Turn struct {
	ID     string      `json:"id"`
	Model  string      `json:"model,omitempty"`
	Status chat.Status `json:"status"`
	Error  string      `json:"error,omitempty"`
	// Suggestion says what to do after an error.
	Suggestion string     `json:"suggestion,omitempty"`
	Rounds     int        `json:"rounds,omitempty"`
	Usage      chat.Usage `json:"usage"`
	// Budget names the setting whose budget ended it, "" when none did.
	Budget string `json:"budget,omitempty"`
}

// Round is one question to a model and its answer, as it was paid for. Usage is the provider's
// count, all zero where it gave none.
type Round struct {
	// Number counts from 1 within the turn; 0 is a question beside the talk, For what: how the model
	// writes calls (probe), a summary, or another that a turn ended with (rest).
	Number     int        `json:"number"`
	For        string     `json:"for,omitempty"`
	Model      string     `json:"model"`
	Usage      chat.Usage `json:"usage"`
	Prompt     Prompt     `json:"prompt"`
	DurationMS int64      `json:"duration_ms"`
	// Answer is the length of the answer in bytes, Calls how many calls stood in it.
	Answer int  `json:"answer"`
	Calls  int  `json:"calls"`
	Failed bool `json:"failed,omitempty"`
	// Requests are those that were sent for it, with retries and another model's.
	Requests []Request `json:"requests,omitempty"`
	// Payer is whose call the turn worked for; nil when it worked for nobody's.
	Payer *Payer `json:"payer,omitempty"`
}

// Payer is a turn that others cost.
type Payer struct {
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"`
}

// Request is one request to a model's service.
type Request struct {
	Model string     `json:"model"`
	Usage chat.Usage `json:"usage"`
	// Estimated is how much of Usage was worked out from lengths.
	Estimated int `json:"estimated,omitempty"`
	// Cost is nil where no price is known.
	Cost *chat.Money `json:"cost,omitempty"`
	// FirstMS is when the first piece of the answer came, at least 1; 0 when none did.
	FirstMS    int64 `json:"first_ms,omitempty"`
	DurationMS int64 `json:"duration_ms"`
	// Failed is not set for one that was stopped from here; Again says that one before it failed.
	Failed bool `json:"failed,omitempty"`
	Again  bool `json:"again,omitempty"`
}

// Bill is what the request came to.
func (r Request) Bill() chat.Bill {
	b := chat.Bill{Usage: r.Usage, Requests: 1, Estimated: r.Estimated}
	if r.Cost == nil {
		b.Unpriced = b.Tokens()
	} else if r.Cost.Nanos > 0 {
		b.Cost = []chat.Money{*r.Cost}
	}
	return b
}

// Prompt is what a question to a model was made of, in bytes.
type Prompt struct {
	// Talk is the system prompt and what people and the model said.
	Talk int `json:"talk"`
	// Definitions describe the tools that were offered; Results are what tools answered.
	Definitions int `json:"definitions"`
	Results     int `json:"results"`
}

// Delta is a piece of an assistant message, or of what was thought before it.
type Delta struct {
	Message string `json:"message"`
	Text    string `json:"text"`
}

// Note is a sentence for the person about an answer that is being waited for: that it is asked for
// again and when, that it is gone on with, who answers in place of whom.
type Note struct {
	// Message is the one that is waited for.
	Message string `json:"message"`
	Text    string `json:"text"`
}

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
}

// CallChunk is output of a running call; Stream is stdout, stderr or progress.
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
	// Question ends with a question mark and names verb, data and target.
	Question string `json:"question"`
	// Does, Target, Data, Why are the facts; Target is the real host, path or process.
	Does   string `json:"does"`
	Target string `json:"target,omitempty"`
	Data   string `json:"data,omitempty"`
	Why    string `json:"why"`
	// Annotation is the numbered element it acts on, 0 for none.
	Annotation int `json:"annotation,omitempty"`
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
}

// PanelRef names a panel.
type PanelRef struct {
	Panel string `json:"panel"`
}

// SurfaceRef names what should get the focus: a panel id, "assistant" or "page".
type SurfaceRef struct {
	Surface string `json:"surface"`
}

// PanelList is every known panel in order of the activity bar.
type PanelList struct {
	Panels []Panel `json:"panels"`
}

// Panel is a panel as the window needs it.
type Panel struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type,omitempty"`
	Icon        string `json:"icon,omitempty"`
	Section     string `json:"section,omitempty"`
	Order       int    `json:"order"`
	// Builtin panels are drawn by a Svelte component of the same id.
	Builtin bool `json:"builtin"`
	// Tools are names; Problems say what is wrong with the manifest and where.
	Tools    []string `json:"tools"`
	Problems []string `json:"problems,omitempty"`
	// Usable is false when a problem keeps the panel off.
	Usable bool `json:"usable"`
}

// ActivityBar is the state of the bar at the left and the device presets it offers.
type ActivityBar struct {
	Expanded bool     `json:"expanded"`
	Devices  []string `json:"devices"`
	Device   string   `json:"device"`
}

// MCPList is every configured MCP server.
type MCPList struct {
	Servers []MCPServer `json:"servers"`
	// Problem says why the config on disk is not in force; the last good one is then.
	Problem string `json:"problem,omitempty"`
}

// MCPServer is the state of one MCP server: State is off, starting, running, failed.
type MCPServer struct {
	Name      string   `json:"name"`
	State     string   `json:"state"`
	Enabled   bool     `json:"enabled"`
	Transport string   `json:"transport"`
	Command   string   `json:"command,omitempty"`
	Tools     []string `json:"tools"`
	Error     string   `json:"error,omitempty"`
	// NextTry is when a failed server is started again.
	NextTry *time.Time `json:"next_try,omitempty"`
}

// Setting is one setting's value and where it comes from: flag, environment, file, window, default.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
	// About is what the setting is; nil for the window's own and in a change.
	About *SettingAbout `json:"about,omitempty"`
}

// SettingAbout is what a setting does and takes.
type SettingAbout struct {
	Doc     string `json:"doc"`
	Default string `json:"default"`
	// OneOf are the allowed values; none for any.
	OneOf []string `json:"one_of,omitempty"`
	// Window says that a person may change it in the window.
	Window bool `json:"window,omitempty"`
	// Secret says that its value is never shown.
	Secret bool `json:"secret,omitempty"`
}

// BrowserState is the controlled browser as the window shows it. Status is absent (no
// Chromium found), stopped, starting, ready, failed; Error and Hint explain.
type BrowserState struct {
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	Hint   string `json:"hint,omitempty"`
	Tabs   []Tab  `json:"tabs"`
	Active int    `json:"active"`
	// Driving is the caller that acts now ("" none): person, model, pilot, mcp.
	Driving string `json:"driving,omitempty"`
	// PersonHas is true while a person has taken over.
	PersonHas bool `json:"person_has,omitempty"`
	// Downloads are the newest files, newest last.
	Downloads []Download `json:"downloads,omitempty"`
}

// Tab is one tab of the window's browser session.
type Tab struct {
	ID      int    `json:"id"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Loading bool   `json:"loading,omitempty"`
	Back    bool   `json:"back"`
	Forward bool   `json:"forward"`
	Favicon string `json:"favicon,omitempty"`
	// Dialog is the text of an open dialog. DialogType is alert, confirm, prompt, auth (a site
	// asks for a user name and password) or file (the page asks for a file, and goes on).
	Dialog     string `json:"dialog,omitempty"`
	DialogType string `json:"dialog_type,omitempty"`
	// DialogDefault is what a prompt holds at first.
	DialogDefault string `json:"dialog_default,omitempty"`
	Crashed       bool   `json:"crashed,omitempty"`
	// Device names the device that the tab emulates, "" for none.
	Device string `json:"device,omitempty"`
}

// Download is one file that a page handed over.
type Download struct {
	ID int `json:"id"`
	// Name is the file's name; Path is where it lies once State is done.
	Name string `json:"name"`
	Path string `json:"path,omitempty"`
	URL  string `json:"url"`
	// Received and Size are bytes; Size is 0 while it is not known.
	Received int64 `json:"received"`
	Size     int64 `json:"size"`
	// State is running, done, cancelled or failed; Why says why it failed.
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	// Tab is the tab that it came from.
	Tab int `json:"tab"`
}

// Marks are the numbers on a tab's page after the newest look.
type Marks struct {
	Page     annotator.Page      `json:"page"`
	Elements []annotator.Element `json:"elements"`
	Above    int                 `json:"above"`
	Below    int                 `json:"below"`
	// Width, Height are the viewport in CSS pixels.
	Width     float64 `json:"width"`
	Height    float64 `json:"height"`
	SettledMS int     `json:"settled_ms"`
	// On is false when the person switched numbers off.
	On bool `json:"on"`
}

// Pointer is the assistant's pointer in CSS pixels of the viewport. Target is the number it goes to.
type Pointer struct {
	Tab    int     `json:"tab"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Press  bool    `json:"press,omitempty"`
	Target int     `json:"target,omitempty"`
}
