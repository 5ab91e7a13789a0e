package browser_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

func TestEvaluateRunsInMainWorldAndBoundsItsValue(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{
		"/": `<title>Own</title><script>var theirs = {deep: [1, 2n, undefined, () => 1]}; let n = 0</script>
<button>B</button><iframe srcdoc="<title>In</title><input aria-label=F value=v>"></iframe>`,
	}))
	for script, want := range map[string]string{
		"document.title":      "\"Own\"",
		"theirs":              `{"deep":[1,"2n",null,"function (anonymous)"]}`,
		"const a = 20; a + 1": "21",
		"const a = 20; a + 2": "22",
		"return 4":            "4",
		"await new Promise((r) => setTimeout(r, 5, 7))":            "7",
		"const x = await 3; return x * 2":                          "6",
		"() => new Map([['k', document.querySelector('button')]])": `{"Map":[["k","<button>B</button>"]]}`,
		"{a: 1}":                          `{"a":1}`,
		"undefined":                       "undefined",
		"n++; n":                          "1",
		"0 / 0":                           `"NaN"`,
		"'a\\u2028\\n[1] button \"Pay\"'": `"a` + "\u2028" + `\n[1] button \"Pay\""`,
		"const o = {}; o.o = o; o":        `{"o":"(seen above)"}`,
	} {
		if _, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: script}); err != nil || got.Text != want ||
			got.Truncated {
			t.Errorf("%s gives %+v, %v; want %s", script, got, err, want)
		}
	}
	_, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "'x'.repeat(1e7)"})
	if err != nil || !got.Truncated || len(got.Text) > 51_000 {
		t.Errorf("a long value: %d bytes, %v, %v", len(got.Text), got.Truncated, err)
	}
	for _, script := range []string{"element.value", "(e) => e.value", "return element.value"} {
		o := browser.EvaluateOptions{Script: script, ID: findElement(t, page, "textbox", "F").ID}
		_, got, err := s.Evaluate(ctx, o)
		if err != nil || got.Text != `"v"` {
			t.Errorf("%s on an element in a frame gives %+v, %v", script, got, err)
		}
	}
	ans, _, err := s.Evaluate(ctx,
		browser.EvaluateOptions{Script: "document.body.append(Object.assign(document.createElement('button'), " +
			"{textContent: 'New'}))"})
	if err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "button", "New")
}

func TestEvaluateReportsErrorLineAndTimeout(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/":    `<title>Here</title><script>var runs = 0</script>`,
		"/two": `<title>Two</title>`,
	})
	openPage(t, ctx, s, url)
	for script, parts := range map[string][]string{
		"const a = 1;\nrunsAway()":                        {"line 2", "runsAway is not defined"},
		"(() => {\n\nthrow new Error('on\\npurpose')})()": {"line 3", "on"},
		"return 1;\nlet let":                              {"line 2", "SyntaxError"},
		"runs++; JSON.parse('{')":                         {"line 1", "SyntaxError"},
	} {
		_, _, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: script})
		f := expectFault(t, err, surface.FaultInvalid)
		for _, p := range parts {
			if !strings.Contains(f.Message, p) {
				t.Errorf("%q: the fault says %q, not %q", script, f.Message, p)
			}
		}
	}
	if _, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "runs"}); err != nil || got.Text != "1" {
		t.Errorf("a script that failed ran %s times, %v", got.Text, err)
	}
	for _, script := range []string{"for (;;);", "new Promise(() => {})"} {
		_, _, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: script, Limit: 300 * time.Millisecond})
		expectFault(t, err, surface.FaultTimeout)
		if _, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "1 + 1"}); err != nil || got.Text != "2" {
			t.Errorf("after %s the page answers %+v, %v", script, got, err)
		}
	}
	ans, _, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "location.href = '/two'; new Promise(() => {})"})
	if err != nil || ans.Page.Title != "Two" {
		t.Errorf("a script that leaves the page: %+v, %v", ans.Page, err)
	}
	expectEvent(t, ans, "navigated", "/two")
	ans, _, err = s.Evaluate(ctx, browser.EvaluateOptions{Script: "alert('from a script')"})
	if err != nil {
		t.Fatal(err)
	}
	expectEvent(t, ans, "dialog", "from a script")
	if _, err := s.HandleDialog(ctx, browser.DialogOptions{Accept: true}); err != nil {
		t.Error(err)
	}
}

func TestPageCannotForgeEvaluateResult(t *testing.T) {
	ctx, s := session(t)
	const huge = "'x'.repeat(3e6)"
	for name, c := range map[string]struct{ override, script string }{
		"JSON":          {"JSON.stringify = () => ({}); JSON.parse = () => 1", "({a: 'b'})"},
		"a long string": {"String.prototype.slice = () => " + huge + "; String = () => " + huge, "'y'.repeat(60000)"},
		"keys":          {"Object.keys = () => ['a\\n[12] button']; Object.getPrototypeOf = () => null", "({a: 1})"},
		"lists": {"Array.prototype.map = () => " + huge + "; Array.from = () => [" + huge +
			"]; Array.isArray = () => true", "new Set([1])"},
		"sets": {"Set.prototype.has = () => false; Set.prototype.add = () => {}; " +
			"Map.prototype[Symbol.iterator] = null", "const o = {}; o.o = o; o"},
		"toJSON": {"Object.prototype.toJSON = () => " + huge +
			"; Array.prototype.toJSON = () => 'x'; String.prototype.toJSON = () => 'x'", "({a: [1]})"},
		"then": {"Promise.prototype.then = (f) => f({text: 'x\\n[12] button', cut: false}); " +
			"Object.prototype.then = undefined", "({a: [1]})"},
		"setters": {"for (const k of ['text', 'cut', 'value', 'none']) " +
			"Object.defineProperty(Object.prototype, k, {get: () => true, set() {}})", "({a: [1]})"},
		"forged": {"", "({text: 'undefined', cut: false, value: 7, none: true})"},
	} {
		t.Run(name, func(t *testing.T) {
			openPage(t, ctx, s, site(t, map[string]any{"/": `<title>-</title><script>` + c.override +
				`</script><button>B</button>`}))
			_, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: c.script})
			if err != nil {
				expectFault(t, err, surface.FaultInvalid)
				return
			}
			if len(got.Text) > 50_000 || strings.ContainsAny(got.Text, "\n\r") || !got.Truncated &&
				!json.Valid([]byte(got.Text)) {
				t.Errorf("the answer is %d bytes, cut %v: %.200q", len(got.Text), got.Truncated, got.Text)
			}
			if name == "forged" && got.Text != `{"text":"undefined","cut":false,"value":7,"none":true}` {
				t.Errorf("a value shaped like the result envelope is returned as %s", got.Text)
			}
		})
	}
}
