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

// PageScript is the script for a page of ours, where no debugger reaches: the same collector as in the
// browser and its own synthetic input. It installs itself once as globalThis.__sextant; a page that wants only
// a part of itself observed sets globalThis.__sextantScope to an element before. What is asked goes
// through __sextant.do(name, args).
func PageScript() string {
	return "(" + strings.TrimSuffix(installer(), ";return true\n}") + ";\n" + pageJS + "\n;return true\n})();\n"
}

// AskFunc answers one question to a page of ours by the name of a doing; the answer is what __sextant.do
// came to and may come from a page that lies.
type AskFunc func(ctx context.Context, name string, args ...any) (json.RawMessage, error)

// OwnPage is a World of a page of ours. Only what asks by name works on it: AimAt, CalmOf, HasText, HTML,
// ScrollBy, Selection, SelectText, StillIs, and the functions of this file.
func OwnPage(ask AskFunc) World { return ownPage{ask} }

type ownPage struct{ ask AskFunc }

// errOwnPage is our own mistake: a question that only a debugger can ask.
var errOwnPage = errors.New("a page of ours is asked by name only")

// Call implements World.
func (ownPage) Call(context.Context, string, ...any) (json.RawMessage, error) { return nil, errOwnPage }

// EvalMain implements World.
func (ownPage) EvalMain(context.Context, string) (json.RawMessage, error) { return nil, errOwnPage }

// Text implements World.
func (ownPage) Text(context.Context, string, ...any) (string, error) { return "", errOwnPage }

// Listeners implements World.
func (ownPage) Listeners(context.Context) (json.RawMessage, error) { return nil, errOwnPage }

// ClosedRoot implements World.
func (ownPage) ClosedRoot(context.Context, string) (int, error) { return 0, errOwnPage }

// CallNodes implements World.
func (ownPage) CallNodes(context.Context, string, []int) (json.RawMessage, error) {
	return nil, errOwnPage
}

// CollectOwnPage lists the elements of a page of ours. doc identifies the load: another one after a reload.
func CollectOwnPage(ctx context.Context, w World, o Options) (raw Raw, doc string, err error) {
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

// PressOptions is a press at a point that AimAt found. Button is left (""), middle or right.
type PressOptions struct {
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	Button    string   `json:"button,omitempty"`
	Count     int      `json:"count,omitempty"`
	Modifiers []string `json:"modifiers,omitempty"`
}

// Press presses the element of handle on a page of ours. A *Refusal when something came in the way or
// the element is not for the assistant.
func Press(ctx context.Context, w World, handle int, p PressOptions) error {
	_, err := call[bool](ctx, w, "press", handle, p)
	return err
}

// Hover moves the pointer over the element of handle on a page of ours.
func Hover(ctx context.Context, w World, handle int, p PressOptions) error {
	_, err := call[bool](ctx, w, "hover", handle, p)
	return err
}

// SetText writes text into the element of handle on a page of ours and says what it holds then ("" where
// that is hidden). A *Refusal when it takes no text.
func SetText(ctx context.Context, w World, handle int, text string, wipe, submit bool) (now string, err error) {
	r, err := call[struct {
		Now string `json:"now"`
	}](ctx, w, "type", handle, text, map[string]bool{"clear": wipe, "submit": submit})
	return r.Now, err
}

// PressKey presses a key on a page of ours, where its focus is.
func PressKey(ctx context.Context, w World, key string) error {
	_, err := call[bool](ctx, w, "key", key)
	return err
}

// AreConnected reports for each handle whether its node is in the page of ours.
func AreConnected(ctx context.Context, w World, handles []int) ([]bool, error) {
	return call[[]bool](ctx, w, "live", handles)
}

// AreVisible reports for each handle whether its node is in the page of ours and visible.
func AreVisible(ctx context.Context, w World, handles []int) ([]bool, error) {
	return call[[]bool](ctx, w, "shown", handles)
}
