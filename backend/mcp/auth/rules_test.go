package auth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/http"
	"strings"
	"testing"

	"sextant/backend/mcp/auth"
)

func TestInvalidAuthorizationResponses(t *testing.T) {
	for name, c := range map[string]struct {
		metadata map[string]any
		redirect map[string]string
		want     string
		declined bool
	}{
		"iss of another issuer": {redirect: map[string]string{"iss": "https://evil.example"}, want: "but"},
		"missing iss": {
			metadata: map[string]any{"authorization_response_iss_parameter_supported": true},
			want:     "does not name",
		},
		"declined": {
			redirect: map[string]string{"error": "access_denied"}, want: "declined",
			declined: true,
		},
		"an error": {redirect: map[string]string{"error": "server_error"}, want: `answered "server_error"`},
		"an error of another issuer": {
			redirect: map[string]string{"error": "access_denied", "iss": "https://evil.example"}, want: "is from",
		},
		"no code": {redirect: map[string]string{"code": ""}, want: "no code"},
	} {
		t.Run(name, func(t *testing.T) {
			by := newIssuer(t, "a", 3600)
			by.metadata, by.redirect = c.metadata, c.redirect
			s, p := newServer(t, by), &person{}
			_, err := ask(t.Context(), t, handler(t, s, p, nil), s)
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				errors.Is(err, auth.ErrDeclined) != c.declined {
				t.Errorf("got %v", err)
			}
			if len(by.seen) != 0 {
				t.Errorf("the issuer was sent %v", by.seen)
			}
		})
	}
}

func TestUnadvertisedMatchingIssIsAccepted(t *testing.T) {
	by := newIssuer(t, "a", 3600)
	by.redirect = map[string]string{"iss": by.URL}
	s, p := newServer(t, by), &person{}
	mustCall(t, handler(t, s, p, nil), s)
}

func TestPlaintextEndpointIsNotUsed(t *testing.T) {
	for _, name := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint"} {
		t.Run(name, func(t *testing.T) {
			by := newIssuer(t, "a", 3600)
			by.metadata = map[string]any{name: "http://tokens.example/x"}
			s, p := newServer(t, by), &person{}
			if _, err := ask(t.Context(), t, handler(t, s, p, nil), s); err == nil || p.asked() != 0 ||
				len(by.seen) != 0 {
				t.Errorf("got %v, asked %d times, sent %v", err, p.asked(), by.seen)
			}
		})
	}
}

// allowHost is a transport that lets requests to one host pass, as egress does.
type allowHost struct{ host string }

func (a allowHost) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != a.host {
		return nil, errors.New("the host is not allowed: " + req.URL.Host)
	}
	return http.DefaultTransport.RoundTrip(req)
}

func TestIssuerUsesConfiguredClient(t *testing.T) {
	by := newIssuer(t, "a", 3600)
	s, p := newServer(t, by), &person{}
	client := &http.Client{Transport: allowHost{strings.TrimPrefix(s.URL, "http://")}}
	h := auth.New(auth.Config{Server: "notes", URL: s.URL + "/mcp", HTTP: client, OpenPage: p.open})
	defer h.Close()
	if _, err := ask(t.Context(), t, h, s); err == nil || !strings.Contains(err.Error(), "is not allowed") {
		t.Errorf("got %v", err)
	}
	if p.asked() != 0 || len(by.clients) != 0 || len(by.seen) != 0 {
		t.Errorf("asked %d times, registered %v, sent %v", p.asked(), by.clients, by.seen)
	}
}

// The code works once: a client that probes how to authenticate would lose it.
func TestPublicClientSendsCodeOnce(t *testing.T) {
	const document = "https://sextant.example/client.json"
	by := newIssuer(t, "a", 3600)
	by.metadata = map[string]any{"client_id_metadata_document_supported": true}
	by.clients = []string{document}
	s, p := newServer(t, by), &person{}
	h := auth.New(auth.Config{Server: "notes", URL: s.URL + "/mcp", MetadataURL: document, OpenPage: p.open})
	defer h.Close()
	mustCall(t, h, s)
	if len(by.seen) != 1 || len(by.clients) != 1 {
		t.Errorf("sent %v, registered %v", by.seen, by.clients)
	}
}

func TestClientCredentials(t *testing.T) {
	by := newIssuer(t, "a", 3600)
	by.metadata = map[string]any{"token_endpoint_auth_methods_supported": []string{"client_secret_post"}}
	by.clients = []string{"mine"}
	by.frugal = true
	s, p := newServer(t, by), &person{}
	h := auth.New(auth.Config{
		Server: "notes", URL: s.URL +
			"/mcp", ClientCredentials: true, ClientID: "mine", ClientSecret: "typed", Scopes: []string{"extra"},
		OpenPage: p.open,
	})
	defer h.Close()
	mustCall(t, h, s)
	if p.asked() != 0 || len(by.seen) != 1 || !strings.Contains(by.seen[0], "scope=extra+read") {
		t.Errorf("asked %d times, sent %v", p.asked(), by.seen)
	}
}

func TestClientSecretStaysWithIssuer(t *testing.T) {
	one, two := newIssuer(t, "one", 3600), newIssuer(t, "two", 3600)
	one.clients = []string{"mine"}
	s, keep := newServer(t, one), &vault{kept: map[string]string{}}
	machine := func() *auth.Handler {
		h := auth.New(auth.Config{
			Server: "notes", URL: s.URL + "/mcp", Store: keep, ClientCredentials: true, ClientID: "mine",
			ClientSecret:  "typed",
			ConfirmIssuer: func(context.Context, string, string, string) (bool, error) { return false, nil },
		})
		t.Cleanup(h.Close)
		return h
	}
	_, _ = ask(t.Context(), t, machine(), s)
	s.mu.Lock()
	s.issuer = two
	s.mu.Unlock()
	if _, err := ask(t.Context(), t, machine(), s); !errors.Is(err, auth.ErrDeclined) || len(two.seen) != 0 {
		t.Errorf("got %v, sent %v", err, two.seen)
	}
}

func TestPrivateKeyJWT(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		algorithm string
		key       crypto.Signer
		valid     bool
	}{
		"ES256":           {"ES256", ec, true},
		"RS256":           {"RS256", rs, true},
		"wrong curve":     {"ES256", p384, false},
		"wrong algorithm": {"RS256", ec, false},
		"no algorithm":    {"none", ec, false},
	} {
		t.Run(name, func(t *testing.T) {
			der, err := x509.MarshalPKCS8PrivateKey(c.key)
			if err != nil {
				t.Fatal(err)
			}
			by := newIssuer(t, "a", 3600)
			by.key, by.frugal = c.key.Public(), true
			s := newServer(t, by)
			h := auth.New(auth.Config{
				Server: "notes", URL: s.URL + "/mcp", ClientCredentials: true, ClientID: "mine", Algorithm: c.algorithm,
				PrivateKey: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
			})
			defer h.Close()
			if c.valid {
				mustCall(t, h, s)
			} else if _, err := ask(t.Context(), t, h, s); err == nil || len(by.seen) != 0 {
				t.Errorf("got %v, sent %v", err, by.seen)
			}
		})
	}
}
