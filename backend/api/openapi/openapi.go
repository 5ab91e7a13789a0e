// Package openapi describes the HTTP API for programs and for the generator of the frontend's types. huma
// derives the schemas of routes from their Go types. This package adds the values of string types, the union of
// events, the messages of the WebSockets, and the MCP endpoint, which huma does not serve. It registers no routes.
package openapi

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Path is the path of the document without its extension, .json or .yaml.
const Path = "/api/openapi"

const schemaPrefix = "#/components/schemas/"

// NewConfig returns huma's configuration for an API of that version. It disables the documentation page, the routes
// of schemas and the links to them. For the whole program, it makes huma's arrays not nullable.
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

// Complete adds what huma cannot derive from routes to document. Call it after the last route was registered.
func Complete(document *huma.OpenAPI) {
	describeMCP(document)
	schemas := document.Components.Schemas
	for _, v := range streamTypes() {
		schemas.Schema(reflect.TypeOf(v), true, "")
	}
	describeEvents(schemas)
	describeEnums(schemas)
}

// schemaName distinguishes the types that have the same name in two packages.
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
