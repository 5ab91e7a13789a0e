package auth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

func (h *Handler) run(ctx context.Context, c challenge) (*grant, error) {
	as, err := h.discover(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := h.checkIssuer(ctx, as.Issuer); err != nil {
		return nil, err
	}
	h.mu.Lock()
	before := h.loadGrant()
	if before != nil && before.Issuer != as.Issuer {
		// Tokens of another issuer are never sent to this one.
		before, h.grant = nil, nil
	}
	var r *renewal
	if before != nil && !c.stepUp && before.Access == c.token && before.Refresh != "" {
		r = h.renew(before)
	}
	h.mu.Unlock()
	if r != nil {
		if next, err := r.wait(ctx); err == nil && next != nil {
			return next, nil
		}
	}
	g := &grant{Issuer: as.Issuer, Resource: as.resource, TokenURL: as.TokenEndpoint}
	scopes := h.scopes(as, c, before)
	if h.cfg.ClientCredentials {
		return g, h.asMachine(ctx, as, g, scopes)
	}
	return g, h.asPerson(ctx, as, g, scopes)
}

func (h *Handler) scopes(as authorizationServer, c challenge, before *grant) []string {
	scopes := slices.Clone(c.scopes)
	if len(scopes) == 0 {
		scopes = slices.Clone(as.supported)
	}
	scopes = append(scopes, h.cfg.Scopes...)
	if before != nil && c.stepUp {
		scopes = append(scopes, before.Scopes...)
	}
	if !h.cfg.ClientCredentials && slices.Contains(as.ScopesSupported, "offline_access") {
		scopes = append(scopes, "offline_access")
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

func (h *Handler) asPerson(ctx context.Context, as authorizationServer, g *grant, scopes []string) error {
	for _, address := range []string{as.AuthorizationEndpoint, as.TokenEndpoint} {
		if err := requireSecure(address); err != nil {
			return err
		}
	}
	redirect, err := h.listen(as)
	if err != nil {
		return err
	}
	defer redirect.close()
	registered, err := h.client(ctx, as, redirect.address)
	if err != nil {
		return err
	}
	cfg := &oauth2.Config{
		ClientID: registered.ID, ClientSecret: registered.Secret, RedirectURL: redirect.address, Scopes: scopes,
		Endpoint: oauth2.Endpoint{
			AuthURL: as.AuthorizationEndpoint, TokenURL: as.TokenEndpoint, AuthStyle: registered.Style,
		},
	}
	verifier, state := oauth2.GenerateVerifier(), rand.Text()
	redirect.setState(state)
	page := cfg.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", g.Resource))
	if err := h.cfg.OpenPage(ctx, h.cfg.Server, page); err != nil {
		return err
	}
	answer, err := redirect.wait(ctx)
	if err != nil {
		return err
	}
	if err := answer.check(as.AuthServerMeta); err != nil {
		return err
	}
	token, err := cfg.Exchange(context.WithValue(ctx, oauth2.HTTPClient, h.cfg.HTTP), answer.code,
		oauth2.VerifierOption(verifier), oauth2.SetAuthURLParam("resource", g.Resource))
	if err != nil {
		if isRefusal(err) {
			h.deleteRegistration(as.Issuer)
		}
		return fmt.Errorf("fetching the token: %w", err)
	}
	g.Client = registered
	g.setToken(token, scopes)
	return nil
}

// check compares the issuers exactly, as RFC 9207 demands.
func (r response) check(as *oauthex.AuthServerMeta) error {
	switch {
	case r.issuer != "" && r.issuer != as.Issuer:
		return fmt.Errorf("the answer is from %q, but %q was asked", r.issuer, as.Issuer)
	case r.issuer == "" && as.AuthorizationResponseIssParameterSupported:
		return fmt.Errorf("the answer does not name %s as its issuer, although that always does", as.Issuer)
	case r.problem == "access_denied":
		return fmt.Errorf("%w at %s", ErrDeclined, as.Issuer)
	case r.problem != "":
		return fmt.Errorf("%s answered %q", as.Issuer, r.problem)
	case r.code == "":
		return errors.New("the answer contains no code")
	}
	return nil
}

func (h *Handler) client(ctx context.Context, as authorizationServer, redirect string) (client, error) {
	if h.cfg.MetadataURL != "" && as.ClientIDMetadataDocumentSupported {
		return client{ID: h.cfg.MetadataURL, Style: oauth2.AuthStyleInParams}, nil
	}
	if h.cfg.ClientID != "" {
		return client{
			ID: h.cfg.ClientID, Secret: h.cfg.ClientSecret,
			Style: authStyle(authMethod(as, h.cfg.ClientSecret != "")),
		}, nil
	}
	if registered, ok := h.registration(as.Issuer); ok && registered.Redirect == redirect {
		return registered, nil
	}
	if as.RegistrationEndpoint == "" {
		return client{}, fmt.Errorf(`%s does not support automatic registration. Register Sextant there and `+
			`write the client ID into "oauth": {"clientId": "…"} of the server's entry`, as.Issuer)
	}
	if err := requireSecure(as.RegistrationEndpoint); err != nil {
		return client{}, err
	}
	preferred := authMethod(as, false)
	made, err := oauthex.RegisterClient(ctx, as.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName: "Sextant", RedirectURIs: []string{redirect}, ApplicationType: "native",
		TokenEndpointAuthMethod: preferred,
		GrantTypes:              []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		SoftwareID: "sextant", SoftwareVersion: h.cfg.Version,
	}, h.cfg.HTTP)
	if err != nil {
		return client{}, fmt.Errorf("registering at %s: %w", as.Issuer, err)
	}
	if made.TokenEndpointAuthMethod != "" {
		preferred = made.TokenEndpointAuthMethod
	}
	registered := client{ID: made.ClientID, Secret: made.ClientSecret, Redirect: redirect, Style: authStyle(preferred)}
	return registered, h.storeRegistration(as.Issuer, registered)
}

// authMethod prefers "none" without a secret, because a program on a person's machine cannot keep one.
func authMethod(as authorizationServer, secret bool) string {
	order := []string{"none", "client_secret_post", "client_secret_basic"}
	if secret {
		order = order[1:]
	}
	for _, m := range order {
		if slices.Contains(as.TokenEndpointAuthMethodsSupported, m) {
			return m
		}
	}
	if secret {
		return "client_secret_basic" // the default (RFC 8414)
	}
	return "none"
}

func authStyle(method string) oauth2.AuthStyle {
	if method == "none" || method == "client_secret_post" {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

func redirectPort(redirect string) string {
	if u, err := url.Parse(redirect); err == nil && u.Port() != "" && strings.HasPrefix(redirect, "http://127.0.0.1:") {
		return u.Port()
	}
	return "0"
}
