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

// serving is a server of Python's in a run with a network of its own; port is where it listens.
func serving(t *testing.T, sockets int, more func(*Spec)) (*Process, *http.Client, context.CancelFunc) {
	t.Helper()
	world := newWorld(t, visibleBase(t))
	c := world.confine()
	if ok, _, why := c.Available(); !ok || !c.Limits() {
		t.Skipf("no network of a run's own here: %s", why)
	}
	ctx, cancel := context.WithCancel(context.Background())
	spec := Spec{
		Args: []string{"python3", "-m", "http.server", "--bind", "127.0.0.1", "8123"}, Dir: world.ws,
		Workspace: world.ws,
		Env:       []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Sockets: sockets,
	}
	if more != nil {
		more(&spec)
	}
	if err := os.WriteFile(filepath.Join(world.ws, "told.txt"), []byte("from inside"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := c.Command(ctx, spec)
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
		if res, err := client.Get("http://inside/told.txt"); err == nil {
			_ = res.Body.Close()
			return p, client, cancel
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestAServerInsideIsReachedFromOutsideAgainAndAgain(t *testing.T) {
	_, client, _ := serving(t, 3, nil)
	var all sync.WaitGroup
	failed := make(chan error, 200)
	for range 8 {
		all.Go(func() {
			for range 25 {
				res, err := client.Get("http://inside/told.txt")
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
		t.Error("it is reached by other programs of the machine too")
	}
}

func TestAConnectionIntoARunEndsWithIt(t *testing.T) {
	p, _, cancel := serving(t, 2, nil)
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
			t.Fatal("a run that has ended is reached")
		}
	}
}

func TestOfAClosedFolderOnlyWhatIsShownIsThere(t *testing.T) {
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		world := newWorld(t, visibleBase(t))
		cfg := Config{
			Home: world.home, Secret: []string{filepath.Join(world.home, "inner", "secret")},
			Without: without,
		}
		c := New(cfg)
		if ok, _, why := c.Available(); !ok {
			t.Logf("no sandbox without %v: %s", without, why)
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
		var out heard
		_, err := c.Run(t.Context(), Spec{
			Args: []string{
				"/bin/sh", "-c",
				`cd "$H"; cat plan.txt inner/given.txt inner/secret/key own/x; echo +MADE > own/y; cat own/y; echo LEFT > made; cat made; echo LEFT > inner/z; cat inner/z`,
			},
			Dir: filepath.Join(world.home, "own"), Closed: []string{world.home},
			Shown: []string{filepath.Join(world.home, "inner")}, Writable: []string{filepath.Join(world.home, "own")},
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
