package openaitest

import (
	"io"
	"net/http"
)

// FactRequest is a request that was answered from Facts.
type FactRequest struct {
	// Route is the request's method and path.
	Route  string
	Body   string
	Header http.Header
}

// FactRequests returns the requests that were answered from Facts, in order.
func (s *Server) FactRequests() []FactRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]FactRequest(nil), s.facts...)
}

func (s *Server) withFacts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := r.Method + " " + r.URL.Path
		fact, known := s.Facts[route]
		if !known {
			next.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		s.mu.Lock()
		s.facts = append(s.facts, FactRequest{Route: route, Body: string(body), Header: r.Header.Clone()})
		s.mu.Unlock()
		if fact == "" {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, fact)
	})
}
