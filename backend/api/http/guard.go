package httpapi

import (
	"net/http"
	"strings"

	"sextant/backend/api/access"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/route"
)

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
		access.WriteProblem(w, http.StatusBadRequest, "nonce is 16 to 128 characters long.")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(access.Proof(s.rooms.Keys.Token(), nonce))) // who left does not read it
}

// guard is the outermost handler: Host, Origin, token, body limit, headers.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status, detail := s.origins.Check(r); status != 0 {
			access.WriteProblem(w, status, detail)
			return
		}
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		role := s.rooms.Keys.Role(access.Bearer(r))
		closed := strings.HasPrefix(r.URL.Path, "/api/") && !open(r) || r.URL.Path == mcpserver.JoinPath ||
			r.URL.Path == MetricsPath
		if closed && role == access.RoleNone {
			h.Set("WWW-Authenticate", `Bearer realm="sextant"`)
			access.WriteProblem(w, http.StatusUnauthorized,
				"The token is missing or wrong. Send it as Authorization: Bearer.")
			return
		}
		if r.ContentLength > route.MaxBody {
			access.WriteProblem(w, http.StatusRequestEntityTooLarge, "The request is larger than 4 MB.")
			return
		}
		if r.Method != http.MethodGet {
			// Everything here is JSON, also where a client (curl -d) calls it a form.
			r.Header.Set("Content-Type", "application/json")
		}
		r.Body = http.MaxBytesReader(w, r.Body, route.MaxBody)
		next.ServeHTTP(w, r.WithContext(access.WithRole(r.Context(), role)))
	})
}

// Allowed judges Host and Origin of r; the WebSocket's upgrade asks it too.
func (s *Server) Allowed(r *http.Request) bool {
	status, _ := s.origins.Check(r)
	return status == 0
}
