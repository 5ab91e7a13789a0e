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

// grant is the result of a sign-in: tokens for one resource from one issuer.
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

// client is our registration at an issuer.
type client struct {
	ID string `json:"id"`
	// Redirect is the redirect address it was registered with, "" if any works.
	Redirect string           `json:"redirect,omitempty"`
	Style    oauth2.AuthStyle `json:"style,omitempty"`
	Secret   string           `json:"-"`
}

// fresh reports whether the token needs no renewal yet. For short-lived tokens the margin is half of their
// life, or they would never be fresh.
func (g *grant) fresh() bool {
	margin := early
	if !g.Got.IsZero() {
		margin = min(margin, g.Expires.Sub(g.Got)/2)
	}
	return g.Expires.IsZero() || time.Until(g.Expires) > margin
}

// source is nil for no grant, as the SDK expects.
func (g *grant) source() oauth2.TokenSource {
	if g == nil {
		return nil
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: g.Access, TokenType: "Bearer"})
}

// keyOf is the name under which something is stored. Each secret has a name of its own, so that it is masked
// wherever it would be shown.
func keyOf(kind, of string) string {
	sum := sha256.Sum256([]byte(of))
	return "mcp-" + kind + "-" + hex.EncodeToString(sum[:8])
}

// current is the grant, read from the store once; the caller holds mu.
func (h *Handler) current() *grant {
	if h.loaded {
		return h.held
	}
	h.loaded = true
	text, ok := h.cfg.Keep.Key(keyOf("grant", h.cfg.URL))
	g := &grant{}
	if !ok || json.Unmarshal([]byte(text), g) != nil {
		return nil
	}
	if g.Access, ok = h.cfg.Keep.Key(keyOf("access", h.cfg.URL)); !ok {
		return nil
	}
	g.Refresh, _ = h.cfg.Keep.Key(keyOf("refresh", h.cfg.URL))
	g.Client.Secret, _ = h.cfg.Keep.Key(keyOf("client-secret", g.Issuer))
	if g.Client.ID == h.cfg.ClientID {
		g.Client.Secret = h.cfg.ClientSecret
	}
	h.held = g
	return g
}

// take makes g the current grant and stores it; the caller holds mu.
func (h *Handler) take(g *grant) error {
	h.held, h.loaded = g, true
	text, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("storing the sign-in: %w", err)
	}
	return errors.Join(
		h.cfg.Keep.SetKey(keyOf("access", h.cfg.URL), g.Access),
		h.cfg.Keep.SetKey(keyOf("refresh", h.cfg.URL), g.Refresh),
		h.cfg.Keep.SetKey(keyOf("grant", h.cfg.URL), string(text)),
	)
}

// forget deletes the tokens; the pinned issuer stays for the next sign-in.
func (h *Handler) forget() error {
	return deleteKeys(h.cfg.Keep, h.cfg.URL, "grant", "access", "refresh")
}

// Forget deletes the tokens for the server at address and its pinned issuer. Our registration at the issuer
// stays.
func Forget(keep Keep, address string) error {
	return deleteKeys(keep, address, "grant", "access", "refresh", "issuer")
}

func deleteKeys(keep Keep, address string, kinds ...string) error {
	var all error
	for _, kind := range kinds {
		if _, there := keep.Key(keyOf(kind, address)); there {
			all = errors.Join(all, keep.SetKey(keyOf(kind, address), ""))
		}
	}
	return all
}

// known is our earlier registration at issuer.
func (h *Handler) known(issuer string) (client, bool) {
	text, ok := h.cfg.Keep.Key(keyOf("client", issuer))
	var c client
	if !ok || json.Unmarshal([]byte(text), &c) != nil || c.ID == "" {
		return client{}, false
	}
	c.Secret, _ = h.cfg.Keep.Key(keyOf("client-secret", issuer))
	return c, true
}

func (h *Handler) remember(issuer string, c client) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("storing the registration: %w", err)
	}
	return errors.Join(
		h.cfg.Keep.SetKey(keyOf("client-secret", issuer), c.Secret),
		h.cfg.Keep.SetKey(keyOf("client", issuer), string(text)),
	)
}

// unknown deletes a registration that the issuer no longer knows.
func (h *Handler) unknown(issuer string) {
	_ = h.cfg.Keep.SetKey(keyOf("client", issuer), "")
	_ = h.cfg.Keep.SetKey(keyOf("client-secret", issuer), "")
}

// use puts the issuer's answer into g; asked are the requested scopes.
func (g *grant) use(token *oauth2.Token, asked []string) {
	g.Access, g.Got, g.Expires, g.Scopes = token.AccessToken, time.Now(), token.Expiry, asked
	if token.RefreshToken != "" {
		g.Refresh = token.RefreshToken
	}
	if given, ok := token.Extra("scope").(string); ok {
		g.Scopes = strings.Fields(given)
	}
}

// memory is a Keep that lasts while the program runs.
type memory struct {
	mu     sync.Mutex
	values map[string]string
}

func (m *memory) Key(name string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[name]
	return value, ok
}

func (m *memory) SetKey(name, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value == "" {
		delete(m.values, name)
		return nil
	}
	m.values[name] = value
	return nil
}
