package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/egress"
)

// fixture is a home with a secret in it, Sextant's data folder, and a panel in that.
type fixture struct {
	t                *testing.T
	home, data, path string
	cfg              Config
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	base, err := os.MkdirTemp("/var/lib", "sextant-panel-")
	if err != nil {
		base = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	b := &fixture{
		t: t, home: filepath.Join(base, "ada"), data: filepath.Join(base, "ada", "data"),
		path: filepath.Join(base, "ada", "data", "panels", "notes"),
	}
	for name, text := range map[string]string{
		".ssh/id_ed25519": "KEY", "plans/plan.txt": "PLAN", ".local/share/keyrings/login.keyring": "KEY",
		"letters/one.txt": "LETTER", "data/sextant.db": "DATABASE",
		"data/panels/other/manifest.json": "OTHER", "data/panel-data/other/kept": "OTHER",
	} {
		path := filepath.Join(b.home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(b.path, os.DirFS("testdata/panel")); err != nil {
		t.Fatal(err)
	}
	b.cfg = Config{
		Confine: confine.New(confine.Config{Home: b.home, SecretPaths: []string{b.data}}),
		Data:    filepath.Join(b.data, "panel-data"), Home: b.home,
		MemoryLimit: 768 << 20, Places: protectedpaths.New(protectedpaths.OwnFolders{Home: b.home, Data: b.data}),
		ForbiddenPaths: func(context.Context) ([]string, error) { return nil, nil },
	}
	if ok, _, why := b.cfg.Confine.Available(); !ok || !b.cfg.Confine.IsolatesNetwork() {
		t.Skipf("no sandbox with a network of its own here: %s", why)
	}
	return b
}

// runner runs testdata's program, over its port or by lines.
func (f *fixture) runner(stdio bool, change func(*Panel)) *Runner {
	f.t.Helper()
	file := "port.mjs"
	if stdio {
		file = "lines.mjs"
	}
	p := Panel{ID: "notes", Title: "Notes", Dir: f.path, Backend: manifest.Backend{
		Kind: "process", Command: "node",
		Args: []string{file}, Stdio: stdio,
	}}
	if change != nil {
		change(&p)
	}
	r := New(f.cfg, p)
	f.t.Cleanup(r.Close)
	return r
}

func ask(ctx context.Context, r *Runner, what string, args map[string]any) (map[string]any, error) {
	body, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	res, _, err := r.Do(ctx, Request{Method: http.MethodPost, Path: "/api/notes/" + what, Body: body},
		func(string, string) {})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxAnswer {
		return nil, fmt.Errorf("larger than %d", maxAnswer)
	}
	var value map[string]any
	return value, json.Unmarshal(text, &value)
}

func (f *fixture) must(r *Runner, what string, args map[string]any) map[string]any {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 20*time.Second)
	defer cancel()
	value, err := ask(ctx, r, what, args)
	if err != nil {
		f.t.Fatalf("%s %v: %v; it printed %q", what, args, err, r.Output())
	}
	return value
}

// eachTransport runs a test over a port and over lines.
func eachTransport(t *testing.T, test func(t *testing.T, b *fixture, stdio bool)) {
	for name, stdio := range map[string]bool{"port": false, "lines": true} {
		t.Run(name, func(t *testing.T) { test(t, newFixture(t), stdio) })
	}
}

func TestProgramAnswersAndKeepsData(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, b *fixture, stdio bool) {
		r := b.runner(stdio, func(p *Panel) { p.Settings = func() (string, error) { return `{"size":3}`, nil } })
		got := b.must(r, "good", nil)
		if got["config"] != `{"size":3}` || len(got["token"].(string)) < 20 {
			t.Errorf("%v", got)
		}
		for _, name := range got["env"].([]any) {
			if strings.Contains(name.(string), "KEY") {
				t.Errorf("it got %s", name)
			}
		}
		b.must(r, "own", nil)
		if kept, err := os.ReadFile(filepath.Join(b.data, "panel-data", "notes", "kept")); err != nil ||
			string(kept) != "kept" {
			t.Errorf("%q %v", kept, err)
		}
	})
}

func TestProgramFileAccess(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, b *fixture, stdio bool) {
		granted := func(p *Panel) {
			p.Permissions.FS = []string{"~/plans", "~/.local/share", filepath.Join(b.home, "letters") + ":rw"}
		}
		bare, given := b.runner(stdio, nil), b.runner(stdio, granted)
		reads := map[string]struct{ bare, given bool }{
			".ssh/id_ed25519": {}, "plans/plan.txt": {given: true}, ".local/share/keyrings/login.keyring": {},
			"letters/one.txt": {given: true}, "data/sextant.db": {},
			"data/panels/other/manifest.json": {}, "data/panel-data/other/kept": {},
			"data/panels/notes/port.mjs": {true, true},
		}
		for name, may := range reads {
			path := filepath.Join(b.home, name)
			if got := b.must(bare, "read", map[string]any{"path": path}); may.bare != (got["did"] != nil &&
				got["did"] != "") {
				t.Errorf("without grants, reading %s: %v", name, got)
			}
			if got := b.must(given, "read", map[string]any{"path": path}); may.given != (got["did"] != nil &&
				got["did"] != "") {
				t.Errorf("with grants, reading %s: %v", name, got)
			}
		}
		writes := map[string]bool{
			"plans/x": false, "letters/x": true, "data/panels/notes/port.mjs": false,
			".bashrc": false, "x": false,
		}
		for name, may := range writes {
			path := filepath.Join(b.home, name)
			if got := b.must(given, "write", map[string]any{"path": path}); may != (got["did"] != nil) {
				t.Errorf("writing %s: %v", name, got)
			}
			if b.must(bare, "write", map[string]any{"path": path})["did"] != nil {
				t.Errorf("without grants it wrote %s", name)
			}
		}
		if _, err := os.Stat(filepath.Join(b.home, "plans", "x")); err == nil {
			t.Error("it wrote what it may only read")
		}
		if got := b.must(bare, "list", map[string]any{"path": b.home}); strings.Contains(fmt.Sprint(got), "letters") {
			t.Errorf("the home: %v", got)
		}
	})
}

func TestProtectedPathsAreNeverGranted(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for entry, why := range map[string]string{
		"~/.ssh": "may access", "~/data": "may access", "~/.bashrc:rw": "may write", "/": "name a folder",
		"plans": "name a folder", "~:rw": "start-up files",
	} {
		t.Run(entry, func(t *testing.T) {
			r := b.runner(false, func(p *Panel) { p.Permissions.FS = []string{entry} })
			if _, err := ask(t.Context(), r, "good", nil); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", entry, err)
			}
		})
	}
	r := b.runner(false, func(p *Panel) {
		p.Permissions = manifest.Permissions{
			FS:  []string{"~/plans", "~/letters:rw"},
			Net: manifest.Hosts{List: []string{"api.example"}},
		}
	})
	if got := r.Access(); got != "read ~/plans; write ~/letters; reach api.example" {
		t.Errorf("%q", got)
	}
}

// publicResolver resolves every name to an outside address.
type publicResolver struct{}

func (publicResolver) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

func TestProgramNetworkAccess(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Host)
		mu.Unlock()
		_, _ = io.WriteString(w, "welcome")
	}))
	t.Cleanup(site.Close)
	eachTransport(t, func(t *testing.T, b *fixture, stdio bool) {
		guard := egress.New(egress.Config{
			Resolver: publicResolver{},
			Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, site.Listener.Addr().String())
			},
		})
		t.Cleanup(func() { _ = guard.Close() })
		b.cfg.Egress = guard
		host, port, err := net.SplitHostPort(site.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]*Runner{
			"none": b.runner(stdio, nil), "one": b.runner(stdio,
				func(p *Panel) { p.Permissions.Net.List = []string{"api.example"} }),
		} {
			t.Run(name, func(t *testing.T) {
				got := b.must(r, "dial", map[string]any{"host": host, "port": json.Number(port)})
				if got["failed"] == nil {
					t.Errorf("%s: it reached the machine's own port: %v", name, got)
				}
				if got := b.must(r, "fetch", map[string]any{"url": "http://evil.example/"}); got["did"] == "welcome" {
					t.Errorf("%s: it reached another host: %v", name, got)
				}
				if got := b.must(r, "fetch", map[string]any{"url": "http://127.0.0.1:" + port +
					"/"}); got["did"] == "welcome" {
					t.Errorf("%s: it reached this machine: %v", name, got)
				}
				got = b.must(r, "fetch", map[string]any{"url": "http://api.example/"})
				if (got["did"] == "welcome") != (name == "one") {
					t.Errorf("%s: the granted host: %v", name, got)
				}
			})
		}
		mu.Lock()
		defer mu.Unlock()
		for _, host := range seen {
			if host != "api.example" {
				t.Errorf("%s was reached", host)
			}
		}
	})
}

// countProcesses counts processes whose command line contains words.
func countProcesses(words string) int {
	n := 0
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err == nil && strings.Contains(string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})), words) {
			n++
		}
	}
	return n
}

func TestChildrenEndWithProgram(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, b *fixture, stdio bool) {
		r := b.runner(stdio, nil)
		b.must(r, "detach", nil)
		deadline := time.Now().Add(30 * time.Second)
		for ; countProcesses("sleep 86399") == 0; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("nothing was left behind, so this proves nothing")
			}
		}
		r.Close()
		if n := countProcesses("sleep 86399"); n > 0 {
			t.Errorf("%d processes outlived the program", n)
		}
	})
}

func TestMisbehavingProgramFailsOnlyItsCall(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, b *fixture, stdio bool) {
		r := b.runner(stdio, nil)
		b.must(r, "good", nil)
		short, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		if _, err := ask(short, r, "hang", nil); err == nil {
			t.Error("an answer that never came came")
		}
		for _, what := range []string{"flood", "crash", "memory"} {
			t.Run(what, func(t *testing.T) {
				long, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				value, err := ask(long, r, what, nil)
				cancel()
				if err == nil || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v %v", what, value, err)
				}
				r.ExitReason()
				b.must(r, "good", nil)
			})
		}
	})
}

func TestIdleProgramIsStopped(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, b *fixture, stdio bool) {
		r := b.runner(stdio, func(p *Panel) { p.Backend.IdleSeconds = 1 })
		first := b.must(r, "good", nil)["token"]
		for deadline := time.Now().Add(20 * time.Second); r.IsRunning(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("it runs on")
			}
		}
		if b.must(r, "good", nil)["token"] == first {
			t.Error("the same program answered")
		}
		if r.failures != 0 {
			t.Error("rest counts as failure")
		}
	})
}

func TestProgressBeforeAnswer(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	r := b.runner(true, nil)
	var lines []string
	res, _, err := r.Do(t.Context(), Request{Method: "POST", Path: "/api/notes/words", Body: []byte("{}")},
		func(stream, text string) {
			lines = append(lines, text)
		})
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if len(lines) != 2 || lines[1] != "half way" {
		t.Errorf("%v", lines)
	}
	if out := r.Output(); !strings.Contains(out, "a line that is no answer") {
		t.Errorf("%q", out)
	}
}
