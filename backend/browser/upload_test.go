package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/surface"
)

func textFile(t *testing.T, name, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUploadInFrameStaysInFrame(t *testing.T) {
	ctx, s := session(t)
	inner := site(t, map[string]any{"/": `<title>Inner</title><button onclick="parent.postMessage('now', '*')">Attach</button>
<button onclick="own.click()">Attach here</button><input id=own type=file hidden onchange="parent.postMessage('own ' + own.files[0].name, '*')">`})
	url := site(t, map[string]any{"/": `<title>-</title><input id=f type=file hidden onchange="document.title = 'stole ' + f.files[0].name"><iframe src="` + otherSite(inner) + `"></iframe>
<script>onmessage = (e) => { if (e.data === 'now') f.click(); else document.title = e.data }</script>`})
	path := textFile(t, "one.txt", "first")
	page := openPage(t, ctx, s, url)
	_, err := s.Upload(ctx, idOf(t, page, "Attach"), []string{path})
	if f := expectFault(t, err, surface.FaultBlocked); !strings.Contains(f.Message, "another document") {
		t.Errorf("the fault says %q", f.Message)
	}
	ans, err := s.Upload(ctx, findElement(t, page, "button", "Attach here").ID, []string{path})
	if err != nil || !strings.Contains(ans.Outcome, "gave") {
		t.Fatalf("the frame's own field: %q, %v", ans.Outcome, err)
	}
	eventually(t, "the frame's own field has the file", func() bool {
		ans, err := s.Annotate(ctx, surface.AnnotateOptions{})
		if strings.Contains(ans.Page.Title, "stole") {
			t.Fatal("the page around the frame got the file")
		}
		return err == nil && ans.Page.Title == "own one.txt"
	})
}

func TestUploadRefusesSymlink(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>-</title><input type=file aria-label=Plain>`}))
	path := textFile(t, "one.txt", "first")
	link := filepath.Join(filepath.Dir(path), "link.txt")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	_, err := s.Upload(ctx, findElement(t, page, "file", "Plain").ID, []string{link})
	if f := expectFault(t, err, surface.FaultInvalid); !strings.Contains(f.Message, "leads to another file") {
		t.Errorf("the fault says %q", f.Message)
	}
}
