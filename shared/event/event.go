// Package event is the vocabulary of change. Every change in Sextant is one Event:
// Broker → Recorder (which gives it a sequence number and stores it) → WebSocket hub →
// a reducer in the window. An Event with Seq 0 is live only (tabs, marks, pointer): it is
// never stored and its newest value is in the state snapshot.
package event

import (
	"encoding/json"
	"time"
)

// Kind names what changed.
type Kind string

// The kinds of events. The comment names the type of Event.Data.
const (
	ConversationCreated Kind = "conversation.created" // chat.Conversation
	ConversationUpdated Kind = "conversation.updated" // chat.Conversation
	ConversationDeleted Kind = "conversation.deleted" // Removed
	ConversationShared  Kind = "conversation.shared"  // Shared
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
	MCPTold             Kind = "mcp.told"             // MCPHeard, live
	SettingChanged      Kind = "setting.changed"      // Setting
	BrowserChanged      Kind = "browser.changed"      // BrowserState, live
	MarksChanged        Kind = "marks.changed"        // Marks, live
	PointerMoved        Kind = "pointer.moved"        // Pointer, live
	DiskChanged         Kind = "disk.changed"         // Disk, live
)

// Live reports whether events of kind k are never stored.
func (k Kind) Live() bool {
	return k == BrowserChanged || k == MarksChanged || k == PointerMoved || k == DiskChanged || k == MCPTold
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

// Shared says whether other programs may read a conversation.
type Shared struct {
	ID     string `json:"id"`
	Shared bool   `json:"shared"`
}
