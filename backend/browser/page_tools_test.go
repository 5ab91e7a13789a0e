package browser_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

func TestPageToolOfFrameHasFramesOrigin(t *testing.T) {
	ctx, s := session(t)
	tool := func(name, said string) string {
		return `document.modelContext.registerTool({name: '` + name +
			`', description: 'D', execute: async (x) => { document.title = 'got ' + JSON.stringify(x); return '` +
			said + `' }})`
	}
	url := site(t, map[string]any{"/": `<title>-</title><iframe id=f allow="tools *; model-context *" src="about:blank"></iframe><script>` + tool("add", "page") + `</script>`})
	frame := site(t, map[string]any{"/": `<title>Frame</title><script>` + tool("add", "frame") + ";" +
		tool("grab", "frame") + `</script>`})
	frame = otherSite(frame)
	openPage(t, ctx, s, url)
	if _, err := s.EvalForTest(ctx, `new Promise((done) => { f.onload = done; f.src = "`+frame+`/" })`); err != nil {
		t.Fatal(err)
	}
	if got := s.PageToolOrigin("grab", ""); got != url {
		t.Errorf("before anything was listed the tool is said to be of %q", got)
	}
	_, _, err := s.CallPageTool(ctx, "grab", s.PageToolOrigin("grab", ""), json.RawMessage(`{"a":1}`))
	expectFault(t, err, surface.FaultNotFound)
	list, err := s.PageTools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	has := func(name, origin string) bool {
		return slices.ContainsFunc(list, func(p browser.PageTool) bool { return p.Name == name && p.Origin == origin })
	}
	if len(list) != 3 || !has("add", url) || !has("add", frame) || !has("grab", frame) {
		t.Fatalf("the page offers %+v", list)
	}
	if s.PageToolOrigin("grab", "") != frame || s.PageToolOrigin("add", "") != url ||
		s.PageToolOrigin("add", frame) != frame {
		t.Errorf("grab is of %q, add of %q", s.PageToolOrigin("grab", ""), s.PageToolOrigin("add", ""))
	}
	for _, c := range []struct{ name, origin, says string }{
		{"add", url, "page"},
		{"add", frame, "frame"},
		{"grab", frame, "frame"},
	} {
		_, said, err := s.CallPageTool(ctx, c.name, c.origin, json.RawMessage(`{"a":1}`))
		if err != nil || said != c.says {
			t.Errorf("%s of %s said %q, %v", c.name, c.origin, said, err)
		}
	}
	_, _, err = s.CallPageTool(ctx, "grab", url, nil)
	if f := expectFault(t, err, surface.FaultNotFound); !strings.Contains(f.Message, url) {
		t.Errorf("the fault says %q", f.Message)
	}
}
