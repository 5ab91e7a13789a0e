// Package docs embeds the documents that the program itself uses.
package docs

import _ "embed"

//go:embed panel-manifest.schema.json
var panelManifestSchema string

// PanelManifestSchema is the JSON Schema (draft 2020-12) of a panel's manifest.json, version 1.
func PanelManifestSchema() []byte { return []byte(panelManifestSchema) }

//go:embed recipe.schema.json
var recipeSchema string

// RecipeSchema is the JSON Schema (draft 2020-12) of a recipe.json, version 1.
func RecipeSchema() []byte { return []byte(recipeSchema) }
