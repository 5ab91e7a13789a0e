// Package panels contains the built-in panels. Each is a folder with a manifest.json, like a user's own panel. The
// panel registry reads and checks all panels with the same code, so a built-in panel can declare nothing that others
// could not.
//
// If a panel needs a Go http.Handler, it is in the panel's folder, and package app connects it. The pages are Svelte
// components with the panel's id (ui.kind "builtin").
package panels

import (
	"embed"
	"io/fs"
)

//go:embed */manifest.json
var manifests embed.FS

// Builtin returns a read-only file system with one folder for each built-in panel.
func Builtin() fs.FS { return manifests }
