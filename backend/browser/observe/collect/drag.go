package collect

import (
	"context"
	_ "embed"
)

var (
	//go:embed script/aim.js
	aimJS string
	//go:embed script/type.js
	typeJS string
	//go:embed script/scroll.js
	scrollJS string
	//go:embed script/drag.js
	dragJS string
)

func actionScripts() []string { return []string{aimJS, typeJS, scrollJS, dragJS} }

// DropPoint is the point at which to drop on an element.
type DropPoint struct {
	// State is ok, gone, hidden or offscreen.
	State string `json:"state"`
	// X and Y are a point on the visible part of the element, usually its middle; W and H are the size of that part.
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// DropPointOf returns the point at which to drop on the element, which it scrolls into view if necessary. When first is
// true, before the drag, it chooses a place that nothing covers if there is one; later calls use it again, because the
// dragged element may then cover it.
func DropPointOf(ctx context.Context, w World, handle int, first bool) (DropPoint, error) {
	return call[DropPoint](ctx, w, "dropAt", handle, first)
}

// ListOrder compares the positions of two entries of a list: -1 when a is before b, 1 when it is after b, and 0 when
// they are not in one list.
func ListOrder(ctx context.Context, w World, a, b int) (int, error) {
	return call[int](ctx, w, "order", a, b)
}

// DragState is the state of a drag in one document.
type DragState struct {
	// Started is true when the press started a native drag-and-drop, Accepted when the element at the last dragover
	// accepted it, Dropped after the drop, and Ended after the source got dragend.
	Started  bool `json:"started"`
	Accepted bool `json:"over"`
	Dropped  bool `json:"dropped"`
	Ended    bool `json:"ended"`
}

// WatchDrag starts watching the document's drag-and-drop events for DragStateOf and EndDrag.
func WatchDrag(ctx context.Context, w World) error {
	_, err := call[bool](ctx, w, "watchDrag")
	return err
}

// DragStateOf returns the current state of the drag and continues the watch.
func DragStateOf(ctx context.Context, w World) (DragState, error) {
	return call[DragState](ctx, w, "dragging")
}

// EndDrag returns the final state of the drag and ends the watch.
func EndDrag(ctx context.Context, w World) (DragState, error) {
	return call[DragState](ctx, w, "dragged")
}

// AwaitPointerSeen waits long enough for a page that polls the pointer's position every 50 ms.
func AwaitPointerSeen(ctx context.Context, w World) error {
	_, err := call[bool](ctx, w, "dwell")
	return err
}

// HitTest is the element at a point of a document.
type HitTest struct {
	// Handles are those of the element and its ancestors, innermost first; nodes without a handle are left out.
	Handles []int `json:"handles"`
	// Text names the element for people, such as `button "Save"`; "" outside the document.
	Text string `json:"text"`
	// Frame is the handle of the element when it is a frame, else 0. X and Y are the point in the frame.
	Frame int     `json:"frame"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// HitTestAt finds the element that a press at (x, y) of the document's viewport would hit.
func HitTestAt(ctx context.Context, w World, x, y float64) (HitTest, error) {
	return call[HitTest](ctx, w, "under", x, y)
}

// FileInput is a file field.
type FileInput struct {
	// Handle is the handle of the field, 0 when there is none.
	Handle   int    `json:"h"`
	Multiple bool   `json:"multiple"`
	Accept   string `json:"accept"`
	// Count is the number of files in the field.
	Count int `json:"count"`
}

// FileInputOf returns the file field that is the element itself, that the element labels, or that is the only one
// inside it. The error is a *Refusal when the field cannot be used.
func FileInputOf(ctx context.Context, w World, handle int) (FileInput, error) {
	return call[FileInput](ctx, w, "fileField", handle)
}
