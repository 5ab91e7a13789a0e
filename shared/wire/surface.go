package wire

import (
	"encoding/json"

	"sextant/shared/annotation"
)

// SurfaceRequest asks a window to read or act on the page of the panel that it shows: envelope kind "surface.ask".
// An envelope "surface.cancel" with the same ID says that nobody waits for the answer any more.
type SurfaceRequest struct {
	ID    int64  `json:"id"`
	Panel string `json:"panel"`
	// Frame is true for the panel's frame, false for what the window draws itself.
	Frame bool `json:"frame,omitempty"`
	// Do is an operation of collect/script/page.js, Args its arguments.
	Do   string            `json:"do"`
	Args []json.RawMessage `json:"args"`
}

// SurfaceReply is a window's answer. Value is {"v": value} or {"e": error}.
type SurfaceReply struct {
	ID    int64           `json:"id"`
	Value json.RawMessage `json:"value,omitempty"`
	// Error says why the page could not be asked: another panel is shown, or the panel has no frame.
	Error string `json:"error,omitempty"`
}

// SurfaceCancel names a SurfaceRequest that nobody waits for any more.
type SurfaceCancel struct {
	ID int64 `json:"id"`
}

// SurfaceMarks are the annotations of a panel's page after an observation: the argument of the operation
// "marks". The window draws them, moves them with their elements, and removes them with the page.
type SurfaceMarks struct {
	Version int `json:"version"`
	// Doc identifies the document of what the window draws, FrameDoc that of the frame, "" for none.
	Doc      string        `json:"doc"`
	FrameDoc string        `json:"frame_doc,omitempty"`
	Marks    []SurfaceMark `json:"marks"`
}

// SurfaceMark is one annotation. Handle identifies the element in its document; one in the frame has Element.Frame.
type SurfaceMark struct {
	Handle  int                `json:"handle"`
	Element annotation.Element `json:"element"`
}
