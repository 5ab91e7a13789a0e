// Command gen writes what is generated from Go: docs/configuration.md and the OpenAPI
// document that the frontend's types are made from. `make generate` runs it and then
// openapi-typescript; a test in app fails when one of them is stale.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"sextant/app"
)

func main() {
	files, err := app.Generated()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.FromSlash(name), content, 0o644); err != nil { //nolint:gosec // sources are world-readable
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}
