package page

import (
	_ "embed"
)

// documentStartScript runs in our isolated world at the start of every document.
//
//go:embed document_start.js
var documentStartScript string

// BindingName is the function through which the document start script sends messages. Only our isolated world has it.
const BindingName = "sextantTell"
