// Sextant is a desktop assistant that acts: panels, tools and a browser driven by numbers.
package main

import (
	"os"

	"sextant/app"
)

func main() {
	os.Exit(app.Main(os.Args[1:]))
}
