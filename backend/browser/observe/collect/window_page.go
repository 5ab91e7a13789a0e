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

// PageScript returns the script for a page in Sextant's window, which has no debugger: the same collector as in the
// browser, with synthetic input. It installs itself once as globalThis.__sextant and is called through
// __sextant.do(name, args). To restrict it to a part of the page, set globalThis.__sextantScope to an element first.
func PageScript() string {
	return "(" + strings.TrimSuffix(installer(), ";return true\n}") + ";\n" + pageJS + "\n;return true\n})();\n"
}

// AskFunc calls the function name of __sextant.do in a page in Sextant's window. The answer may be forged, because a
// panel's page is foreign code.
type AskFunc func(ctx context.Context, name string, args ...any) (json.RawMessage, error)

// WindowPage returns a World for a page in Sextant's window. It supports only the operations of script/page.js.
func WindowPage(ask AskFunc) World { return windowPage{ask} }

type windowPage struct{ ask AskFunc }

// errWindowPage reports a call that needs a debugger, which is a bug.
var errWindowPage = errors.New("a page in Sextant's window supports only calls by name")

func (windowPage) Call(context.Context, string, ...any) (json.RawMessage, error) {
	return nil, errWindowPage
}

func (windowPage) EvalMain(context.Context, string) (json.RawMessage, error) {
	return nil, errWindowPage
}

func (windowPage) CallText(context.Context, string, ...any) (string, error) { return "", errWindowPage }

func (windowPage) Listeners(context.Context) (json.RawMessage, error) { return nil, errWindowPage }

func (windowPage) ClosedRoot(context.Context, string) (int, error) { return 0, errWindowPage }

func (windowPage) CallNodes(context.Context, string, []int) (json.RawMessage, error) {
	return nil, errWindowPage
}

// CollectWindowPage returns the elements of a page in Sextant's window. doc identifies the load of the page; it
// changes when the page is reloaded.
func CollectWindowPage(ctx context.Context, w World, o Options) (raw RawDocument, doc string, err error) {
	seen, err := call[struct {
		Text string `json:"text"`
		Doc  string `json:"doc"`
	}](ctx, w, "see", o)
	if err != nil {
		return RawDocument{}, "", err
	}
	text, ok := strings.CutPrefix(seen.Text, "=")
	if !ok {
		return RawDocument{}, "", fmt.Errorf("reading the page's answer (see): it begins with %.20q", seen.Text)
	}
	raw, err = unpack(text)
	return raw, seen.Doc, err
}

// PressOptions says how to press, at a point that Aim found. Button is left (""), middle or right.
type PressOptions struct {
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	Button    string   `json:"button,omitempty"`
	Count     int      `json:"count,omitempty"`
	Modifiers []string `json:"modifiers,omitempty"`
}

// Press presses the element of handle at a point, in a page in Sextant's window. The error is a *Refusal when
// something covers the element or the assistant may not use it.
func Press(ctx context.Context, w World, handle int, p PressOptions) error {
	_, err := call[bool](ctx, w, "press", handle, p)
	return err
}

// Hover moves the pointer over the element of handle in a page in Sextant's window.
func Hover(ctx context.Context, w World, handle int, p PressOptions) error {
	_, err := call[bool](ctx, w, "hover", handle, p)
	return err
}

// SetText writes text into the element of handle in a page in Sextant's window and returns the beginning of the new
// content, "" when that is hidden. wipe replaces the old content; without it, text is appended. submit presses Enter
// afterwards. The error is a *Refusal when the element takes no text.
func SetText(ctx context.Context, w World, handle int, text string, wipe, submit bool) (now string, err error) {
	r, err := call[struct {
		Now string `json:"now"`
	}](ctx, w, "type", handle, text, map[string]bool{"clear": wipe, "submit": submit})
	return r.Now, err
}

// PressKey presses a key in a page in Sextant's window: where the focus is, or on the element that was acted on
// last.
func PressKey(ctx context.Context, w World, key string) error {
	_, err := call[bool](ctx, w, "key", key)
	return err
}

// AreConnected reports for each handle whether its node is still in the document. w is a page in Sextant's window.
func AreConnected(ctx context.Context, w World, handles []int) ([]bool, error) {
	return call[[]bool](ctx, w, "live", handles)
}

// AreVisible reports for each handle whether its node is visible. w is a page in Sextant's window.
func AreVisible(ctx context.Context, w World, handles []int) ([]bool, error) {
	return call[[]bool](ctx, w, "shown", handles)
}
