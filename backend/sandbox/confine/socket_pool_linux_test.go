package confine

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// startServer starts a Python web server on port 8123 in a run with a network of its own.
func startServer(t *testing.T, maxConns int, more func(*Spec)) (*Process, *http.Client, context.CancelFunc) {
	t.Helper()
	world := newTestWorld(t, visibleBase(t))
	c := world.sandbox()
	if ok, _, reason := c.Available(); !ok || !c.IsolatesNetwork() {
		t.Skipf("runs have no network of their own here: %s", reason)
	}
	ctx, cancel := context.WithCancel(context.Background())
	spec := Spec{
		Args: []string{"python3", "-m", "http.server", "--bind", "127.0.0.1", "8123"}, Dir: world.ws,
		Workspace: world.ws,
		Env:       []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, MaxConns: maxConns,
	}
	if more != nil {
		more(&spec)
	}
	if err := os.WriteFile(filepath.Join(world.ws, "page.txt"), []byte("from inside"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := c.Start(ctx, spec)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _, _ = p.Wait() }()
	t.Cleanup(func() { cancel(); <-ended })
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return p.Dial(ctx, 8123)
		},
	}}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if res, err := client.Get("http://inside/page.txt"); err == nil {
			_ = res.Body.Close()
			return p, client, cancel
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestDialReachesServerInRunRepeatedly(t *testing.T) {
	_, client, _ := startServer(t, 3, nil)
	var all sync.WaitGroup
	failed := make(chan error, 200)
	for range 8 {
		all.Go(func() {
			for range 25 {
				res, err := client.Get("http://inside/page.txt")
				if err != nil {
					failed <- err
					return
				}
				b, err := io.ReadAll(res.Body)
				_ = res.Body.Close()
				if err != nil || string(b) != "from inside" {
					failed <- fmt.Errorf("%q %w", b, err)
				}
			}
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	if conn, err := net.DialTimeout("tcp", "127.0.0.1:8123", time.Second); err == nil {
		_ = conn.Close()
		t.Error("other programs of the machine reach it too")
	}
}

func TestConnectionsEndWithRun(t *testing.T) {
	p, _, cancel := startServer(t, 2, nil)
	conn, err := p.Dial(t.Context(), 8123)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Dial(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a port that nobody listens on: %v", err)
	}
	cancel()
	if _, err := io.ReadAll(conn); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(err)
	}
	_ = conn.Close()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if again, err := p.Dial(t.Context(), 8123); err != nil {
			return
		} else if _ = again.Close(); time.Now().After(deadline) {
			t.Fatal("the run was reached after its end")
		}
	}
}

func TestRestrictedFolderShowsOnlyGrantedPaths(t *testing.T) {
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		world := newTestWorld(t, visibleBase(t))
		cfg := Config{
			Home: world.home, SecretPaths: []string{filepath.Join(world.home, "inner", "secret")},
			DisabledMechanisms: without,
		}
		c := New(cfg)
		if ok, _, reason := c.Available(); !ok {
			t.Logf("no sandbox without %v: %s", without, reason)
			continue
		}
		for name, text := range map[string]string{
			"plan.txt": "PLAN", "inner/given.txt": "GIVEN",
			"inner/secret/key": "KEY", "own/x": "OWN",
		} {
			path := filepath.Join(world.home, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out outputBuffer
		_, err := c.Run(t.Context(), Spec{
			Args: []string{
				"/bin/sh", "-c",
				`cd "$H"; cat plan.txt inner/given.txt inner/secret/key own/x; echo +MADE > own/y; cat own/y; echo LEFT > made; cat made; echo LEFT > inner/z; cat inner/z`,
			},
			Dir: filepath.Join(world.home, "own"), Restricted: []string{world.home},
			Readable: []string{
				filepath.Join(world.home, "inner"),
			}, Writable: []string{filepath.Join(world.home, "own")},
			Stdout: &out, Env: []string{"PATH=/usr/bin:/bin", "H=" + world.home},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != "GIVENOWN+MADE\n" {
			t.Errorf("without %v: %q", without, got)
		}
		for _, left := range []string{"made", "inner/z"} {
			if _, err := os.Stat(filepath.Join(world.home, left)); err == nil {
				t.Errorf("without %v: it wrote %s", without, left)
			}
		}
	}
}
