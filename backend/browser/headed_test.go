package browser_test

import (
	"bufio"
	"context"
	"os/exec"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/browser/launch"
	"sextant/backend/surface"
)

// startXvfb starts a virtual display for this process, or skips the test.
func startXvfb(t *testing.T) {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("no Xvfb on this machine")
	}
	cmd := exec.Command(path, "-displayfd", "1", "-screen", "0", "1280x900x24", "-nolisten", "tcp")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	number := bufio.NewScanner(out)
	if !number.Scan() {
		t.Fatal("Xvfb does not start")
	}
	t.Setenv("DISPLAY", ":"+number.Text())
}

func TestHeadedBrowserDialogsDoNotHang(t *testing.T) {
	if _, err := launch.Find(""); err != nil {
		t.Skip(err)
	}
	startXvfb(t)
	b := browser.New(browser.Config{})
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	s := b.Session("")
	url := site(t, map[string]any{
		"/":      `<title>-</title><button onclick="print(); document.title = 'on'">Print</button> <a href="mailto:a@b.example">Mail</a>`,
		"/after": `<title>After</title>`,
	})
	page := openPage(t, ctx, s, url)
	expectEvent(t, click(t, ctx, s, page, "Print"), "page", "asked to print")
	if _, err := s.Wait(ctx, surface.WaitOptions{Seconds: 0.01}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page goes on after printing", func() bool {
		_, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: "document.title"})
		return err == nil && got.Text == `"on"`
	})
	expectEvent(t, click(t, ctx, s, page, "Mail"), "external", "mailto:")
	if ans := openPage(t, ctx, s, url+"/after"); ans.Page.Title != "After" || len(b.State().Tabs) != 1 {
		t.Errorf("afterwards the browser shows %+v in %+v", ans.Page, b.State().Tabs)
	}
}
