package confine

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen gathers what a terminal shows; wait returns once it holds words.
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

func (s *screen) wait(t *testing.T, words string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for !strings.Contains(s.String(), words) {
		select {
		case <-s.more:
		case <-limit:
			t.Fatalf("the terminal never showed %q, but %q", words, s.String())
		}
	}
}

func TestARunInATerminalHasItsSizeIsTypedIntoAndKeepsItsWalls(t *testing.T) {
	w := newWorld(t, visibleBase(t))
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.confine(without...)
		if ok, _, why := c.Available(); !ok {
			t.Logf("no sandbox %v: %s", without, why)
			continue
		}
		shown := newScreen()
		var typed TTY
		script := `test -t 0 && test -t 1 && test -t 2 && stty size; read -r line; echo "got $line"; stty size; ` +
			`trap 'echo interrupted; exit 9' INT; echo ready; while :; do sleep 0.05; done`
		p, err := c.Command(t.Context(), Spec{
			Args: []string{"bash", "-c", script}, Workspace: w.ws, Stdout: shown,
			Terminal: &Terminal{Columns: 101, Rows: 33, Begun: func(tty TTY) { typed = tty }},
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
		_, _ = io.WriteString(typed, "\x03") // Control+C reaches what runs in front
		exit, err := p.Wait()
		if err != nil || exit.Code != 9 || !strings.Contains(shown.String(), "interrupted") {
			t.Errorf("%v: %+v, %v, %q", without, exit, err, shown.String())
		}
		if _, err := typed.Write([]byte("x")); err == nil {
			t.Error("the terminal takes input after its end")
		}
	}
}

// A terminal opens no way around the walls: what a run must not read it does not read there either.
func TestATerminalShowsNoSecretAndReachesNoOtherTerminal(t *testing.T) {
	w := newWorld(t, visibleBase(t))
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		c := w.confine(without...)
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

func TestAPersonsShellHasTheirEnvironmentAndNothingOfItStays(t *testing.T) {
	w := newWorld(t, visibleBase(t))
	t.Setenv("MY_OWN_WORD", "kept")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	shown := newScreen()
	p, err := w.confine().Command(ctx, Spec{
		Args: []string{
			"bash", "-c",
			`echo "word $MY_OWN_WORD $TERM"; setsid nohup sleep 987123 >/dev/null 2>&1 & sleep 987123 & echo up; wait`,
		},
		Dir: w.ws, Unconfined: true, Person: true, Env: []string{"TERM=xterm-256color"}, Stdout: shown,
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
	if left := survivors("987123"); len(left) > 0 {
		t.Errorf("left running: %v", left)
	}
}
