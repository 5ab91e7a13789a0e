package act

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// serializeScript is a JavaScript function that converts a script's value to one that JSON can represent.
//
//go:embed evaluate.js
var serializeScript string

const (
	maxScript          = 100_000
	defaultScriptLimit = 10 * time.Second
	// maxValue bounds the JSON text of a script's value, in bytes.
	maxValue = 50_000
)

// EvaluateOptions says what to evaluate. Script is an expression, a function that takes the element, statements, or a
// function body with return; it may use await. It runs in the document of the element ID, or in the main document
// when ID is 0. Limit is the time limit, 10 seconds when 0.
type EvaluateOptions struct {
	Script string
	ID     int
	Limit  time.Duration
}

// EvaluateResult is the value of a script as JSON text on one line, "undefined" when it has none, "" when the page
// was left first. Truncated is true when only the beginning of the value is there.
type EvaluateResult struct {
	Text      string `json:"text"`
	Truncated bool   `json:"cut"`
}

// Evaluate runs a script in the page's main world and returns its effects like those of any action. An exception is a
// *surface.Fault of kind invalid that names the line.
func Evaluate(ctx context.Context, s *page.Session, o EvaluateOptions) (annotation.Observation, EvaluateResult, error) {
	var got EvaluateResult
	if strings.TrimSpace(o.Script) == "" || len(o.Script) > maxScript {
		return annotation.Observation{}, got, &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("The script is empty or longer than %d bytes.", maxScript),
			Suggestion: `Send a script such as "document.title".`,
		}
	}
	if o.Limit <= 0 {
		o.Limit = defaultScriptLimit
	}
	run := func(ctx context.Context, a *page.Action, doc *cdp.Document, node, where string) error {
		ctx, cancel := context.WithTimeoutCause(ctx, o.Limit, errSlowScript)
		defer cancel()
		a.SetOutcome("ran a script%s", where)
		raw, err := evaluate(ctx, doc, o.Script, node)
		if err != nil {
			return scriptFault(ctx, a, doc, err, o.Limit)
		}
		got, err = scriptValue(raw)
		return err
	}
	if o.ID != 0 {
		ans, err := onElement(ctx, s, o.ID, func(ctx context.Context, a *page.Action, g *Target) error {
			if err := g.verify(ctx); err != nil {
				return err
			}
			return run(ctx, a, g.Document, collect.NodeExpression(g.Element.Handle), " on "+g.Label())
		})
		return ans, got, err
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, got, err
	}
	ans, err := s.Act(ctx, t, func(ctx context.Context,
		a *page.Action,
	) error {
		return run(ctx, a, a.Page.MainDocument(), "", "")
	})
	return ans, got, err
}

// scriptValue validates the serialized value of a script. The page may have replaced the functions that serialized
// it, so the size limit and the one-line form are enforced here.
func scriptValue(raw json.RawMessage) (EvaluateResult, error) {
	var result struct {
		Value     json.RawMessage `json:"value"`
		None, Cut bool
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return EvaluateResult{}, fmt.Errorf("reading the script's value: %w", err)
	}
	if result.None {
		return EvaluateResult{Text: "undefined"}, nil
	}
	text := normalizeJSON(result.Value)
	if len(text) <= maxValue {
		return EvaluateResult{Text: text, Truncated: result.Cut}, nil
	}
	return EvaluateResult{Text: strings.ToValidUTF8(text[:maxValue], ""), Truncated: true}, nil
}

// normalizeJSON stops once the result is longer than maxValue bytes.
func normalizeJSON(raw json.RawMessage) string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var b strings.Builder
	// open lists the open brackets, members the number of tokens directly in each, after that of the top level.
	var open []json.Delim
	members := []int{0}
	for b.Len() <= maxValue {
		t, err := dec.Token()
		if err != nil {
			break
		}
		n := len(members) - 1
		if d, ok := t.(json.Delim); ok && (d == ']' || d == '}') {
			b.WriteRune(rune(d))
			open, members = open[:len(open)-1], members[:n]
			continue
		}
		switch {
		case members[n] == 0:
		case open[len(open)-1] == '{' && members[n]%2 == 1:
			b.WriteByte(':')
		default:
			b.WriteByte(',')
		}
		members[n]++
		switch t := t.(type) {
		case json.Delim:
			b.WriteRune(rune(t))
			open, members = append(open, t), append(members, 0)
		case string:
			b.Write(annotation.AppendString(nil, t))
		case nil:
			b.WriteString("null")
		default:
			fmt.Fprint(&b, t)
		}
	}
	return b.String()
}

var errSlowScript = errors.New("the script took too long")

// evaluate determines the form of the script by its syntax alone, and runs it once.
func evaluate(ctx context.Context, doc *cdp.Document, script, node string) (json.RawMessage, error) {
	value := "async function (element) {const f = (\n" + script + "\n); return (" + serializeScript +
		"\n)(typeof f === 'function' ? await f(element) : await f)}"
	body := "async function (element) {const v = await (async (element) => {\n" + script + "\n})(element); return (" +
		serializeScript + "\n)(v)}"
	err := doc.CheckSyntax(ctx, "("+value+")")
	if err == nil {
		raw, err := doc.CallMain(ctx, value, node)
		return raw, thrownLine(err, 1)
	}
	if !isScriptError(err) {
		return nil, err
	}
	plain := doc.CheckSyntax(ctx, script)
	if plain == nil && node == "" {
		raw, err := doc.EvalREPL(ctx, script, serializeScript)
		return raw, thrownLine(err, 0)
	}
	if err = doc.CheckSyntax(ctx, "("+body+")"); err == nil {
		raw, err := doc.CallMain(ctx, body, node)
		return raw, thrownLine(err, 1)
	}
	if isScriptError(plain) && !strings.Contains(plain.Error(), "Illegal return") {
		return nil, syntaxLine(plain, 0)
	}
	return nil, syntaxLine(err, 1)
}

func isScriptError(err error) bool {
	var e *cdp.ScriptError
	return errors.As(err, &e)
}

// syntaxLine converts the line of a syntax error to the script's own, from 1; before is the number of our lines above.
func syntaxLine(err error, before int) error {
	var e *cdp.ScriptError
	if errors.As(err, &e) {
		e.Line = max(e.Line+1-before, 1)
	}
	return err
}

// thrownLine is like syntaxLine for an exception, and prefers the line of the script's newest stack frame.
func thrownLine(err error, before int) error {
	var e *cdp.ScriptError
	if !errors.As(err, &e) {
		return err
	}
	if _, rest, ok := strings.Cut(e.Text, "<anonymous>:"); ok {
		digits, _, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(digits); err == nil {
			e.Line = n
		}
	}
	e.Line = max(e.Line-before, 1)
	return err
}

// scriptFault also stops a script that still runs. It returns nil, with a note, when another document replaced that of
// the script.
func scriptFault(ctx context.Context, a *page.Action, doc *cdp.Document, err error, limit time.Duration) error {
	var thrown *cdp.ScriptError
	switch {
	case errors.As(err, &thrown):
		head, _, _ := strings.Cut(thrown.Text, "\n")
		return &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("The script threw in line %d: %s", thrown.Line,
				surface.QuoteText(head, 400)),
			Suggestion: "Correct the script; what it did before that line is done.",
		}
	case errors.Is(context.Cause(ctx), errSlowScript):
		doc.TerminateExecution()
		return &surface.Fault{
			Kind: surface.FaultTimeout,
			Message: fmt.Sprintf("The script did not end within %s and was stopped; what it did until then is done.",
				limit),
			Suggestion: "Let it do less, or send a larger timeout.",
		}
	case ctx.Err() != nil:
		// An endless loop would block all later actions in the tab.
		doc.TerminateExecution()
		return err
	case errors.Is(err, cdp.ErrReplaced) && a.Page.CurrentDocument(doc) != nil:
		a.Note = "The script's page was left before it had a value."
		return nil
	}
	return err
}
