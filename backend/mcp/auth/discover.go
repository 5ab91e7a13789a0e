package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const maxMetadata = 1 << 20

type authorizationServer struct {
	*oauthex.AuthServerMeta
	// resource is the URL that tokens are issued for; supported are the scopes that the server lists.
	resource  string
	supported []string
}

func (h *Handler) discover(ctx context.Context, c challenge) (authorizationServer, error) {
	found, err := h.resource(ctx, c.metadata)
	if err != nil {
		return authorizationServer{}, err
	}
	issuer := found.AuthorizationServers[0]
	if err := requireSecure(issuer); err != nil {
		return authorizationServer{}, err
	}
	meta, err := auth.GetAuthServerMetadata(ctx, issuer, h.cfg.HTTP)
	if err != nil {
		return authorizationServer{}, fmt.Errorf("reading the metadata of the authorization server: %w", err)
	}
	if meta == nil {
		// Servers of revision 2025-03-26 may have no metadata; their addresses are fixed.
		base := strings.TrimSuffix(issuer, "/")
		meta = &oauthex.AuthServerMeta{
			Issuer: issuer, AuthorizationEndpoint: base + "/authorize", TokenEndpoint: base +
				"/token", RegistrationEndpoint: base + "/register",
		}
	}
	return authorizationServer{meta, found.Resource, found.ScopesSupported}, nil
}

func (h *Handler) resource(ctx context.Context, named string) (*oauthex.ProtectedResourceMetadata, error) {
	server, err := url.Parse(h.cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("reading the address: %w", err)
	}
	const wellKnown = "/.well-known/oauth-protected-resource"
	root := url.URL{Scheme: server.Scheme, Host: server.Host}
	addresses := []string{root.String() + wellKnown}
	if path := strings.Trim(server.EscapedPath(), "/"); path != "" {
		addresses = append([]string{root.String() + wellKnown + "/" + path}, addresses...)
	}
	if named != "" {
		addresses = append([]string{named}, addresses...)
	}
	for _, address := range addresses {
		meta, err := h.metadata(ctx, address)
		if err != nil {
			continue // the next address may work
		}
		if !coversServer(meta.Resource, server) {
			return nil, fmt.Errorf("its metadata is for another resource, %q, and so would be a token", meta.Resource)
		}
		if len(meta.AuthorizationServers) == 0 {
			return nil, errors.New("its metadata names no authorization server")
		}
		return meta, nil
	}
	return &oauthex.ProtectedResourceMetadata{Resource: h.cfg.URL, AuthorizationServers: []string{root.String()}}, nil
}

func (h *Handler) metadata(ctx context.Context, address string) (*oauthex.ProtectedResourceMetadata, error) {
	if err := requireSecure(address); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", address, err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := h.cfg.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking %s: %w", address, err)
	}
	defer drain(resp)
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("asking %s: %s", address, resp.Status)
	}
	var meta oauthex.ProtectedResourceMetadata
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxMetadata)).Decode(&meta); err != nil {
		return nil, fmt.Errorf("reading %s: %w", address, err)
	}
	return &meta, nil
}

// coversServer reports whether a token for resource may be sent to server: both must have the same origin, and
// the server's path must be that of resource or below it.
func coversServer(resource string, server *url.URL) bool {
	r, err := url.Parse(resource)
	if err != nil || r.Scheme != server.Scheme || !strings.EqualFold(r.Host, server.Host) || r.User != nil ||
		r.RawQuery != "" {
		return false
	}
	path := strings.TrimSuffix(r.EscapedPath(), "/")
	rest, below := strings.CutPrefix(server.EscapedPath(), path)
	return below && (rest == "" || rest[0] == '/')
}

// requireSecure refuses an address that is neither https nor on this machine.
func requireSecure(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return fmt.Errorf("reading %q: %w", address, err)
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return fmt.Errorf("%s is not an https address", address)
	}
	return nil
}

// drain reads the rest of a small response, so that its connection can be reused.
func drain(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, maxMetadata)
	_ = resp.Body.Close()
}
