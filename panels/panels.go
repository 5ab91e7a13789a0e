// Package panels holds the built-in panels: one folder each, with the same manifest.json
// that a person's own panel has. The folders are data; package backend/tools/panels reads
// and judges them with the same code that reads a folder dropped into the data folder, so
// that a built-in panel can do nothing a dropped-in one could not declare.
//
// A panel that needs a Go http.Handler keeps it in its own folder; app hands it over.
// Their pages are Svelte components of the same id (ui.kind "builtin").
package panels

import (
	"embed"
	"io/fs"
)

//go:embed */manifest.json
var manifests embed.FS

// Builtin is a file system with one folder a built-in panel, each holding manifest.json.
// It is read only and may be shared.
func Builtin() fs.FS { return manifests }
