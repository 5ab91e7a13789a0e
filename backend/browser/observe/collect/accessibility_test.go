package collect

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

// sameRole holds what Chromium's tree calls the roles that we name otherwise, each for a reason.
var sameRole = map[string]string{
	"file button": "Chromium calls a file field a button; a model has to know that it takes a file",
	"link none": "a part of an image map: Chromium's tree has it only where its picture is " +
		"loaded",
	"file none":                        "a file field of no size of its own, shown by its label",
	"date Date":                        "HTML-AAM gives date fields no role; Chromium has words of its own",
	"time InputTime":                   "as date",
	"datetime DateTime":                "as date",
	"color ColorWell":                  "as date",
	"img image":                        "ARIA's name is img, image is its newer synonym",
	"button DisclosureTriangle":        "summary has no ARIA role; it works as a button",
	"button DisclosureTriangleGrouped": "summary has no ARIA role; it works as a button",
	"clickable generic":                "a generic element that listens",
	"clickable paragraph":              "a paragraph that listens: that it can be clicked is what counts",
	"clickable graphics-symbol":        "a drawn shape that listens; its name says that it is one",
	"clickable group":                  "Chromium calls what can be dragged a group",
	"slider generic":                   "a handle without a role: its place on its track is its value",
	"clickable none":                   "a generic element that listens",
	"focusable generic":                "a generic element that takes the focus",
	"video Video":                      "Chromium's own word",
	"audio Audio":                      "Chromium's own word",
	"canvas Canvas":                    "Chromium's own word",
	"option MenuListOption":            "Chromium's own word",
	"textbox generic":                  "an editable element without a role: a person types into it",
	"option ListBoxOption":             "Chromium's own word",
}

// sameName holds, by file and our line, where our name differs from Chromium's and why.
var sameName = map[string]string{
	`form.html: textbox "Postcode"`: "no label; the text before it is what a person goes by",
	`form.html: file "Upload photo"`: "not drawn, so not in Chromium's tree; its label is " +
		"pressed for it",
	`form.html: button "trash"`:                   "an icon only; its symbol's id says what it shows",
	`form.html: button "search"`:                  "an icon only; its class says what it shows",
	`form.html: clickable "Click me"`:             "Chromium names no generic element; its text is its name",
	`form.html: clickable "Point at me"`:          "as above",
	`layers.html: clickable "Card title Buy"`:     "as above",
	`layers.html: clickable "Seen child"`:         "as above",
	`delegate.html: clickable "React says click"`: "Chromium names no generic element and no paragraph",
	`delegate.html: clickable "Svelte paragraph"`: "Chromium names no generic element and no paragraph",
	`delegate.html: clickable "Hot one"`:          "Chromium names no generic element and no paragraph",
	`delegate.html: clickable "Tile with words"`:  "Chromium names no generic element and no paragraph",
	`names.html: link "Area"`:                     "a part of an image map",
	`places.html: link "Left half"`:               "a part of an image map",
	`places.html: link "Round"`:                   "a part of an image map",
	`places.html: textbox "plain"`:                "no label; its id is all there is",
	`places.html: textbox "Genre"`:                "no label; the text above it is what a person goes by",
	`places.html: clickable "Heard"`:              "Chromium names no generic element",
	`names.html: button "offer"`: "generated content is read only where there is no other: " +
		"it costs two style look-ups an element",
	`names.html: link "shopping cart"`: "a picture only; its file's name says what it shows",
	`names.html: checkbox "devices"`: "its label belongs to the list before it; the text beside " +
		"it is what a person goes by",
	`names.html: checkbox "times"`:                      "as above",
	`paint.html: clickable "red chip"`:                  "no words: a person goes by its look",
	`paint.html: clickable "blue #2966a3 chip"`:         "no words: a person goes by its look",
	`paint.html: clickable "yellow chip lamp"`:          "no words: a person goes by its look",
	`paint.html: clickable "red circle"`:                "no words: a person goes by its look",
	`paint.html: clickable "blue square"`:               "no words: a person goes by its look",
	`paint.html: clickable "lime triangle"`:             "no words: a person goes by its look",
	`paint.html: clickable "teal polygon of 5 corners"`: "no words: a person goes by its look",
	`paint.html: clickable "purple line"`:               "no words: a person goes by its look",
	`paint.html: clickable "K"`:                         "Chromium names no generic element",
	`paint.html: clickable "Word"`:                      "Chromium names no generic element",
	`paint.html: listitem "One"`:                        "Chromium names no generic element",
	`paint.html: listitem "Two"`:                        "Chromium names no generic element",
	`paint.html: clickable "Card"`:                      "Chromium names no generic element",
	`paint.html: slider "Zoom"`:                         "no label; the text before it is what a person goes by",
	`paint.html: slider "Depth"`:                        "no label; the text before it is what a person goes by",
	`names.html: video "Film"`:                          "Chromium replaces the author's name by its trouble",
}

// axNode is a node of Chromium's accessibility tree.
type axNode struct{ role, name string }

func axTree(t *testing.T, w *testWorld) map[int]axNode {
	t.Helper()
	tree, err := proto.AccessibilityGetFullAXTree{}.Call(w.page)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]axNode{}
	for _, n := range tree.Nodes {
		var a axNode
		if n.Role != nil {
			a.role = n.Role.Value.Str()
		}
		if n.Name != nil {
			a.name = n.Name.Value.Str()
		}
		out[int(n.BackendDOMNodeID)] = a
	}
	return out
}

// backend is the browser's own number of a handle's node.
func (w *testWorld) backend(t *testing.T, handle int) int {
	t.Helper()
	r, err := proto.RuntimeCallFunctionOn{
		FunctionDeclaration: NodeExpression(handle),
		ExecutionContextID:  w.context,
	}.Call(w.page)
	if err != nil {
		t.Fatal(err)
	}
	d, err := proto.DOMDescribeNode{ObjectID: r.Result.ObjectID}.Call(w.page)
	if err != nil {
		t.Fatal(err)
	}
	return int(d.Node.BackendNodeID)
}

func TestRolesAndNamesMatchAccessibilityTree(t *testing.T) {
	files, err := filepath.Glob("testdata/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		file := filepath.Base(f)
		t.Run(file, func(t *testing.T) {
			w := open(t, file)
			raw := collectPage(t, w, Options{WholePage: true})
			tree := axTree(t, w)
			if len(raw.Nodes) == 0 {
				t.Fatal("nothing was seen")
			}
			for _, n := range raw.Nodes {
				ax, ok := tree[w.backend(t, n.Handle)]
				if !ok {
					ax = axNode{role: "none"}
				}
				if ax.role != n.Role && sameRole[n.Role+" "+ax.role] == "" {
					t.Errorf("%s is %q in Chromium's tree", line(n), ax.role)
				}
				key := fmt.Sprintf("%s: %s %q", file, n.Role, n.Name)
				if fold(ax.name) != fold(n.Name) && sameName[key] == "" {
					t.Errorf("%q: %q in Chromium's tree", key, ax.name)
				}
			}
		})
	}
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }
