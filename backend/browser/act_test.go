package browser_test

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

const form = `<title>Form</title>
<label>Name <input id=n value=old></label> <label>Size <select id=s><option>S<option>M<option>L</select></label>
<button onclick="out.textContent = 'hello ' + n.value; document.title = 'Saved'">Save</button>
<button disabled>Send</button> <a href="/two">Second page</a> <p id=out></p>`

func TestFormIsFilledAndSubmittedByID(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": form, "/two": `<title>Two</title><button>Other</button>`})
	page := openPage(t, ctx, s, url)
	if page.Page.Title != "Form" || page.Page.URL != url+"/" || page.Page.Tab == 0 || page.OnlyChanges {
		t.Errorf("the page is %+v", page.Page)
	}
	name := findElement(t, page, "textbox", "Name")
	ans, err := s.Type(ctx, surface.TypeOptions{ID: name.ID, Text: "Ana", Clear: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := findElement(t, ans, "textbox", "Name"); got.Value != "Ana" || got.ID != name.ID {
		t.Errorf("after typing the field is %+v", got)
	}
	if ans, err = s.Type(ctx, surface.TypeOptions{ID: name.ID, Text: " Maria", Human: true}); err != nil {
		t.Fatal(err)
	}
	if got := findElement(t, ans, "textbox", "Name"); got.Value != "Ana Maria" {
		t.Errorf("after adding key by key the field holds %q", got.Value)
	}
	ans, err = s.Select(ctx, findElement(t, page, "combobox", "Size").ID, []string{"L"})
	if err != nil || !strings.Contains(ans.Outcome, `"L"`) {
		t.Errorf("choosing: %q, %v", ans.Outcome, err)
	}
	ans, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Save").ID})
	if err != nil || !strings.HasPrefix(ans.Outcome, "clicked [") || ans.Page.Title != "Saved" || !ans.OnlyChanges {
		t.Errorf("clicking: %+v, %v", ans, err)
	}
	html, _, title, err := s.HTML(ctx)
	if err != nil || title != "Saved" || !strings.Contains(html, "hello Ana Maria") {
		t.Errorf("the page now reads %q (%s), %v", html, title, err)
	}
	_, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Send").ID})
	expectFault(t, err, surface.FaultDisabled)
}

func TestNavigationInvalidatesIDs(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": form, "/two": `<title>Two</title><button>Save</button>`})
	page := openPage(t, ctx, s, url)
	ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "link", "Second page").ID})
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := eventOf(ans, "navigated"); !ok || e.Text != "navigated to "+url+"/two (200)" ||
		ans.Page.Title != "Two" {
		t.Errorf("the answer to the click is %+v", ans)
	}
	save := findElement(t, ans, "button", "Save")
	_, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Save").ID})
	f := expectFault(t, err, surface.FaultGone)
	if !strings.Contains(f.Message, "replaced by a navigation") ||
		!strings.Contains(f.Message, "Nearest: ["+strconv.Itoa(save.ID)+`] button "Save"`) {
		t.Errorf("the fault says %q", f.Message)
	}
	_, err = s.Click(ctx, surface.ClickOptions{ID: 999_999})
	expectFault(t, err, surface.FaultNotFound)
	ans, err = s.Navigate(ctx, browser.NavigateOptions{Action: "back"})
	if err != nil || ans.Page.Title != "Form" {
		t.Errorf("going back: %+v, %v", ans.Page, err)
	}
	if ans, err = s.Navigate(ctx, browser.NavigateOptions{Action: "forward"}); err != nil || ans.Page.Title != "Two" {
		t.Errorf("going forward: %+v, %v", ans.Page, err)
	}
	_, err = s.Navigate(ctx, browser.NavigateOptions{Action: "forward"})
	expectFault(t, err, surface.FaultInvalid)
}

func TestIDsSurviveRerender(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>0</title><div id=app></div><script>
let n = 0
function render() {
  app.innerHTML = '<button id=add onclick="n++; render()">Add</button><button>Same</button><button>Same</button><p>' + n + '</p>'
  document.title = n
}
render()</script>`})
	page := openPage(t, ctx, s, url)
	add := findElement(t, page, "button", "Add")
	for _, want := range []string{"1", "2", "3"} {
		ans, err := s.Click(ctx, surface.ClickOptions{ID: add.ID})
		if err != nil || ans.Page.Title != want {
			t.Fatalf("click %s: %+v, %v", want, ans, err)
		}
		if slices.Contains(ans.Gone, add.ID) {
			t.Errorf("the id of the rerendered button is reported as gone")
		}
	}
	var twin int
	for _, e := range page.Elements {
		if e.Name == "Same" {
			twin = e.ID
		}
	}
	_, err := s.Click(ctx, surface.ClickOptions{ID: twin})
	expectFault(t, err, surface.FaultGone)
}

func TestClickInCrossSiteFrame(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/":      ``,
		"/inner": `<title>In</title><body style="margin:0"><div style="height:900px"></div><button onclick="this.textContent = 'Pressed'">Press me</button><input aria-label=Field><iframe src="/deep"></iframe>`,
		"/deep":  `<button onclick="this.textContent = 'Deep pressed'">Deep</button>`,
	})
	outer := site(t, map[string]any{"/": `<title>Out</title><div style="height:1500px">far</div>
<iframe src="` + otherSite(url) + `/inner" style="width:500px;height:300px;border:5px solid;margin-left:60px;transform:scale(.8)"></iframe>`})
	openPage(t, ctx, s, outer)
	page, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: "page"})
	if err != nil {
		t.Fatal(err)
	}
	button := findElement(t, page, "button", "Press me")
	if button.Frame == "" || button.InView {
		t.Errorf("the button in the frame is %+v", button)
	}
	ans, err := s.Click(ctx, surface.ClickOptions{ID: button.ID})
	if err != nil {
		t.Fatal(err)
	}
	if got := findElement(t, ans, "button", "Pressed"); got.ID != button.ID {
		t.Errorf("the pressed button is %+v", got)
	}
	if ans, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Deep").ID}); err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "button", "Deep pressed")
	field := findElement(t, page, "textbox", "Field")
	if ans, err = s.Type(ctx, surface.TypeOptions{ID: field.ID, Text: "ab", Clear: true}); err != nil {
		t.Fatal(err)
	}
	if got := findElement(t, ans, "textbox", "Field"); got.Value != "ab" {
		t.Errorf("the field in the frame holds %q", got.Value)
	}
	if ans, err = s.PressKey(ctx, "c"); err != nil || findElement(t, ans, "textbox", "Field").Value != "abc" {
		t.Errorf("a key pressed in the frame: %+v, %v", ans, err)
	}
}

func TestElementCoveringFrameIsNamed(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/inner": `<button>Under</button>`})
	outer := site(t, map[string]any{"/": `<iframe src="` + otherSite(url) + `/inner" style="position:absolute;left:0;top:0"></iframe>
<div role=dialog aria-label=Cookies style="position:fixed;inset:0;background:#fff">Cookies</div>`})
	openPage(t, ctx, s, outer)
	page, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: "page"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Under").ID})
	if f := expectFault(t, err, surface.FaultCovered); !strings.Contains(f.Message, `dialog "Cookies"`) {
		t.Errorf("the fault says %q", f.Message)
	}
}

func TestClickInOpenShadowRoot(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>Shadow</title><my-box></my-box><script>
customElements.define('my-box', class extends HTMLElement { constructor() { super()
  this.attachShadow({ mode: 'open' }).innerHTML = '<button>Inside</button>'
  this.shadowRoot.querySelector('button').onclick = () => { document.title = 'pressed' } } })</script>`})
	page := openPage(t, ctx, s, url)
	ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Inside").ID})
	if err != nil || ans.Page.Title != "pressed" {
		t.Errorf("pressing inside a shadow root: %+v, %v", ans, err)
	}
}

func TestResultWaitsForRequestsOfAction(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/": `<button onclick="fetch('/data').then(r => r.text()).then(t => { const b = document.createElement('button'); b.textContent = t; document.body.append(b) })">Load</button>
<button onclick="setTimeout(() => { late.hidden = false })">Later</button><button id=late hidden>Late</button>`,
		"/data": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(300 * time.Millisecond)
			_, _ = w.Write([]byte("From the server"))
		},
	})
	page := openPage(t, ctx, s, url)
	ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Load").ID})
	if err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "button", "From the server")
	if len(ans.Elements) > 2 {
		t.Errorf("the answer lists more than what changed: %+v", ans.Elements)
	}
	if ans, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Later").ID}); err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "button", "Late")
}

func TestPasswordIsNotInResult(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t,
		map[string]any{"/": `<title>Login</title><label>Password <input type=password></label>`}))
	field := page.Elements[0]
	ans, err := s.Type(ctx, surface.TypeOptions{ID: field.ID, Text: "hunter2", Clear: true})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(ans.Outcome, "hunter2") || !strings.HasPrefix(ans.Outcome, "typed") {
		t.Errorf("the outcome is %q", ans.Outcome)
	}
	for _, e := range ans.Elements {
		if strings.Contains(e.Value, "hunter2") {
			t.Errorf("the element is %+v", e)
		}
	}
}
