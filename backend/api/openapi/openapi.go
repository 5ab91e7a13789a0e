package httpapi

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// schemaPrefix is what references to schemas begin with.
const schemaPrefix = "#/components/schemas/"

// schemaName is the type's name in Go, except for names that two packages use.
func schemaName(t reflect.Type, hint string) string {
	switch t {
	case reflect.TypeFor[annotation.Event]():
		return "PageEvent"
	case reflect.TypeFor[event.Note]():
		return "TurnNote"
	}
	return huma.DefaultSchemaNamer(t, hint)
}

// streamTypes travel over the WebSockets or inside JSON text; the OpenAPI document holds them too, so that one
// file describes everything the window exchanges with the program.
func streamTypes() []any {
	return []any{
		wire.ClientMessage{},
		wire.SurfaceMarks{},
		wire.FrameHeader{},
		wire.TerminalMessage{},
		wire.TerminalNews{},
		wire.Discovery{},
		toolspec.Result{},
		annotation.Observation{},
	}
}

// registerStream adds the WebSocket's types to the document, and names the values of strings.
func (s *Server) registerStream() {
	schemas := s.api.OpenAPI().Components.Schemas
	for _, v := range streamTypes() {
		schemas.Schema(reflect.TypeOf(v), true, "")
	}
	describeEvents(schemas)
	describeEnums(schemas)
}

// OpenAPI is the document of /api/openapi.json, indented, for the generator of the
// frontend's types. It needs no running program.
func OpenAPI(version string) ([]byte, error) {
	nav, err := navigation.Load()
	if err != nil {
		return nil, fmt.Errorf("describing the api: %w", err)
	}
	s := New(Rooms{
		Version: version, Nav: nav, Keys: access.NewKeys(), Files: noFiles{},
		Log: slog.New(slog.DiscardHandler),
	})
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
