package page

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/build/testsites"
	"sextant/shared/toolspec"
)

func hardPages(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(testsites.Handler())
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func TestDragAndClickAtPoints(t *testing.T) {
	h := newToolSession(t)
	page := h.do("navigate_page", `{"url":%q}`, hardPages(t)+"/drag")
	apple, cherry := idIn(t, page, `listitem "Apple"`), idIn(t, page, `listitem "Cherry"`)
	if s := h.do("drag_element", `{"from":%d,"to":%d}`, apple, cherry).Sentence; s != "Dragged “Apple” to “Cherry”" {
		t.Errorf("sentence %q", s)
	}
	wantParts(t, "sorted", h.do("get_page_content", `{"format":"text"}`).Text, "Berry Cherry Apple Date Elder")
	r := h.do("drag_element", `{"from":%d,"by":{"x":50,"y":0}}`, idIn(t, page, `slider "Price"`))
	wantParts(t, "by an offset", r.Text, `slider "Price" = "50`)
	for _, bad := range []string{`{"from":%d}`, `{"from":%d,"to":3,"by":{"x":1,"y":1}}`} {
		if r := h.try("drag_element", strings.Replace(bad, "%d", jsonOf(apple), 1)); r.Success ||
			r.ErrorType != toolspec.ValidationError {
			t.Errorf("%s: %+v", bad, r)
		}
	}
	wantParts(t, "pressed", h.do("click_at", `{"x":30,"y":20}`).Text, "clicked at (30, 20) on")
	wantParts(t, "moved", h.do("move_path", `{"points":[{"x":30,"y":20},{"x":90,"y":60}]}`).Text,
		"moved along 2 points")
	if r := h.try("click_at", `{"x":-5,"y":20}`); r.Success || r.ErrorType != toolspec.ValidationError {
		t.Errorf("a point out of view: %+v", r)
	}
}

func TestUploadFromWorkspace(t *testing.T) {
	h := newToolSession(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	live.tools.opts.Folder = func() string { return dir }
	t.Cleanup(func() { live.tools.opts.Folder = func() string { return "" } })
	if err := os.WriteFile(filepath.Join(dir, "june.txt"), []byte("figures"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "june.txt"), filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	url := hardPages(t)
	id := idIn(t, h.do("navigate_page", `{"url":%q}`, url+"/upload"), `file "Plain"`)
	d := live.tools.Describe(h.call("upload_file", `{"annotationId":`+jsonOf(id)+`,"path":"link.txt"}`))
	if d.Data != filepath.Join(dir, "june.txt") || len(d.Hosts) != 1 || !strings.Contains(url, d.Hosts[0]) ||
		d.Annotation != id {
		t.Errorf("the call is described as %+v", d)
	}
	wantParts(t, "uploaded", h.do("upload_file", `{"annotationId":%d,"path":"june.txt"}`, id).Text,
		`gave "june.txt" (7 bytes) to [`)
	wantParts(t, "read by the page", h.do("get_page_content", `{"format":"text"}`).Text, "plain june.txt: figures")
	for _, bad := range []string{`"path":"../x"`, `"path":"~/x"`, `"paths":["none.txt"]`, `"path":"."`, `"path":""`} {
		if r := h.try("upload_file", `{"annotationId":`+jsonOf(id)+`,`+bad+`}`); r.Success ||
			r.ErrorType != toolspec.ValidationError || r.Suggestion == "" {
			t.Errorf("%s: %+v", bad, r)
		}
	}
	// What was asked about is what is given, wherever the link leads by then.
	link, other := filepath.Join(dir, "link.txt"), filepath.Join(dir, "key.txt")
	if err := os.WriteFile(other, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := `{"annotationId":` + jsonOf(id) + `,"path":"link.txt"}`
	if d := live.tools.Describe(h.call("upload_file", args)); d.Data != filepath.Join(dir, "june.txt") {
		t.Errorf("the call is described as %+v", d)
	}
	if err := errors.Join(os.Remove(link), os.Symlink(other, link)); err != nil {
		t.Fatal(err)
	}
	if r := h.try("upload_file", args); r.Success || r.ErrorType != toolspec.PermissionError || r.Suggestion == "" {
		t.Errorf("a link that changed its target since the approval: %+v", r)
	}
	if text := h.do("get_page_content", `{"format":"text"}`).Text; strings.Contains(text, "secret") {
		t.Errorf("the page got the other file:\n%s", text)
	}
	for _, def := range live.tools.Definitions("") {
		if def.Name == "upload_file" && !def.Hints.Confirm {
			t.Error("giving a file to a page asks nobody")
		}
	}
}
