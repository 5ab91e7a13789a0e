package app

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sextant/shared/recipe"
)

// Each case does something on a page, and runs the recipe of it, with other values, on a page with another structure.
// {{other}} is the address of another site.
var recordedControls = []struct {
	name, page string
	others     map[string]string
	do         func(s shopper)
	values     map[string]any
	pressed    string
}{
	{
		name: "a tab without an opener", page: `<a href="/other" target="_blank" rel="noopener">Open</a>`,
		others: map[string]string{"/other": `<button onclick="press('other')">Take</button>`},
		do: func(s shopper) {
			s.do("click_element", map[string]any{"annotationId": s.id(`link "Open"`)})
			s.do("click_element", map[string]any{"annotationId": s.id(`button "Take"`)})
		},
		pressed: "other",
	},
	{
		name: "a dialog", page: `<button onclick="press(prompt('Name?') ?? 'none')">Ask</button>`,
		do: func(s shopper) {
			s.do("click_element", map[string]any{"annotationId": s.id(`button "Ask"`)})
			s.do("handle_dialog", map[string]any{"accept": true, "text": "Ana"})
		},
		pressed: "Ana",
	},
	{
		name: "a download", page: `<a href="/list.csv">List</a>`, others: map[string]string{"/list.csv": "a,b"},
		do: func(s shopper) {
			s.do("click_element", map[string]any{"annotationId": s.id(`link "List"`)})
		},
	},
	{
		name:   "an upload",
		page:   `<label>File <input type="file" onchange="this.files[0].text().then(press)"></label>`,
		values: map[string]any{"file": "b.txt"},
		do: func(s shopper) {
			s.do("upload_file", map[string]any{"annotationId": s.id(`file "File`), "path": "a.txt"})
		},
		pressed: "b",
	},
	{
		name: "a frame of another site", page: `<iframe src="{{other}}/inner" width="400" height="200"></iframe>`,
		others: map[string]string{"/inner": `<button onclick="press('inner')">Pay</button>`},
		do: func(s shopper) {
			s.do("click_element", map[string]any{"annotationId": s.id(`button "Pay"`)})
		},
		pressed: "inner",
	},
	{
		name: "a closed shadow root",
		page: `<div id="host"></div><script>host.attachShadow({mode: 'closed'}).append(
			Object.assign(document.createElement('button'), {textContent: 'Hidden', onclick: () => press('hidden')}))</script>`,
		do: func(s shopper) {
			s.do("click_element", map[string]any{"annotationId": s.id(`button "Hidden"`)})
		},
		pressed: "hidden",
	},
	{
		name: "a list that is drawn while it scrolls",
		page: `<div id="list"></div><script>let n = 0
			const more = () => { for (let i = 0; i < 20; i++, n++) { const name = 'Row ' + n
				add('button', {textContent: name, onclick: () => press(name), style: 'display:block;height:60px'}, list) } }
			more(); onscroll = () => { if (n < 200 && scrollY + innerHeight > document.body.scrollHeight - 200) more() }</script>`,
		do: func(s shopper) {
			for range 6 {
				s.do("scroll_page", map[string]any{"direction": "bottom"})
			}
			s.do("click_element", map[string]any{"annotationId": s.id(`button "Row 95"`)})
		},
		pressed: "Row 95",
	},
	{
		name:   "a date field",
		page:   `<label>Day <input type="date" onchange="press(this.value)"></label>`,
		values: map[string]any{"day": "2027-02-28"},
		do: func(s shopper) {
			s.do("type_text", map[string]any{"annotationId": s.id(`date "Day"`), "text": "2026-11-28"})
		},
		pressed: "2027-02-28",
	},
	{
		name: "a drag",
		page: `<button draggable="true" ondragstart="event.dataTransfer.setData('text/plain', 'card')">Card</button>
			<button ondragover="event.preventDefault()" ondrop="press(event.dataTransfer.getData('text/plain'))">Lane</button>`,
		do: func(s shopper) {
			s.do("drag_element", map[string]any{"from": s.id(`button "Card"`), "to": s.id(`button "Lane"`)})
		},
		pressed: "card",
	},
	{
		name: "a login with a secret",
		page: `<form onsubmit="press(user.value + ':' + pass.value); return false"><label>User <input id="user"></label>
			<label>Password <input id="pass" type="password"></label><button>Sign in</button></form>`,
		values: map[string]any{"user": "bo", "password": "hunter2"},
		do: func(s shopper) {
			s.do("type_text", map[string]any{"annotationId": s.id(`textbox "User"`), "text": "ana"})
			s.do("type_text", map[string]any{"annotationId": s.id(`textbox "Password"`), "text": "geheim"})
			s.do("click_element", map[string]any{"annotationId": s.id(`button "Sign in"`)})
		},
		pressed: "bo:hunter2",
	},
}

func TestRecipeOnControlsOfEveryKind(t *testing.T) {
	site, other := newEdgeSite(t), newEdgeSite(t)
	flags := testFlags(t)
	flags["allow_hosts"], flags["mode"] = "127.0.0.1", "full" // nobody can be asked
	flags["workspace"] = t.TempDir()
	sys := openWith(t, flags, OpenOptions{Serve: true})
	sys.Recipes.MaxWait = 5 * time.Second
	for _, name := range []string{"a", "b"} {
		put(t, filepath.Join(sys.WorkspaceFolder(), name+".txt"), name)
	}
	for _, c := range recordedControls {
		t.Run(c.name, func(t *testing.T) {
			site.serve(c.others)
			other.serve(c.others)
			page := strings.ReplaceAll(c.page, "{{other}}", other.URL)
			site.show(page, false)
			s := newShopper(t, sys)
			s.do("navigate_page", map[string]any{"url": site.URL})
			c.do(s)
			if err := sys.Recipes.Save(s.draft("control")); err != nil {
				t.Fatal(err)
			}
			site.show(`<main><h1>New</h1>`+page+`</main>`, false)
			other.show("", false)
			run, r := s.run("control", c.values)
			if run.Status != recipe.StatusDone {
				t.Fatalf("%+v\n%s", run, r.Text)
			}
			if c.pressed != "" && !comesTrue(func() bool { return site.wasPressed() || other.wasPressed() }) {
				t.Fatal("nothing was pressed")
			}
			pressed := append(site.show("", false), other.show("", false)...)
			if c.pressed == "" && !run.Steps[len(run.Steps)-1].Proved {
				t.Error("the effect of the last step was not proved")
			}
			if c.pressed != "" && !slices.Equal(pressed, []string{c.pressed}) {
				t.Errorf("pressed %q, not %q", pressed, c.pressed)
			}
		})
	}
}
