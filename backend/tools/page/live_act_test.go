package page

import (
	"encoding/json"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func wantParts(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s: %q is not in:\n%s", what, p, text)
		}
	}
}

func TestOpenAnnotateClickAndType(t *testing.T) {
	h := newToolSession(t)
	r := h.do("navigate_page", `{"url":"demo"}`)
	wantParts(t, "opened", r.Text, "Page: Order ¦ shop | "+live.url+"/ | v", `textbox "Name"`,
		`button "Later" (disabled)`, "… 1 more below; scroll")
	if !strings.HasPrefix(r.Sentence, "Opened 127.0.0.1:") || len(r.Sources) != 1 || r.Sources[0] != live.url ||
		len(r.Preview) == 0 {
		t.Errorf("sentence %q, sources %v, preview %v", r.Sentence, r.Sources, r.Preview)
	}
	look := h.do("annotate_page", `{}`)
	field, button, list := idIn(t, look, `textbox "Name"`), idIn(t, look, `button "Place order"`),
		idIn(t, look, `combobox "Size"`)

	typed := h.do("type_text", `{"annotationId":%d,"text":"Ana"}`, field)
	wantParts(t, "typed", typed.Text, `= "Ana"`)
	if typed.Sentence != "Typed Ana into “Name”" {
		t.Errorf("sentence %q", typed.Sentence)
	}
	chosen := h.do("select_option", `{"annotationId":%d,"values":["large"]}`, list)
	wantParts(t, "chosen", chosen.Text, `combobox "Size" = "Large"`)
	clicked := h.do("click_element", `{"annotationId":%d}`, button)
	wantParts(t, "clicked", clicked.Text, `clicked [`, `"Place order"`)
	if clicked.Sentence != "Clicked “Place order”" {
		t.Errorf("sentence %q", clicked.Sentence)
	}
	h.do("wait_for", `{"text":"Placed for Ana","seconds":30}`)

	var value struct {
		Page     struct{ Title, URL string }
		Outcome  string
		Elements []struct {
			ID  int
			Box struct{ Width float64 }
		}
		Events []any
		Text   string
	}
	b, err := json.Marshal(look.Value)
	if err != nil || json.Unmarshal(b, &value) != nil || value.Page.Title != "Order | shop" ||
		len(value.Elements) < 6 || value.Elements[0].Box.Width <= 0 || value.Events == nil || value.Text != look.Text {
		t.Errorf("value: %s", b)
	}
}

func TestPasswordsAreNotShown(t *testing.T) {
	h := newToolSession(t)
	r := h.do("navigate_page", `{"url":%q}`, live.url)
	typed := h.do("type_text", `{"annotationId":%d,"text":"geheim7"}`, idIn(t, r, `textbox "Password"`))
	b, err := json.Marshal(typed.Value)
	if err != nil || strings.Contains(typed.Text+typed.Sentence+strings.Join(typed.Preview, "")+string(b), "geheim7") {
		t.Errorf("the password is shown: %q\n%s", typed.Sentence, typed.Text)
	}
	wantParts(t, "typed", typed.Text, "•••••••")
}

func TestDescriptionNamesElement(t *testing.T) {
	h := newToolSession(t)
	id := idIn(t, h.do("navigate_page", `{"url":"demo"}`), `textbox "Name"`)
	d := live.tools.Describe(h.call("type_text", `{"annotationId":`+jsonOf(id)+`,"text":"10437"}`))
	want := toolspec.Description{
		Sentence: "Typing into “Name”", Target: "[" + jsonOf(id) + `] textbox "Name"`,
		Data: "10437", Annotation: id,
	}
	if d.Sentence != want.Sentence || d.Target != want.Target || d.Data != want.Data ||
		d.Annotation != want.Annotation {
		t.Errorf("%+v", d)
	}
	d = live.tools.Describe(h.call("navigate_page", `{"url":"Shop.example:8443/x"}`))
	if d.Sentence != "Opening shop.example:8443" || d.Target != "https://shop.example:8443/x" || len(d.Hosts) != 1 ||
		d.Hosts[0] != "shop.example:8443" {
		t.Errorf("%+v", d)
	}
	if d := live.tools.Describe(h.call("navigate_page", `{broken`)); d.Sentence != "" {
		t.Errorf("broken arguments: %+v", d)
	}
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestHistoryTabsScrollAndKeys(t *testing.T) {
	h := newToolSession(t)
	first := h.do("navigate_page", `{"url":"demo"}`)
	h.do("click_element", `{"annotationId":%d}`, idIn(t, first, `link "Read more"`))
	wantParts(t, "back", h.do("navigate_page", `{"action":"back"}`).Text, "Page: Order")
	wantParts(t, "forward", h.do("navigate_page", `{"action":"forward"}`).Text, "Page: On lamps")
	r := h.do("navigate_page", `{"action":"back"}`)
	wantParts(t, "scrolled", h.do("scroll_page", `{"direction":"bottom"}`).Text, `button "Far below"`)
	h.do("scroll_page", `{"direction":"top"}`)
	opened := h.do("click_element", `{"annotationId":%d}`, idIn(t, r, `link "In a new tab"`))
	wantParts(t, "opened", opened.Text, "opened tab ")
	tabs := h.do("browser_tabs", `{"action":"list"}`)
	if strings.Count(tabs.Text, "\ntab ")+1 != 2 || !strings.Contains(tabs.Text, "(current)") {
		t.Errorf("tabs:\n%s", tabs.Text)
	}
	look := h.do("annotate_page", `{}`)
	if strings.Contains(look.Text, "/article | v") {
		h.do("browser_tabs", `{"action":"close","tab":%d}`, tabNumber(t, tabs.Text, "/article"))
		look = h.do("annotate_page", `{}`)
	}
	h.do("click_element", `{"annotationId":%d}`, idIn(t, look, `textbox "Name"`))
	h.do("press_key", `{"key":"Z"}`)
	wantParts(t, "pressed", h.do("annotate_page", `{"query":"name"}`).Text, `textbox "Name" = "Z"`)
	h.do("hover_element", `{"annotationId":%d}`, idIn(t, look, `link "Read more"`))
	wantParts(t, "numbers", h.do("get_annotations", `{}`).Text, `link "Read more"`)
}

func tabNumber(t *testing.T, text, address string) int {
	t.Helper()
	for l := range strings.Lines(text) {
		var n int
		if strings.HasPrefix(l, "tab ") && strings.Contains(l, address) {
			if err := json.Unmarshal([]byte(strings.TrimPrefix(strings.SplitN(l, ":", 2)[0], "tab ")), &n); err == nil {
				return n
			}
		}
	}
	t.Fatalf("no tab %s in:\n%s", address, text)
	return 0
}

func TestFailuresHaveSuggestions(t *testing.T) {
	h := newToolSession(t)
	r := h.do("navigate_page", `{"url":"demo"}`)
	for _, c := range []struct {
		tool, args string
		kind       toolspec.ErrorType
		says       string
	}{
		{"navigate_page", `{}`, toolspec.ValidationError, "url or action"},
		{"navigate_page", `{"url":"javascript:alert(1)"}`, toolspec.ValidationError, "javascript:"},
		{"navigate_page", `{"url":"file:///etc/passwd"}`, toolspec.ValidationError, "file:"},
		{"wait_for", `{}`, toolspec.ValidationError, "nothing to wait for"},
		{"browser_tabs", `{"action":"close"}`, toolspec.ValidationError, "tab is missing"},
		{"select_text", `{}`, toolspec.ValidationError, "missing"},
		{"click_element", `{"annotationId":"x"}`, toolspec.ValidationError, "cannot be read"},
		{"click_element", `{"annotationId":999999}`, toolspec.UserError, "999999"},
		{
			"click_element", `{"annotationId":` + jsonOf(idIn(t, r, `button "Later"`)) + `}`, toolspec.UserError,
			"disabled",
		},
		{
			"select_option", `{"annotationId":` + jsonOf(idIn(t, r, `combobox "Size"`)) + `,"values":["Huge"]}`,
			toolspec.UserError, `"Small", "Large"`,
		},
		{"select_text", `{"text":"not on the page"}`, "", "not on the page"},
		{"get_page_content", `{"offset":99999999}`, toolspec.ValidationError, "beyond the end"},
		{"take_screenshot", `{"annotationId":1,"full_page":true}`, toolspec.ValidationError, "cannot be combined"},
	} {
		r := h.try(c.tool, c.args)
		if r.Success || (c.kind != "" && r.ErrorType != c.kind) || !strings.Contains(r.Error, c.says) ||
			r.Suggestion == "" {
			t.Errorf("%s %s: success %v, %s: %q (%q)", c.tool, c.args, r.Success, r.ErrorType, r.Error, r.Suggestion)
		}
	}
}
