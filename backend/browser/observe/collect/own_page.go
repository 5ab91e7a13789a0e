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

// PageScript is the script for a page of the app, which has no debugger: the same collector as in the
// browser, with synthetic input. It installs itself once as globalThis.__sextant; a page that wants only
// a part of itself observed sets globalThis.__sextantScope to an element before. What is asked goes
// through __sextant.do(name, args).
func PageScript() string {
	return "(" + strings.TrimSuffix(installer(), ";return true\n}") + ";\n" + pageJS + "\n;return true\n})();\n"
}

// AskFunc calls one of the functions of __sextant.do by name in a page of the app. The answer may be forged: a
// panel's page is foreign code.
type AskFunc func(ctx context.Context, name string, args ...any) (json.RawMessage, error)

// OwnPage is a World of a page of the app. Only functions that call by name work on it: Aim, AwaitSettled,
// CheckElement, HasText, HTML, ScrollBy, Selection, SelectText, and the functions of this file.
func OwnPage(ask AskFunc) World { return ownPage{ask} }

type ownPage struct{ ask AskFunc }

// errOwnPage is a programming mistake: a call that needs a debugger.
var errOwnPage = errors.New("a page of the app is asked by name only")

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

// CollectOwnPage lists the elements of a page of the app. doc identifies the load: another one after a reload.
func CollectOwnPage(ctx context.Context, w World, o Options) (raw RawDocument, doc string, err error) {
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

// PressOptions is a press at a point that Aim found. Button is left (""), middle or right.
type PressOptions struct {
	X         float64  `json:"x"`
	Y         float64  `json:"y"`
	Button    string   `json:"button,omitempty"`
	Count     int      `json:"count,omitempty"`
	Modifiers []string `json:"modifiers,omitempty"`
}

// Press presses the element of handle on a page of the app. A *Refusal when something covers it or
// the assistant may not operate it.
func Press(ctx context.Context, w World, handle int, p PressOptions) error {
	_, err := call[bool](ctx, w, "press", handle, p)
	return err
}

// Hover moves the pointer over the element of handle on a page of the app.
func Hover(ctx context.Context, w World, handle int, p PressOptions) error {
	_, err := call[bool](ctx, w, "hover", handle, p)
	return err
}

// SetText writes text into the element of handle on a page of the app and says what it holds then ("" where
// that is hidden). A *Refusal when it takes no text.
func SetText(ctx context.Context, w World, handle int, text string, wipe, submit bool) (now string, err error) {
	r, err := call[struct {
		Now string `json:"now"`
	}](ctx, w, "type", handle, text, map[string]bool{"clear": wipe, "submit": submit})
	return r.Now, err
}

// PressKey presses a key on a page of the app, where its focus is.
func PressKey(ctx context.Context, w World, key string) error {
	_, err := call[bool](ctx, w, "key", key)
	return err
}

// AreConnected reports for each handle whether its node is in the page of the app.
func AreConnected(ctx context.Context, w World, handles []int) ([]bool, error) {
	return call[[]bool](ctx, w, "live", handles)
}

// AreVisible reports for each handle whether its node is in the page of the app and visible.
func AreVisible(ctx context.Context, w World, handles []int) ([]bool, error) {
	return call[[]bool](ctx, w, "shown", handles)
}
