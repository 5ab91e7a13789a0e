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
	if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "link", "New").ID}); err != nil {
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
	// The host also saw the tab that opened, which may still be closing.
	eventually(t, "the host shows its own tab after the attached client closed", func() bool {
		ans, err := host.Session("").Annotate(ctx, surface.AnnotateOptions{})
		return err == nil && ans.Page.Title == "Host"
	})
}
