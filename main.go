//go:build !bindings

// Sextant is a desktop assistant for Linux. It works with panels, tools and a browser, and numbers the elements of a
// page so that a person or a model can refer to them.
package main

import (
	"os"

	"sextant/app/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
