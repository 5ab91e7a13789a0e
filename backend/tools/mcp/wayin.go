package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"sextant/backend/guard/secrets"
	"sextant/backend/tools/mcp/signin"
)

// issuerLimit bounds one request to an issuer.
const issuerLimit = 30 * time.Second

// wayIn is how the person signs in to the server at u. It is made once for a server that is on, so
// that a connection that is made anew asks nobody again.
func (v *server) wayIn(u *url.URL, way http.RoundTripper) (auth.OAuthHandler, error) {
	if v.signin != nil {
		return v.signin, nil
	}
	cfg := signin.Config{
		Server: v.name, URL: v.entry.URL, Keep: v.owner.cfg.Keep, MetadataURL: v.owner.cfg.ClientMetadata, Version: v.owner.cfg.Version,
		HTTP: &http.Client{Transport: way, Timeout: issuerLimit}, Open: v.openPage, NewIssuer: v.owner.cfg.NewIssuer,
	}
	if o := v.entry.OAuth; o != nil {
		// The secret leaves for the issuer, which the server names; the person bound it to the server.
		sink := secrets.Sink{Place: secrets.Header, Origin: u.Scheme + "://" + u.Host}
		var err error
		if cfg.ClientSecret, err = v.filled(o.ClientSecret, sink); err != nil {
			return nil, err
		}
		if cfg.PrivateKey, err = v.filled(o.PrivateKey, sink); err != nil {
			return nil, err
		}
		cfg.ClientID, cfg.Scopes, cfg.Algorithm, cfg.Machine = o.ClientID, o.Scopes, o.Algorithm, o.Grant != ""
	}
	v.signin = signin.New(cfg)
	return v.signin, nil
}

func (v *server) openPage(ctx context.Context, server, page string) error {
	if v.owner.cfg.OpenPage == nil {
		return errors.New("nobody is here to sign in")
	}
	return v.owner.cfg.OpenPage(ctx, server, page)
}

// holds reports whether headers has one of that name, however it is written.
func holds(headers map[string]string, name string) bool {
	for one := range headers {
		if strings.EqualFold(one, name) {
			return true
		}
	}
	return false
}
