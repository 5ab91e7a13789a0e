package browser_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/surface"
)

func TestAnswersContainNewText(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>News</title>
<style>#late { display: none } .bad #late { display: block }</style>
<p>Now <span id=clock>0</span></p> <p>Clock <span id=slow>0</span></p> <p>Basket <b id=count>0</b></p>
<div id=box></div><ul id=list><li>Milk<li>Bread</ul><p id=plain></p><div role=status id=live></div><div id=late>Wrong password.</div><div id=host></div>
<button onclick="count.textContent++">Count</button>
<button onclick="list.innerHTML = list.innerHTML">Same</button>
<button onclick="list.innerHTML += '<li>Eggs'">Add</button>
<button onclick="plain.textContent = 'Two files left.'; live.textContent = 'Saved at 12:01.'">Save</button>
<button onclick="document.body.className = 'bad'">Sign in</button>
<button onclick="host.attachShadow({mode: 'closed'}).innerHTML = '<p>Sealed words.</p>'">Seal</button>
<button onclick="box.innerHTML = '<p><x-toast></x-toast>'; box.querySelector('x-toast').attachShadow({mode: 'open'}).innerHTML = '<style>p { color: red }</style><p id=toast hidden>Open words.</p>Beside.'">Nest</button>
<button onclick="box.querySelector('x-toast').shadowRoot.getElementById('toast').hidden = false">Open</button>
<button onclick="document.body.append(document.createElement('i'))">Grow</button>
<button onclick="this.textContent = 'Pressed'">Rename</button>
<button onclick="let n = 0; up.textContent = 0; const i = setInterval(() => { up.textContent = ++n; if (n === 12) clearInterval(i) }, 15)">Run</button>
<p>Up <span id=up></span></p>
<script>setInterval(() => { clock.textContent++ }, 100); setInterval(() => { slow.textContent++ }, 500)</script>`}))
	time.Sleep(2600 * time.Millisecond) // until the clocks are known to tick by themselves
	for _, c := range []struct {
		press string
		want  []string
	}{
		{"Count", []string{"Basket 1"}},
		{"Same", nil},
		{"Add", []string{"Eggs"}},
		{"Save", []string{"Saved at 12:01.", "Two files left."}},
		{"Sign in", []string{"Wrong password."}},
		{"Seal", []string{"Sealed words."}},
		{"Nest", []string{"Beside."}},
		{"Open", []string{"Open words."}},
		{"Grow", nil},
		{"Grow", nil},
		{"Grow", nil},
		{"Grow", nil},
		{"Grow", nil},
		{"Count", []string{"Basket 2"}},
		{"Rename", nil},
		{"Run", []string{"Up 12"}},
	} {
		if got := click(t, ctx, s, page, c.press).NewText; !slices.Equal(got, c.want) {
			t.Errorf("pressing %s: %s", c.press, cmp.Diff(c.want, got))
		}
	}
}

func TestTypingWaitsForSuggestions(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>Cities</title>
<input role=combobox aria-label=City aria-autocomplete=list aria-expanded=false aria-controls=list oninput="clearTimeout(t); t = setTimeout(suggest, 300)">
<ul id=list role=listbox></ul><script>
let t
function suggest() { list.innerHTML = '<li role=option tabindex=0>Bern</li>'; document.querySelector('input').ariaExpanded = 'true' }
</script>`}))
	ans, err := s.Type(ctx, surface.TypeOptions{ID: findElement(t, page, "combobox", "City").ID, Text: "Ber"})
	if err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "option", "Bern")
}

func TestNewTextHidesTypedPasswords(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>Log in</title><input type=password aria-label=Password>
<button onclick="said.textContent = 'Not ' + document.querySelector('input').value + '.'">Log in</button><p id=said></p>`}))
	typing := surface.TypeOptions{ID: findElement(t, page, "textbox", "Password").ID, Text: "correct horse"}
	if _, err := s.Type(ctx, typing); err != nil {
		t.Fatal(err)
	}
	ans := click(t, ctx, s, page, "Log in")
	if got := strings.Join(ans.NewText, "\n"); !strings.HasPrefix(got, "Not ") || strings.Contains(got, "horse") {
		t.Errorf("the new text is %q", got)
	}
}
