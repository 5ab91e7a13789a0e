package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"
)

// renewal is the exchange of a grant's refresh token. Only one runs for a grant, because a refresh token often works
// once. It outlives the request that began it; otherwise the new token would be lost.
type renewal struct {
	of    *grant
	ended chan struct{}
	// next is the new grant, nil for none. Read next and err after ended is closed.
	next *grant
	err  error
}

func (r *renewal) wait(ctx context.Context) (*grant, error) {
	select {
	case <-r.ended:
		return r.next, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// renew returns the running renewal of g or starts one. The caller holds mu.
func (h *Handler) renew(g *grant) *renewal {
	if r := h.renewing; r != nil && r.of == g {
		return r
	}
	r := &renewal{of: g, ended: make(chan struct{})}
	if r.err = h.lifetime.Err(); r.err != nil {
		close(r.ended)
		return r
	}
	h.renewing = r
	h.done.Go(func() {
		ctx, cancel := context.WithTimeout(h.lifetime, renewLimit)
		defer cancel()
		token, err := h.exchange(ctx, g)
		h.mu.Lock()
		defer h.mu.Unlock()
		defer close(r.ended)
		if h.renewing == r {
			h.renewing = nil
		}
		switch {
		case h.grant != g:
			err = nil // a sign-in was faster
		case err == nil:
			next := *g
			next.setToken(token, g.Scopes)
			err = h.storeGrant(&next)
		case isRefusal(err):
			h.grant = nil
			err = h.deleteGrant()
		}
		if r.err = err; h.grant != g {
			r.next = h.grant
		}
	})
	return r
}

func (h *Handler) exchange(ctx context.Context, g *grant) (*oauth2.Token, error) {
	// MCP demands the resource (RFC 8707) in a renewal too; oauth2 cannot send it.
	httpClient := *h.cfg.HTTP
	httpClient.Transport = &resourceTransport{next: httpClient.Transport, resource: g.Resource}
	cfg := &oauth2.Config{
		ClientID: g.Client.ID, ClientSecret: g.Client.Secret,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.Client.Style},
	}
	return cfg.TokenSource(context.WithValue(ctx, oauth2.HTTPClient, &httpClient),
		&oauth2.Token{RefreshToken: g.Refresh}).Token()
}

func isRefusal(err error) bool {
	var refusal *oauth2.RetrieveError
	return errors.As(err, &refusal) && slices.Contains([]string{
		"invalid_grant", "invalid_client", "unauthorized_client",
		"invalid_scope",
	}, refusal.ErrorCode)
}

type resourceTransport struct {
	next     http.RoundTripper
	resource string
}

// RoundTrip implements http.RoundTripper.
func (r *resourceTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	next := r.next
	if next == nil {
		next = http.DefaultTransport
	}
	if err := req.ParseForm(); err != nil {
		return nil, fmt.Errorf("renewing a token: %w", err)
	}
	form := url.Values{}
	for name, values := range req.PostForm {
		form[name] = values
	}
	form.Set("resource", r.resource)
	body := form.Encode()
	out, err := http.NewRequestWithContext(req.Context(), req.Method, req.URL.String(), strings.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("renewing a token: %w", err)
	}
	out.Header = req.Header.Clone()
	return next.RoundTrip(out)
}
