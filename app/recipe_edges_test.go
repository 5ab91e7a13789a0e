package app

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/shared/recipe"
)

// edgeSite serves one page and counts what was pressed on it.
type edgeSite struct {
	*httptest.Server
	mu      sync.Mutex
	page    string
	pressed []string
	broken  bool
}

func newEdgeSite(t *testing.T) *edgeSite {
	t.Helper()
	site := &edgeSite{}
	site.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site.mu.Lock()
		defer site.mu.Unlock()
		switch {
		case r.Method == http.MethodPost && site.broken:
			http.Error(w, "out of order", http.StatusInternalServerError)
		case r.Method == http.MethodPost:
			b, _ := io.ReadAll(r.Body)
			site.pressed = append(site.pressed, string(b))
		default:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, `<!doctype html><title>Edge</title><script>
				const press = (what) => fetch('/', {method: 'POST', body: what})
				const add = (tag, props, to = document.body) => { const e = Object.assign(document.createElement(tag), props)
					to.append(e); return e }
				</script><body>`+site.page)
		}
	}))
	t.Cleanup(site.Close)
	return site
}

// show changes the page, and returns what was pressed on the page before.
func (e *edgeSite) show(page string, broken bool) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	pressed := e.pressed
	e.page, e.broken, e.pressed = page, broken, nil
	return pressed
}

const saveButton = `<button onclick="press('save'); this.nextSibling.hidden = false">Save</button><a hidden href="#">Undo</a>`

// Each case records a press of Save on one page and runs the recipe on another, which may be the same.
var edges = []struct {
	name, recorded, later string
	broken                bool
	status                recipe.Status
	reason                string
}{
	{name: "nothing changed", recorded: saveButton, status: recipe.StatusDone},
	{
		name: "drawn anew every 300 ms", recorded: saveButton, status: recipe.StatusDone,
		later: `<div id="app"></div><script>
			let saved = false
			const draw = () => { app.replaceChildren()
				add('button', {textContent: 'Save', id: 'b' + Math.random(), onclick: () => { press('save'); saved = true; draw() }}, app)
				if (saved) add('a', {href: '#', textContent: 'Undo'}, app) }
			draw(); setInterval(draw, 300)</script>`,
	},
	{
		name: "there after two seconds", recorded: saveButton, status: recipe.StatusDone,
		later: `<main></main><script>setTimeout(() => { document.querySelector('main').innerHTML = ` +
			"`" + saveButton + "`" + ` }, 2000)</script>`,
	},
	{
		name: "disabled for two seconds", recorded: saveButton, status: recipe.StatusDone,
		later: strings.Replace(saveButton, "<button", "<button disabled", 1) +
			`<script>setTimeout(() => { document.querySelector('button').disabled = false }, 2000)</script>`,
	},
	{
		name: "handled too late", recorded: saveButton, status: recipe.StatusUnmet, reason: "“Undo” appears",
		later: `<button>Save</button><script>setTimeout(() => { document.querySelector('button').onclick = () => {
			press('save'); add('a', {href: '#', textContent: 'Undo'}) } }, 15000)</script>`,
	},
	{
		name: "a twin", recorded: saveButton, status: recipe.StatusUnmet, reason: "2 elements fit button “Save”",
		later: saveButton + `<p>` + saveButton,
	},
	{
		name: "another language", recorded: saveButton, status: recipe.StatusUnmet,
		reason: "button “Save” is not on the page", later: `<button onclick="press('speichern')">Speichern</button><button onclick="press('loeschen')">Löschen</button>`,
	},
	{
		name: "behind a mask that fades", recorded: saveButton, status: recipe.StatusDone,
		later: saveButton + `<div style="position:fixed;inset:0;background:#0008;transition:opacity 1s"></div><script>
			const mask = document.querySelector('div')
			setTimeout(() => { mask.style.opacity = 0; setTimeout(() => mask.remove(), 1000) }, 500)</script>`,
	},
	{
		name: "the deciding request fails", broken: true, status: recipe.StatusUnmet, reason: "“Undo” appears",
		recorded: `<button onclick="press('save').then((r) => r.ok && add('a', {href: '#', textContent: 'Undo'}))">Save</button>`,
	},
	{
		name: "an address that only echoes", status: recipe.StatusDone, recorded: saveButton,
		later: saveButton + `<script>let n = 0; setInterval(() => history.replaceState(null, '', '#' + n++), 200)</script>`,
	},
	{
		name: "a row that moved", status: recipe.StatusDone,
		recorded: `<table><tr><td>Ana</td><td><button onclick="press('ana')">Save</button></td></tr>
			<tr><td>Bo</td><td>` + saveButton + `</td></tr></table>`,
		later: `<table><tr><td>Bo</td><td>` + saveButton + `</td></tr><tr><td>Cy</td><td>
			<button onclick="press('cy')">Save</button></td></tr><tr><td>Ana</td><td><button onclick="press('ana')">Save</button>
			</td></tr></table>`,
	},
}

func TestRecipeOnPagesThatChange(t *testing.T) {
	site := newEdgeSite(t)
	flags := testFlags(t)
	flags["allow_hosts"] = "127.0.0.1"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	sys.Recipes.MaxWait = 5 * time.Second
	for n, c := range edges {
		t.Run(c.name, func(t *testing.T) {
			s := newShopper(t, sys)
			site.show(c.recorded, false)
			s.do("navigate_page", map[string]any{"url": site.URL})
			at := `button "Save"`
			if strings.Contains(c.recorded, "Bo") {
				at = `button "Save" (in "Bo")`
			}
			s.do("click_element", map[string]any{"annotationId": s.id(at)})
			name := fmt.Sprintf("edge-%d", n)
			if err := sys.Recipes.Save(s.draft(name)); err != nil {
				t.Fatal(err)
			}
			later := c.later
			if later == "" {
				later = c.recorded
			}
			site.show(later, c.broken)
			run, r := s.run(name, nil)
			pressed := site.show("", false)
			if run.Status != c.status || !strings.Contains(run.Reason, c.reason) {
				t.Errorf("%s, want %s (%s)\n%s", run.Status, c.status, c.reason, r.Text)
			}
			for _, what := range pressed {
				if what != "save" {
					t.Errorf("it pressed %q", what)
				}
			}
			if c.status == recipe.StatusDone && len(pressed) != 1 {
				t.Errorf("pressed: %q", pressed)
			}
		})
	}
}
