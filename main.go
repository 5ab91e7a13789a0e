//go:build !bindings

// Sextant is a desktop assistant that acts: panels, tools and a browser driven by numbers.
package main

import (
	"os"

	"sextant/app/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
