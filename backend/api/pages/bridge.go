package pages

import (
	_ "embed"
	"sync"
)

//go:embed bridge/bridge.js
var bridgePart string

//go:embed bridge/surface.js
var surfacePart string

// bridgeScript returns our script for every page. One function encloses its parts, so that the page sees none
// of its names.
var bridgeScript = sync.OnceValue(func() string {
	return "(() => {\n'use strict';\n" + bridgePart + surfacePart + "start();\n})();\n"
})
