package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sextant/backend/mcp/auth"
)

func TestTokenIsRenewedBeforeExpiry(t *testing.T) {
	by := newIssuer(t, "a", 3600)
	s, p, keep := newServer(t, by), &person{}, &vault{kept: map[string]string{}}
	for range 3 {
		h := handler(t, s, p, keep)
		mustCall(t, h, s)
		mustCall(t, h, s)
		h.Close()
		keep.ages(t, 30*time.Second)
	}
	if p.asked() != 1 || by.refreshed != 2 || len(by.clients) != 1 {
		t.Errorf("asked %d times, renewed %d times, registered %d times", p.asked(), by.refreshed, len(by.clients))
	}
	if err := auth.DeleteTokens(keep, s.URL+"/mcp"); err != nil || len(keep.kept) != 1 {
		t.Errorf("a sign-in that is forgotten leaves %v, %v", keep.kept, err)
	}
	mustCall(t, handler(t, s, p, keep), s)
	if p.asked() != 2 || len(by.clients) != 1 {
		t.Errorf("then: asked %d times, registered %d times", p.asked(), len(by.clients))
	}
	for name, value := range keep.kept {
		if strings.Contains(value, "-token-") && !strings.HasPrefix(name, "mcp-access-") {
			t.Errorf("%s holds a token and other text, so it is not masked: %s", name, value)
		}
	}
}

func TestCredentialsStayWithTheirIssuer(t *testing.T) {
	one, two := newIssuer(t, "one", 3600), newIssuer(t, "two", 3600)
	s, p := newServer(t, one), &person{}
	h := handler(t, s, p, nil)
	mustCall(t, h, s)
	s.mu.Lock()
	s.issuer = two
	s.mu.Unlock()
	mustCall(t, h, s)
	if p.asked() != 2 || len(two.clients) != 1 {
		t.Errorf("asked %d times, registered at %v", p.asked(), two.clients)
	}
	if seen := strings.Join(two.seen, " "); strings.Contains(seen, "one-") || !strings.Contains(seen, "two-client-1") {
		t.Errorf("the second was sent %s", seen)
	}
}

func TestForgedCallbackIsRefused(t *testing.T) {
	s, p := newServer(t, newIssuer(t, "a", 3600)), &person{}
	p.does = func(page string) error {
		u, err := url.Parse(page)
		if err != nil {
			return err
		}
		back := u.Query().Get("redirect_uri")
		for _, forged := range []string{
			back + "?code=stolen&state=guess", back + "?code=stolen",
			strings.TrimSuffix(back, "callback") + "?code=stolen&state=" + u.Query().Get("state"),
		} {
			resp, err := http.Get(forged) //nolint:noctx // a page that attacks
			if err != nil {
				return err
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest {
				t.Errorf("%s was answered %d", forged, resp.StatusCode)
			}
		}
		return nil
	}
	mustCall(t, handler(t, s, p, nil), s)
}

func TestDeclinedSignInIsNotRepeated(t *testing.T) {
	s, p := newServer(t, newIssuer(t, "a", 3600)), &person{does: func(string) error { return auth.ErrDeclined }}
	h := handler(t, s, p, nil)
	for range 3 {
		if _, err := ask(t.Context(), t, h, s); !errors.Is(err, auth.ErrDeclined) ||
			!strings.Contains(err.Error(), "notes") {
			t.Errorf("got %v", err)
		}
	}
	if p.asked() != 1 {
		t.Errorf("asked %d times", p.asked())
	}
}

func TestScopeStepUpIsBounded(t *testing.T) {
	by := newIssuer(t, "a", 3600)
	s, p := newServer(t, by), &person{}
	s.scope = "write"
	h := handler(t, s, p, nil)
	var err error
	for range 10 {
		_, err = ask(t.Context(), t, h, s)
	}
	if p.asked() != 3 || err == nil || !strings.Contains(err.Error(), "still refuses after 3 sign-ins") {
		t.Errorf("asked %d times, %v", p.asked(), err)
	}
	if by.scopes[0] != "read" || by.scopes[1] != "read write" {
		t.Errorf("asked for %q", by.scopes)
	}
}

func TestSignInOutlivesRequest(t *testing.T) {
	s, p := newServer(t, newIssuer(t, "a", 3600)), &person{}
	opened, agrees := make(chan struct{}), make(chan struct{})
	p.does = func(string) error { close(opened); <-agrees; return nil }
	h := handler(t, s, p, nil)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { _, err := ask(ctx, t, h, s); left <- err }()
	<-opened
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) || !h.IsSigningIn() {
		t.Fatalf("got %v", err)
	}
	req, resp := unauthorized(t, s)
	waits, second := watched(t.Context()), make(chan error, 1)
	go func() { second <- h.Authorize(waits, req, resp) }()
	<-waits.by
	close(agrees)
	if err := <-second; err != nil || p.asked() != 1 {
		t.Errorf("%v, asked %d times", err, p.asked())
	}
}

func TestLateUnauthorizedResponseDoesNotAskAgain(t *testing.T) {
	s, p := newServer(t, newIssuer(t, "a", 3600)), &person{}
	h := handler(t, s, p, nil)
	req, resp := unauthorized(t, s)
	mustCall(t, h, s)
	if err := h.Authorize(t.Context(), req, resp); err != nil || p.asked() != 1 {
		t.Errorf("%v, asked %d times", err, p.asked())
	}
}

func TestUnrenewableTokenIsUsedUntilExpiry(t *testing.T) {
	by := newIssuer(t, "a", 60)
	by.frugal = true
	s, p, keep := newServer(t, by), &person{}, &vault{kept: map[string]string{}}
	h := handler(t, s, p, keep)
	mustCall(t, h, s)
	mustCall(t, h, s)
	h.Close()
	keep.ages(t, 20*time.Second)
	mustCall(t, handler(t, s, p, keep), s)
	if p.asked() != 1 {
		t.Errorf("asked %d times while it is valid", p.asked())
	}
	keep.ages(t, -time.Second)
	mustCall(t, handler(t, s, p, keep), s)
	if p.asked() != 2 {
		t.Errorf("asked %d times when it has ended", p.asked())
	}
}

func TestShortLivedTokenIsNotRenewedEachRequest(t *testing.T) {
	by := newIssuer(t, "a", 60)
	s, p := newServer(t, by), &person{}
	h := handler(t, s, p, nil)
	for range 3 {
		mustCall(t, h, s)
	}
	if p.asked() != 1 || by.refreshed != 0 {
		t.Errorf("asked %d times, renewed %d times", p.asked(), by.refreshed)
	}
}

func TestRenewalIsSharedAndCancelable(t *testing.T) {
	by := newIssuer(t, "a", 3600)
	by.renewing = make(chan struct{})
	t.Cleanup(func() { close(by.renewing) })
	s, p, keep := newServer(t, by), &person{}, &vault{kept: map[string]string{}}
	mustCall(t, handler(t, s, p, keep), s)
	keep.ages(t, -time.Second)
	h := handler(t, s, p, keep)
	ctx, leave := context.WithCancel(t.Context())
	first, left := watched(ctx), make(chan error, 1)
	go func() { _, err := h.TokenSource(first); left <- err }()
	<-first.by
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) || h.IsSigningIn() {
		t.Errorf("got %v", err)
	}
	second, stays := watched(t.Context()), make(chan error, 1)
	go func() {
		_, err := ask(second, t, h, s)
		stays <- err
	}()
	<-second.by
	by.renewing <- struct{}{}
	if err := <-stays; err != nil || p.asked() != 1 || by.refreshed != 1 {
		t.Errorf("%v, asked %d times, renewed %d times", err, p.asked(), by.refreshed)
	}
}

func TestForeignResourceIsRefused(t *testing.T) {
	by := newIssuer(t, "a", 3600)
	s, p := newServer(t, by), &person{}
	// The metadata says /mcp; the person configured another path.
	h := auth.New(auth.Config{Server: "notes", URL: s.URL + "/mcp", OpenPage: p.open})
	defer h.Close()
	other := newServer(t, by)
	resp := &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Header: http.Header{
		"Www-Authenticate": {`Bearer resource_metadata="` + other.URL + `/.well-known/oauth-protected-resource/mcp"`},
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Authorize(t.Context(), req, resp); err == nil || !strings.Contains(err.Error(), "another resource") ||
		p.asked() != 0 {
		t.Errorf("got %v, asked %d times", err, p.asked())
	}
}
