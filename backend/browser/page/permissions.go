package page

import (
	_ "embed"
)

// documentStartScript runs in our isolated world when a document starts.
//
//go:embed document_start.js
var documentStartScript string

// byHandScript runs there too, in a browser without a window.
//
//go:embed by_hand.js
var byHandScript string

// BindingName is the function through which the document start script sends messages.
const BindingName = "sextantTell"
