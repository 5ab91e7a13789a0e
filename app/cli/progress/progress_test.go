package progress

import (
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/app"
	"sextant/app/config"
	"sextant/shared/event"
)

// openTest opens a System on folders that belong to one test.
func openTest(t *testing.T) *app.System {
	t.Helper()
	t.Setenv("SEXTANT_KEYCHAIN", "off")
	dir := t.TempDir()
	cfg, err := config.Load(
		map[string]string{"data": filepath.Join(dir, "data"), "config": filepath.Join(dir, "config")},
	)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := app.OpenSystem(t.Context(), cfg, app.OpenOptions{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sys.Close)
	return sys
}

// publish records e as the program does.
func publish(t *testing.T, sys *app.System, e event.Event) {
	t.Helper()
	if _, err := sys.Events.Publish(t.Context(), e); err != nil {
		t.Fatal(err)
	}
}

func TestNewestProgressOfCallIsPrinted(t *testing.T) {
	sys := openTest(t)
	var printed, out safeText
	lines := New(&printed, &out)
	stop := lines.Print(sys, "call_1")
	publish(t, sys, event.New(event.CallOutput,
		event.CallChunk{Stream: "stdout", Text: "what it prints\n"}).OfCall("call_1"))
	another := event.CallChunk{Stream: "progress", Text: "another's\n"}
	publish(t, sys, event.New(event.CallOutput, another).OfCall("call_10"))
	publish(t, sys, event.New(event.CallOutput,
		event.CallChunk{Stream: "progress", Text: "20% · one\n40% · two\n"}).OfCall("call_1.1"))
	for deadline := time.Now().Add(20 * time.Second); printed.String() == "" && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	if got := printed.String(); got != "40% · two\n" {
		t.Errorf("printed %q", got)
	}
	if got := out.String(); got != "what it prints\n" || got != lines.Printed() {
		t.Errorf("the output is %q and %q", got, lines.Printed())
	}
}

func TestSameJSON(t *testing.T) {
	for text, want := range map[string]bool{`{ "b": [1], "a": 2 }`: true, `{"a":2}`: false, `no JSON`: false} {
		if sameJSON([]byte(`{"a":2,"b":[1]}`), []byte(text)) != want {
			t.Error(text)
		}
	}
}

// safeText is text that is written and read at once.
type safeText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *safeText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *safeText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
