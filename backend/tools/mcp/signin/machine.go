package signin

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// asMachine signs in without a person (the client credentials grant).
func (h *Handler) asMachine(ctx context.Context, who authority, g *grant, scopes []string) error {
	if err := secure(who.TokenEndpoint); err != nil {
		return err
	}
	cfg := &clientcredentials.Config{
		ClientID: h.cfg.ClientID, ClientSecret: h.cfg.ClientSecret, TokenURL: who.TokenEndpoint, Scopes: scopes,
		AuthStyle: style(method(who, true)), EndpointParams: url.Values{"resource": {g.Resource}},
	}
	if h.cfg.PrivateKey != "" {
		assertion, err := h.assertion(who.Issuer)
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
	g.use(token, scopes)
	return nil
}

// assertion is a JWT that authenticates the client, signed with the person's key (RFC 7523).
func (h *Handler) assertion(issuer string) (string, error) {
	block, _ := pem.Decode([]byte(h.cfg.PrivateKey))
	if block == nil {
		return "", errors.New("the private key is not a PEM block")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return "", fmt.Errorf("reading the private key: %w", err)
	}
	now := time.Now()
	part := func(v any) string {
		b, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return base64.RawURLEncoding.EncodeToString(b)
	}
	signed := part(map[string]string{"alg": h.cfg.Algorithm, "typ": "JWT"}) + "." + part(map[string]any{
		"iss": h.cfg.ClientID, "sub": h.cfg.ClientID, "aud": issuer, "jti": rand.Text(), "iat": now.Unix(),
		"exp": now.Add(5 * time.Minute).Unix(),
	})
	sum := sha256.Sum256([]byte(signed))
	var signature []byte
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		if h.cfg.Algorithm != "ES256" || key.Curve.Params().BitSize != 256 {
			return "", fmt.Errorf("the private key is for ES256, not for %q", h.cfg.Algorithm)
		}
		r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
		if err != nil {
			return "", fmt.Errorf("signing: %w", err)
		}
		signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	case *rsa.PrivateKey:
		if h.cfg.Algorithm != "RS256" {
			return "", fmt.Errorf("the private key is for RS256, not for %q", h.cfg.Algorithm)
		}
		if signature, err = rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:]); err != nil {
			return "", fmt.Errorf("signing: %w", err)
		}
	default:
		return "", fmt.Errorf("private keys of type %T are not supported; use ES256 or RS256", key)
	}
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}
