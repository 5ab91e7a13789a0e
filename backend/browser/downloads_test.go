package browser_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/browser"
)

// filesBelow lists all files and folders below dir.
func filesBelow(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir && !os.IsNotExist(err) {
			list = append(list, strings.TrimPrefix(path, dir+"/"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestOversizedDownloadIsRemoved(t *testing.T) {
	dir := t.TempDir()
	ctx, b := newBrowser(t, browser.Config{DownloadDir: dir, MaxDownload: 1_000_000})
	s := b.Session("")
	url := site(t, map[string]any{
		"/": `<a href=/quick>All at once</a> <a href=/endless>Without an end</a>`, "/quick": serveDownload(1_500_000),
		"/endless": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 50_000)); err != nil {
					return
				}
			}
		},
	})
	page := openPage(t, ctx, s, url)
	for i, name := range []string{"All at once", "Without an end"} {
		click(t, ctx, s, page, name)
		eventually(t, name+" is over", func() bool {
			list := s.Downloads()
			return len(list) == i+1 && list[i].State != "running"
		})
		if d := s.Downloads()[i]; d.State != "failed" || d.Reason != "it is larger than 1.0 MB" || d.Path != "" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	eventually(t, "only the empty folder is left", func() bool { return len(filesBelow(t, dir)) == 1 })
}

func TestClosingSessionRemovesUnfinishedDownloads(t *testing.T) {
	dir := t.TempDir()
	for path, content := range map[string]string{
		"joined-old/.partial/a1b2": "half", "joined-kept/report.pdf": "whole",
		".partial/c3": "half", "plan.txt": "mine",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, b := newBrowser(t, browser.Config{DownloadDir: dir})
	slow := make(chan struct{})
	defer close(slow)
	url := site(t, map[string]any{"/": `<a href=/big>Get it</a>`, "/big": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment")
		_, _ = w.Write(make([]byte, 200_000))
		w.(http.Flusher).Flush()
		select {
		case <-slow:
		case <-r.Context().Done():
		}
	}})
	s := b.Session("joined-new")
	click(t, ctx, s, openPage(t, ctx, s, url), "Get it")
	eventually(t, "it runs", func() bool {
		list := s.Downloads()
		return len(list) == 1 && list[0].State == "running" && list[0].Received > 0
	})
	b.CloseSession("joined-new")
	got := filesBelow(t, dir)
	if strings.Join(got, " ") != ".partial joined-kept joined-kept/report.pdf plan.txt" {
		t.Errorf("there is %q", got)
	}
}
