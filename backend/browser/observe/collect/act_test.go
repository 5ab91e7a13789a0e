package collect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

func pointOf(t *testing.T, w *testWorld, handle int) PressPoint {
	t.Helper()
	p, err := AimNow(t.Context(), w, handle, true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// press moves the mouse to p and presses the left button there, as the engine does.
func press(t *testing.T, w *testWorld, p PressPoint) {
	t.Helper()
	if err := w.page.Mouse.MoveTo(proto.Point{X: p.X, Y: p.Y}); err != nil {
		t.Fatal(err)
	}
	if err := w.page.Mouse.Click(proto.InputMouseButtonLeft, 1); err != nil {
		t.Fatal(err)
	}
}

func TestEveryListedElementCanBeHit(t *testing.T) {
	w := open(t, "layers.html")
	w.js(t, `window.got='', addEventListener('click', e => { window.got = e.composedPath()[0].textContent.trim() || e.composedPath()[0].getAttribute('aria-label') || e.composedPath()[0].id }, true), 1`)
	raw := collectPage(t, w, Options{WholePage: true})
	for _, n := range raw.Nodes {
		if !n.Usable || n.Name == "Fancy box" {
			continue
		}
		p := pointOf(t, w, n.Handle)
		if p.State != "ok" && p.State != "moving" {
			t.Errorf("%s: %+v", line(n), p)
			continue
		}
		if err := GuardPress(t.Context(), w, n.Handle, "click"); err != nil {
			t.Fatal(err)
		}
		press(t, w, p)
		met, err := EndPressGuard(t.Context(), w)
		if err != nil || !met.Hit {
			t.Errorf("%s at %v,%v met %q, %v", line(n), p.X, p.Y, met.Text, err)
		}
		if got := w.js(t, "window.got"); !strings.Contains(strings.ReplaceAll(n.Name, " ", ""),
			strings.ReplaceAll(got, " ", "")) {
			t.Errorf("%s: the page saw a click on %q", line(n), got)
		}
	}
}

func TestCardIsPressedBesideItsButton(t *testing.T) {
	w := open(t, "layers.html")
	p := pointOf(t, w, named(t, collectPage(t, w, Options{}), "Card title Buy").Handle)
	if p.State != "ok" || p.X > 310 && p.X < 392 && p.Y > 130 && p.Y < 172 {
		t.Errorf("%+v is on the button inside", p)
	}
}

func TestStyledCheckboxIsPressedOnItsLabel(t *testing.T) {
	w := open(t, "layers.html")
	n := named(t, collectPage(t, w, Options{}), "Fancy box")
	p := pointOf(t, w, n.Handle)
	if err := GuardPress(t.Context(), w, n.Handle, "click"); err != nil {
		t.Fatal(err)
	}
	press(t, w, p)
	if met, _ := EndPressGuard(t.Context(), w); !met.Hit {
		t.Errorf("met %q", met.Text)
	}
	if got := line(named(t, collectPage(t, w, Options{}),
		"Fancy box")); got != `checkbox "Fancy box" (checked, focused)` {
		t.Errorf("after the press: %s", got)
	}
}

func TestAimReportsObstacle(t *testing.T) {
	w := open(t, "layers.html")
	raw := collectPage(t, w, Options{})
	for name, want := range map[string]string{
		"Switched off": "disabled", "Off field": "disabled",
		"Aria off": "disabled", "Covered": "covered", "Under bar": "covered",
	} {
		t.Run(name, func(t *testing.T) {
			if p := pointOf(t, w, named(t, raw, name).Handle); p.State != want {
				t.Errorf("%+v, want %s", p, want)
			}
		})
	}
	p := pointOf(t, w, named(t, raw, "Covered").Handle)
	if p.CoveredByText != `dialog "Cookies"` || !p.Dismissible || p.CoveredBy == 0 {
		t.Errorf("covered: %+v", p)
	}
	if p := pointOf(t, w, named(t, raw, "Under bar").Handle); p.CoveredByText != `banner "Top bar"` || p.Dismissible {
		t.Errorf("under the bar: %+v", p)
	}
	free := named(t, raw, "Free").Handle
	w.js(t, "document.getElementById('free').style.display='none', 1")
	if p := pointOf(t, w, free); p.State != "hidden" || p.Detail == "" {
		t.Errorf("not drawn: %+v", p)
	}
	w.js(t, "document.getElementById('free').remove(), 1")
	if p := pointOf(t, w, free); p.State != "gone" {
		t.Errorf("removed: %+v", p)
	}
	for what, err := range map[string]error{
		"Arm": GuardPress(t.Context(), w, free, "click"), "Focus": Focus(t.Context(), w, free),
		"unknown": Focus(t.Context(), w, 999_999),
	} {
		if !errors.Is(err, ErrGone) {
			t.Errorf("%s on a node that has gone: %v", what, err)
		}
	}
}

func TestAimScrollsNestedBoxes(t *testing.T) {
	w := open(t, "layers.html")
	raw := collectPage(t, w, Options{WholePage: true})
	last := named(t, raw, "List last").Handle
	if p, err := AimNow(t.Context(), w, last, false); err != nil || p.State == "ok" {
		t.Errorf("without scrolling: %+v %v", p, err)
	}
	w.js(t, "scrollTo(0, 2000), 1")
	p := pointOf(t, w, last)
	if p.State != "ok" || w.js(t, "document.getElementById('list').scrollTop > 200 && scrollY < 400") != "true" {
		t.Errorf("%+v", p)
	}
}

func TestAimWaitsForMovingElement(t *testing.T) {
	w := open(t, "layers.html")
	h := named(t, collectPage(t, w, Options{}), "Free").Handle
	w.js(t, `document.getElementById('free').animate([{transform:'translateX(0)'},{transform:'translateX(100px)'}],{duration:300,fill:'forwards'}), 1`)
	p := pointOf(t, w, h)
	if p.State != "ok" || p.X < 120 {
		t.Errorf("%+v; it ends at 110 to 230", p)
	}
}

func TestPressOnOtherElementIsReported(t *testing.T) {
	w := open(t, "layers.html")
	raw := collectPage(t, w, Options{})
	if err := GuardPress(t.Context(), w, named(t, raw, "Covered").Handle, "click"); err != nil {
		t.Fatal(err)
	}
	if met, err := EndPressGuard(t.Context(), w); met.Hit || met.Seen || met.Text != "" || err != nil {
		t.Errorf("before any event: %+v %v", met, err)
	}
	if err := GuardPress(t.Context(), w, named(t, raw, "Covered").Handle, "click"); err != nil {
		t.Fatal(err)
	}
	press(t, w, PressPoint{X: 40, Y: 170})
	if met, _ := EndPressGuard(t.Context(), w); met.Hit || met.Text != `dialog "Cookies"` {
		t.Errorf("%+v", met)
	}
}

func TestTypingReplacesSelection(t *testing.T) {
	w := open(t, "form.html")
	raw := collectPage(t, w, Options{})
	for name, want := range map[string]string{
		"Name": `textbox "Name" = "Bo" (required, focused)`, "Note": `textbox "Note" = "Bo" (focused, multiline)`,
		"Postcode": `textbox "Postcode" = "Bo" (focused)`, "Password": `textbox "Password" = "••" (focused)`,
	} {
		t.Run(name, func(t *testing.T) {
			h := named(t, raw, name).Handle
			if err := Focus(t.Context(), w, h); err != nil {
				t.Fatal(err)
			}
			field, err := SelectAll(t.Context(), w, h)
			if err != nil || field.Empty != (name == "Postcode") {
				t.Errorf("empty %v, %v", field.Empty, err)
			}
			if err := w.page.InsertText("Bo"); err != nil {
				t.Fatal(err)
			}
			if got := line(named(t, collectPage(t, w, Options{}), name)); got != want {
				t.Errorf("%s; want %s", got, want)
			}
		})
	}
	var refused *Refusal
	for _, name := range []string{"Remark", "Save all", "Gift wrap"} {
		if _, err := SelectAll(t.Context(), w, named(t, raw, name).Handle); !errors.As(err, &refused) {
			t.Errorf("%s takes text: %v", name, err)
		}
	}
}

func TestDateAndRangeFieldsAreFilled(t *testing.T) {
	w := open(t, "names.html")
	w.js(t, `window.heard='', addEventListener('input',e=>heard+=e.target.id+':'+e.target.value+' '), addEventListener('change',e=>heard+='! '), 1`)
	raw := collectPage(t, w, Options{WholePage: true})
	for _, c := range []struct{ name, value, now string }{
		{"Day", "2032-01-02", "2032-01-02"},
		{"Tint", "#1E90FF", "#1e90ff"},
		{"Seats", "7", "7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			done, now, err := SetValue(t.Context(), w, named(t, raw, c.name).Handle, c.value)
			if !done || now != c.now || err != nil {
				t.Errorf("%v %q %v", done, now, err)
			}
		})
	}
	if got := w.js(t, "heard"); got != "dt:2032-01-02 ! co:#1e90ff ! sl:7 ! " {
		t.Errorf("the page heard %q", got)
	}
	_, _, err := SetValue(t.Context(), w, named(t, raw, "Day").Handle, "tomorrow")
	var refused *Refusal
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "2031-12-24") {
		t.Errorf("a value of a wrong form: %v", err)
	}
	if done, _, err := SetValue(t.Context(), w, named(t, raw, "Message").Handle, "x"); done || err != nil {
		t.Errorf("a text field is filled: %v %v", done, err)
	}
}

func TestSelectOptionByLabelOrValue(t *testing.T) {
	w := open(t, "names.html")
	w.js(t, `window.heard='', addEventListener('input',e=>heard+='i'), addEventListener('change',e=>heard+='c'), 1`)
	raw := collectPage(t, w, Options{WholePage: true})
	ctx := context.Background()
	many := named(t, raw, "Toppings").Handle
	got, err := SelectOptions(ctx, w, many, []string{"ham", "Cheese"})
	if err != nil || strings.Join(got, ",") != "Cheese,Ham" || w.js(t, "heard") != "ic" {
		t.Errorf("%v %v, heard %q", got, err, w.js(t, "heard"))
	}
	if _, err := SelectOptions(ctx, w, many, []string{"Olives"}); err == nil ||
		!strings.Contains(err.Error(), `"Cheese", "Ham"`) {
		t.Errorf("a disabled option: %v", err)
	}
	if _, err := SelectOptions(ctx, w, many, []string{"Pineapple"}); err == nil ||
		!strings.Contains(err.Error(), `no option "Pineapple"; there are "Cheese", "Ham"`) {
		t.Errorf("an unknown option: %v", err)
	}
	w.js(t, `document.getElementById('lb').append(new Option('Sort: price'), new Option('Sort: price, highest'),
		new Option('Sort: name')), 1`)
	if got, err := SelectOptions(ctx, w, many, []string{"name"}); err != nil || strings.Join(got, ",") != "Sort: name" {
		t.Errorf("a word of one option: %v %v", got, err)
	}
	if _, err := SelectOptions(ctx, w, many, []string{"price"}); err == nil ||
		!strings.Contains(err.Error(), `no option "price"; there are`) {
		t.Errorf("a word of two options: %v", err)
	}
	if _, err := SelectOptions(ctx, w, named(t, raw, "Allow devices").Handle, []string{"1", "2"}); err == nil {
		t.Error("two values for a list of one")
	}
	if _, err := SelectOptions(ctx, w, named(t, raw, "City").Handle, []string{"Berlin"}); err == nil ||
		!strings.Contains(err.Error(), "not a native list") {
		t.Errorf("not a select: %v", err)
	}
}
