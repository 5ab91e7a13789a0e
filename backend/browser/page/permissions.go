package page

import (
	_ "embed"
)

// documentStartScript runs in our isolated world when a document starts.
//
//go:embed document_start.js
var documentStartScript string

// viewerReportsScript runs there too, in a browser without a window.
//
//go:embed viewer_reports.js
var viewerReportsScript string

// BindingName is the function through which the document start script sends messages.
const BindingName = "sextantTell"
