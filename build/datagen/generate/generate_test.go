package generate_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"sextant/build/datagen/generate"

	"sextant/backend/store/sqlite"
	"sextant/shared/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, o generate.Options) (generate.Summary, []event.Event, *sqlite.Store) {
	t.Helper()
	ctx := context.Background()
	s, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "sextant.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	sum, err := generate.Write(ctx, s, o)
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.EventsAfter(ctx, 0, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return sum, events, s
}

func TestSameOptionsWriteSameEvents(t *testing.T) {
	t.Parallel()
	o := generate.Options{Messages: 300, Conversations: 6, Largest: 120, Deltas: 2, Seed: 7}
	sum, events, s := write(t, o)
	_, again, _ := write(t, o)
	if diff := cmp.Diff(events, again); diff != "" {
		t.Fatal(diff)
	}
	all, err := s.Conversations(context.Background())
	if err != nil || len(all) != 6 || sum.Events != len(events) {
		t.Fatalf("%d conversations, %v; %+v", len(all), err, sum)
	}
	if sum.Messages < 300 || sum.Messages > 360 || sum.LargestMessages < 120 || sum.LargestMessages > 126 {
		t.Fatalf("%+v", sum)
	}
}
