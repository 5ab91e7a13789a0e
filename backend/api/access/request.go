// Package access decides who may send a request to the loopback server: its exact Host, an Origin that is the shell's
// or
// absent, and a key. A program's key may read and call tools under the policy; a window's key stands for the person.
// Loopback is not a safe place (decision 3).
package access

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// WriteProblem writes an RFC 9457 answer of the door itself.
func WriteProblem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail,
	})
}

// Origin knows the door's own address, once it listens.
type Origin struct{ Host string }

// Check judges Host and Origin (ARCHITECTURE 3): the Host must be exactly ours, which
// defeats DNS rebinding; an Origin, where there is one, must be the shell's. "null" is
// what sandboxed frames and files send: refused.
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

// Bearer is the token of a request, "" when there is none.
func Bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return token
}

// roleKey is the context key of a request's role.
type roleKey struct{}

// WithRole returns a context that carries the role of a request.
func WithRole(ctx context.Context, role Role) context.Context {
	return context.WithValue(ctx, roleKey{}, role)
}

// IsWindow reports whether a request came with a window's key, so that it is the person's.
func IsWindow(ctx context.Context) bool {
	role, _ := ctx.Value(roleKey{}).(Role)
	return role == RoleWindow
}

// WindowOnly refuses what a program's token does not allow.
func WindowOnly(ctx context.Context) error {
	if IsWindow(ctx) {
		return nil
	}
	return huma.NewError(http.StatusForbidden, "Only a window may do this: it is the person's to decide.")
}
