// Package openapi describes the HTTP API for programs and for the generator of the frontend's types. huma derives the
// schemas of routes from their Go types; this package adds what huma cannot know: the values of string types, the union
// of events, the messages of the WebSockets, and the MCP endpoint, which is served beside huma's routes.
//
// It describes and serves nothing itself. The routes are in backend/api/http and backend/api/mcproutes.
package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Path is where the document is served, followed by .json or .yaml.
const Path = "/api/openapi"

// schemaPrefix starts every reference to a schema.
const schemaPrefix = "#/components/schemas/"

// NewConfig returns huma's configuration for an API of that version, without the page of documentation, links to
// schemas and huma's other extra routes.
func NewConfig(version string) huma.Config {
	huma.DefaultArrayNullable = false
	c := huma.DefaultConfig("Sextant", version)
	c.CreateHooks = nil
	c.DocsPath, c.SchemasPath, c.OpenAPIPath = "", "", Path
	c.Components.Schemas = huma.NewMapRegistry(schemaPrefix, schemaName)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"token": {}}}
	return c
}

// Complete adds to document what huma cannot derive from routes. Call it after the last route was registered.
func Complete(document *huma.OpenAPI) {
	describeMCP(document)
	schemas := document.Components.Schemas
	for _, v := range streamTypes() {
		schemas.Schema(reflect.TypeOf(v), true, "")
	}
	describeEvents(schemas)
	describeEnums(schemas)
}

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

// streamTypes lists types that travel over the WebSockets or inside JSON text.
func streamTypes() []any {
	return []any{
		wire.ClientMessage{},
		wire.SurfaceMarks{},
		wire.FrameHeader{},
		wire.TerminalMessage{},
		wire.TerminalUpdate{},
		wire.Discovery{},
		toolspec.Result{},
		annotation.Observation{},
	}
}
