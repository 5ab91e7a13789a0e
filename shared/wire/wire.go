// Package wire defines the data that windows and the program exchange, apart from events and tools: the WebSocket
// envelopes, the frames of the live view, the state snapshot with which a window starts, and the responses of the HTTP
// API. TypeScript types are generated from it. It also defines some records that the store and other packages exchange.
package wire

import (
	"encoding/json"
	"time"

	"sextant/shared/annotation"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Version is the version of the WebSocket protocol.
const Version = 1

// Envelope is the form of every JSON message that the server sends over /ws. Kind is an event.Kind, or "hello" (with a
// Hello as Data), "error" (Problem), "surface.ask" (SurfaceRequest) or "surface.cancel" (SurfaceCancel). Seq is 0 for
// messages that are not stored events.
type Envelope struct {
	V            int             `json:"v"`
	Seq          int64           `json:"seq"`
	Kind         string          `json:"kind"`
	Time         time.Time       `json:"time"`
	Conversation string          `json:"conversation,omitempty"`
	Turn         string          `json:"turn,omitempty"`
	Call         string          `json:"call,omitempty"`
	Data         json.RawMessage `json:"data"`
}

// Hello answers the client's first message. Seq is the number of the latest stored event.
type Hello struct {
	Seq     int64  `json:"seq"`
	Version string `json:"version"`
}

// Problem says what was wrong with a client's message.
type Problem struct {
	Error string `json:"error"`
}

// ClientMessage is the form of every message that a client sends. The first must have the kind "hello" with Token and
// After. Later kinds are live.open, live.close, live.ack, input, focus (the person switched to this window) and
// surface.reply.
type ClientMessage struct {
	V     int    `json:"v"`
	Kind  string `json:"kind"`
	Token string `json:"token,omitempty"`
	// After asks for all stored events with a larger sequence number.
	After int64 `json:"after,omitempty"`
	// Width and Height are the size of the live view in CSS pixels. Scale is the number of device pixels per CSS pixel.
	Width  int     `json:"width,omitempty"`
	Height int     `json:"height,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
	// Session is that of a run that the person has taken over, "" for the window's browser.
	Session string `json:"session,omitempty"`
	// Frame is the number of the acknowledged frame.
	Frame int64  `json:"frame,omitempty"`
	Tab   int    `json:"tab,omitempty"`
	Input *Input `json:"input,omitempty"`
	// Reply answers a SurfaceRequest.
	Reply *SurfaceReply `json:"reply,omitempty"`
}

// Input is a person's input to the live view. Positions and distances are in CSS pixels of the page's viewport.
type Input struct {
	// Type is down, up, move, wheel, keydown, keyup or text.
	Type   string  `json:"type"`
	X      float64 `json:"x,omitempty"`
	Y      float64 `json:"y,omitempty"`
	DX     float64 `json:"dx,omitempty"`
	DY     float64 `json:"dy,omitempty"`
	Button string  `json:"button,omitempty"`
	Count  int     `json:"count,omitempty"`
	Key    string  `json:"key,omitempty"`
	Code   string  `json:"code,omitempty"`
	Text   string  `json:"text,omitempty"`
	// Modifiers is the bit field of the Chrome DevTools Protocol: Alt 1, Control 2, Meta 4, Shift 8.
	Modifiers int `json:"modifiers,omitempty"`
}

// FrameHeader describes a JPEG picture of the live view. The binary message consists of the length of the header's JSON
// as 4 bytes (big-endian), the JSON and the picture.
type FrameHeader struct {
	Frame int64 `json:"frame"`
	Tab   int   `json:"tab"`
	// Width and Height are the size of the viewport in CSS pixels. ScrollX and ScrollY are the scroll position.
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	ScrollX float64 `json:"scroll_x"`
	ScrollY float64 `json:"scroll_y"`
}

// Clipboard is the content of a clipboard. The zero value is an empty one.
type Clipboard struct {
	Text string `json:"text,omitempty"`
	HTML string `json:"html,omitempty"`
	// PNG is a picture.
	PNG []byte `json:"png,omitempty"`
}

// IsEmpty reports whether there is nothing in c.
func (c Clipboard) IsEmpty() bool { return c.Text == "" && c.HTML == "" && len(c.PNG) == 0 }

// Found is what a search in the page found. Current is the index of the match that is shown, -1 for none. Boxes
// contains the matches in view; Count stops at 1000 in each document.
type Found struct {
	Count   int        `json:"count"`
	Current int        `json:"current"`
	Boxes   []FoundBox `json:"boxes"`
}

// FoundBox is a part of a match, in CSS pixels of the page's viewport.
type FoundBox struct {
	annotation.Box
	Current bool `json:"current,omitempty"`
}

// Snapshot is the response of GET /api/state: everything that a window needs to draw itself. Events with a larger Seq
// apply on top of it.
type Snapshot struct {
	Seq           int64               `json:"seq"`
	Version       string              `json:"version"`
	Panels        []event.Panel       `json:"panels"`
	ActivePanel   string              `json:"active_panel"`
	ActivityBar   event.ActivityBar   `json:"activity_bar"`
	Browser       event.BrowserState  `json:"browser"`
	Marks         *event.Marks        `json:"marks,omitempty"`
	Approvals     []event.Approval    `json:"approvals"`
	Conversations []chat.Conversation `json:"conversations"`
	MCP           []event.MCPServer   `json:"mcp"`
	Models        []Model             `json:"models"`
	Mode          string              `json:"mode"`
	Workspace     string              `json:"workspace"`
	Settings      []event.Setting     `json:"settings"`
	Banners       []Banner            `json:"banners"`
	PanelsFolder  string              `json:"panels_folder"`
	Disk          event.Disk          `json:"disk"`
}

// Banner describes a lasting problem: a mistake in the environment or in config.toml (Kind "config") or in
// mcp-config.json (Kind "mcp"), or a damaged database (Kind "data").
type Banner struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// Model is a model that can be chosen. Name has the form provider/name. State is ready, not_running, no_key, or more
// (models that are not listed). Detail explains it ("not running on port 1234").
type Model struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Label    string `json:"label"`
	State    string `json:"state"`
	Detail   string `json:"detail,omitempty"`
	// Sees says whether the model accepts pictures: "yes", "no", or "" if that is not known.
	Sees string `json:"sees,omitempty" enum:"yes,no"`
}

// Transcript is the response of GET /api/conversations/{id}: a conversation, or a part of it, up to Seq.
type Transcript struct {
	Seq          int64             `json:"seq"`
	Conversation chat.Conversation `json:"conversation"`
	// Events contains the stored events in order. The window's reducer handles them like live ones.
	Events []event.Event `json:"events"`
	// Part is missing if Events has all events of the conversation.
	Part *TranscriptPart `json:"part,omitempty"`
}

// TranscriptPart describes a part of a conversation. Pieces of text in its events are joined.
type TranscriptPart struct {
	// From and Until are the first and last sequence numbers of the part. From is 0 if nothing comes before the part,
	// and Until is 0 if nothing comes after it.
	From  int64 `json:"from"`
	Until int64 `json:"until"`
	// Branch is the id of the branch that was active before the first event, "" for the first branch.
	Branch string `json:"branch"`
	// Branches contains all branches of the conversation. The first has the id "".
	Branches []BranchNode `json:"branches"`
	// EarlierSources are the sources of outside text that the active branch has before the part.
	EarlierSources []string `json:"earlier_sources"`
	// Waiting contains the queued messages.
	Waiting []event.WaitingMessage `json:"waiting"`
}

// BranchNode is a branch in the tree of a conversation's branches.
type BranchNode struct {
	ID string `json:"id"`
	// Parent is the branch from which it forks, "" for the first one. It shares everything before the event Cut.
	Parent string `json:"parent"`
	Cut    int64  `json:"cut"`
	// Used is the sequence number of the event that last activated the branch.
	Used int64 `json:"used"`
}

// Discovery is the response of GET /api/ai/tools/discover: the tools that can be called. Baseline also contains the
// created tools, because both are always available.
type Discovery struct {
	Baseline []toolspec.Function `json:"baseline"`
	Panel    []toolspec.Function `json:"panel"`
	MCP      []toolspec.Function `json:"mcp"`
	// Origins maps each tool's name to baseline, panel, mcp or created.
	Origins map[string]toolspec.Origin `json:"tool_origins"`
}

// CallRow is a call in the activity list. Status is an event.CallStatus or "running".
type CallRow struct {
	event.CallRecord
	Status string `json:"status"`
	event.CallOutcome
}

// GrantRow is a grant with its use.
type GrantRow struct {
	toolspec.Grant
	// Title is the title of the conversation to which the grant is limited, "" for none.
	Title string `json:"title,omitempty"`
	// Uses is the number of calls that the grant allowed. LastUsed is the time of the last one, nil if there is none.
	Uses     int        `json:"uses"`
	LastUsed *time.Time `json:"used,omitempty"`
}

// AuditPage is a part of the audit log, the latest calls first.
type AuditPage struct {
	Calls []CallRow `json:"calls"`
	// Before is the "before" parameter of the next page, which may be empty. It is 0 if there are no older calls.
	Before int64 `json:"before"`
}

// AuditCheck is the result of verifying the audit chain.
type AuditCheck struct {
	// Entries is the number of entries before the first damaged one, or of all if none is damaged. Problem describes
	// that entry, "" if there is none.
	Entries int    `json:"entries"`
	Problem string `json:"problem,omitempty"`
}

// Bookmark is a bookmark of the browser panel. Title is the title of the page, and Note is the person's remark.
type Bookmark struct {
	URL   string    `json:"url"`
	Title string    `json:"title"`
	Note  string    `json:"note,omitempty"`
	Time  time.Time `json:"time"`
}

// Upload is a stored file that can be given to the page.
type Upload struct {
	ID string `json:"id"`
}

// Visit is a web page that was opened in a tab of the window. Count is how often, and Time is the last time.
type Visit struct {
	URL   string    `json:"url"`
	Title string    `json:"title"`
	Count int       `json:"count"`
	Time  time.Time `json:"time"`
}

// SiteData is what a site stored in the browser.
type SiteData struct {
	Host    string `json:"host"`
	Cookies int    `json:"cookies"`
}

// LocalServer is a server on this machine. Program is the name of its process.
type LocalServer struct {
	URL     string `json:"url"`
	Program string `json:"program"`
}

// VisitList contains visited pages.
type VisitList struct {
	Visits []Visit `json:"visits"`
}

// BookmarkList contains all bookmarks, the latest first.
type BookmarkList struct {
	Bookmarks []Bookmark `json:"bookmarks"`
}
