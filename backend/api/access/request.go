// Package access decides who may send a request to the loopback server: it checks the Host and the Origin, and knows
// the keys of programs and windows. Loopback alone is no protection (decision 3).
package access

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// WriteProblem writes an RFC 9457 problem, for handlers that are not registered with huma.
func WriteProblem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail,
	})
}

// Origin is the server's own origin. Host is set when the server listens.
type Origin struct{ Host string }

// Check checks Host and Origin; status is 0 if both are valid. The Host must be exactly ours, which defeats DNS
// rebinding. An Origin, if present, must be the window's: sandboxed frames and files send "null".
func (o Origin) Check(r *http.Request) (status int, detail string) {
	if r.Host != o.Host {
		return http.StatusForbidden, "This address answers to " + o.Host + " only."
	}
	origins, present := r.Header["Origin"]
	if !present {
		return 0, ""
	}
	if len(origins) != 1 || origins[0] != "http://"+o.Host {
		return http.StatusForbidden, "Requests from other pages are refused."
	}
	return 0, ""
}

// BearerToken returns the token of a request, "" for none.
func BearerToken(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return token
}

type roleKey struct{}

// WithRole returns a context that carries the role of a request.
func WithRole(ctx context.Context, role Role) context.Context {
	return context.WithValue(ctx, roleKey{}, role)
}

// IsWindow reports whether a request came with a window's key, so that it counts as the person's.
func IsWindow(ctx context.Context) bool {
	role, _ := ctx.Value(roleKey{}).(Role)
	return role == RoleWindow
}

// RequireWindow returns a problem (403) unless the request came with a window's key.
func RequireWindow(ctx context.Context) error {
	if IsWindow(ctx) {
		return nil
	}
	return huma.NewError(http.StatusForbidden, "Only a window may do this, because the person decides it.")
}

// WindowOnly returns a handler that calls h for a request with a window's key, and refuses others.
func WindowOnly[I, O any](h func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if err := RequireWindow(ctx); err != nil {
			return nil, err
		}
		return h(ctx, in)
	}
}
