package browser_test

import (
	"strings"
	"testing"
	"time"

	"sextant/backend/surfaces/browser"
)

func TestAScriptRunsInThePagesOwnWorldAndItsValueIsToldWithinBounds(t *testing.T) {
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
		if _, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: script}); err != nil || got.Text != want || got.Cut {
			t.Errorf("%s gives %+v, %v; want %s", script, got, err, want)
		}
	}
	_, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "'x'.repeat(1e7)"})
	if err != nil || !got.Cut || len(got.Text) > 51_000 {
		t.Errorf("a long value: %d bytes, %v, %v", len(got.Text), got.Cut, err)
	}
	for _, script := range []string{"element.value", "(e) => e.value", "return element.value"} {
		_, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: script, ID: the(t, page, "textbox", "F").ID})
		if err != nil || got.Text != `"v"` {
			t.Errorf("%s on an element in a frame gives %+v, %v", script, got, err)
		}
	}
	ans, _, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "document.body.append(Object.assign(document.createElement('button'), {textContent: 'New'}))"})
	if err != nil {
		t.Fatal(err)
	}
	the(t, ans, "button", "New")
}

func TestAScriptThatFailsOrDoesNotEndIsSaidWithItsLine(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>Here</title><script>var runs = 0</script>`, "/two": `<title>Two</title>`})
	openPage(t, ctx, s, url)
	for script, parts := range map[string][]string{
		"const a = 1;\nrunsAway()":                        {"line 2", "runsAway is not defined"},
		"(() => {\n\nthrow new Error('on\\npurpose')})()": {"line 3", "on"},
		"return 1;\nlet let":                              {"line 2", "SyntaxError"},
		"runs++; JSON.parse('{')":                         {"line 1", "SyntaxError"},
	} {
		_, _, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: script})
		f := fault(t, err, browser.FaultInvalid)
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
		fault(t, err, browser.FaultTimeout)
		if _, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "1 + 1"}); err != nil || got.Text != "2" {
			t.Errorf("after %s the page answers %+v, %v", script, got, err)
		}
	}
	ans, _, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "location.href = '/two'; new Promise(() => {})"})
	if err != nil || ans.Page.Title != "Two" {
		t.Errorf("a script that leaves the page: %+v, %v", ans.Page, err)
	}
	said(t, ans, "navigated", "/two")
	ans, _, err = s.Evaluate(ctx, browser.EvaluateOptions{Script: "alert('from a script')"})
	if err != nil {
		t.Fatal(err)
	}
	said(t, ans, "dialog", "from a script")
	if _, err := s.HandleDialog(ctx, browser.DialogOptions{Accept: true}); err != nil {
		t.Error(err)
	}
}
