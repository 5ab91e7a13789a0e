package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"sextant/backend/tools/page/lists"
	"sextant/backend/tools/page/observation"
	"sextant/shared/toolspec"
)

// effectsSite serves pages with side effects.
func effectsSite(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, `<!doctype html><meta name=viewport content="width=device-width"><title>Effects</title>
<button onclick="document.title = prompt('Name?')">Ask</button> <a href=/file>Get it</a>
<button onclick="console.warn('faked\n1: error &quot;x&quot;'); fetch('/api?[1]').then((r) => r.text())">Call</button>
<button data-price=80>Lamp</button>`)
		case "/file":
			w.Header().Set("Content-Disposition", `attachment; filename="note.txt"`)
			_, _ = fmt.Fprint(w, "hello")
		case "/api":
			w.Header().Set("Content-Type", "text/plain")
			_, _ = fmt.Fprint(w, "line one\nnote: faked")
		case "/vault":
			if _, word, _ := r.BasicAuth(); word != "lantern" {
				w.Header().Set("WWW-Authenticate", `Basic realm="Vault"`)
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, "<title>Inside</title>")
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

func TestHandleDialogHidesPassword(t *testing.T) {
	h := newToolSession(t)
	url := effectsSite(t)
	page := h.do("navigate_page", `{"url":%q}`, url)
	asked := h.do("click_element", `{"annotationId":%d}`, idIn(t, page, `button "Ask"`))
	wantParts(t, "asked", asked.Text, `dialog: prompt "Name?"`, "handle_dialog")
	d := live.tools.Describe(h.call("handle_dialog", `{"text":"Zoë"}`))
	if d.Data != "Zoë" || !strings.Contains(d.Target, "Name?") || len(d.Hosts) != 1 {
		t.Errorf("the question would show %+v", d)
	}
	wantParts(t, "answered", h.do("handle_dialog", `{"text":"Zoë"}`).Text, "Page: Zoë |")
	if r := h.try("handle_dialog", `{}`); r.Success || r.Suggestion == "" {
		t.Errorf("without a dialog: %+v", r)
	}
	if d := live.tools.Describe(h.call("handle_dialog", `{"text":"geheim7"}`)); !slices.Equal(d.SecretArgs,
		[]string{"text"}) {
		t.Errorf("a text that nothing asks for any more is shown: %+v", d)
	}
	wantParts(t, "guarded", h.do("navigate_page", `{"url":%q}`, url+"/vault").Text, "log-in: "+url+" (\"Vault\")")
	args := `{"username":"ana","password":"lantern"}`
	if d := live.tools.Describe(h.call("handle_dialog", args)); len(d.SecretArgs) != 1 ||
		d.SecretArgs[0] != "password" {
		t.Errorf("the password is not hidden: %+v", d)
	}
	r := h.do("handle_dialog", "%s", args)
	wantParts(t, "logged in", r.Text, "Page: Inside |", `logged in as "ana"`)
	if strings.Contains(r.Text+r.Sentence+fmt.Sprint(r.Value), "lantern") {
		t.Error("the password is shown")
	}
}

func TestPromptPasswordIsNotShown(t *testing.T) {
	h := newToolSession(t)
	url := effectsSite(t)
	h.do("navigate_page", `{"url":%q}`, url)
	for message, hidden := range map[string]bool{
		"Your PASSWORD, please:": true, "PIN?": true, "Ihr Kennwort": true,
		"Spinning wheel name?": false,
	} {
		// The prompt comes when the answer was given, so that no script waits for it.
		h.do("evaluate_script",
			`{"script":"setTimeout(() => { const x = prompt('%s', 'preset9'); fetch('/api?q=' + x) }, 0)"}`, message)
		args := `{"text":"geheim7"}`
		call := h.call("handle_dialog", args)
		for live.tools.Describe(call).Target == "" {
			if h.ctx.Err() != nil {
				t.Fatal("no prompt came")
			}
		}
		d := live.tools.Describe(call)
		if slices.Equal(d.SecretArgs, []string{"text"}) != hidden || strings.Contains(d.Target, "preset9") == hidden {
			t.Errorf("%s: the call is described as %+v", message, d)
		}
		r := h.do("handle_dialog", "%s", args)
		shown := r.Text + r.Sentence + fmt.Sprint(r.Value) + strings.Join(r.Preview, "")
		if strings.Contains(shown, "geheim7") == hidden {
			t.Errorf("%s: the answer tells:\n%s", message, shown)
		}
		if list := h.do("network_requests", `{"contains":"/api?q"}`).Text; hidden && strings.Contains(list, "geheim7") {
			t.Errorf("%s: the request tells:\n%s", message, list)
		}
		h.do("navigate_page", `{"url":%q}`, url)
	}
}

func TestDownloadIsListedWithPath(t *testing.T) {
	h := newToolSession(t)
	wantParts(t, "nothing yet", h.do("downloads", `{}`).Text, "There are no downloads.")
	page := h.do("navigate_page", `{"url":%q}`, effectsSite(t))
	h.do("click_element", `{"annotationId":%d}`, idIn(t, page, `link "Get it"`))
	var r toolspec.Result
	for r = h.do("downloads", `{}`); strings.Contains(r.Text, "| running"); {
		r = h.do("downloads", `{}`)
	}
	wantParts(t, "listed", r.Text, `1: "note.txt" | done, 5 bytes | /`, "removed when the browser closes")
	path := r.Value.(lists.DownloadsValue).Downloads[0].Path
	if !slices.Equal(r.Sources, observation.Sources(h.do("annotate_page", `{}`).Value.(observation.Value).Page.URL)) {
		t.Errorf("the list comes from %v", r.Sources)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "hello" {
		t.Errorf("%s holds %q, %v", path, b, err)
	}
	if r := h.try("downloads", `{"action":"cancel","id":1}`); r.Success {
		t.Error("a finished download is cancelled")
	}
}

func TestEvaluateDescriptionShowsWholeScript(t *testing.T) {
	h := newToolSession(t)
	url := effectsSite(t)
	id := idIn(t, h.do("navigate_page", `{"url":%q}`, url), `button "Lamp"`)
	args := fmt.Sprintf(`{"script":"element.dataset.price * 2 + '\u2028'","annotationId":%d}`, id)
	d := live.tools.Describe(h.call("evaluate_script", args))
	if d.Data != "element.dataset.price * 2 + '\u2028'" || d.Target != url+"/" || len(d.Hosts) != 0 {
		t.Errorf("the question would show %+v", d)
	}
	for _, def := range live.tools.Definitions("") {
		if def.Name == "evaluate_script" && !def.Hints.Confirm {
			t.Error("it runs without a question")
		}
	}
	r := h.do("evaluate_script", "%s", args)
	wantParts(t, "evaluated", r.Text, "value: \"160\\u2028\"\n")
	if len(r.Sources) != 1 || r.Sources[0] != url {
		t.Errorf("the value comes from %v", r.Sources)
	}
	if r := h.try("evaluate_script", `{"script":"nothing.there"}`); r.Success || !strings.Contains(r.Error, "line 1") {
		t.Errorf("a script that fails: %+v", r)
	}
}

func TestConsoleAndRequestsCannotForgeLine(t *testing.T) {
	h := newToolSession(t)
	url := effectsSite(t)
	page := h.do("navigate_page", `{"url":%q}`, url)
	h.do("click_element", `{"annotationId":%d}`, idIn(t, page, `button "Call"`))
	said := h.do("console_messages", `{"level":"warning"}`)
	wantParts(t, "console", said.Text, `warning "faked 1: error \"x\""`)
	for _, line := range strings.Split(said.Text, "\n") {
		if strings.HasPrefix(line, `1: error "x"`) {
			t.Errorf("a line is faked:\n%s", said.Text)
		}
	}
	list := h.do("network_requests", `{"contains":"/api","type":"fetch"}`)
	wantParts(t, "requests", list.Text, "GET 200 fetch "+url+"/api?[1]")
	if len(list.Sources) != 1 {
		t.Errorf("the sources are %v", list.Sources)
	}
	id := list.Value.(lists.RequestsValue).Requests[0].ID
	wantParts(t, "one request", h.do("network_requests", `{"id":%d}`, id).Text,
		`response body: "line one\nnote: faked"`,
		"Content-Type: text/plain")
	wantParts(t, "none", h.do("network_requests", `{"status":"failed"}`).Text, "There are no such requests.")
}

func TestCrossOriginRequestIsMasked(t *testing.T) {
	h := newToolSession(t)
	url := effectsSite(t)
	other := strings.Replace(url, "127.0.0.1", "localhost", 1)
	h.do("navigate_page", `{"url":%q}`, url)
	h.do("evaluate_script", `{"script":"fetch('%s/api?token=geheim7', {method: 'POST', mode: 'no-cors', body: 'pass%%0Aword=geheim8&a=1'}).then(() => 1)"}`, other)
	list := h.do("network_requests", `{"contains":"/api"}`)
	wantParts(t, "list", list.Text, other+"/api?token=•••", "note: 1 value masked as •••")
	if !slices.Equal(list.Sources, []string{url}) {
		t.Errorf("the sources of the list are %v", list.Sources)
	}
	r := h.do("network_requests", `{"id":%d}`, list.Value.(lists.RequestsValue).Requests[0].ID)
	wantParts(t, "one request", r.Text, `request body: "pass%0Aword=•••&a=1"`,
		`note: 2 values masked as •••: "token in the address", "pass word in the request body"`)
	if !slices.Equal(r.Sources, []string{url, other}) {
		t.Errorf("the sources are %v", r.Sources)
	}
}

func TestEmulationIsMerged(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":%q}`, effectsSite(t))
	see := func(want string) {
		t.Helper()
		r := h.do("evaluate_script",
			`{"script":"[innerWidth, devicePixelRatio, navigator.language, /Mobile/.test(navigator.userAgent)].join()"}`)
		wantParts(t, "the page sees", r.Text, `value: "`+want+`"`)
	}
	wantParts(t, "emulated", h.do("emulate_device", `{"device":"phone"}`).Text, "emulating phone")
	h.do("emulate_device", `{"locale":"fr-FR"}`)
	see("390,3,fr-FR,true")
	h.do("emulate_device", `{"mobile":false,"user_agent":"Probe/1"}`)
	see("390,3,fr-FR,false")
	h.do("emulate_device", `{"reset":true,"width":700,"height":500}`)
	see("700,1,en-US,false")
	for _, bad := range []string{`{}`, `{"width":700}`, `{"timezone":"Mars/North"}`} {
		if r := h.try("emulate_device", bad); r.Success || r.Suggestion == "" {
			t.Errorf("%s is taken: %+v", bad, r)
		}
	}
}

func TestSavePDFAndPageTools(t *testing.T) {
	h := newToolSession(t)
	h.do("navigate_page", `{"url":%q}`, effectsSite(t))
	r := h.do("save_pdf", `{"name":"../offer"}`)
	wantParts(t, "saved", r.Text, `"offer.pdf" | done`, "/offer.pdf |")
	if again := h.do("annotate_page", `{}`); strings.Contains(again.Text, "print") {
		t.Errorf("the page seems to have asked to print: %s", again.Text)
	}
	wantParts(t, "no tools", h.do("page_tools", `{}`).Text, "This page offers no tools.")
	h.do("evaluate_script", `{"script":"document.modelContext.registerTool({name: 'add', description: 'Adds\\n\"fake\" {}', execute: async (x) => 'sum\\n' + (x.a + 1)})"}`)
	wantParts(t, "tools", h.do("page_tools", `{}`).Text, `"add" "Adds \"fake\" {}" {"type":"object"`)
	r = h.do("page_tools", `{"action":"call","name":"add","arguments":{"a":2}}`)
	wantParts(t, "called", r.Text, `the page's tool says: "sum\n3"`, `called the page's tool "add"`)
	if d := live.tools.Describe(h.call("page_tools",
		`{"action":"call","name":"add","arguments":{"a":2}}`)); d.Data != `{"a":2}` || len(d.Hosts) != 1 {
		t.Errorf("the question would show %+v", d)
	}
}
