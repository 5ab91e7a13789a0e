package sqlite

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func discardLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

func openAt(t testing.TB, path string) *Store {
	t.Helper()
	s, err := Open(context.Background(), path, discardLog())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// setZone makes figures count by zone.
func (s *Store) setZone(zone *time.Location) { s.recorder.Zone, s.Reader.Zone = zone, zone }

func openNew(t *testing.T) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "data", "sextant.db"))
}
