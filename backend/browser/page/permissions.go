package page

import (
	_ "embed"
)

// documentStartScript runs first in our isolated world of every document.
//
//go:embed document_start.js
var documentStartScript string

// BindingName is the function by which the greeting speaks to us; only our world has it.
const BindingName = "sextantTell"
