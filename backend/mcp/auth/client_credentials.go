package auth

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const assertionLife = 5 * time.Minute

func (h *Handler) asMachine(ctx context.Context, as authorizationServer, g *grant, scopes []string) error {
	if err := requireSecure(as.TokenEndpoint); err != nil {
		return err
	}
	cfg := &clientcredentials.Config{
		ClientID: h.cfg.ClientID, ClientSecret: h.cfg.ClientSecret, TokenURL: as.TokenEndpoint, Scopes: scopes,
		AuthStyle: authStyle(authMethod(as, true)), EndpointParams: url.Values{"resource": {g.Resource}},
	}
	if h.cfg.PrivateKey != "" {
		assertion, err := h.assertion(as.Issuer)
		if err != nil {
			return err
		}
		cfg.AuthStyle = oauth2.AuthStyleInParams
		cfg.EndpointParams.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		cfg.EndpointParams.Set("client_assertion", assertion)
	}
	token, err := cfg.Token(context.WithValue(ctx, oauth2.HTTPClient, h.cfg.HTTP))
	if err != nil {
		return fmt.Errorf("fetching the token: %w", err)
	}
	g.Client = client{ID: h.cfg.ClientID, Secret: h.cfg.ClientSecret, Style: cfg.AuthStyle}
	g.setToken(token, scopes)
	return nil
}

// assertion returns a JWT that authenticates the client (RFC 7523).
func (h *Handler) assertion(issuer string) (string, error) {
	method, pem := jwt.GetSigningMethod(h.cfg.Algorithm), []byte(h.cfg.PrivateKey)
	var key any
	var err error
	switch method {
	case jwt.SigningMethodES256:
		key, err = jwt.ParseECPrivateKeyFromPEM(pem)
	case jwt.SigningMethodRS256:
		key, err = jwt.ParseRSAPrivateKeyFromPEM(pem)
	default:
		return "", fmt.Errorf("the algorithm %q is not supported; use ES256 or RS256", h.cfg.Algorithm)
	}
	if err != nil {
		return "", fmt.Errorf("reading the private key for %s: %w", h.cfg.Algorithm, err)
	}
	now := time.Now()
	signed, err := jwt.NewWithClaims(method, jwt.MapClaims{
		"iss": h.cfg.ClientID, "sub": h.cfg.ClientID, "aud": issuer, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
	}).SignedString(key)
	if err != nil {
		return "", fmt.Errorf("signing with the private key for %s: %w", h.cfg.Algorithm, err)
	}
	return signed, nil
}
