package app_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"sextant/app"
	"sextant/backend/browser/launch"
)

// TestNoBrowserIsLeftWhenTheProgramIsKilled kills the real program at random moments,
// while it starts too, and looks for what is left of its Chromium.
func TestNoBrowserIsLeftWhenTheProgramIsKilled(t *testing.T) {
	if _, err := launch.Find(""); err != nil {
		t.Skip("no Chromium on this machine: " + launch.InstallHint)
	}
	kills := 8
	if os.Getenv("SEXTANT_WHOLE") != "" {
		kills = 100
	}
	program := app.Program(t)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w,
			"<!doctype html><title>Here</title><button>B</button><iframe srcdoc='<button>C</button>'></iframe>")
	}))
	defer page.Close()
	withBrowser, withPage := 0, 0
	for i := range kills {
		v := victim{t: t, program: program, dir: shortDir(t), url: page.URL, serve: i%2 == 1}
		// A third dies while it starts; the rest with a page open, or about to be.
		after := time.Duration(rand.IntN(700)) * time.Millisecond
		browser, opened := v.run(after, i%3 != 0)
		if browser {
			withBrowser++
		}
		if opened {
			withPage++
		}
	}
	t.Logf("%d kills: a browser ran at %d, a page was open at %d", kills, withBrowser, withPage)
	if withPage < kills/3 {
		t.Errorf("only %d of %d kills met an open page: little was proved", withPage, kills)
	}
}

// shortDir is a temporary folder whose name leaves room for Chromium's socket in it.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kill")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// victim is one run of the program that is to be killed.
type victim struct {
	t                 *testing.T
	program, dir, url string
	serve             bool
}

// command is the program with folders of its own.
func (v *victim) command(args ...string) *exec.Cmd {
	cmd := exec.Command(v.program, args...)
	cmd.Env = append(os.Environ(),
		"SEXTANT_DATA="+filepath.Join(v.dir, "data"), "SEXTANT_CONFIG="+filepath.Join(v.dir, "config"), "TMPDIR="+v.dir)
	return cmd
}

// Run starts the program, opens a page, kills it so long after that (or after its start, with
// open false) and fails the test when something of its browser lives on.
func (v *victim) run(after time.Duration, open bool) (browser, opened bool) {
	v.t.Helper()
	main := v.command("mcp", "--headless", "--allow-hosts", "127.0.0.1")
	if v.serve {
		main = v.command("serve", "--allow-hosts", "127.0.0.1")
	}
	in, err := main.StdinPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	out, err := main.StdoutPipe()
	if err != nil {
		v.t.Fatal(err)
	}
	if err := main.Start(); err != nil {
		v.t.Fatal(err)
	}
	done := make(chan bool, 1)
	stop := func() {}
	if v.serve {
		client := v.command("mcp")
		ready := bufio.NewReader(out)
		cin, _ := client.StdinPipe()
		cout, _ := client.StdoutPipe()
		started := make(chan bool, 1)
		go func() {
			_, err := ready.ReadString('\n')
			ok := err == nil && client.Start() == nil
			started <- ok
			done <- ok && v.talk(cin, cout)
		}()
		stop = func() {
			if <-started {
				_ = client.Process.Kill()
				_ = client.Wait()
			}
		}
	} else {
		go func() { done <- v.talk(in, out) }()
	}
	if open {
		select {
		case opened = <-done:
		case <-time.After(40 * time.Second):
		}
		if !opened {
			v.t.Errorf("serve %v: no page was opened", v.serve)
		}
	}
	time.Sleep(after)
	family := descendants(main.Process.Pid)
	browser = len(family) > 0
	_ = main.Process.Signal(syscall.SIGKILL)
	_ = main.Wait()
	stop()
	v.nothingLeft(family)
	return browser, opened
}

// talk speaks MCP until the page is open.
func (v *victim) talk(in io.Writer, out io.Reader) bool {
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"kill","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"navigate_page","arguments":{"url":%q}}}`, v.url),
	} {
		if _, err := io.WriteString(in, m+"\n"); err != nil {
			return false
		}
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var m struct {
			ID     int `json:"id"`
			Result struct {
				IsError bool `json:"isError"`
			} `json:"result"`
		}
		if json.Unmarshal(lines.Bytes(), &m) == nil && m.ID == 2 {
			return !m.Result.IsError
		}
	}
	return false
}

// nothingLeft waits until no process of the family lives and none names the victim's folder.
func (v *victim) nothingLeft(family map[int]string) {
	v.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		var left []string
		for pid, begun := range family {
			if _, now, ok := stat(pid); ok && now == begun {
				left = append(left, "process "+strconv.Itoa(pid))
			}
		}
		files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), v.dir) {
				left = append(left, f)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			v.t.Fatalf("serve %v: the program was killed and left %v", v.serve, left)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// descendants are the living processes below pid with the time each began.
func descendants(pid int) map[int]string {
	parents, begun := map[int]int{}, map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		p, _ := strconv.Atoi(filepath.Base(d))
		if parent, start, ok := stat(p); ok {
			parents[p], begun[p] = parent, start
		}
	}
	found := map[int]string{}
	for p := range parents {
		for up := parents[p]; up > 1; up = parents[up] {
			if up == pid {
				found[p] = begun[p]
				break
			}
		}
	}
	return found
}

// stat is a living process's parent and the time it began; zombies do not live.
func stat(pid int) (parent int, begun string, ok bool) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", false
	}
	_, rest, _ := strings.Cut(string(b[strings.LastIndexByte(string(b), ')'):]), " ")
	f := strings.Fields(rest)
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return 0, "", false
	}
	parent, _ = strconv.Atoi(f[1])
	return parent, f[19], true
}
