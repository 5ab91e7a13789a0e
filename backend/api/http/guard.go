package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"sextant/backend/api/access"
	"sextant/backend/api/browserroutes"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/route"
	"sextant/backend/api/scheduleroutes"
	"sextant/backend/api/transferroutes"
	"sextant/backend/attachment"
	"sextant/backend/browser/upload"
	"sextant/backend/store/transfer"
)

// isOpenPath reports whether a path below /api needs no key. A one-time code and the link key are secrets themselves,
// and webhooks have tokens of their own.
func isOpenPath(r *http.Request) bool {
	return r.Method == http.MethodPost && (r.URL.Path == sessionPath || r.URL.Path == access.LinkPath) ||
		r.URL.Path == access.ProofPath || strings.HasPrefix(r.URL.Path, scheduleroutes.HooksPath)
}

const sessionPath = "/api/session"

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
		role := s.services.Keys.Role(access.BearerToken(r))
		closed := strings.HasPrefix(r.URL.Path, "/api/") && !isOpenPath(r) || r.URL.Path == mcpserver.JoinPath ||
			r.URL.Path == MetricsPath
		if closed && role == access.RoleNone {
			h.Set("WWW-Authenticate", `Bearer realm="sextant"`)
			access.WriteProblem(w, http.StatusUnauthorized,
				"The token is missing or wrong. Send it as Authorization: Bearer.")
			return
		}
		limit, kind := int64(route.MaxBody), "application/json"
		switch r.URL.Path {
		case attachmentsPath:
			limit, kind = attachment.MaxBytes, "application/octet-stream"
		case browserroutes.FilesPath:
			limit, kind = upload.MaxBytes, "application/octet-stream"
		case transferroutes.ImportPath:
			limit = transfer.MaxFile
		case browserroutes.PastePath:
			limit = browserroutes.MaxPaste
		}
		if r.ContentLength > limit {
			access.WriteProblem(w, http.StatusRequestEntityTooLarge,
				fmt.Sprintf("The request is larger than %d MB.", limit>>20))
			return
		}
		if r.Method != http.MethodGet {
			// The path decides what a body is, even if a client (curl -d) declares a form.
			r.Header.Set("Content-Type", kind)
		}
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		next.ServeHTTP(w, r.WithContext(access.WithRole(r.Context(), role)))
	})
}

// Allowed reports whether Host and Origin of r are ours, for WebSocket upgrades.
func (s *Server) Allowed(r *http.Request) bool {
	status, _ := s.origins.Check(r)
	return status == 0
}
