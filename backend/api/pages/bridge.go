package pages

import (
	_ "embed"
	"sync"
)

//go:embed bridge/bridge.js
var bridgePart string

//go:embed bridge/surface.js
var surfacePart string

// bridgeScript is our script in every page: its parts in one function, so that they share
// names with each other and none with the page.
var bridgeScript = sync.OnceValue(func() string {
	return "(() => {\n'use strict';\n" + bridgePart + surfacePart + "start();\n})();\n"
})
