package collect

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

//go:embed script/page.js
var pageJS string

// PageScript is the script for a page of ours, where no debugger reaches: the same eyes as in the
// browser and hands of its own. It installs itself once as globalThis.__sextant; a page that wants only
// a part of itself looked at sets globalThis.__sextantScope to an element before. What is asked goes
// through __sextant.do(name, args).
func PageScript() string {
	return "(" + strings.TrimSuffix(installer(), ";return true\n}") + ";\n" + pageJS + "\n;return true\n})();\n"
}

// Asked answers one question to a page of ours by the name of a doing; the answer is what __sextant.do
// came to and may come from a page that lies.
type Asked func(ctx context.Context, name string, args ...any) (json.RawMessage, error)

// Ours is a World of a page of ours. Only what asks by name works on it: AimAt, CalmOf, HasText, HTML,
// ScrollBy, Selection, SelectText, StillIs, and the functions of this file.
func Ours(ask Asked) World { return ours{ask} }

type ours struct{ ask Asked }

// errOurs is our own mistake: a question that only a debugger can ask.
var errOurs = errors.New("a page of ours is asked by name only")

// Call implements World.
func (ours) Call(context.Context, string, ...any) (json.RawMessage, error) { return nil, errOurs }

// EvalMain implements World.
func (ours) EvalMain(context.Context, string) (json.RawMessage, error) { return nil, errOurs }

// Text implements World.
func (ours) Text(context.Context, string, ...any) (string, error) { return "", errOurs }

// Listeners implements World.
func (ours) Listeners(context.Context) (json.RawMessage, error) { return nil, errOurs }

// ClosedRoot implements World.
func (ours) ClosedRoot(context.Context, string) (int, error) { return 0, errOurs }

// CallNodes implements World.
func (ours) CallNodes(context.Context, string, []int) (json.RawMessage, error) { return nil, errOurs }

// See looks at a page of ours. doc names the document's life: another one when the page was loaded anew.
func See(ctx context.Context, w World, o Options) (raw Raw, doc string, err error) {
	seen, err := call[struct {
		Text string `json:"text"`
		Doc  string `json:"doc"`
	}](ctx, w, "see", o)
	if err != nil {
		return Raw{}, "", err
	}
	text, ok := strings.CutPrefix(seen.Text, "=")
	if !ok {
		return Raw{}, "", fmt.Errorf("reading the page's answer (see): it begins with %.20q", seen.Text)
	}
	raw, err = unpack(text)
	return raw, seen.Doc, err
}

// Pressing is a press at a point that AimAt found. Button is left (""), middle or right.
type Pressing struct {
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	Button    string   `json:"button,omitempty"`
	Count     int      `json:"count,omitempty"`
	Modifiers []string `json:"modifiers,omitempty"`
}

// PressAt presses the element of handle on a page of ours. A *Refusal when something came in the way or
// the element is not for the assistant.
func PressAt(ctx context.Context, w World, handle int, p Pressing) error {
	_, err := call[bool](ctx, w, "press", handle, p)
	return err
}

// HoverAt moves the pointer over the element of handle on a page of ours.
func HoverAt(ctx context.Context, w World, handle int, p Pressing) error {
	_, err := call[bool](ctx, w, "hover", handle, p)
	return err
}

// Put writes text into the element of handle on a page of ours and says what it holds then ("" where
// that is hidden). A *Refusal when it takes no text.
func Put(ctx context.Context, w World, handle int, text string, wipe, submit bool) (now string, err error) {
	r, err := call[struct {
		Now string `json:"now"`
	}](ctx, w, "type", handle, text, map[string]bool{"clear": wipe, "submit": submit})
	return r.Now, err
}

// Stroke presses a key on a page of ours, where its focus is.
func Stroke(ctx context.Context, w World, key string) error {
	_, err := call[bool](ctx, w, "key", key)
	return err
}

// Live tells of each handle whether its node stands in the page of ours, Shown whether it also shows.
func Live(ctx context.Context, w World, handles []int) ([]bool, error) {
	return call[[]bool](ctx, w, "live", handles)
}

// Shown is Live for nodes that are drawn.
func Shown(ctx context.Context, w World, handles []int) ([]bool, error) {
	return call[[]bool](ctx, w, "shown", handles)
}
