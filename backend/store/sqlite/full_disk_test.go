package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/store/diskspace"
	"sextant/shared/chat"
	"sextant/shared/event"
)

func TestWriteOnFullDiskStoresNothing(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "sextant.db"), discardLog())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	told := 0
	s.OnFull(func(error) { told++ })
	if _, err := s.writer.ExecContext(ctx, "PRAGMA max_page_count = 200"); err != nil {
		t.Fatal(err)
	}
	message := func(id string) []event.Event {
		return []event.Event{
			event.New(event.MessageAdded, chat.Message{
				ID: id, Role: chat.RoleUser,
				Text: strings.Repeat("word ", 4000),
			}).InTurn("c", "t"),
			event.New(event.TurnStarted, event.Turn{ID: "t" + id}).InTurn("c", "t"+id),
		}
	}
	kept := 0
	for err == nil {
		if _, err = s.AppendEvents(ctx, message(strings.Repeat("m", kept+1))); err == nil {
			kept++
		}
		if kept > 1000 {
			t.Fatal("it is never full")
		}
	}
	if !errors.Is(err, diskspace.ErrFull) || told != 1 {
		t.Fatalf("reported %d times: %v", told, err)
	}
	if err := s.AppendAudit(ctx, AuditEntry{
		Call: "c", Phase: AuditIntent,
		Body: []byte(`{"x":"` + strings.Repeat("x", 100_000) + `"}`),
	}); !errors.Is(err, diskspace.ErrFull) {
		t.Fatalf("an intent is not refused: %v", err)
	}
	inStep := func(want int) {
		t.Helper()
		events, err := s.EventsAfter(ctx, 0, 10_000)
		messages, other := s.Messages(ctx, "c")
		turns, third := s.Turns(ctx, "c")
		if err := errors.Join(err, other, third); err != nil || len(events) != 2*want || len(messages) != want ||
			len(turns) != want {
			t.Fatalf("%d events, %d messages and %d turns of %d: %v", len(events), len(messages), len(turns), want, err)
		}
	}
	inStep(kept)
	if _, err := s.writer.ExecContext(ctx, "PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if err := s.TryWrite(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendEvents(ctx, message("next")); err != nil {
		t.Fatal(err)
	}
	inStep(kept + 1)
}

// SQLite goes on writing to a file that was moved away or replaced, and nobody would find what it wrote.
func TestNothingIsWrittenToFileThatIsGone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	s := openAt(t, filepath.Join(folder, "sextant.db"))
	write := func() error { return s.SetSetting(t.Context(), "theme", "dark") }
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(); err != nil {
		t.Fatal(err)
	}
	move(folder, folder+"-away")
	if err := write(); !errors.Is(err, diskspace.ErrGone) || !diskspace.IsFull(err) {
		t.Errorf("moved away: %v", err)
	}
	if err := os.CopyFS(folder, os.DirFS(folder+"-away")); err != nil {
		t.Fatal(err)
	}
	if err := write(); !errors.Is(err, diskspace.ErrGone) {
		t.Errorf("replaced by a copy: %v", err)
	}
	if value, _, err := s.Setting(t.Context(), "theme"); err != nil || value != "dark" {
		t.Errorf("what was stored cannot be read: %q, %v", value, err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	move(folder+"-away", folder)
	if err := write(); err != nil {
		t.Errorf("back again: %v", err)
	}
}
