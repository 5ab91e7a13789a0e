package auth

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

type client struct {
	ID string `json:"id"`
	// Redirect is the registered redirect address, "" if any works.
	Redirect string           `json:"redirect,omitempty"`
	Style    oauth2.AuthStyle `json:"style,omitempty"`
	Secret   string           `json:"-"`
}

// fresh uses a margin of at most half of the token's lifetime; otherwise a short-lived token would never be fresh.
func (g *grant) fresh() bool {
	margin := renewMargin
	if !g.Got.IsZero() {
		margin = min(margin, g.Expires.Sub(g.Got)/2)
	}
	return g.Expires.IsZero() || time.Until(g.Expires) > margin
}

// source returns nil for a nil g, as the SDK expects.
func (g *grant) source() oauth2.TokenSource {
	if g == nil {
		return nil
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: g.Access, TokenType: "Bearer"})
}

// keyOf returns the name under which a value is stored. Each secret has its own name, so that it is masked
// wherever it would be shown.
func keyOf(kind, of string) string {
	sum := sha256.Sum256([]byte(of))
	return "mcp-" + kind + "-" + hex.EncodeToString(sum[:8])
}

// loadGrant requires mu.
func (h *Handler) loadGrant() *grant {
	if h.loaded {
		return h.grant
	}
	h.loaded = true
	text, ok := h.cfg.Store.Key(keyOf("grant", h.cfg.URL))
	g := &grant{}
	if !ok || json.Unmarshal([]byte(text), g) != nil {
		return nil
	}
	if g.Access, ok = h.cfg.Store.Key(keyOf("access", h.cfg.URL)); !ok {
		return nil
	}
	g.Refresh, _ = h.cfg.Store.Key(keyOf("refresh", h.cfg.URL))
	g.Client.Secret, _ = h.cfg.Store.Key(keyOf("client-secret", g.Issuer))
	if g.Client.ID == h.cfg.ClientID {
		g.Client.Secret = h.cfg.ClientSecret
	}
	h.grant = g
	return g
}

// storeGrant requires mu.
func (h *Handler) storeGrant(g *grant) error {
	h.grant, h.loaded = g, true
	text, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("storing the sign-in: %w", err)
	}
	return errors.Join(
		h.cfg.Store.SetKey(keyOf("access", h.cfg.URL), g.Access),
		h.cfg.Store.SetKey(keyOf("refresh", h.cfg.URL), g.Refresh),
		h.cfg.Store.SetKey(keyOf("grant", h.cfg.URL), string(text)),
	)
}

// deleteGrant keeps the pinned issuer for the next sign-in.
func (h *Handler) deleteGrant() error {
	return deleteKeys(h.cfg.Store, h.cfg.URL, "grant", "access", "refresh")
}

// DeleteTokens deletes the tokens for the server at address and its pinned issuer. Our registration at the issuer
// stays.
func DeleteTokens(store Store, address string) error {
	return deleteKeys(store, address, "grant", "access", "refresh", "issuer")
}

func deleteKeys(store Store, address string, kinds ...string) error {
	var all error
	for _, kind := range kinds {
		if _, found := store.Key(keyOf(kind, address)); found {
			all = errors.Join(all, store.SetKey(keyOf(kind, address), ""))
		}
	}
	return all
}

func (h *Handler) registration(issuer string) (client, bool) {
	text, ok := h.cfg.Store.Key(keyOf("client", issuer))
	var c client
	if !ok || json.Unmarshal([]byte(text), &c) != nil || c.ID == "" {
		return client{}, false
	}
	c.Secret, _ = h.cfg.Store.Key(keyOf("client-secret", issuer))
	return c, true
}

func (h *Handler) storeRegistration(issuer string, c client) error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("storing the registration: %w", err)
	}
	return errors.Join(
		h.cfg.Store.SetKey(keyOf("client-secret", issuer), c.Secret),
		h.cfg.Store.SetKey(keyOf("client", issuer), string(text)),
	)
}

func (h *Handler) deleteRegistration(issuer string) {
	_ = h.cfg.Store.SetKey(keyOf("client", issuer), "")
	_ = h.cfg.Store.SetKey(keyOf("client-secret", issuer), "")
}

// setToken gets the requested scopes as asked: they count as granted if the response names none.
func (g *grant) setToken(token *oauth2.Token, asked []string) {
	g.Access, g.Got, g.Expires, g.Scopes = token.AccessToken, time.Now(), token.Expiry, asked
	if token.RefreshToken != "" {
		g.Refresh = token.RefreshToken
	}
	if scope, ok := token.Extra("scope").(string); ok {
		g.Scopes = strings.Fields(scope)
	}
}

type memoryStore struct {
	mu     sync.Mutex
	values map[string]string
}

func (m *memoryStore) Key(name string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	value, ok := m.values[name]
	return value, ok
}

func (m *memoryStore) SetKey(name, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value == "" {
		delete(m.values, name)
		return nil
	}
	m.values[name] = value
	return nil
}
