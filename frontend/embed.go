// Package frontend embeds the built window (frontend/dist). Before `npm run build` the folder contains only a
// placeholder, and Built returns false.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var files embed.FS

// Files returns the built window, rooted at dist.
func Files() fs.FS {
	sub, err := fs.Sub(files, "dist")
	if err != nil {
		panic(err) // dist is embedded by name; the compiler proves it exists
	}
	return sub
}

// Built reports whether the window was built into this program.
func Built() bool {
	_, err := fs.Stat(Files(), "index.html")
	return err == nil
}
