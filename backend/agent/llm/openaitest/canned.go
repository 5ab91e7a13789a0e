package openaitest

import (
	"io"
	"net/http"
)

// CannedRequest is a request that was answered from CannedAnswers.
type CannedRequest struct {
	// Route is the request's method and path.
	Route  string
	Body   string
	Header http.Header
}

// CannedRequests returns the requests that were answered from CannedAnswers, in order.
func (s *Server) CannedRequests() []CannedRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]CannedRequest(nil), s.canned...)
}

func (s *Server) withCannedAnswers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route := r.Method + " " + r.URL.Path
		fact, known := s.CannedAnswers[route]
		if !known {
			next.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		s.mu.Lock()
		s.canned = append(s.canned, CannedRequest{Route: route, Body: string(body), Header: r.Header.Clone()})
		s.mu.Unlock()
		if fact == "" {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, fact)
	})
}
