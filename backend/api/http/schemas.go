package httpapi

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/shared/annotator"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// schemaName keeps names as in Go but for the one that stands in two packages.
func schemaName(t reflect.Type, hint string) string {
	if t == reflect.TypeFor[annotator.Event]() {
		return "PageEvent"
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// streamTypes are what travels over the WebSocket; the OpenAPI document holds them too so
// that one file describes the whole door.
func streamTypes() []any {
	return []any{
		chat.Message{},
		event.Event{},
		event.Turn{},
		event.Round{},
		event.Waiting{},
		event.Taken{},
		event.Branch{},
		event.BranchRef{},
		event.Delta{},
		event.CallStart{},
		event.CallChunk{},
		event.CallEnd{},
		event.Approval{},
		event.ApprovalAnswer{},
		event.Removed{},
		event.PanelRef{},
		event.PanelList{},
		event.ActivityBar{},
		event.SurfaceRef{},
		event.MCPList{},
		event.MCPHeard{},
		event.Setting{},
		event.Disk{},
		event.BrowserState{},
		event.Marks{},
		event.Pointer{},
		wire.Envelope{},
		wire.Hello{},
		wire.Problem{},
		wire.ClientMessage{},
		wire.SurfaceAsk{},
		wire.SurfaceMarks{},
		wire.SurfaceCancel{},
		wire.FrameHeader{},
		wire.TerminalMessage{},
		wire.TerminalNews{},
		wire.Discovery{},
		toolspec.Result{},
		annotator.Answer{},
	}
}

// registerStream adds the WebSocket's types to the document.
func (s *Server) registerStream() {
	schemas := s.api.OpenAPI().Components.Schemas
	for _, v := range streamTypes() {
		schemas.Schema(reflect.TypeOf(v), true, "")
	}
}

// OpenAPI is the document of /api/openapi.json, indented, for the generator of the
// frontend's types. It needs no running program.
func OpenAPI(version string) ([]byte, error) {
	nav, err := navigation.Load()
	if err != nil {
		return nil, fmt.Errorf("describing the api: %w", err)
	}
	s := New(Rooms{Version: version, Nav: nav, Keys: access.NewKeys(), Files: noFiles{}, Log: slog.New(slog.DiscardHandler)})
	b, err := json.MarshalIndent(s.api.OpenAPI(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describing the api: %w", err)
	}
	return append(b, '\n'), nil
}

// noFiles is an empty file system.
type noFiles struct{}

// Open implements fs.FS.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
