// Package panels contains the built-in panels. Each is a folder with a manifest.json, like a user's own panel, and the
// panel registry checks all panels with the same code.
//
// The Go http.Handler that answers a panel's tools is in the panel's folder, and package app connects it. The pages are
// Svelte components with the panel's id.
package panels

import (
	"embed"
	"io/fs"
)

//go:embed */manifest.json
var manifests embed.FS

// Builtin returns a read-only file system with one folder for each built-in panel.
func Builtin() fs.FS { return manifests }
