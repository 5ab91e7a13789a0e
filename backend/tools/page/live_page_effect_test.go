package page

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"sextant/shared/toolspec"
)

const formsPage = `<!doctype html><title>Forms</title>
<form method=post action=/a><input aria-label=Comment><input type=hidden name=method><button>Save</button>
<button formmethod=get>Preview</button><button type=button>Help</button></form>
<form method=post role=search><input aria-label=Find><button>Look</button></form>
<form method=post action=/s><input name=q aria-label=Words><button>Start</button></form>
<form action=/list><input aria-label=Filter><button>Apply</button></form>
<form onsubmit="return false"><textarea aria-label=Story></textarea><button>Continue</button></form>
<form onsubmit="return false"><button>Alone</button></form>
<form method=dialog><input aria-label=Inside><button>Close</button></form>
<form method=post><input name=action><input type=image alt=Picture src=x></form>
<button onclick="">Delete</button> <a href=/d>Delete</a> <a href=/e>Delete old files for ever</a>`

func TestEffectOfControlsOfForms(t *testing.T) {
	h := newToolSession(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, formsPage)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	r := h.do("navigate_page", `{"url":%q}`, server.URL)
	effect := func(tool, args string) toolspec.PageEffect {
		d := live.tools.Describe(h.call(tool, args))
		if d.PageEffect != "" && len(d.Hosts) != 1 {
			t.Errorf("%s %s: hosts %v", tool, args, d.Hosts)
		}
		return d.PageEffect
	}
	for line, want := range map[string]toolspec.PageEffect{
		`button "Save"`: toolspec.PageSend, `button "Preview"`: "", `button "Help"`: "", `button "Look"`: "",
		`button "Start"`: "", `button "Apply"`: "", `button "Continue"`: toolspec.PageSend, `button "Alone"`: "",
		`button "Close"`: "", `button "Picture"`: toolspec.PageSend, `button "Delete"`: toolspec.PageDelete,
		`link "Delete"`: toolspec.PageDelete, `link "Delete old files for ever"`: "", `textbox "Comment"`: "",
	} {
		if got := effect("click_element", fmt.Sprintf(`{"annotationId":%d}`, idIn(t, r, line))); got != want {
			t.Errorf("clicking %s: %q, want %q", line, got, want)
		}
	}
	comment := idIn(t, r, `textbox "Comment"`)
	for submit, want := range map[bool]toolspec.PageEffect{true: toolspec.PageSend, false: ""} {
		if got := effect("type_text",
			fmt.Sprintf(`{"annotationId":%d,"text":"x","submit":%t}`, comment, submit)); got != want {
			t.Errorf("typing with submit %t: %q", submit, got)
		}
	}
	save := idIn(t, r, `button "Save"`)
	s, err := live.tools.surfaceOf(h.call("click_element", fmt.Sprintf(`{"annotationId":%d}`, save)))
	if err != nil {
		t.Fatal(err)
	}
	e, _ := s.Element(save)
	if got := effect("click_at", fmt.Sprintf(`{"x":%f,"y":%f}`, e.Box.X+3, e.Box.Y+3)); got != toolspec.PageSend {
		t.Errorf("clicking at Save: %q", got)
	}
	if got := effect("click_at", `{"x":1,"y":1}`); got != "" {
		t.Errorf("clicking beside everything: %q", got)
	}
	h.do("type_text", `{"annotationId":%d,"text":"x"}`, comment)
	h.do("annotate_page", `{}`)
	for key, want := range map[string]toolspec.PageEffect{"Enter": toolspec.PageSend, " ": "", "Tab": ""} {
		if got := effect("press_key", fmt.Sprintf(`{"key":%q}`, key)); got != want {
			t.Errorf("%q in a field: %q, want %q", key, got, want)
		}
	}
}
