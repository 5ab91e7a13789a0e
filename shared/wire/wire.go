// Package wire defines what goes between windows and the program besides events and tools: the WebSocket
// envelopes, the live view's frames, the state snapshot that a window starts from, and the answers of the HTTP
// API. TypeScript types are generated from them.
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

// Envelope is every JSON message that the server sends over /ws. Kind is an event.Kind, "hello" (data Hello) or
// "error" (data Problem). Seq is 0 for what is not stored.
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

// Problem is the error of a client message.
type Problem struct {
	Error string `json:"error"`
}

// ClientMessage is every message that a client sends. The first must be of kind "hello" with Token and After; then
// live.open, live.close, live.ack, input, focus (a person turned to this window) and surface.reply.
type ClientMessage struct {
	V     int    `json:"v"`
	Kind  string `json:"kind"`
	Token string `json:"token,omitempty"`
	// After asks for all stored events with a larger sequence number.
	After int64 `json:"after,omitempty"`
	// Width and Height are the size of the live view in CSS pixels, Scale the device pixels per CSS pixel.
	Width  int     `json:"width,omitempty"`
	Height int     `json:"height,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
	// Frame is the number of the acknowledged frame.
	Frame int64  `json:"frame,omitempty"`
	Tab   int    `json:"tab,omitempty"`
	Input *Input `json:"input,omitempty"`
	// Reply answers a SurfaceRequest.
	Reply *SurfaceReply `json:"reply,omitempty"`
}

// Input is a person's input to the live view, in CSS pixels of the page's viewport.
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
	// Modifiers is the CDP bit field: Alt 1, Control 2, Meta 4, Shift 8.
	Modifiers int `json:"modifiers,omitempty"`
}

// FrameHeader precedes the JPEG in a binary message: the length of this JSON as 4 bytes (big-endian), the JSON,
// then the picture.
type FrameHeader struct {
	Frame int64 `json:"frame"`
	Tab   int   `json:"tab"`
	// Width and Height are the viewport in CSS pixels, ScrollX and ScrollY the scroll position.
	Width   float64 `json:"width"`
	Height  float64 `json:"height"`
	ScrollX float64 `json:"scroll_x"`
	ScrollY float64 `json:"scroll_y"`
}

// Snapshot is GET /api/state: everything that a window needs to draw itself. Events with a larger Seq continue
// from it.
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

// Banner is a lasting condition: no Chromium, unreadable config, settings that could not be stored.
type Banner struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	Hint string `json:"hint,omitempty"`
}

// Model is one model that can be chosen. Name is provider/name, State is ready, not_running or no_key, and
// Detail says more in words ("not running on port 1234").
type Model struct {
	Name     string `json:"name"`
	Provider string `json:"provider"`
	Label    string `json:"label"`
	State    string `json:"state"`
	Detail   string `json:"detail,omitempty"`
}

// Transcript is GET /api/conversations/{id}: a conversation with its events, as of Seq.
type Transcript struct {
	Seq          int64             `json:"seq"`
	Conversation chat.Conversation `json:"conversation"`
	// Events are the stored events of the conversation in order. The window's reducer builds the view from them
	// as it does from live ones.
	Events []event.Event `json:"events"`
}

// Discovery is GET /api/ai/tools/discover: the tools that can be called.
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
	// Uses counts the calls that it allowed. Used is the time of the last, absent before the first.
	Uses int        `json:"uses"`
	Used *time.Time `json:"used,omitempty"`
}

// AuditPage is a part of the audit log, the newest calls first.
type AuditPage struct {
	Calls []CallRow `json:"calls"`
	// Before is the "before" parameter of the next page, 0 when there is nothing older.
	Before int64 `json:"before"`
}

// AuditCheck is the result of verifying the audit chain.
type AuditCheck struct {
	// Entries is how many entries are intact. Problem names the first that is not, "" when all are.
	Entries int    `json:"entries"`
	Problem string `json:"problem,omitempty"`
}

// Bookmark is a page that was bookmarked in the browser panel. Title is the page's, Note the person's.
type Bookmark struct {
	URL   string    `json:"url"`
	Title string    `json:"title"`
	Note  string    `json:"note,omitempty"`
	Time  time.Time `json:"time"`
}

// BookmarkList holds all bookmarks, the newest first.
type BookmarkList struct {
	Bookmarks []Bookmark `json:"bookmarks"`
}
