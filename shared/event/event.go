// Package event defines the events of Sextant. A change that the window shows is an Event. The event log stores it
// under a sequence number, and the WebSocket hub sends it to a reducer in the window. Live events (tabs, annotations,
// pointer) have the Seq 0 and are not stored.
package event

import (
	"encoding/json"
	"time"
)

// Kind identifies what changed.
type Kind string

// The kinds of events. The comment after each kind names the type of Event.Data.
const (
	ConversationCreated Kind = "conversation.created" // chat.Conversation
	ConversationUpdated Kind = "conversation.updated" // chat.Conversation
	ConversationDeleted Kind = "conversation.deleted" // Removal
	ConversationShared  Kind = "conversation.shared"  // Sharing
	MessageAdded        Kind = "message.added"        // chat.Message
	MessageWaiting      Kind = "message.waiting"      // WaitingMessage
	MessageTaken        Kind = "message.taken"        // TakenMessage
	MessageDropped      Kind = "message.dropped"      // Removal
	BranchStarted       Kind = "branch.started"       // Branch
	BranchChosen        Kind = "branch.chosen"        // BranchRef
	TurnStarted         Kind = "turn.started"         // Turn
	TextDelta           Kind = "text.delta"           // Delta
	ReasoningDelta      Kind = "thought.delta"        // Delta, of the reasoning before an answer
	TurnEnded           Kind = "turn.ended"           // Turn
	TurnNoted           Kind = "turn.noted"           // Note
	RoundEnded          Kind = "round.ended"          // Round
	BudgetRaised        Kind = "budget.raised"        // chat.Bill, the amount spent before the raise
	CallStarted         Kind = "call.started"         // CallStart
	CallOutput          Kind = "call.output"          // CallChunk
	CallEnded           Kind = "call.ended"           // CallEnd
	ApprovalAsked       Kind = "approval.asked"       // Approval
	ApprovalAnswered    Kind = "approval.answered"    // ApprovalAnswer
	PanelOpened         Kind = "panel.opened"         // PanelRef
	PanelClosed         Kind = "panel.closed"         // PanelRef
	PanelsChanged       Kind = "panels.changed"       // PanelList
	CatalogChanged      Kind = "catalogue.changed"    // NoData
	ActivityBarChanged  Kind = "activitybar.changed"  // ActivityBar
	SurfaceFocused      Kind = "surface.focused"      // SurfaceRef
	MCPChanged          Kind = "mcp.changed"          // MCPList
	MCPNotified         Kind = "mcp.told"             // MCPNotifications, live
	SettingChanged      Kind = "setting.changed"      // Setting
	BrowserChanged      Kind = "browser.changed"      // BrowserState, live
	MarksChanged        Kind = "marks.changed"        // Marks, live
	PointerMoved        Kind = "pointer.moved"        // Pointer, live
	PagePointed         Kind = "page.pointed"         // PagePoint, live
	PickerOpened        Kind = "picker.opened"        // Picker, live
	PageCopied          Kind = "page.copied"          // NoData, live
	FolderOpened        Kind = "folder.opened"        // OpenedFolder
	DiskChanged         Kind = "disk.changed"         // Disk, live
	SchedulesChanged    Kind = "schedules.changed"    // ScheduleNotice, live
	BatchesChanged      Kind = "batches.changed"      // BatchNotice, live
	LinkOpened          Kind = "link.opened"          // Link, live
)

// IsLive reports whether events of kind k are never stored.
func (k Kind) IsLive() bool {
	switch k {
	case BrowserChanged, MarksChanged, PointerMoved, PagePointed, PickerOpened, PageCopied, DiskChanged, MCPNotified,
		SchedulesChanged, BatchesChanged, LinkOpened:
		return true
	}
	return false
}

// IsMergeable reports whether events of kind k may be merged for a slow subscriber, or replaced by the newest one.
func (k Kind) IsMergeable() bool {
	return k.IsLive() || k == TextDelta || k == ReasoningDelta || k == CallOutput
}

// Event is one change. Conversation, Turn and Call are "" where they do not apply.
type Event struct {
	Seq          int64           `json:"seq"`
	Kind         Kind            `json:"kind"`
	Time         time.Time       `json:"time"`
	Conversation string          `json:"conversation,omitempty"`
	Turn         string          `json:"turn,omitempty"`
	Call         string          `json:"call,omitempty"`
	Data         json.RawMessage `json:"data"`
}

// New returns an Event of kind k with data as its JSON data and the current time. It panics if data cannot be
// marshaled, which does not happen with the types that belong to the kinds.
func New(k Kind, data any) Event {
	b, err := json.Marshal(data)
	if err != nil {
		panic("event.New: " + string(k) + ": " + err.Error())
	}
	return Event{Kind: k, Time: time.Now().UTC(), Data: b}
}

// InTurn returns e with its conversation and turn set.
func (e Event) InTurn(conversation, turn string) Event {
	e.Conversation, e.Turn = conversation, turn
	return e
}

// OfCall returns e with its call set.
func (e Event) OfCall(call string) Event {
	e.Call = call
	return e
}

// NoData is the data of events that only tell the receiver to load something again.
type NoData struct{}

// BatchNotice says that a batch or one of its rows changed.
type BatchNotice struct {
	Batch string `json:"batch"`
}

// ScheduleNotice says that a schedule or one of its runs changed. Status is the schedule.Status of the run, and "" if
// only the schedule changed.
type ScheduleNotice struct {
	Schedule string `json:"schedule"`
	Name     string `json:"name"`
	Run      string `json:"run,omitempty"`
	Status   string `json:"status,omitempty"`
	Reason   string `json:"reason,omitempty"`
	// Changed is true if the result of the run is not that of the one before.
	Changed bool `json:"changed,omitempty"`
}

// Removal identifies something that was deleted.
type Removal struct {
	ID string `json:"id"`
}

// Sharing says whether other programs may read a conversation.
type Sharing struct {
	ID     string `json:"id"`
	Shared bool   `json:"shared"`
}
