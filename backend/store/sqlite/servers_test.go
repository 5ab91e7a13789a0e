package sqlite

import (
	"context"
	"reflect"
	"testing"
	"time"

	"sextant/shared/wire"
)

func TestKnownServers(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	if k, err := s.KnownServer(ctx, "never"); err != nil || !reflect.DeepEqual(k, wire.KnownServer{}) {
		t.Fatalf("%+v, %v", k, err)
	}
	first := wire.KnownServer{
		Key: "k", Name: "notes", Era: "2025-11-25", Found: time.Unix(5, 0).UTC(),
		Tools: map[string]string{"add": `{"x":1}`},
	}
	second := wire.KnownServer{
		Key: "k", Name: "notes", Era: "2026-07-28", Found: time.Unix(6, 0).UTC(),
		Tools: map[string]string{},
	}
	for _, want := range []wire.KnownServer{first, second} {
		if err := s.SaveKnownServer(ctx, want); err != nil {
			t.Fatal(err)
		}
		if got, err := s.KnownServer(ctx, "k"); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
}
