package collect

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

var (
	//go:embed script/base.js
	baseJS string
	//go:embed script/roles.js
	rolesJS string
	//go:embed script/names.js
	namesJS string
	//go:embed script/paint.js
	paintJS string
	//go:embed script/place.js
	placeJS string
	//go:embed script/report.js
	reportJS string
	//go:embed script/rows.js
	rowsJS string
	//go:embed script/find.js
	findJS string
	//go:embed script/cursor.js
	cursorJS string
	//go:embed script/look.js
	lookJS string
	//go:embed script/rest.js
	restJS string
	//go:embed script/newtext.js
	newTextJS string
	//go:embed script/guard.js
	guardJS string
	//go:embed script/text.js
	textJS string
	//go:embed script/listeners.js
	listenersJS string
)

// ErrGone is returned when the node of a handle was removed from the document.
var ErrGone = errors.New("the element is gone")

// Refusal is the error of a script in the page: the page does not allow the action, or the script failed there. Message
// says why, without the element's name, such as `no option "XL"; there are "S", "M"`.
type Refusal struct{ Message string }

// Error implements error.
func (r *Refusal) Error() string { return r.Message }

func installer() string {
	parts := []string{
		baseJS, rolesJS, namesJS, paintJS, placeJS, reportJS, rowsJS, findJS, cursorJS, lookJS, restJS,
		newTextJS, guardJS, textJS,
	}
	parts = append(parts, actionScripts()...)
	return "function () {\nif (globalThis.__sextant) return true;\n" + strings.Join(parts, "\n;\n") +
		"\n;return true\n}"
}

// Install installs the script in the document if necessary. The functions that need the script do so too; ActivityOf
// counts mutations from then on.
func Install(ctx context.Context, w World) error {
	if _, err := w.Call(ctx, installer()); err != nil {
		return fmt.Errorf("installing the collector: %w", err)
	}
	return nil
}

type envelope struct {
	Value   json.RawMessage `json:"v"`
	Error   string          `json:"e"`
	Missing bool            `json:"m"`
}

func call[T any](ctx context.Context, w World, name string, args ...any) (T, error) {
	var out T
	fn := `async function (...a) {
  const s = globalThis.__sextant
  if (!s) return { m: true }
  try { return { v: await s.` + name + `(...a) } } catch (e) { return { e: String(e?.message ?? e) } }
}`
	for try := range 2 {
		var raw json.RawMessage
		var err error
		if o, own := w.(windowPage); own {
			raw, err = o.ask(ctx, name, args...)
		} else {
			raw, err = w.Call(ctx, fn, args...)
		}
		if err != nil {
			return out, fmt.Errorf("asking the page (%s): %w", name, err)
		}
		var env envelope
		if err := json.Unmarshal(raw, &env); err != nil {
			return out, fmt.Errorf("reading the page's answer (%s): %w", name, err)
		}
		if env.Missing && try == 0 {
			if err := Install(ctx, w); err != nil {
				return out, err
			}
			continue
		}
		switch {
		case env.Missing:
			return out, fmt.Errorf("asking the page (%s): the collector is not installed", name)
		case env.Error == "gone":
			return out, ErrGone
		case env.Error != "":
			return out, &Refusal{Message: env.Error}
		}
		if err := json.Unmarshal(env.Value, &out); err != nil {
			return out, fmt.Errorf("reading the page's answer (%s): %w", name, err)
		}
		return out, nil
	}
	return out, nil
}

// NodeExpression returns a function declaration that returns the DOM node of handle, or null when it was removed.
func NodeExpression(handle int) string {
	return fmt.Sprintf("function () { return globalThis.__sextant?.live(%d) ?? null }", handle)
}

// FocusIsInFrame reports whether typed text goes into a frame of the document.
func FocusIsInFrame(ctx context.Context, w World) (bool, error) {
	return call[bool](ctx, w, "framed")
}

// HasLink reports whether the document has a link to exactly url.
func HasLink(ctx context.Context, w World, url string) (bool, error) {
	return call[bool](ctx, w, "offers", url)
}

// IsSignedIn reports whether the document offers to sign out.
func IsSignedIn(ctx context.Context, w World) (bool, error) { return call[bool](ctx, w, "signedIn") }
