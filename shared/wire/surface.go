package wire

import (
	"encoding/json"

	"sextant/shared/annotator"
)

// SurfaceAsk asks a window to look at or act on the page of the panel that it shows: envelope kind
// "surface.ask". An envelope "surface.cancel" with the same ID says that nobody waits for the answer
// any more.
type SurfaceAsk struct {
	ID    int64  `json:"id"`
	Panel string `json:"panel"`
	// Frame is true for what the panel shows in its frame, false for what the window draws itself.
	Frame bool `json:"frame,omitempty"`
	// Do is the name of what is to be done (the doings of collect/script/page.js), Args its arguments.
	Do   string            `json:"do"`
	Args []json.RawMessage `json:"args"`
}

// SurfaceReply is a window's answer. Value is what the page came to: {"v": value} or {"e": why not}.
type SurfaceReply struct {
	ID    int64           `json:"id"`
	Value json.RawMessage `json:"value,omitempty"`
	// Error says why the page could not be asked: another panel is shown, or it has no frame.
	Error string `json:"error,omitempty"`
}

// SurfaceCancel names a SurfaceAsk that nobody waits for.
type SurfaceCancel struct {
	ID int64 `json:"id"`
}

// SurfaceMarks are the numbers of a panel's page after a look, for the window that was asked: the argument of
// the ask "marks". The window draws them, follows what they stand on, and drops them with the page.
type SurfaceMarks struct {
	Version int `json:"version"`
	// Doc is the life of what the window draws, FrameDoc of what its frame shows: "" for none.
	Doc      string        `json:"doc"`
	FrameDoc string        `json:"frame_doc,omitempty"`
	Marks    []SurfaceMark `json:"marks"`
}

// SurfaceMark is one number. Handle is the element's name in its document; a frame's has Element.Frame.
type SurfaceMark struct {
	Handle  int               `json:"handle"`
	Element annotator.Element `json:"element"`
}
