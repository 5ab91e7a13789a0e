// Command gen writes the files generated from Go: docs/configuration.md, and frontend/openapi.json with the types of
// the API and of events. It must run in the repository's root. `make generate` runs it and then openapi-typescript; a
// test in app fails if one of the files is stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"sextant/app"
)

func main() {
	files, err := app.GeneratedFiles()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
	for name, content := range files {
		//nolint:gosec // sources are world-readable
		if err := os.WriteFile(filepath.FromSlash(name), content, 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}
