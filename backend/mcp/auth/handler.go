// Package auth signs a person in to a remote MCP server with OAuth: it discovers the server's authorization
// server (issuer), registers there, has the person agree in their browser, stores the tokens, and renews them
// before they expire (MCP "Authorization", revisions 2026-07-28 and 2025-11-25; RFC 9728, 8414, 7591, 7636,
// 8707, 9207). It can also sign in without a person, by the client credentials grant.
//
// A token is sent only to the resource that it was issued for. The secrets of one issuer are not sent to another,
// except a client secret if the person agrees. A sign-in outlives the request that began it, because a person takes
// longer than a request may.
//
// The SDK's auth.AuthorizationCodeHandler is not used: it discovers, registers and exchanges the code in one step, so
// the person could not be asked about a new issuer. The SDK's client credentials handler supports no private keys.
package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/time/rate"
)

// Store stores tokens and client secrets by name; secrets.Vault implements it. Setting an empty value deletes
// the name. Its methods may be called concurrently.
type Store interface {
	Key(name string) (string, bool)
	SetKey(name, value string) error
}

// Config configures a Handler.
type Config struct {
	// Server is the person's name for the server; URL is its address.
	Server, URL string
	// HTTP sends all requests of a sign-in; nil is http.DefaultClient.
	HTTP *http.Client
	// Store stores the tokens; nil stores them in memory.
	Store Store
	// OpenPage shows the person the issuer's page, on which they agree, and does not wait for that. The error is
	// ErrDeclined if the person declined.
	OpenPage func(ctx context.Context, server, page string) error
	// ConfirmIssuer asks the person whether their registered secret may be sent to another issuer than before; nil
	// refuses.
	ConfirmIssuer func(ctx context.Context, server, before, now string) (bool, error)
	// ClientID is the client that the person registered; ClientSecret is its secret, "" for none.
	ClientID, ClientSecret string
	// MetadataURL is the address of our client ID metadata document, "" for none.
	MetadataURL string
	// Scopes are requested in addition to those that the server asks for.
	Scopes []string
	// ClientCredentials signs in without a person, by the client credentials grant. The client authenticates
	// with ClientSecret, or with PrivateKey, a PEM key for Algorithm (ES256 or RS256).
	ClientCredentials     bool
	PrivateKey, Algorithm string
	// Version is Sextant's version.
	Version string
	// Timeout bounds one sign-in; 0 is 5 minutes.
	Timeout time.Duration
}

// ErrDeclined means that the person did not sign in in time, declined it, or declined another issuer.
var ErrDeclined = errors.New("the sign-in was declined")

const (
	defaultPatience = 5 * time.Minute
	renewMargin     = time.Minute
	renewLimit      = 30 * time.Second
	// maxSignIns sign-ins may be started in a row, then one every signInWindow/maxSignIns, so that a server that
	// refuses every token cannot keep asking the person.
	maxSignIns   = 3
	signInWindow = 10 * time.Minute
)

// Handler signs in to one server. It is an auth.OAuthHandler; its methods may be called concurrently. Call
// Close when done.
type Handler struct {
	cfg      Config
	lifetime context.Context
	end      context.CancelFunc
	done     sync.WaitGroup

	mu       sync.Mutex
	grant    *grant
	loaded   bool
	attempt  *attempt
	renewing *renewal
	declined error
	rate     *rate.Limiter
}

var _ auth.OAuthHandler = (*Handler)(nil)

// attempt is one running sign-in. Read err after ended is closed.
type attempt struct {
	ended chan struct{}
	err   error
}

// New makes a Handler. It does not sign in yet.
func New(cfg Config) *Handler {
	if cfg.HTTP == nil {
		cfg.HTTP = http.DefaultClient
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultPatience
	}
	if cfg.Store == nil {
		cfg.Store = &memoryStore{values: map[string]string{}}
	}
	h := &Handler{cfg: cfg, rate: rate.NewLimiter(rate.Every(signInWindow/maxSignIns), maxSignIns)}
	h.lifetime, h.end = context.WithCancel(context.Background())
	return h
}

// Close cancels a running sign-in or renewal and waits for it to end. Stored tokens stay.
func (h *Handler) Close() {
	h.mu.Lock() // no sign-in begins after this
	h.end()
	h.mu.Unlock()
	h.done.Wait()
}

// IsSigningIn reports whether a sign-in is running.
func (h *Handler) IsSigningIn() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.attempt != nil
}

// TokenSource returns a source of one valid token, or nil if there is none. It renews a token that is about to expire,
// and waits for that as long as ctx allows; the renewal itself continues.
func (h *Handler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	g, r, err := h.currentGrant()
	if r == nil {
		return g.source(), err
	}
	next, err := r.wait(ctx)
	if err != nil && time.Now().Before(g.Expires) {
		return g.source(), nil // it is valid although the issuer does not answer
	}
	if err != nil {
		return nil, fmt.Errorf("renewing the sign-in: %w", err)
	}
	return next.source(), nil
}

func (h *Handler) currentGrant() (*grant, *renewal, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.loadGrant()
	switch {
	case g == nil || g.fresh():
		return g, nil, nil
	case g.Refresh != "":
		return g, h.renew(g), nil
	case time.Now().Before(g.Expires):
		return g, nil, nil
	}
	h.grant = nil
	return nil, nil, h.deleteGrant()
}

// Authorize signs in after the server answered req with resp. It waits as long as ctx allows; the sign-in itself
// continues. It returns nil at once for a 403 that is not about scopes, and if there is a newer token already. After
// the person declined, it returns that error without asking again.
func (h *Handler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	defer drain(resp)
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return fmt.Errorf("reading the server's challenge: %w", err)
	}
	c := parseChallenges(challenges)
	if resp.StatusCode == http.StatusForbidden && c.problem != "insufficient_scope" {
		return nil // no sign-in would help; the caller gets the answer
	}
	c.stepUp = resp.StatusCode == http.StatusForbidden
	c.token = strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	running, err := h.begin(c)
	if running == nil {
		return err
	}
	select {
	case <-running.ended:
		return running.err
	case <-ctx.Done():
		return fmt.Errorf("waiting for the sign-in: %w", ctx.Err())
	}
}

func (h *Handler) begin(c challenge) (*attempt, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.attempt != nil {
		return h.attempt, nil
	}
	if g := h.loadGrant(); g != nil && g.Access != c.token && g.fresh() {
		return nil, nil
	}
	if h.declined != nil {
		return nil, h.declined
	}
	if h.lifetime.Err() != nil {
		return nil, h.lifetime.Err()
	}
	if !h.rate.Allow() {
		return nil, fmt.Errorf("%s still refuses after %d sign-ins", h.cfg.Server, maxSignIns)
	}
	running := &attempt{ended: make(chan struct{})}
	h.attempt = running
	h.done.Go(func() {
		ctx, cancel := context.WithTimeout(h.lifetime, h.cfg.Timeout)
		defer cancel()
		g, err := h.run(ctx, c)
		h.mu.Lock()
		defer h.mu.Unlock()
		if err == nil {
			err = h.storeGrant(g)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("%w: nobody signed in within %s", ErrDeclined, h.cfg.Timeout)
		}
		if err != nil {
			err = fmt.Errorf("signing in to %s: %w", h.cfg.Server, err)
		}
		if errors.Is(err, ErrDeclined) {
			h.declined = err
		}
		h.attempt, running.err = nil, err
		close(running.ended)
	})
	return running, nil
}

type challenge struct {
	metadata, problem string
	scopes            []string
	// stepUp is true if the token was valid but lacks scopes; token is the one that was sent.
	stepUp bool
	token  string
}

func parseChallenges(all []oauthex.Challenge) (c challenge) {
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
