package browser_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/surface"
	"sextant/shared/event"
)

func TestAttachLeavesBrowserRunning(t *testing.T) {
	dir := t.TempDir()
	ctx, host := newBrowser(t, browser.Config{ProfileDir: dir, Flags: []string{"--remote-debugging-port=0"}})
	url := site(t, map[string]any{
		"/":         `<title>Host</title>`,
		"/attached": `<title>Attached</title><a target=_blank href=/>New</a>`,
	})
	openPage(t, ctx, host.Session(""), url)
	var port string
	eventually(t, "the debugging port", func() bool {
		b, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		port, _, _ = strings.Cut(string(b), "\n")
		return err == nil && port != ""
	})
	attached := browser.New(browser.Config{AttachURL: "http://127.0.0.1:" + port, Headless: true})
	s := attached.Session("mcp")
	page := openPage(t, ctx, s, url+"/attached")
	ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "link", "New").ID})
	if err != nil {
		t.Fatal(err)
	}
	var tabs []event.Tab
	eventually(t, "the tab that opened", func() bool {
		_, tabs, _ = s.ManageTabs(ctx, browser.TabCommand{})
		return len(tabs) == 2
	})
	if err := attached.Close(); err != nil {
		t.Error(err)
	}
	if ans, err = host.Session("").Annotate(ctx, surface.AnnotateOptions{}); err != nil || ans.Page.Title != "Host" {
		t.Errorf("after the attached client closed, the host shows %+v, %v", ans.Page, err)
	}
}
