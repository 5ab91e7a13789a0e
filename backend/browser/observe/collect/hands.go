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

// handScripts are the parts of the script that only acting needs, in the order they stand on
// each other.
func handScripts() []string { return []string{aimJS, typeJS, scrollJS, dragJS} }

// Drop is where something dragged to an element is let go.
type Drop struct {
	// State is ok, gone, hidden or offscreen.
	State string `json:"state"`
	// X, Y is the middle of the part that can be seen, W, H its size.
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// DropOf finds where to let go what is dragged to the element, which is brought into view as
// little as needed; first is true before the drag, when what covers it is not what is dragged.
func DropOf(ctx context.Context, w World, handle int, first bool) (Drop, error) {
	return call[Drop](ctx, w, "dropAt", handle, first)
}

// OrderOf says how two elements stand that are entries of one list: -1 when a comes before b,
// 1 when after, 0 when they are none.
func OrderOf(ctx context.Context, w World, a, b int) (int, error) {
	return call[int](ctx, w, "order", a, b)
}

// Dragging is what became of a drag in one document.
type Dragging struct {
	// Started is true when the page made a drag-and-drop of the press, Over when what lies
	// under the pointer takes it, Dropped when it got it, Ended when its source was told.
	Started bool `json:"started"`
	Over    bool `json:"over"`
	Dropped bool `json:"dropped"`
	Ended   bool `json:"ended"`
}

// WatchDrag begins to watch the document's drag-and-drop events for DraggingOf and Dragged.
func WatchDrag(ctx context.Context, w World) error {
	_, err := call[bool](ctx, w, "watchDrag")
	return err
}

// DraggingOf says what became of the drag so far; Dragged also ends the watch.
func DraggingOf(ctx context.Context, w World) (Dragging, error) {
	return call[Dragging](ctx, w, "dragging")
}

// Dragged says what became of the drag and ends the watch.
func Dragged(ctx context.Context, w World) (Dragging, error) {
	return call[Dragging](ctx, w, "dragged")
}

// Dwell returns when a page that looks at the pointer by its own clock has seen where it is.
func Dwell(ctx context.Context, w World) error {
	_, err := call[bool](ctx, w, "dwell")
	return err
}

// Under is what lies at a point of a document.
type Under struct {
	// Handles of the element and of what it stands in, innermost first, as far as a look gave any.
	Handles []int `json:"handles"`
	// Text names it for people: `button "Save"`; "" outside the document.
	Text string `json:"text"`
	// Frame is the handle of the frame element that lies there, X and Y the point in it.
	Frame int     `json:"frame"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
}

// UnderPoint says what a press at (x, y) of the document's viewport would meet.
func UnderPoint(ctx context.Context, w World, x, y float64) (Under, error) {
	return call[Under](ctx, w, "under", x, y)
}

// Files is a field that takes files.
type Files struct {
	// Handle is that of the field, 0 when the element has none.
	Handle   int  `json:"h"`
	Multiple bool `json:"multiple"`
	// Accept is the kind of files the field asks for, as the page wrote it.
	Accept string `json:"accept"`
	// Count is how many files it holds.
	Count int `json:"count"`
}

// FileField finds the file field that the element is, is the label of, or holds as the only
// one. A *Refusal when it cannot be used.
func FileField(ctx context.Context, w World, handle int) (Files, error) {
	return call[Files](ctx, w, "fileField", handle)
}
