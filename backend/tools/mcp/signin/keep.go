package signin

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// grant is what a sign-in gave us: tokens for one resource by one issuer.
type grant struct {
	Issuer   string    `json:"issuer"`
	Resource string    `json:"resource"`
	TokenURL string    `json:"token_url"`
	Scopes   []string  `json:"scopes,omitempty"`
	Got      time.Time `json:"got,omitzero"`
	Expires  time.Time `json:"expires,omitzero"`
	Client   client    `json:"client"`
	Access   string    `json:"-"`
	Refresh  string    `json:"-"`
}

// client is how we are known to an issuer.
type client struct {
	ID string `json:"id"`
	// Redirect is the address it was registered with, "" when any will do.
	Redirect string           `json:"redirect,omitempty"`
	Style    oauth2.AuthStyle `json:"style,omitempty"`
	Secret   string           `json:"-"`
}

// fresh is false for a token that is to be renewed. One that never lives longer than the margin would
// not be fresh from the start, so that the margin is half of its life then.
func (g *grant) fresh() bool {
	margin := early
	if !g.Got.IsZero() {
		margin = min(margin, g.Expires.Sub(g.Got)/2)
	}
	return g.Expires.IsZero() || time.Until(g.Expires) > margin
}

// source is nil for no grant, as the SDK wants it said.
func (g *grant) source() oauth2.TokenSource {
	if g == nil {
		return nil
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: g.Access, TokenType: "Bearer"})
}

// The names of what is kept. Secrets have names of their own, so that each value is masked wherever
// it would be shown.
func kept(kind, of string) string {
	sum := sha256.Sum256([]byte(of))
	return "mcp-" + kind + "-" + hex.EncodeToString(sum[:8])
}

// current is what is held, read once; the caller holds mu.
func (h *Handler) current() *grant {
	if h.loaded {
		return h.held
	}
	h.loaded = true
	text, ok := h.cfg.Keep.Key(kept("grant", h.cfg.URL))
	g := &grant{}
	if !ok || json.Unmarshal([]byte(text), g) != nil {
		return nil
	}
	if g.Access, ok = h.cfg.Keep.Key(kept("access", h.cfg.URL)); !ok {
		return nil
	}
	g.Refresh, _ = h.cfg.Keep.Key(kept("refresh", h.cfg.URL))
	g.Client.Secret, _ = h.cfg.Keep.Key(kept("client-secret", g.Issuer))
	if g.Client.ID == h.cfg.ClientID {
		g.Client.Secret = h.cfg.ClientSecret
	}
	h.held = g
	return g
}

// take holds g and keeps it; the caller holds mu.
func (h *Handler) take(g *grant) error {
	h.held, h.loaded = g, true
	text, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("keeping the sign-in: %w", err)
	}
	return errors.Join(
		h.cfg.Keep.SetKey(kept("access", h.cfg.URL), g.Access),
		h.cfg.Keep.SetKey(kept("refresh", h.cfg.URL), g.Refresh),
		h.cfg.Keep.SetKey(kept("grant", h.cfg.URL), string(text)),
	)
}

// forget drops what the sign-in gave; who its issuer was stays, for the next one.
func (h *Handler) forget() error { return drop(h.cfg.Keep, h.cfg.URL, "grant", "access", "refresh") }

// Forget drops what a sign-in to the server at address gave, and who its issuer was; what made us known
// to its issuer stays.
func Forget(keep Keep, address string) error {
	return drop(keep, address, "grant", "access", "refresh", "issuer")
}

func drop(keep Keep, address string, kinds ...string) error {
	var all error
	for _, kind := range kinds {
		if _, there := keep.Key(kept(kind, address)); there {
			all = errors.Join(all, keep.SetKey(kept(kind, address), ""))
		}
	}
	return all
}

// known is how issuer knows us from an earlier registration.
func (h *Handler) known(issuer string) (client, bool) {
	text, ok := h.cfg.Keep.Key(kept("client", issuer))
	var c client
	if !ok || json.Unmarshal([]byte(text), &c) != nil || c.ID == "" {
		return client{}, false
	}
	c.Secret, _ = h.cfg.Keep.Key(kept("client-secret", issuer))
	return c, true
}

func (h *Handler) remember(issuer string, c client) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("keeping the registration: %w", err)
	}
	return errors.Join(
		h.cfg.Keep.SetKey(kept("client-secret", issuer), c.Secret),
		h.cfg.Keep.SetKey(kept("client", issuer), string(text)),
	)
}

// unknown forgets a registration that the issuer does not know any more.
func (h *Handler) unknown(issuer string) {
	_ = h.cfg.Keep.SetKey(kept("client", issuer), "")
	_ = h.cfg.Keep.SetKey(kept("client-secret", issuer), "")
}

// use puts what an issuer answered into g; asked are the scopes that were asked for.
func (g *grant) use(token *oauth2.Token, asked []string) {
	g.Access, g.Got, g.Expires, g.Scopes = token.AccessToken, time.Now(), token.Expiry, asked
	if token.RefreshToken != "" {
		g.Refresh = token.RefreshToken
	}
	if given, ok := token.Extra("scope").(string); ok {
		g.Scopes = strings.Fields(given)
	}
}

// memory keeps while the program runs.
type memory struct {
	mu   sync.Mutex
	kept map[string]string
}

func (m *memory) Key(name string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.kept[name]
	return value, ok
}

func (m *memory) SetKey(name, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value == "" {
		delete(m.kept, name)
		return nil
	}
	m.kept[name] = value
	return nil
}
