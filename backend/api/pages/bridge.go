package pages

import (
	_ "embed"
	"sync"
)

//go:embed bridge/bridge.js
var bridgePart string

//go:embed bridge/surface.js
var surfacePart string

// bridgeScript returns our script of every page: its parts in one function, so that no name is visible to the page.
var bridgeScript = sync.OnceValue(func() string {
	return "(() => {\n'use strict';\n" + bridgePart + surfacePart + "start();\n})();\n"
})
