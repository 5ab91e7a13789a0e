package page

import (
	_ "embed"
)

// greeting is what our world of every document runs first.
//
//go:embed document_start.js
var documentStartScript string

// BindingName is the function by which the greeting speaks to us; only our world has it.
const BindingName = "sextantTell"
