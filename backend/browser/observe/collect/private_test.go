package collect

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

const privatePage = `<!doctype html><p id="outside">composer draft</p>
<main id="stage" style="position:relative;width:600px;height:400px">
<button id="tab">Shell 1 <span data-private>vim hunter2.txt</span></button>
<p id="plain">shown words</p>
<div id="term" data-private style="height:200px"><div class="rows">cat key: hunter2</div><textarea id="in">hunter2</textarea><button>hunter2</button></div>
</main>`

// openOwnPage is the app's own page, of which only the stage is collected; it is called by name as the window is.
func openOwnPage(t *testing.T, html string) World {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(html))
	}))
	t.Cleanup(s.Close)
	page := openURL(t, s.URL).page.Timeout(20 * time.Second)
	run := func(ctx context.Context, code string) (json.RawMessage, error) {
		r, err := proto.RuntimeEvaluate{
			Expression: code, ReturnByValue: true,
			AwaitPromise: true,
		}.Call(page.Context(ctx))
		if err != nil {
			return nil, err
		}
		return json.Marshal(r.Result.Value)
	}
	if _, err := run(t.Context(), "globalThis.__sextantScope = document.querySelector('#stage');"+
		PageScript()); err != nil {
		t.Fatal(err)
	}
	return WindowPage(func(ctx context.Context, name string, args ...any) (json.RawMessage, error) {
		if name == "run" {
			return run(ctx, args[0].(string))
		}
		list, err := json.Marshal(args)
		if err != nil {
			return nil, err
		}
		if args == nil {
			list = []byte("[]")
		}
		quoted, _ := json.Marshal(name)
		return run(ctx, "__sextant.do("+string(quoted)+","+string(list)+")")
	})
}

// ownPageJSON is everything that the window's own page reports about itself.
func ownPageJSON(t *testing.T, w World) string {
	t.Helper()
	raw, _, err := CollectWindowPage(t.Context(), w, Options{WholePage: true})
	if err != nil {
		t.Fatal(err)
	}
	seen, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	html, err := HTML(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	return string(seen) + html
}

func TestPrivateContentIsHiddenUntilShared(t *testing.T) {
	w := openOwnPage(t, privatePage)
	run := func(code string) {
		t.Helper()
		if _, err := w.(windowPage).ask(t.Context(), "run", code); err != nil {
			t.Fatal(err)
		}
	}
	selects := map[string]string{
		"in the private part":   `getSelection().selectAllChildren(document.querySelector('.rows'))`,
		"across it":             `getSelection().selectAllChildren(document.querySelector('#stage'))`,
		"in a field of it":      `document.querySelector('#in').select()`,
		"elsewhere, no private": `getSelection().selectAllChildren(document.querySelector('#outside'))`,
	}
	if all := ownPageJSON(t, w); strings.Contains(all, "hunter2") || !strings.Contains(all, "shown words") ||
		!strings.Contains(all, "Shell 1") {
		t.Errorf("it says %s", all)
	}
	has := func(text string) bool {
		t.Helper()
		there, err := HasText(t.Context(), w, text)
		if err != nil {
			t.Fatal(err)
		}
		return there
	}
	if has("hunter2") || !has("Shown  words") {
		t.Error("a wait for a text finds what is private, or not what is shown")
	}
	for name, code := range selects {
		run(code)
		if text, err := Selection(t.Context(), w); text != "" || err != nil {
			t.Errorf("selected %s: %q, %v", name, text, err)
		}
	}
	run(`document.activeElement.blur(); getSelection().selectAllChildren(document.querySelector('#plain'))`)
	if text, err := Selection(t.Context(), w); text != "shown words" || err != nil {
		t.Errorf("selected on the page: %q, %v", text, err)
	}

	run(`for (const el of document.querySelectorAll('[data-private]')) el.removeAttribute('data-private')`)
	if all := ownPageJSON(t, w); !strings.Contains(all, "cat key: hunter2") ||
		!strings.Contains(all, "vim hunter2.txt") || !has("hunter2") {
		t.Errorf("what is shared is not seen: %s", all)
	}
	run(selects["in a field of it"])
	if text, err := Selection(t.Context(), w); text != "hunter2" || err != nil {
		t.Errorf("selected in what is shared: %q, %v", text, err)
	}
}

func TestIDOfElementThatBecomesPrivateIsGone(t *testing.T) {
	w := openOwnPage(t, privatePage)
	ask := w.(windowPage).ask
	if _, err := ask(t.Context(), "run",
		`document.querySelector('#term').removeAttribute('data-private')`); err != nil {
		t.Fatal(err)
	}
	raw, _, err := CollectWindowPage(t.Context(), w, Options{})
	if err != nil {
		t.Fatal(err)
	}
	handle := 0
	for _, n := range raw.Nodes {
		if n.Name == "hunter2" && n.Role == "button" {
			handle = n.Handle
		}
	}
	live := func() bool {
		t.Helper()
		list, err := AreConnected(t.Context(), w, []int{handle})
		if err != nil || len(list) != 1 {
			t.Fatal(list, err)
		}
		return list[0]
	}
	if handle == 0 || !live() {
		t.Fatalf("no number to begin with: %+v", raw.Nodes)
	}
	if _, err := ask(t.Context(), "run",
		`document.querySelector('#term').setAttribute('data-private', '')`); err != nil {
		t.Fatal(err)
	}
	if live() {
		t.Error("it is still found")
	}
}
