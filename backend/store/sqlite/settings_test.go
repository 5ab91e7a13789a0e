package sqlite

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/toolspec"
)

func TestSettings(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	if _, ok, err := s.Setting(ctx, "mode"); ok || err != nil {
		t.Fatalf("a setting nobody made: %v", err)
	}
	for _, v := range []string{"ask", "full"} {
		if err := s.SetSetting(ctx, "mode", v); err != nil {
			t.Fatal(err)
		}
	}
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	if v, ok, err := s.Setting(ctx, "mode"); v != "full" || !ok || err != nil {
		t.Fatalf("%q %v %v", v, ok, err)
	}
	if err := s.UnsetSetting(ctx, "mode"); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Settings(ctx); err != nil || len(all) != 0 {
		t.Fatalf("%v %v", all, err)
	}
}

func TestGrantsRoundTrip(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	g := toolspec.Grant{
		ID: "g1", Scope: toolspec.GrantAlways, Tool: "wget", Owner: "o", Grantee: "mcp:x", Folder: "/f",
		Hosts:  []string{"a.example"},
		Target: "t", Args: []byte(`{"a":1}`), Outside: []string{"b"}, Text: "words", Created: time.Now().UTC(),
	}
	if err := s.AddGrant(ctx, g); err != nil {
		t.Fatal(err)
	}
	all, err := s.Grants(ctx)
	if diff := cmp.Diff([]toolspec.Grant{g}, all); err != nil || diff != "" {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if err := s.RevokeGrant(ctx, "g1"); err != nil {
		t.Fatal(err)
	}
	if err := s.RevokeGrant(ctx, "g1"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	if err := s.AddGrant(ctx, toolspec.Grant{ID: "g"}); err == nil {
		t.Fatal("a grant without a tool was stored")
	}
}
