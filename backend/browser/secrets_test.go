package browser_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/browser/page/network"
	"sextant/backend/surface"
)

// TestPasswordIsMaskedInRequests types into password fields with tools and by keyboard, in
// the page and below a closed shadow root; the page sends it under harmless names.
func TestPasswordIsMaskedInRequests(t *testing.T) {
	ctx, s := session(t)
	echo := func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"you_sent":%q,"note":"thanks"}`, r.Form.Get("f7"))
	}
	url := site(t, map[string]any{"/api": echo, "/left": `<title>Left</title>`, "/": `<title>-</title>
<form action=/left method=post><input type=password aria-label=Word name=f7><input aria-label=Plain name=p><button>Leave</button></form><div id=h></div>
<button onclick="send(document.querySelector('[name=f7]').value)">Send</button> <button onclick="send(inner.value)">Send hidden</button>
<button onclick="document.querySelector('[name=f7]').type = 'text'">Show</button>
<script>const inner = document.createElement('input'); inner.type = 'password'; inner.ariaLabel = 'Inside'
h.attachShadow({mode: 'closed'}).append(inner)
const send = (x) => fetch('/api?q=' + encodeURIComponent(x), {method: 'POST', headers: {'X-Kind': x}, body: new URLSearchParams({f7: x, lang: 'en'})}).then((r) => r.text()).then(() => { document.title = 'sent' })</script>`})
	page := openPage(t, ctx, s, url)
	newest := func(part string) browser.RequestDetail {
		t.Helper()
		list, _ := s.Requests(browser.RequestFilter{URL: part})
		if len(list) == 0 {
			t.Fatalf("no request to %s", part)
		}
		d, err := s.Request(ctx, list[len(list)-1].ID)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	hidden := func(what, secret, part string) {
		t.Helper()
		d := newest(part)
		if all := fmt.Sprintf("%+v", d); strings.Contains(all, secret) || d.Masked == 0 {
			t.Errorf("%s: %s is listed: %s", what, secret, all)
		}
		if part == "/api" && (!strings.Contains(d.Body, "thanks") || !strings.Contains(d.RequestBody, "lang=en")) {
			t.Errorf("%s: harmless fields are not listed: %q, %q", what, d.RequestBody, d.Body)
		}
		if list, _ := s.Requests(browser.RequestFilter{URL: secret}); len(list) != 0 {
			t.Errorf("%s: a filter finds the secret: %+v", what, list)
		}
	}
	fill := func(name, text string) {
		t.Helper()
		if _, err := s.Type(ctx, surface.TypeOptions{
			ID: findElement(t, page, "textbox", name).ID, Text: text,
			Clear: true,
		}); err != nil {
			t.Fatal(err)
		}
	}
	fill("Word", "lantern8")
	click(t, ctx, s, page, "Send")
	hidden("a field of the page", "lantern8", "/api")
	fill("Inside", "lampshade")
	click(t, ctx, s, page, "Send hidden")
	hidden("a field below a closed root", "lampshade", "/api")
	// By keyboard, key by key, also after the page shows what is typed.
	fill("Word", "")
	for _, key := range "candle" {
		if _, err := s.PressKey(ctx, string(key)); err != nil {
			t.Fatal(err)
		}
	}
	click(t, ctx, s, page, "Show")
	click(t, ctx, s, page, "Word")
	for _, key := range "stick" {
		if _, err := s.PressKey(ctx, string(key)); err != nil {
			t.Fatal(err)
		}
	}
	click(t, ctx, s, page, "Send")
	hidden("by keyboard", "andle", "/api")
	fill("Plain", "plain words")
	click(t, ctx, s, page, "Leave")
	hidden("a page that was left", "candlestick", "/left")
	if d := newest("/left"); !strings.Contains(d.RequestBody, "p=plain+words") {
		t.Errorf("a harmless field is not listed: %q", d.RequestBody)
	}
}

func TestRequestSecretsAreMaskedByNameAndKind(t *testing.T) {
	ctx, s := session(t)
	var other string
	url := site(t, map[string]any{
		"/": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w,
				`<title>-</title><button onclick="fetch('%s/api?code=4711aa&lang=en', {method: 'POST', body: JSON.stringify({user: 'ana', apiKey: 'geheim1'})}).then((r) => r.text()).then(() => { document.title = 'x' })">Call</button>`, other)
		},
		"/api": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("X-Echo", "Bearer geheim2geheim2")
			_, _ = w.Write([]byte(`{"pong":true,"data":"ghp_0123456789abcdefghijABCDEFGHIJ0123"}` +
				strings.Repeat(" ", network.MaxBody)))
		},
	})
	other = otherSite(url)
	page := openPage(t, ctx, s, url)
	click(t, ctx, s, page, "Call")
	list, _ := s.Requests(browser.RequestFilter{URL: "/api", Type: "fetch"})
	if len(list) != 1 || list[0].URL != other+"/api?code=•••&lang=en" || list[0].Initiator != url {
		t.Fatalf("the list tells %+v", list)
	}
	d, err := s.Request(ctx, list[0].ID)
	if err != nil || d.RequestBody != `{"user":"ana","apiKey":"•••"}` ||
		!strings.HasPrefix(d.Body, `{"pong":true,"data":"•••"}`) || len(d.Body) > network.MaxBody || d.BodyNote == "" {
		t.Errorf("%q, %.60q, %q, %v", d.RequestBody, d.Body, d.BodyNote, err)
	}
	if d.Masked < 3 || !strings.Contains(strings.Join(d.MaskedKinds, "; "),
		"apiKey in the request body; access key in the response body") {
		t.Errorf("%d masked, %q", d.Masked, d.MaskedKinds)
	}
}
