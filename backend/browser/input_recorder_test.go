package browser_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"sextant/backend/browser"
	"sextant/shared/annotation"
	"sextant/shared/wire"
)

// stepRecorder keeps a person's steps.
type stepRecorder struct {
	mu    sync.Mutex
	steps []browser.PersonStep
}

func (sr *stepRecorder) add(s browser.PersonStep) {
	sr.mu.Lock()
	defer sr.mu.Unlock()
	sr.steps = append(sr.steps, s)
}

func (sr *stepRecorder) reset() {
	sr.mu.Lock()
	defer sr.mu.Unlock()
	sr.steps = nil
}

// typed is the step of typing, "" before there is one.
func (sr *stepRecorder) typed() string {
	sr.mu.Lock()
	defer sr.mu.Unlock()
	for _, s := range sr.steps {
		if s.Tool == "type_text" {
			return s.Sentence + " " + string(s.Args)
		}
	}
	return ""
}

// typeAsUser presses the middle of e and types text with a person's keys; one that ends with a line
// break ends with Enter.
func typeAsUser(t *testing.T, ctx context.Context, b *browser.Browser, e annotation.Element, text string) {
	t.Helper()
	x, y := e.Box.X+e.Box.Width/2, e.Box.Y+e.Box.Height/2
	inputs := []wire.Input{
		{Type: "down", X: x, Y: y, Button: "left", Count: 1},
		{Type: "up", X: x, Y: y, Button: "left", Count: 1},
	}
	for _, r := range text {
		key := string(r)
		if key == "\n" {
			key = "Enter"
		}
		inputs = append(inputs, wire.Input{Type: "keydown", Key: key}, wire.Input{Type: "keyup", Key: key})
	}
	for _, in := range inputs {
		if err := b.DispatchInput(ctx, "", in); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRecordedInputIsShownOnlyForVisibleFields(t *testing.T) {
	var d stepRecorder
	ctx, b := newBrowser(t, browser.Config{OnPersonStep: d.add})
	word := `const p = document.createElement('input'); p.type = 'password'; p.ariaLabel = 'Word'; n.replaceWith(p); p.focus()`
	for name, c := range map[string]struct {
		script, typed, want string
		hidden              bool
	}{
		"a field that stays": {"", "lantern", `Typed "lantern" into`, false},
		"one that Enter leaves": {
			`n.onkeydown = (e) => { if (e.key === 'Enter') location = '/next' }`,
			"lantern\n", `Typed "lantern" into`, false,
		},
		"a password takes its place": {
			`n.onmousedown = (e) => { e.preventDefault(); ` + word + ` }`, "lantern",
			"Typed 7 characters", true,
		},
		"a password comes in the middle": {
			`n.oninput = () => { if (n.value.length > 2) { ` + word + ` } }`, "lantern",
			"Typed 7 characters", true,
		},
		"it becomes a password": {
			`n.onmousedown = () => { n.type = 'password' }`, "lantern",
			"Typed 7 characters into", true,
		},
		"it was a password for one key": {
			`n.onkeydown = (e) => { n.type = e.key === 'n' ? 'password' : 'text' }`,
			"lantern", "Typed 7 characters into", true,
		},
		"it asks for a code": {
			`n.autocomplete = 'one-time-code'`, "lantern", "Typed 7 characters into",
			true,
		},
		"it is drawn as dots": {
			`n.style.webkitTextSecurity = 'disc'`, "lantern", "Typed 7 characters into",
			true,
		},
		"the page takes the keys away": {
			`n.onkeydown = (e) => e.preventDefault()`, "lantern", "Typed 7 characters",
			true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d.reset()
			page := openPage(t, ctx, b.Session(""), site(t, map[string]any{
				"/": `<title>Form</title><body style="margin:40px"><input id=n aria-label=Name autofocus><script>` +
					c.script + `</script>`, "/next": "<title>Next</title>",
			}))
			typeAsUser(t, ctx, b, findElement(t, page, "textbox", "Name"), c.typed)
			eventually(t, "typing is a step", func() bool { return d.typed() != "" })
			got := d.typed()
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("recorded as %s, want %s…", got, c.want)
			}
			if c.hidden && (strings.Contains(got, "lan") || !strings.Contains(got, `"text":"…"`)) {
				t.Errorf("the text is in the log: %s", got)
			}
		})
	}
}

func TestRecordedInputFollowsTheFocus(t *testing.T) {
	var d stepRecorder
	ctx, b := newBrowser(t, browser.Config{OnPersonStep: d.add})
	page := openPage(t, ctx, b.Session(""), site(t, map[string]any{
		"/": `<title>Form</title><body style="margin:40px"><input aria-label=Name><input aria-label=City>
			<input type=password aria-label=Word><label><input type=checkbox>Gift</label>`,
	}))
	typeAsUser(t, ctx, b, findElement(t, page, "textbox", "Name"), "Ada")
	for _, text := range []string{"Bonn", "lantern", " "} {
		for _, key := range append([]string{"Tab"}, strings.Split(text, "")...) {
			if err := b.DispatchInput(ctx, "", wire.Input{Type: "keydown", Key: key}); err != nil {
				t.Fatal(err)
			}
			if err := b.DispatchInput(ctx, "", wire.Input{Type: "keyup", Key: key}); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.ReportSteps(ctx)
	var got []string
	d.mu.Lock()
	for _, s := range d.steps {
		got = append(got, s.Tool+" "+s.Elements["annotationId"].Name+" "+string(s.Args))
	}
	d.mu.Unlock()
	for n, want := range []string{
		"click_element Name ", `type_text Name {"annotationId":`, "press_key ", `type_text City {"annotationId":`,
		"press_key ", `type_text Word {"annotationId":`, `press_key  {"key":"Tab"}`, `press_key  {"key":"Space"}`,
	} {
		if n >= len(got) || !strings.HasPrefix(got[n], want) {
			t.Fatalf("step %d is not %s…: %q", n+1, want, got)
		}
	}
	if all := strings.Join(got, "\n"); strings.Contains(all, "lan") || !strings.Contains(all, `"text":"Bonn"`) {
		t.Errorf("the steps are\n%s", all)
	}
}
