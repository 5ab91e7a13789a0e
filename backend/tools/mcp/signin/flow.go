package signin

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

// run signs in and returns the grant. If the issuer is the same and only the token was refused, a renewal may do.
func (h *Handler) run(ctx context.Context, c challenge) (*grant, error) {
	who, err := h.discover(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := h.sameIssuer(ctx, who.Issuer); err != nil {
		return nil, err
	}
	h.mu.Lock()
	before := h.current()
	if before != nil && before.Issuer != who.Issuer {
		// What another issuer gave is never sent to this one.
		before, h.held = nil, nil
	}
	var r *renewal
	if before != nil && !c.more && before.Access == c.sent && before.Refresh != "" {
		r = h.renew(before)
	}
	h.mu.Unlock()
	if r != nil {
		if next, err := r.wait(ctx); err == nil && next != nil {
			return next, nil
		}
	}
	g := &grant{Issuer: who.Issuer, Resource: who.resource, TokenURL: who.TokenEndpoint}
	scopes := h.scopes(who, c, before)
	if h.cfg.Machine {
		return g, h.asMachine(ctx, who, g, scopes)
	}
	return g, h.asPerson(ctx, who, g, scopes)
}

// scopes are what to request: what the server demands, or all it supports, and what was granted before.
func (h *Handler) scopes(who authority, c challenge, before *grant) []string {
	scopes := slices.Clone(c.scopes)
	if len(scopes) == 0 {
		scopes = slices.Clone(who.supported)
	}
	scopes = append(scopes, h.cfg.Scopes...)
	if before != nil && c.more {
		scopes = append(scopes, before.Scopes...)
	}
	if !h.cfg.Machine && slices.Contains(who.ScopesSupported, "offline_access") {
		scopes = append(scopes, "offline_access")
	}
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// asPerson has the person agree in their browser and fetches the tokens.
func (h *Handler) asPerson(ctx context.Context, who authority, g *grant, scopes []string) error {
	for _, address := range []string{who.AuthorizationEndpoint, who.TokenEndpoint} {
		if err := secure(address); err != nil {
			return err
		}
	}
	back, err := h.listen(who)
	if err != nil {
		return err
	}
	defer back.close()
	us, err := h.client(ctx, who, back.address)
	if err != nil {
		return err
	}
	cfg := &oauth2.Config{
		ClientID: us.ID, ClientSecret: us.Secret, RedirectURL: back.address, Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: who.AuthorizationEndpoint, TokenURL: who.TokenEndpoint, AuthStyle: us.Style},
	}
	verifier, state := oauth2.GenerateVerifier(), rand.Text()
	back.expect(state)
	page := cfg.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", g.Resource))
	if err := h.cfg.Open(ctx, h.cfg.Server, page); err != nil {
		return err
	}
	answer, err := back.wait(ctx)
	if err != nil {
		return err
	}
	if err := answer.judge(who.AuthServerMeta); err != nil {
		return err
	}
	token, err := cfg.Exchange(context.WithValue(ctx, oauth2.HTTPClient, h.cfg.HTTP), answer.code,
		oauth2.VerifierOption(verifier), oauth2.SetAuthURLParam("resource", g.Resource))
	if err != nil {
		if refused(err) {
			h.unknown(who.Issuer)
		}
		return fmt.Errorf("fetching the token: %w", err)
	}
	g.Client = us
	g.use(token, scopes)
	return nil
}

// judge refuses an answer that is not from the issuer that was asked (RFC 9207). The comparison is exact, as
// the RFC demands.
func (a answer) judge(who *oauthex.AuthServerMeta) error {
	switch {
	case a.issuer != "" && a.issuer != who.Issuer:
		return fmt.Errorf("the answer is from %q, but %q was asked", a.issuer, who.Issuer)
	case a.issuer == "" && who.AuthorizationResponseIssParameterSupported:
		return fmt.Errorf("the answer does not name %s as its issuer, although that always does", who.Issuer)
	case a.problem == "access_denied":
		return fmt.Errorf("%w at %s", ErrDeclined, who.Issuer)
	case a.problem != "":
		return fmt.Errorf("%s answered %q", who.Issuer, a.problem)
	case a.code == "":
		return errors.New("the answer contains no code")
	}
	return nil
}

// client is our client at the issuer: our metadata document, the client that the person registered, an earlier
// registration, or a new one.
func (h *Handler) client(ctx context.Context, who authority, redirect string) (client, error) {
	if h.cfg.MetadataURL != "" && who.ClientIDMetadataDocumentSupported {
		return client{ID: h.cfg.MetadataURL, Style: oauth2.AuthStyleInParams}, nil
	}
	if h.cfg.ClientID != "" {
		return client{
			ID: h.cfg.ClientID, Secret: h.cfg.ClientSecret,
			Style: style(method(who, h.cfg.ClientSecret != "")),
		}, nil
	}
	if us, ok := h.known(who.Issuer); ok && us.Redirect == redirect {
		return us, nil
	}
	if who.RegistrationEndpoint == "" {
		return client{}, fmt.Errorf(`%s does not support automatic registration. Register Sextant there and `+
			`write the client ID into "oauth": {"clientId": "…"} of the server's entry`, who.Issuer)
	}
	if err := secure(who.RegistrationEndpoint); err != nil {
		return client{}, err
	}
	wish := method(who, false)
	made, err := oauthex.RegisterClient(ctx, who.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName: "Sextant", RedirectURIs: []string{redirect}, ApplicationType: "native",
		TokenEndpointAuthMethod: wish,
		GrantTypes:              []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		SoftwareID: "sextant", SoftwareVersion: h.cfg.Version,
	}, h.cfg.HTTP)
	if err != nil {
		return client{}, fmt.Errorf("registering at %s: %w", who.Issuer, err)
	}
	if made.TokenEndpointAuthMethod != "" {
		wish = made.TokenEndpointAuthMethod
	}
	us := client{ID: made.ClientID, Secret: made.ClientSecret, Redirect: redirect, Style: style(wish)}
	return us, h.remember(who.Issuer, us)
}

// method is how the client authenticates. A program on a person's machine has no secret of its own, so "none"
// is preferred.
func method(who authority, secret bool) string {
	order := []string{"none", "client_secret_post", "client_secret_basic"}
	if secret {
		order = order[1:]
	}
	for _, m := range order {
		if slices.Contains(who.TokenEndpointAuthMethodsSupported, m) {
			return m
		}
	}
	if secret {
		return "client_secret_basic" // the default (RFC 8414)
	}
	return "none"
}

func style(method string) oauth2.AuthStyle {
	if method == "none" || method == "client_secret_post" {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// port is the port of a redirect address, "0" for any.
func port(redirect string) string {
	if u, err := url.Parse(redirect); err == nil && u.Port() != "" && strings.HasPrefix(redirect, "http://127.0.0.1:") {
		return u.Port()
	}
	return "0"
}
