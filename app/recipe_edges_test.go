package app

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sextant/backend/recipes"
	"sextant/backend/recipes/importer"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// edgeSite serves one page and counts what was pressed on it.
type edgeSite struct {
	*httptest.Server
	mu   sync.Mutex
	page string
	// others are the pages at other paths than /.
	others  map[string]string
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
			page, ok := site.others[r.URL.Path]
			if !ok {
				page = site.page
			}
			if strings.HasSuffix(r.URL.Path, ".csv") {
				w.Header().Set("Content-Disposition", "attachment")
			}
			_, _ = io.WriteString(w, `<!doctype html><title>Edge</title><script>
				const press = (what) => fetch('/', {method: 'POST', body: what})
				const add = (tag, props, to = document.body) => { const e = Object.assign(document.createElement(tag), props)
					to.append(e); return e }
				</script><body>`+page)
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

// serve changes the pages at other paths than /.
func (e *edgeSite) serve(others map[string]string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.others = others
}

func (e *edgeSite) wasPressed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.pressed) > 0
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

// A person or a model chooses another element for a step. It is kept only after the step had its effect with it.
func TestLostElementOfRecipeIsReplaced(t *testing.T) {
	site, framed := newEdgeSite(t), newEdgeSite(t)
	framed.show(`<button>Framed</button>`, false)
	flags := testFlags(t)
	flags["allow_hosts"] = "127.0.0.1"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	sys.Recipes.MaxWait = time.Second
	s := newShopper(t, sys)
	field := `<label>Lamp <input></label>`
	site.show(field+saveButton, false)
	s.do("navigate_page", map[string]any{"url": site.URL})
	s.do("type_text", map[string]any{"annotationId": s.id(`textbox "Lamp"`), "text": "Fen"})
	s.do("click_element", map[string]any{"annotationId": s.id(`button "Save"`)})
	if err := sys.Recipes.Save(s.draft("save")); err != nil {
		t.Fatal(err)
	}
	later := field + strings.Replace(saveButton, ">Save<", ">Store Moor<", 1) +
		`<button onclick="press('other')">Other</button><button>Twin</button><button>Twin</button>
		<iframe src="` + framed.URL + `"></iframe>`
	site.show(later, false)
	run, r := s.run("save", map[string]any{"lamp": "Moor"})
	last := sys.Recipes.LastRun("save")
	if run.Step != 3 || !last.Lost || !strings.Contains(r.Suggestion, "use_element") {
		t.Fatalf("%+v\n%+v", run, r)
	}
	list, err := sys.Recipes.Candidates(t.Context(), toolspec.Provenance{Caller: toolspec.CallerPerson}, "save", 3)
	if err != nil || len(list) < 4 || !strings.HasPrefix(list[0].Text, "button") {
		t.Fatal(list, err)
	}
	// Wrong choices act on nothing, or have not the effect, and are not kept.
	twin := regexp.MustCompile(`\[(\d+)\] button "Twin"`).FindStringSubmatch(s.do("annotate_page", nil).Text)
	for id, reason := range map[string]string{
		"9999": "[9999] is not on the page", twin[1]: "2 elements fit button “Twin”",
		strconv.Itoa(s.id(`button "Other"`)): "“Undo” appears", strconv.Itoa(s.id(`button "Framed"`)): "in another frame",
	} {
		n, err := strconv.Atoi(id)
		if err != nil {
			t.Fatal(err)
		}
		run, r = s.run("save", map[string]any{"lamp": "Moor", "from_step": 3, "use_element": n})
		if run.Status == recipe.StatusDone || !strings.Contains(r.Error, reason) {
			t.Errorf("%s: %s", reason, r.Error)
		}
		if _, err := sys.Recipes.SaveReplacements("save"); !errors.Is(err, recipes.ErrNoReplacements) {
			t.Errorf("%s: kept: %v", reason, err)
		}
	}
	run, r = s.run("save", map[string]any{
		"lamp": "Moor", "from_step": 3, "use_element": s.id(`button "Store Moor"`),
	})
	if run.Status != recipe.StatusDone || len(run.Replacements) != 1 ||
		!strings.Contains(r.Text, "Step 3 used button “Store {{lamp}}” in place of button “Save”.") {
		t.Fatalf("%+v\n%s", run, r.Text)
	}
	if _, err := sys.Recipes.SaveReplacements("save"); err != nil {
		t.Fatal(err)
	}
	site.show(strings.ReplaceAll(later, "Moor", "Loam"), false)
	run, r = s.run("save", map[string]any{"lamp": "Loam"})
	if run.Status != recipe.StatusDone || len(run.Replacements) > 0 {
		t.Errorf("%+v\n%+v", run, r)
	}
	if pressed := site.show("", false); !slices.Equal(pressed, []string{"save"}) {
		t.Errorf("pressed %q", pressed)
	}
}

// A recording of another program runs; an element that it knows only by a selector is chosen by the person.
func TestImportedRecordingRuns(t *testing.T) {
	site := newEdgeSite(t)
	flags := testFlags(t)
	flags["allow_hosts"] = "127.0.0.1"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	sys.Recipes.MaxWait = time.Second
	all, err := importer.Read([]byte(`{"title": "Save a lamp", "steps": [
		{"type": "navigate", "url": "` + site.URL + `"},
		{"type": "click", "selectors": [["aria/Lamp"]], "offsetX": 1, "offsetY": 1},
		{"type": "change", "value": "Fen", "selectors": [["aria/Lamp"], ["#lamp"]]},
		{"type": "click", "selectors": [["#save"]], "offsetX": 1, "offsetY": 1}]}`))
	if err != nil || len(all[0].Notes) != 1 {
		t.Fatal(all, err)
	}
	if err := sys.Recipes.Add(all[0].Recipe); err != nil {
		t.Fatal(err)
	}
	s := newShopper(t, sys)
	site.show(`<label>Lamp <input id="lamp"></label>
		<button id="save" onclick="press(lamp.value)">Save</button>`, false)
	run, r := s.run("save-a-lamp", map[string]any{"lamp": "Moor"})
	if run.Status != recipe.StatusUnmet || run.Step != 3 ||
		!strings.Contains(run.Reason, "element “#save” is not on the page") {
		t.Fatalf("%+v\n%s", run, r.Text)
	}
	run, r = s.run("save-a-lamp", map[string]any{
		"lamp": "Moor", "from_step": 3, "use_element": s.id(`button "Save"`),
	})
	if run.Status != recipe.StatusDone {
		t.Fatalf("%+v\n%s", run, r.Text)
	}
	if _, err := sys.Recipes.SaveReplacements("save-a-lamp"); err != nil {
		t.Fatal(err)
	}
	if run, r = s.run("save-a-lamp", map[string]any{"lamp": "Loam"}); run.Status != recipe.StatusDone {
		t.Errorf("%+v\n%s", run, r.Text)
	}
	if pressed := site.show("", false); !slices.Equal(pressed, []string{"Moor", "Loam"}) {
		t.Errorf("pressed %q", pressed)
	}
}

// The recipes in a panel's folder come and go with the panel. One that the person changes becomes the person's own.
func TestPanelBringsRecipes(t *testing.T) {
	flags := testFlags(t)
	folder := filepath.Join(flags["data"], "panels", "lamps")
	put(t, filepath.Join(folder, "manifest.json"), `{"panel_id": "lamps", "panel_type": "x", "title": "X", "tools": []}`)
	const text = `{"name": "find-lamp", "parameters": [{"name": "lamp", "default": "Fen"}], "steps": [
		{"tool": "navigate_page", "args": {"url": "demo"}},
		{"tool": "type_text", "args": {"annotationId": {"role": "searchbox", "name": "Search"}, "text": "{{lamp}}", "submit": true}}]}`
	put(t, filepath.Join(folder, "recipes", "find-lamp", "recipe.json"), text)
	put(t, filepath.Join(folder, "recipes", "other", "recipe.json"), `{"name": "other"}`)
	if err := os.MkdirAll(filepath.Join(folder, "recipes", "pipe"), 0o700); err != nil {
		t.Fatal(err)
	}
	piped := filepath.Join(flags["data"], "panels", "piped")
	put(t, filepath.Join(piped, "manifest.json"), `{"panel_id": "piped", "panel_type": "x", "title": "X", "tools": []}`)
	for _, pipe := range []string{
		filepath.Join(folder, "recipes", "pipe", "recipe.json"), filepath.Join(piped, "recipes"),
	} {
		if err := syscall.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sys := openWith(t, flags, OpenOptions{Serve: true})
	if !comesTrue(func() bool { return sys.Recipes.Panel("find-lamp") == "lamps" }) {
		t.Fatal("the recipe is not known")
	}
	if _, broken, err := sys.Recipes.Reload(); len(broken) != 3 || err != nil {
		t.Errorf("%v %v", broken, err)
	}
	run, r := newShopper(t, sys).run("find-lamp", map[string]any{"lamp": "Moor"})
	if run.Status != recipe.StatusDone || !strings.HasSuffix(run.URL, "q=Moor") {
		t.Fatalf("%+v\n%s", run, r.Text)
	}
	if entries, err := os.ReadDir(filepath.Join(folder, "recipes", "find-lamp")); len(entries) != 1 || err != nil {
		t.Error("the run wrote into the folder of the panel", entries, err)
	}
	if last := sys.Recipes.LastRun("find-lamp"); last == nil || last.Status != recipe.StatusDone {
		t.Errorf("%+v", last)
	}
	if err := sys.Recipes.Delete("find-lamp"); !errors.Is(err, recipes.ErrOfPanel) {
		t.Errorf("deleted: %v", err)
	}
	rec, err := sys.Recipes.Get("find-lamp")
	if err != nil {
		t.Fatal(err)
	}
	rec.Description = "mine"
	if err := sys.Recipes.Save(rec); err != nil || sys.Recipes.Panel("find-lamp") != "" {
		t.Fatal(err)
	}
	if err := sys.Recipes.Delete("find-lamp"); err != nil || sys.Recipes.Panel("find-lamp") != "lamps" {
		t.Error("the panel's own recipe did not come back", err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if !comesTrue(func() bool {
		_, err := sys.Recipes.Get("find-lamp")
		return errors.Is(err, recipes.ErrNotFound)
	}) {
		t.Error("the recipe is still there without its panel")
	}
}

// comesTrue reports whether check becomes true within ten seconds.
func comesTrue(check func() bool) bool {
	for range 100 {
		if check() {
			return true
		}
		time.Sleep(100 * time.Millisecond)
	}
	return false
}
