// Package panels holds the built-in panels: one folder each, with the same manifest.json as a panel of
// the user's own. The panel registry reads and checks these folders with the same code as the others,
// so a built-in panel can declare nothing that others could not.
//
// A panel that needs a Go http.Handler has it in its own folder; app passes it on. The pages are
// Svelte components of the same id (ui.kind "builtin").
package panels

import (
	"embed"
	"io/fs"
)

//go:embed */manifest.json
var manifests embed.FS

// Builtin is a read-only file system with one folder per built-in panel, each with a manifest.json.
func Builtin() fs.FS { return manifests }
