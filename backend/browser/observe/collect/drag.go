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

// actionScripts are the parts of the script that only actions need, in the order they depend on
// each other.
func actionScripts() []string { return []string{aimJS, typeJS, scrollJS, dragJS} }

// DropPoint is the point at which to drop on an element.
type DropPoint struct {
	// State is ok, gone, hidden or offscreen.
	State string `json:"state"`
	// X, Y is the middle of the part that can be seen, W, H its size.
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// DropPointOf finds where to drop on the element, and scrolls it into view as little as needed;
// first is true before the drag, when the dragged element cannot be what covers it.
func DropPointOf(ctx context.Context, w World, handle int, first bool) (DropPoint, error) {
	return call[DropPoint](ctx, w, "dropAt", handle, first)
}

// ListOrder compares two elements that are entries of one list: -1 when a comes before b,
// 1 when after, 0 when they are none.
func ListOrder(ctx context.Context, w World, a, b int) (int, error) {
	return call[int](ctx, w, "order", a, b)
}

// DragState is the state of a drag in one document.
type DragState struct {
	// Started is true when the press started a native drag-and-drop, Over when the element under
	// the pointer accepts it, Dropped after the drop, Ended when the source got dragend.
	Started bool `json:"started"`
	Over    bool `json:"over"`
	Dropped bool `json:"dropped"`
	Ended   bool `json:"ended"`
}

// WatchDrag starts watching the document's drag-and-drop events for DragStateOf and EndDrag.
func WatchDrag(ctx context.Context, w World) error {
	_, err := call[bool](ctx, w, "watchDrag")
	return err
}

// DragStateOf returns the state of the drag so far; EndDrag also ends the watch.
func DragStateOf(ctx context.Context, w World) (DragState, error) {
	return call[DragState](ctx, w, "dragging")
}

// EndDrag returns the final state of the drag and ends the watch.
func EndDrag(ctx context.Context, w World) (DragState, error) {
	return call[DragState](ctx, w, "dragged")
}

// AwaitPointerSeen returns when a page that samples the pointer with a timer has seen where it is.
func AwaitPointerSeen(ctx context.Context, w World) error {
	_, err := call[bool](ctx, w, "dwell")
	return err
}

// HitTest is the element at a point of a document.
type HitTest struct {
	// Handles of the element and of its ancestors, innermost first, as far as a collection gave any.
	Handles []int `json:"handles"`
	// Text names it for people: `button "Save"`; "" outside the document.
	Text string `json:"text"`
	// Frame is the handle of the frame element that lies there, X and Y the point in it.
	Frame int     `json:"frame"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// HitTestAt finds the element that a press at (x, y) of the document's viewport would hit.
func HitTestAt(ctx context.Context, w World, x, y float64) (HitTest, error) {
	return call[HitTest](ctx, w, "under", x, y)
}

// FileInput is a field that takes files.
type FileInput struct {
	// Handle is that of the field, 0 when the element has none.
	Handle   int  `json:"h"`
	Multiple bool `json:"multiple"`
	// Accept is the kind of files the field asks for, as the page wrote it.
	Accept string `json:"accept"`
	// Count is how many files it holds.
	Count int `json:"count"`
}

// FileInputOf finds the file field that the element is, is the label of, or holds as the only
// one. A *Refusal when it cannot be used.
func FileInputOf(ctx context.Context, w World, handle int) (FileInput, error) {
	return call[FileInput](ctx, w, "fileField", handle)
}
