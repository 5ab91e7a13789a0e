package confine

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen collects the output of a terminal.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func newScreen() *screen { return &screen{more: make(chan struct{}, 1)} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(b)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until the output contains text.
func (s *screen) wait(t *testing.T, text string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !strings.Contains(s.String(), text) {
		select {
		case <-s.more:
		case <-limit:
			t.Fatalf("the terminal never showed %q, only %q", text, s.String())
		}
	}
}

func TestTerminalSizeInputAndInterrupt(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.sandbox(without...)
		if ok, _, reason := c.Available(); !ok {
			t.Logf("no sandbox without %v: %s", without, reason)
			continue
		}
		shown := newScreen()
		var typed TTY
		script := `test -t 0 && test -t 1 && test -t 2 && stty size; read -r line; echo "got $line"; stty size; ` +
			`trap 'echo interrupted; exit 9' INT; echo ready; while :; do sleep 0.05; done`
		p, err := c.Start(t.Context(), Spec{
			Args: []string{"bash", "-c", script}, Workspace: w.ws, Stdout: shown,
			Terminal: &Terminal{Columns: 101, Rows: 33, OnStart: func(tty TTY) { typed = tty }},
		})
		if err != nil {
			t.Fatal(err)
		}
		shown.wait(t, "33 101")
		if err := typed.Resize(77, 22); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(typed, "hello\n")
		shown.wait(t, "got hello")
		shown.wait(t, "22 77")
		shown.wait(t, "ready")
		_, _ = io.WriteString(typed, "\x03") // Control+C reaches the foreground program
		exit, err := p.Wait()
		if err != nil || exit.Code != 9 || !strings.Contains(shown.String(), "interrupted") {
			t.Errorf("%v: %+v, %v, %q", without, exit, err, shown.String())
		}
		if _, err := typed.Write([]byte("x")); err == nil {
			t.Error("the terminal accepts input after its end")
		}
	}
}

func TestTerminalStaysConfined(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.sandbox(without...)
		if ok, _, _ := c.Available(); !ok {
			continue
		}
		shown := newScreen()
		script := `cat $HOME/.ssh/id_ed25519; cat $HOME/.ssh/*; echo x > $HOME/.bashrc && echo WROTE; ` +
			`exec 3<>/dev/tty && echo own >&3; curl -s -m 2 http://127.0.0.1:1/ && echo REACHED; echo over`
		exit, err := c.Run(t.Context(), Spec{
			Args: []string{"bash", "-c", script}, Workspace: w.ws, Stdout: shown,
			Terminal: &Terminal{},
		})
		text := shown.String()
		if err != nil || exit.Code != 0 || !strings.Contains(text, "over") || strings.Contains(text, w.token) ||
			strings.Contains(text, "WROTE") || strings.Contains(text, "REACHED") {
			t.Errorf("%v: %+v, %v, %q", without, exit, err, text)
		}
	}
}

func TestInheritedShellHasEnvironmentAndDies(t *testing.T) {
	w := newTestWorld(t, visibleBase(t))
	t.Setenv("INHERITED_VARIABLE", "kept")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	shown := newScreen()
	p, err := w.sandbox().Start(ctx, Spec{
		Args: []string{
			"bash", "-c",
			`echo "word $INHERITED_VARIABLE $TERM"; setsid nohup sleep 987123 >/dev/null 2>&1 & sleep 987123 & echo up; wait`,
		},
		Dir: w.ws, Unconfined: true, Inherit: true, Env: []string{"TERM=xterm-256color"}, Stdout: shown,
		Terminal: &Terminal{},
	})
	if err != nil {
		t.Fatal(err)
	}
	shown.wait(t, "word kept xterm-256color")
	shown.wait(t, "up")
	cancel()
	exit, err := p.Wait()
	if err != nil || !exit.Killed {
		t.Errorf("%+v, %v", exit, err)
	}
	if left := processesWith("987123"); len(left) > 0 {
		t.Errorf("still running: %v", left)
	}
}
