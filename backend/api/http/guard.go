package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/mcpserver"
)

// maxBody bounds every request body; large things do not come in over this door.
const maxBody = 4 << 20

// problem writes an RFC 9457 answer of the door itself.
func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail,
	})
}

// Origins knows the door's own address, once it listens.
type Origins struct{ host string }

// allowed judges Host and Origin (ARCHITECTURE 3): the Host must be exactly ours, which
// defeats DNS rebinding; an Origin, where there is one, must be the shell's. "null" is
// what sandboxed frames and files send: refused.
func (o Origins) allowed(r *http.Request) (status int, detail string) {
	if r.Host != o.host {
		return http.StatusForbidden, "This address answers to " + o.host + " only."
	}
	origins, present := r.Header["Origin"]
	if !present {
		return 0, ""
	}
	if len(origins) != 1 || origins[0] != "http://"+o.host {
		return http.StatusForbidden, "Requests from other pages are refused."
	}
	return 0, ""
}

// bearer is the token of a request, "" when there is none.
func bearer(r *http.Request) string {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return token
}

// roleKey is where guard leaves the role of a request.
type roleKey struct{}

// isWindow reports whether a request came with a window's key, so that it is the person's.
func isWindow(ctx context.Context) bool {
	role, _ := ctx.Value(roleKey{}).(Role)
	return role == RoleWindow
}

// personOnly refuses what a program's token does not allow.
func personOnly(ctx context.Context) error {
	if isWindow(ctx) {
		return nil
	}
	return huma.NewError(http.StatusForbidden, "Only a window may do this: it is the person's to decide.")
}

// open lists the API paths that work without a token: the code exchange, whose body is a
// secret itself, and the proof that we know the token.
func open(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == sessionPath || r.URL.Path == ProofPath
}

const sessionPath = "/api/session"

// ProofPath answers ?nonce=… with Proof, as plain text.
const ProofPath = "/api/proof"

// prove shows that this is the Sextant of the instance file.
func (s *Server) prove(w http.ResponseWriter, r *http.Request) {
	nonce := r.URL.Query().Get("nonce")
	if len(nonce) < 16 || len(nonce) > 128 {
		problem(w, http.StatusBadRequest, "nonce is 16 to 128 characters long.")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(Proof(s.rooms.Keys.Token(), nonce))) // who left does not read it
}

// guard is the outermost handler: Host, Origin, token, body limit, headers.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, detail := s.origins.allowed(r); status != 0 {
			problem(w, status, detail)
			return
		}
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		role := s.rooms.Keys.Role(bearer(r))
		closed := strings.HasPrefix(r.URL.Path, "/api/") && !open(r) || r.URL.Path == mcpserver.JoinPath || r.URL.Path == MetricsPath
		if closed && role == RoleNone {
			h.Set("WWW-Authenticate", `Bearer realm="sextant"`)
			problem(w, http.StatusUnauthorized, "The token is missing or wrong. Send it as Authorization: Bearer.")
			return
		}
		if r.ContentLength > maxBody {
			problem(w, http.StatusRequestEntityTooLarge, "The request is larger than 4 MB.")
			return
		}
		if r.Method != http.MethodGet {
			// Everything here is JSON, also where a client (curl -d) calls it a form.
			r.Header.Set("Content-Type", "application/json")
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), roleKey{}, role)))
	})
}

// Allowed judges Host and Origin of r; the WebSocket's upgrade asks it too.
func (s *Server) Allowed(r *http.Request) bool {
	status, _ := s.origins.allowed(r)
	return status == 0
}
