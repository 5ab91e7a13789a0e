package sqlite

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/wire"
)

func TestKnownServers(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	k, err := s.KnownServer(ctx, "never")
	if diff := cmp.Diff(wire.KnownServer{}, k); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	first := wire.KnownServer{
		Key: "k", Name: "notes", Revision: "2025-11-25", Probed: time.Unix(5, 0).UTC(),
		Pins: map[string]string{"add": `{"x":1}`},
	}
	second := wire.KnownServer{
		Key: "k", Name: "notes", Revision: "2026-07-28", Probed: time.Unix(6, 0).UTC(),
		Pins: map[string]string{},
	}
	for _, want := range []wire.KnownServer{first, second} {
		if err := s.SaveKnownServer(ctx, want); err != nil {
			t.Fatal(err)
		}
		got, err := s.KnownServer(ctx, "k")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	}
}
