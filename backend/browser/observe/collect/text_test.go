package collect

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFindText(t *testing.T) {
	w := open(t, "form.html")
	for text, want := range map[string]bool{
		"Gift wrap": true, "gift  WRAP": true, "In shadow": true, "Save all": true, "Imprint": true,
		"Long text": false, "None": false, "Invisible": false, "geheim7": false, "getElementById": false,
		"nowhere": false,
	} {
		t.Run(text, func(t *testing.T) {
			got, err := HasText(t.Context(), w, text)
			if err != nil || got != want {
				t.Errorf("%v %v, want %v", got, err, want)
			}
		})
	}
}

func TestSelectText(t *testing.T) {
	w := open(t, "layers.html")
	raw := collectPage(t, w, Options{})
	link := named(t, raw, "a link that wraps over lines").Handle
	for _, c := range []struct {
		handle     int
		text       string
		start, end int
		want       string
	}{
		{0, "words before  it", 0, 0, "words before it"},
		{link, "", 0, 0, "a link that wraps over lines"},
		{link, "", 2, 6, "link"},
		{link, "that wraps", 5, 0, "wraps"},
		{0, "SOME WORDS", 0, 4, "Some"},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := SelectText(t.Context(), w, c.handle, c.text, c.start, c.end)
			if err != nil || got != c.want {
				t.Errorf("%+v: %q %v", c, got, err)
			}
			if sel, err := Selection(t.Context(), w); err != nil || fold(sel) != c.want {
				t.Errorf("%+v: the selection is %q %v", c, sel, err)
			}
		})
	}
	var refused *Refusal
	if _, err := SelectText(t.Context(), w, 0, "not on the page", 0, 0); !errors.As(err, &refused) {
		t.Errorf("a text that is not there: %v", err)
	}
	if _, err := SelectText(t.Context(), w, link, "", 90, 95); !errors.As(err, &refused) {
		t.Errorf("behind the end: %v", err)
	}
	f := open(t, "form.html")
	fields := collectPage(t, f, Options{})
	if got, err := SelectText(t.Context(), f, named(t, fields, "Name").Handle, "", 0, 2); got != "An" || err != nil {
		t.Errorf("in a field: %q %v", got, err)
	}
	if got, err := SelectText(t.Context(), f, named(t, fields, "Password").Handle, "", 0, 0); err == nil {
		t.Errorf("a password is returned: %q", got)
	}
}

func TestHTMLIsCurrentDocument(t *testing.T) {
	w := open(t, "form.html")
	w.js(t, `document.getElementById('n').value='Zoë', 1`)
	html, err := HTML(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"Zoë", "•••••••", "In shadow", "Medium", "[x] ", "Leave it", "<title>A form</title>",
		"Imprint",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("%q is not in it", want)
		}
	}
	for _, bad := range []string{
		"geheim7", "addEventListener", "Long text", "Invisible", "cursor:pointer", "<script",
		"<style",
	} {
		if strings.Contains(html, bad) {
			t.Errorf("%q is in it", bad)
		}
	}
}

func TestScrollTargets(t *testing.T) {
	w := open(t, "layers.html")
	scroll := func(handle int, direction string, amount float64) bool {
		t.Helper()
		moved, err := ScrollBy(t.Context(), w, handle, direction, amount)
		if err != nil {
			t.Fatal(err)
		}
		return moved
	}
	if !scroll(0, "down", 200) || w.js(t, "scrollY") != "200" {
		t.Errorf("down 200: %s", w.js(t, "scrollY"))
	}
	if !scroll(0, "bottom", 0) || scroll(0, "down", 0) || !scroll(0, "top", 0) || scroll(0, "up", 0) {
		t.Error("the ends are not reported")
	}
	inner := named(t, collectPage(t, w, Options{}), "List first").Handle
	if !scroll(inner, "down", 50) || w.js(t, "document.getElementById('list').scrollTop+' '+scrollY") != "50 0" {
		t.Error("the box around an element does not scroll")
	}
	if _, err := ScrollBy(t.Context(), w, 0, "sideways", 0); err == nil {
		t.Error("an unknown direction is taken")
	}
	// An application with a fixed body and an inner box that scrolls.
	w.js(t, `document.body.innerHTML='<div id=app style="height:100vh;overflow:auto"><div style="height:5000px">x</div></div>', document.body.style.cssText='overflow:hidden;margin:0', 1`)
	if !scroll(0, "down", 300) || w.js(t, "document.getElementById('app').scrollTop") != "300" {
		t.Error("the main box of an application does not scroll")
	}
}

func TestSettleReportsMutationsAndAnimations(t *testing.T) {
	w := open(t, "layers.html")
	before, err := ActivityOf(t.Context(), w)
	if err != nil || before.ReadyState != "complete" {
		t.Fatalf("%+v %v", before, err)
	}
	w.js(t, `document.getElementById('free').textContent='Changed',
		document.getElementById('free').animate([{opacity:0},{opacity:1}],{duration:2000}),
		document.getElementById('rot').animate([{opacity:0},{opacity:1}],{duration:500,iterations:Infinity}), 1`)
	after, err := ActivityOf(t.Context(), w)
	if err != nil || after.Mutations <= before.Mutations || after.Animations != 1 {
		t.Errorf("before %+v, after %+v, %v", before, after, err)
	}
	if after.QuietMS > float64(10*time.Second/time.Millisecond) {
		t.Errorf("quiet for %v ms just after a change", after.QuietMS)
	}
	w.js(t, `document.getElementById('hoster').shadowRoot.getElementById('sh').textContent='Replaced', 1`)
	shadow, err := ActivityOf(t.Context(), w)
	if err != nil || shadow.Mutations <= after.Mutations {
		t.Errorf("a change in a shadow root is not seen: %+v %+v %v", after, shadow, err)
	}
}

// habits are pages that change by themselves: each calls tick again and again.
var habits = map[string]string{
	"one":          `const p = make(1)[0]; tick = () => { p.textContent = n }`,
	"in turns":     `const list = make(40); tick = () => { list[n % 40].textContent = n }`,
	"always fresh": `const p = make(1)[0]; tick = () => { p.innerHTML = '<span><b>x</b></span>'; const b = p.firstChild.firstChild; queueMicrotask(() => { b.className = 'k' + n }) }`,
	"very many":    `const list = make(120); tick = () => { for (const p of list) p.textContent = n }`,
}

func TestPeriodicChangesAreIgnored(t *testing.T) {
	for name, page := range habits {
		t.Run(name, func(t *testing.T) {
			w := open(t, "layers.html")
			once := SettleLimits{
				AfterOne: 16 * time.Millisecond, AfterSeveral: 32 * time.Millisecond,
				Max: 100 * time.Millisecond,
			}
			if _, err := ActivityOf(t.Context(), w); err != nil {
				t.Fatal(err)
			}
			// The page goes on for a while before it is asked.
			w.js(t, `(() => { let n = 0, tick; const make = (k) => Array.from({ length: k }, () => document.body.appendChild(document.createElement('p')))
				`+page+`; setInterval(() => { globalThis.ticks = ++n; tick() }, 50) })()`)
			for w.js(t, `globalThis.ticks >= 20`) != "true" && t.Context().Err() == nil {
				if _, err := AwaitSettled(t.Context(), w, 0, true, once); err != nil {
					t.Fatal(err)
				}
			}
			settled, err := AwaitSettled(t.Context(), w, 100*time.Millisecond, true, once)
			// A machine that stalls for a while makes two periodic changes look like one.
			for n := 0; n < 30 && err == nil && settled.Mutations != 0; n++ {
				settled, err = AwaitSettled(t.Context(), w, 100*time.Millisecond, true, once)
			}
			if err != nil || settled.Mutations != 0 {
				t.Errorf("it counts: %+v %v", settled, err)
			}
			for n := 0; n < 30 && err == nil && (n == 0 || settled.Mutations > 1); n++ {
				w.js(t, `document.getElementById('free').textContent = Math.random(), 1`)
				settled, err = AwaitSettled(t.Context(), w, 200*time.Millisecond, true, once)
			}
			if err != nil || settled.Mutations != 1 {
				t.Errorf("a change besides is not counted: %+v %v", settled, err)
			}
		})
	}
}
