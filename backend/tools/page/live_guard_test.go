package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// twoSites serves a page that holds a frame of the same server under another site's name.
func twoSites(t *testing.T) (page, frame string) {
	t.Helper()
	var inner string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/inner" {
			_, _ = fmt.Fprint(w,
				`<!doctype html><input aria-label=There><select aria-label=Pick><option>One<option>Two</select>`)
			return
		}
		_, _ = fmt.Fprint(
			w,
			`<!doctype html><title>Shop</title><input aria-label=Here><input type=password aria-label=Word><a href=/next?a=1>Next</a><iframe width=400 height=90 src="`+inner+`/inner"></iframe>`,
		)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	inner = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	return s.URL, inner
}

// decide is what the policy says of a call by the model after it read source.
func (t toolSession) decide(tool, args, source string) policy.Decision {
	t.t.Helper()
	call := t.call(tool, args)
	call.From.Caller, call.From.Outside = toolspec.CallerModel, []string{source}
	defs := live.tools.Definitions("")
	i := slices.IndexFunc(defs, func(d toolspec.Definition) bool { return d.Name == tool })
	return policy.Decide(policy.Input{
		Call: call, Definition: defs[i], Description: live.tools.Describe(call),
		Settings: policy.Settings{Mode: policy.ModeAsk, AllowHosts: []string{"127.0.0.1", "localhost"}},
	})
}

func TestTypingIntoCrossOriginFrameAsks(t *testing.T) {
	h := newToolSession(t)
	page, frame := twoSites(t)
	r := h.do("navigate_page", `{"url":%q}`, page)
	here, there, pick := idIn(t, r, `textbox "Here"`), idIn(t, r, `textbox "There"`),
		idIn(t, r, `combobox "Pick"`)
	into := func(id int) string { return fmt.Sprintf(`{"annotationId":%d,"text":"10437"}`, id) }
	if d := h.decide("type_text", into(here), page); d.Verdict != policy.VerdictAllow {
		t.Errorf("typing on the page that was read: %+v", d)
	}
	for tool, args := range map[string]string{
		"type_text":     into(there),
		"select_option": fmt.Sprintf(`{"annotationId":%d,"values":["Two"]}`, pick),
	} {
		d := h.decide(tool, args, page)
		if d.Verdict != policy.VerdictRefuse || !strings.Contains(d.Reason, "nobody to ask") {
			t.Errorf("%s in the frame: %+v", tool, d)
		}
		if d := h.decide(tool, args, frame); d.Verdict != policy.VerdictAllow || len(d.ContactedHosts) > 0 ||
			len(d.OpenedHosts) > 0 {
			t.Errorf("%s in the frame that was read: %+v", tool, d)
		}
	}
	if d := h.decide("click_element", fmt.Sprintf(`{"annotationId":%d}`, there), page); d.Verdict != policy.VerdictAllow {
		t.Errorf("a click in the frame: %+v", d)
	}
	if d := h.decide("type_text", into(999_999_999), page); d.Verdict != policy.VerdictRefuse {
		t.Errorf("typing nobody knows where: %+v", d)
	}
	h.do("navigate_page", `{"url":%q}`, frame+"/inner")
	// The page is left: nothing can be typed there, and the call says so itself.
	if d := h.decide("type_text", into(here), frame); d.Verdict != policy.VerdictAllow {
		t.Errorf("typing on a page that was left: %+v", d)
	}
}

func TestLinkOfPageIsFollowedWithoutApproval(t *testing.T) {
	h := newToolSession(t)
	page, frame := twoSites(t)
	h.do("navigate_page", `{"url":%q}`, page)
	for _, call := range []struct{ tool, args string }{
		{"navigate_page", `{"url":%q}`}, {"browser_tabs", `{"action":"open","url":%q}`},
	} {
		// What was read is another origin's, so that only the link allows it.
		if d := h.decide(call.tool, fmt.Sprintf(call.args, page+"/next?a=1"), frame); d.Verdict != policy.VerdictAllow {
			t.Errorf("%s to a link of the page: %+v", call.tool, d)
		}
		d := h.decide(call.tool, fmt.Sprintf(call.args, page+"/next?a=2"), frame)
		if d.Verdict != policy.VerdictRefuse ||
			!strings.Contains(d.Reason, "nobody to ask") {
			t.Errorf("%s to an address made up: %+v", call.tool, d)
		}
	}
}

func TestSecretFieldsAreRedacted(t *testing.T) {
	h := newToolSession(t)
	page, _ := twoSites(t)
	r := h.do("navigate_page", `{"url":%q}`, page)
	describe := func(args string) []string { return live.tools.Describe(h.call("type_text", args)).SecretArgs }
	word := idIn(t, r, `textbox "Word"`)
	if got := describe(fmt.Sprintf(`{"annotationId":%d,"text":"hunter2"}`, word)); !slices.Equal(got,
		[]string{"text"}) {
		t.Errorf("a password field: %v", got)
	}
	if got := describe(fmt.Sprintf(`{"annotationId":%d,"text":"10437"}`,
		idIn(t, r, `textbox "Here"`))); len(got) > 0 {
		t.Errorf("a plain field: %v", got)
	}
	for _, args := range []string{
		`{"annotationId":999999999,"text":"hunter2"}`,
		`{"annotationId":"x","text":"hunter2"}`,
	} {
		if got := describe(args); !slices.Equal(got, []string{"text"}) {
			t.Errorf("%s: %v", args, got)
		}
	}
	h.do("type_text", `{"annotationId":%d,"text":"hunter2"}`, word)
	wantParts(t, "typed", h.do("annotate_page", `{}`).Text, "•••••••")
}

func TestFrameToolHasFrameOrigin(t *testing.T) {
	h := newToolSession(t)
	var inner string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/inner" {
			_, _ = fmt.Fprint(
				w,
				`<!doctype html><script>document.modelContext.registerTool({name: 'grab', description: 'Grabs', execute: async (x) => 'grabbed ' + x.q})</script>`,
			)
			return
		}
		_, _ = fmt.Fprint(w, `<!doctype html><title>Shop</title><iframe allow="tools *" src="`+inner+
			`/inner"></iframe>`)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	inner = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	host := func(origin string) []string { return []string{strings.TrimPrefix(origin, "http://")} }
	h.do("navigate_page", `{"url":%q}`, s.URL)
	const args = `{"action":"call","name":"grab","arguments":{"q":"10437"}}`
	// Nobody has listed it: it is judged as the page's, and only the page's may be called then.
	if d := live.tools.Describe(h.call("page_tools", args)); !slices.Equal(d.Hosts, host(s.URL)) {
		t.Errorf("before it was listed: %+v", d)
	}
	list := h.do("page_tools", `{}`)
	wantParts(t, "list", list.Text, `"grab" "Grabs" (of a frame; origin `+inner+`)`)
	if !slices.Equal(list.Sources, []string{s.URL}) {
		t.Errorf("the sources of the list are %v", list.Sources)
	}
	if r := h.try("page_tools", args); r.Success || !strings.Contains(r.Error, s.URL+" offers no tool") {
		t.Errorf("judged as the page's, it ran as %+v", r)
	}
	d := live.tools.Describe(h.call("page_tools", args))
	if !slices.Equal(d.Hosts, host(inner)) || d.Target != inner || !strings.Contains(d.Sentence, "localhost") {
		t.Errorf("it is described as %+v", d)
	}
	if d := h.decide("page_tools", args, s.URL); d.Verdict != policy.VerdictRefuse ||
		!strings.Contains(d.Reason, "nobody to ask") {
		t.Errorf("with the page read, the frame's tool: %+v", d)
	}
	r := h.do("page_tools", args)
	wantParts(t, "called", r.Text, "grabbed 10437")
	if !slices.Equal(r.Sources, []string{s.URL, inner}) {
		t.Errorf("the sources are %v", r.Sources)
	}
}
