package auth_test

import (
	"context"
	"strings"
	"testing"

	"sextant/backend/mcp/auth"
)

func TestIssuerChangeNeedsConfirmation(t *testing.T) {
	one, two := newIssuer(t, "one", 3600), newIssuer(t, "two", 3600)
	s, p, keep := newServer(t, one), &person{}, &vault{kept: map[string]string{}}
	with := func(agree func(ctx context.Context, server, before, now string) (bool, error)) error {
		h := auth.New(auth.Config{
			Server: "notes", URL: s.URL + "/mcp", Store: keep, OpenPage: p.open, ClientID: "mine",
			ClientSecret: "typed", ConfirmIssuer: agree,
		})
		defer h.Close()
		_, err := ask(t.Context(), t, h, s)
		return err
	}
	// Its first issuer is sent the secret, and here refuses it: it stays the first.
	if err := with(nil); err == nil || len(one.seen) != 1 {
		t.Fatalf("got %v, sent %v", err, one.seen)
	}
	s.mu.Lock()
	s.issuer = two
	s.mu.Unlock()
	if err := with(nil); err == nil || !strings.Contains(err.Error(), "nothing was sent there") {
		t.Errorf("got %v", err)
	}
	asked := ""
	agree := func(yes bool) func(context.Context, string, string, string) (bool, error) {
		return func(_ context.Context, server, before, now string) (bool, error) {
			asked = server + ": " + before + " -> " + now
			return yes, nil
		}
	}
	if err := with(agree(false)); err == nil || asked != "notes: "+one.URL+" -> "+two.URL {
		t.Errorf("got %v, asked %q", err, asked)
	}
	if len(two.seen) != 0 || p.asked() != 1 {
		t.Fatalf("the second was sent %v after %d pages", two.seen, p.asked())
	}
	if err := with(agree(true)); err == nil || len(two.seen) != 1 {
		t.Errorf("got %v, sent %v", err, two.seen)
	}
	asked = ""
	if _ = with(agree(false)); asked != "" {
		t.Errorf("asked again: %q", asked)
	}
}
