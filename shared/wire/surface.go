package wire

import (
	"encoding/json"

	"sextant/shared/annotation"
)

// SurfaceRequest asks a window to read or act on the page of the panel that it shows. It is sent in an envelope of kind
// "surface.ask". An envelope "surface.cancel" with the same ID cancels the request.
type SurfaceRequest struct {
	ID    int64  `json:"id"`
	Panel string `json:"panel"`
	// Frame is true for the panel's frame, false for the page that the window draws itself.
	Frame bool `json:"frame,omitempty"`
	// Operation is an operation of collect/script/page.js, and Args its arguments.
	Operation string            `json:"do"`
	Args      []json.RawMessage `json:"args"`
}

// SurfaceReply is a window's answer to a SurfaceRequest. Value is {"v": value} or {"e": error}.
type SurfaceReply struct {
	ID    int64           `json:"id"`
	Value json.RawMessage `json:"value,omitempty"`
	// Error says why the window could not pass on the request: another panel is shown, or the panel has no frame.
	Error string `json:"error,omitempty"`
}

// SurfaceCancel cancels the SurfaceRequest with the same ID.
type SurfaceCancel struct {
	ID int64 `json:"id"`
}

// SurfaceMarks contains the annotations of a panel's page after an observation. It is the argument of the operation
// "marks". The window draws the marks, moves them with their elements, and removes them when the page changes.
type SurfaceMarks struct {
	Version int `json:"version"`
	// DocID identifies the document that the window draws. FrameDocID identifies the frame's document, "" for none.
	DocID      string        `json:"doc"`
	FrameDocID string        `json:"frame_doc,omitempty"`
	Marks      []SurfaceMark `json:"marks"`
}

// SurfaceMark is an annotation. Handle identifies the element in its document, which is the frame's if Element.Frame is
// set.
type SurfaceMark struct {
	Handle  int                `json:"handle"`
	Element annotation.Element `json:"element"`
}
