// Package signin signs a person in to a remote MCP server with OAuth: it finds out who issues
// tokens for the server, makes us known there, has the person agree in a browser of their own, keeps
// what comes of it, and renews it before it expires (MCP's chapter "Authorization", revisions
// 2026-07-28 and 2025-11-25; RFC 9728, 8414, 7591, 7636, 8707, 9207).
//
// The contract: a token goes to the resource it was issued for and nowhere else, and what one
// issuer gave us is never shown to another one. One sign-in runs at a time; whoever needs it waits
// for the same one, and it outlives the request that began it, because a person takes longer than a
// request may. A person who declined is not asked again until the Handler is made anew.
//
// The room opens no browser itself and keeps nothing itself: Config brings both.
package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// Keep holds tokens and the secrets of clients by name; guard/secrets' Vault is one. An empty value
// forgets. It may be called concurrently.
type Keep interface {
	Key(name string) (string, bool)
	SetKey(name, value string) error
}

// Config is what a Handler needs.
type Config struct {
	// Server is the person's name for the server, URL its address.
	Server, URL string
	// HTTP sends what is sent to the issuer; nil is http.DefaultClient.
	HTTP *http.Client
	// Keep is where tokens stay; nil keeps them while the Handler lives.
	Keep Keep
	// Open shows the person the issuer's page, in which they agree. It returns when the page is
	// open, or why it will not be: ErrDeclined when they said no.
	Open func(ctx context.Context, server, page string) error
	// NewIssuer asks the person whether what they registered may go to another issuer than it went to
	// before; nil lets it go to none.
	NewIssuer func(ctx context.Context, server, before, now string) (bool, error)
	// ClientID is what the person registered themselves, with its secret where there is one.
	ClientID, ClientSecret string
	// MetadataURL is a document that describes us (a client ID metadata document), "" for none.
	MetadataURL string
	// Scopes are asked for beside what the server asks for.
	Scopes []string
	// Machine signs in without a person: the client credentials grant, with ClientID and its secret or
	// PrivateKey, a key in PEM whose algorithm Algorithm names (ES256 or RS256).
	Machine               bool
	PrivateKey, Algorithm string
	// Version is told to the issuer as ours.
	Version string
	// Patience is how long a person may take, 5 minutes when 0.
	Patience time.Duration
}

// ErrDeclined says that the person did not want to sign in, or did not answer.
var ErrDeclined = errors.New("the sign-in was declined")

const (
	patience = 5 * time.Minute
	// early is how long before its end a token is renewed, where that is not most of its life.
	early = time.Minute
	// renewLimit is how long an issuer may take to renew one.
	renewLimit = 30 * time.Second
	// mostSignIns bounds how often a person is asked within again: a server that never has enough
	// must not have its way by asking.
	mostSignIns = 3
	again       = 10 * time.Minute
)

// Handler is the way in to one server. It is an auth.OAuthHandler; its methods may be called
// concurrently. Close it.
type Handler struct {
	cfg  Config
	life context.Context
	end  context.CancelFunc
	done sync.WaitGroup

	mu       sync.Mutex
	held     *grant
	loaded   bool
	flow     *flow
	renewing *renewal
	declined error
	began    []time.Time
}

var _ auth.OAuthHandler = (*Handler)(nil)

// flow is one sign-in that runs.
type flow struct {
	over chan struct{}
	err  error
}

// New is a Handler that has asked nobody yet.
func New(cfg Config) *Handler {
	if cfg.HTTP == nil {
		cfg.HTTP = http.DefaultClient
	}
	if cfg.Patience == 0 {
		cfg.Patience = patience
	}
	if cfg.Keep == nil {
		cfg.Keep = &memory{kept: map[string]string{}}
	}
	h := &Handler{cfg: cfg}
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

// Close ends a sign-in that runs and returns when it is over. What is kept stays.
func (h *Handler) Close() {
	h.mu.Lock() // whoever begins something under it has seen that we live
	h.end()
	h.mu.Unlock()
	h.done.Wait()
}

// Waiting is true while a person is asked.
func (h *Handler) Waiting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.flow != nil
}

// TokenSource is a token that is valid now, renewed ahead of its end where it can be: a minute, or
// half of its life when that is shorter; nil when there is none. It waits for a renewal as long as
// ctx allows; the renewal itself goes on.
func (h *Handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	g, r, err := h.usable()
	if r == nil {
		return g.source(), err
	}
	next, err := r.wait(ctx)
	if err != nil && time.Now().Before(g.Expires) {
		return g.source(), nil // it holds a little longer than the issuer is silent
	}
	if err != nil {
		return nil, fmt.Errorf("renewing the sign-in: %w", err)
	}
	return next.source(), nil
}

// usable is what is held, nil for nothing, and the renewal that it needs first, nil for none.
func (h *Handler) usable() (*grant, *renewal, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.current()
	switch {
	case g == nil || g.fresh():
		return g, nil, nil
	case g.Refresh != "":
		return g, h.renew(g), nil
	case time.Now().Before(g.Expires):
		return g, nil, nil
	}
	h.held = nil
	return nil, nil, h.forget()
}

// Authorize has the person sign in after the server answered req with resp. It waits for them as
// long as ctx allows; the sign-in itself goes on.
func (h *Handler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	defer drain(resp)
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return fmt.Errorf("reading what the server wants: %w", err)
	}
	c := wanted(challenges)
	if resp.StatusCode == http.StatusForbidden && c.problem != "insufficient_scope" {
		return nil // no sign-in mends that; the answer is told as it is
	}
	c.more = resp.StatusCode == http.StatusForbidden
	c.sent = strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	f, err := h.begin(c)
	if f == nil {
		return err
	}
	select {
	case <-f.over:
		return f.err
	case <-ctx.Done():
		return fmt.Errorf("waiting for the sign-in: %w", ctx.Err())
	}
}

// begin is the sign-in that runs, a new one when none does, and none when it is over already.
func (h *Handler) begin(c challenge) (*flow, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.flow != nil {
		return h.flow, nil
	}
	if g := h.current(); g != nil && g.Access != c.sent && g.fresh() {
		return nil, nil // there is a newer token by now than what was sent, if any was
	}
	if h.declined != nil {
		return nil, h.declined
	}
	if h.life.Err() != nil {
		return nil, h.life.Err()
	}
	h.began = slices.DeleteFunc(h.began, func(t time.Time) bool { return time.Since(t) > again })
	if len(h.began) >= mostSignIns {
		return nil, fmt.Errorf("%s still refuses after %d sign-ins", h.cfg.Server, len(h.began))
	}
	h.began = append(h.began, time.Now())
	f := &flow{over: make(chan struct{})}
	h.flow = f
	h.done.Go(func() {
		ctx, cancel := context.WithTimeout(h.life, h.cfg.Patience)
		defer cancel()
		g, err := h.run(ctx, c)
		h.mu.Lock()
		defer h.mu.Unlock()
		if err == nil {
			err = h.take(g)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: nobody signed in within %s", ErrDeclined, h.cfg.Patience)
		}
		if err != nil {
			err = fmt.Errorf("signing in to %s: %w", h.cfg.Server, err)
		}
		if errors.Is(err, ErrDeclined) {
			h.declined = err
		}
		h.flow, f.err = nil, err
		close(f.over)
	})
	return f, nil
}

// challenge is what a server says with a 401 or 403, and what it said it to.
type challenge struct {
	metadata, problem string
	scopes            []string
	// more is true of a token that is good and allows too little; sent is the token that was sent.
	more bool
	sent string
}

func wanted(all []oauthex.Challenge) (c challenge) {
	for _, one := range all {
		if c.metadata == "" {
			c.metadata = one.Params["resource_metadata"]
		}
		if one.Scheme != "bearer" {
			continue
		}
		if c.problem == "" {
			c.problem = one.Params["error"]
		}
		if len(c.scopes) == 0 {
			c.scopes = strings.Fields(one.Params["scope"])
		}
	}
	return c
}
