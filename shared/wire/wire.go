// Package wire holds the messages between the window and the program that are neither
// events nor tools: the WebSocket envelopes, the live view's frame header, and the state
// snapshot the window starts from. TypeScript types are generated from these.
package wire

import (
	"encoding/json"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Version of the WebSocket protocol.
const Version = 1

// Envelope is every JSON message the server sends over /ws. Kind is an event.Kind, or
// "hello" (data Hello), or "error" (data Problem). Seq is 0 for what is not stored.
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

// Hello answers the client's first message; Seq is the newest stored event.
type Hello struct {
	Seq     int64  `json:"seq"`
	Version string `json:"version"`
}

// Problem is an error about a client message.
type Problem struct {
	Error string `json:"error"`
}

// ClientMessage is every message a client sends. The first must be kind "hello" with
// Token and After; then live.open, live.close, live.ack, input.mouse, input.wheel,
// input.key, input.text, focus (a person looks at this window), surface.reply.
type ClientMessage struct {
	V     int    `json:"v"`
	Kind  string `json:"kind"`
	Token string `json:"token,omitempty"`
	// After asks for all stored events with a larger sequence number.
	After int64 `json:"after,omitempty"`
	// Width, Height, Scale (device pixels per CSS pixel) of the place for the picture.
	Width  int     `json:"width,omitempty"`
	Height int     `json:"height,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
	// Frame is the number of the frame that is acknowledged.
	Frame int64  `json:"frame,omitempty"`
	Tab   int    `json:"tab,omitempty"`
	Input *Input `json:"input,omitempty"`
	// Reply answers a SurfaceAsk.
	Reply *SurfaceReply `json:"reply,omitempty"`
}

// Input is a person's hand on the picture, in CSS pixels of the page's viewport.
type Input struct {
	// Type is down, up, move, wheel, keydown, keyup, text.
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
	// Modifiers is the CDP bit field: Alt 1, Control 2, Meta 4, Shift 8.
	Modifiers int `json:"modifiers,omitempty"`
}

// FrameHeader precedes the JPEG in a binary message: a 4-byte big-endian length of this
// JSON, the JSON, then the picture.
type FrameHeader struct {
	Frame int64 `json:"frame"`
	Tab   int   `json:"tab"`
	// Width, Height are the viewport in CSS pixels; Scroll the document offset.
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	ScrollX float64 `json:"scroll_x"`
	ScrollY float64 `json:"scroll_y"`
}

// Snapshot is GET /api/state: everything the window needs to draw itself; events with
// a larger Seq continue from it.
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

// Banner is a lasting condition: no Chromium, config unreadable, settings not kept.
type Banner struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// Model is one model that can be chosen: Name is provider/name, State is ready,
// not_running or no_key, with Detail in words ("not running on port 1234").
type Model struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Label    string `json:"label"`
	State    string `json:"state"`
	Detail   string `json:"detail,omitempty"`
}

// Transcript is GET /api/conversations/{id}: the messages, the calls of its turns and the
// turns, all as of Seq.
type Transcript struct {
	Seq          int64             `json:"seq"`
	Conversation chat.Conversation `json:"conversation"`
	// Events are the stored events of this conversation in order; the window's reducer
	// builds the view from them exactly as it does from live ones.
	Events []event.Event `json:"events"`
}

// Discovery is the answer of GET /api/ai/tools/discover (B5).
type Discovery struct {
	Baseline []toolspec.Function `json:"baseline"`
	Panel    []toolspec.Function `json:"panel"`
	MCP      []toolspec.Function `json:"mcp"`
	// Origins maps each tool's name to baseline, panel, mcp or created.
	Origins map[string]toolspec.Origin `json:"tool_origins"`
}

// CallRow is a call as the activity list shows it. Status is an event.CallStatus, or "running".
type CallRow struct {
	event.CallRecord
	Status string `json:"status"`
	event.CallOutcome
}

// GrantRow is a standing permission with how it was used.
type GrantRow struct {
	toolspec.Grant
	// Title is the title of the conversation it is bound to, "" for none.
	Title string `json:"title,omitempty"`
	// Uses counts the calls it let through; Used is the time of the last, absent before one.
	Uses int        `json:"uses"`
	Used *time.Time `json:"used,omitempty"`
}

// AuditPage is a part of the audit log, the newest calls first.
type AuditPage struct {
	Calls []CallRow `json:"calls"`
	// Before continues the page: give it as "before"; 0 when there is nothing older.
	Before int64 `json:"before"`
}

// AuditCheck is what reading the whole chain came to.
type AuditCheck struct {
	// Entries hold; Problem names the first that does not, "" when all do.
	Entries int    `json:"entries"`
	Problem string `json:"problem,omitempty"`
}

// Bookmark is a page that was kept in the browser panel. Title is the page's own word, Note who
// kept it wrote.
type Bookmark struct {
	URL   string    `json:"url"`
	Title string    `json:"title"`
	Note  string    `json:"note,omitempty"`
	Time  time.Time `json:"time"`
}

// BookmarkList are all that were kept, the newest first.
type BookmarkList struct {
	Bookmarks []Bookmark `json:"bookmarks"`
}
