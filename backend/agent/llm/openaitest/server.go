// Package openaitest is a model service for tests: a real HTTP server on loopback that speaks the wire formats
// (OpenAI's chat completions and responses, Anthropic's messages) and answers from a script. It can also misbehave like
// real services: cut an answer at a byte, stall, refuse the key, limit requests.
//
// Like real services it refuses a conversation in which a call has no result. The product does not use it.
package openaitest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Answer is one scripted answer; the zero value is an empty answer.
type Answer struct {
	// Reasoning is sent before Text.
	Reasoning string
	Text      string
	Calls     []Call
	// Finish is the finish reason; empty means stop, or tool_calls if there are calls.
	Finish string
	Usage  Usage
	// ChunkSize is the size in bytes of the chunks of text, reasoning and arguments; 0 means 7.
	ChunkSize int
	// ChunkDelay is the pause between chunks.
	ChunkDelay time.Duration

	// Status is the HTTP status. Unless it is 0 or 200, Body (a usual error if empty) is sent instead of a stream.
	Status     int
	Body       string
	RetryAfter string

	// CutAfter is the number of bytes after which the connection is dropped; 0 means never, -1 before the first. With
	// CleanCut, the connection is closed in an orderly way.
	CutAfter int
	CleanCut bool
	// StallAfter is the number of bytes after which the open connection falls silent; 0 means never, -1 before the
	// first.
	StallAfter int
	// Raw is sent instead of the rendered stream.
	Raw string
	// CorruptByte replaces the byte at position CorruptAt of the stream, counted from 1; 0 means none.
	CorruptAt   int
	CorruptByte byte
}

// Call is a tool call. Args is sent unchanged, even if it is not JSON.
type Call struct {
	ID   string
	Name string
	Args string
	// Signature is an opaque value that the service wants back with the call (chat only).
	Signature string
}

// Usage is the usage that the service reports. Input counts all tokens read; of these, Cached came from the cache
// and Written were added to it (Anthropic only).
type Usage struct {
	Input   int
	Output  int
	Cached  int
	Written int
	// Cost is the price of the answer as OpenRouter reports it. Upstream is what was charged to the user's own provider
	// key in addition.
	Cost     float64
	Upstream float64
}

// Server is a model service that is listening. Set its fields before the first request.
type Server struct {
	// Models are listed at /v1/models and /api/tags; other names are refused with 404. If it is empty, every name is
	// accepted.
	Models []string
	// Key is the key that requests must have, unless it is empty.
	Key string
	// Answer returns the turn for a request when the script is used up.
	Answer func(Request) Answer
	// OnRefused is called with the reason for every conversation that breaks the rules of services; may be nil.
	OnRefused func(r Request, problem string)
	// NoImages refuses requests with images.
	NoImages bool
	// ScriptedProbes answers the probe for native calls from the script, like any other request. Otherwise the server
	// answers it with a call and does not record it.
	ScriptedProbes bool
	// Title answers requests for the title of a conversation, which are neither scripted nor recorded. If it is nil,
	// the answer is no title.
	Title func(Request) Answer
	// CannedAnswers contains JSON answers to other requests by method and path ("POST /api/show"), checked first. For
	// "" the connection stays silent until the client or server closes it.
	CannedAnswers map[string]string

	ln   net.Listener
	http *http.Server
	done chan struct{}
	quit context.CancelFunc

	mu       sync.Mutex
	script   []Answer
	requests []Request
	canned   []CannedRequest
}

// Start listens on a free loopback port and answers requests with turns, in order.
func Start(turns ...Answer) (*Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	ctx, quit := context.WithCancel(context.Background())
	s := &Server{ln: ln, script: turns, done: make(chan struct{}), quit: quit}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.handle(FormatChat, readChat))
	mux.HandleFunc("POST /v1/responses", s.handle(FormatResponses, readResponses))
	mux.HandleFunc("POST /v1/messages", s.handle(FormatAnthropic, readMessages))
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /api/tags", s.tags)
	s.http = &http.Server{
		Handler:           s.withCannedAnswers(mux),
		ReadHeaderTimeout: 5 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ln)
	}()
	return s, nil
}

// URL returns the base address, which ends in /v1.
func (s *Server) URL() string { return "http://" + s.ln.Addr().String() + "/v1" }

// Port returns the port on 127.0.0.1.
func (s *Server) Port() int {
	a, _ := s.ln.Addr().(*net.TCPAddr)
	return a.Port
}

// Close stops the server and drops its connections.
func (s *Server) Close() {
	s.quit()
	_ = s.http.Close()
	<-s.done
}

// SetAnswer sets Answer while another process sends requests. It takes the lock, because the race detector sees
// no order between processes.
func (s *Server) SetAnswer(answer func(Request) Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Answer = answer
}

// Add appends turns to the script.
func (s *Server) Add(turns ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, turns...)
}

// Requests returns the accepted requests so far, in order, without probes that the server answered itself.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) allowed(w http.ResponseWriter, r *http.Request) bool {
	key := "Bearer " + s.Key
	if s.Key == "" || r.Header.Get("Authorization") == key || "Bearer "+r.Header.Get("X-Api-Key") == key {
		return true
	}
	refuse(w, http.StatusUnauthorized, "Incorrect API key provided.", "invalid_api_key")
	return false
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if !s.allowed(w, r) {
		return
	}
	data := []map[string]any{}
	for _, m := range s.Models {
		data = append(data, map[string]any{"id": m, "object": "model", "created": 1, "owned_by": "test"})
	}
	reply(w, http.StatusOK, map[string]any{"object": "list", "data": data})
}

func (s *Server) tags(w http.ResponseWriter, _ *http.Request) {
	models := []map[string]any{}
	for _, m := range s.Models {
		models = append(models, map[string]any{"name": m, "model": m, "size": 1})
	}
	reply(w, http.StatusOK, map[string]any{"models": models})
}

func readChat(body []byte, _ http.Header) (req Request, problem string) {
	if json.Unmarshal(body, &req) != nil {
		return req, "We could not parse the JSON body of your request."
	}
	return req, checkMessages(req.Messages)
}

func (s *Server) handle(format Format, read func([]byte, http.Header) (Request, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
		if err != nil {
			refuse(w, http.StatusBadRequest, "The body could not be read.", "invalid_request_error")
			return
		}
		req, problem := read(body, r.Header)
		req.Format, req.Body, req.Authorization = format, body, cmp.Or(
			r.Header.Get("Authorization"),
			r.Header.Get("X-Api-Key"),
		)
		if !s.allowed(w, r) {
			return
		}
		if len(s.Models) > 0 && !contains(s.Models, req.Model) {
			refuse(
				w,
				http.StatusNotFound,
				fmt.Sprintf("The model '%s' does not exist or you do not have access to it.", req.Model),
				"model_not_found",
			)
			return
		}
		for _, m := range req.Messages {
			if s.NoImages && len(m.Images) > 0 {
				problem = "This model does not support image input."
			}
		}
		if problem != "" {
			if s.OnRefused != nil {
				s.OnRefused(req, problem)
			}
			refuse(w, http.StatusBadRequest, problem, "invalid_request_error")
			return
		}
		if !s.ScriptedProbes && len(req.Tools) == 1 && req.HasTool(probeTool) {
			s.play(w, r, format, Answer{Calls: []Call{{ID: "call_probe", Name: probeTool, Args: `{"word":"saffron"}`}}})
			return
		}
		if bytes.Contains(req.Body, []byte("You name conversations.")) {
			answer := Answer{Text: strings.Repeat("This is no title. ", 10)}
			if s.Title != nil {
				answer = s.Title(req)
			}
			s.play(w, r, format, answer)
			return
		}
		s.play(w, r, format, s.next(req))
	}
}

const probeTool = "say_word"

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (s *Server) next(req Request) Answer {
	s.mu.Lock()
	s.requests = append(s.requests, req)
	if len(s.script) > 0 {
		t := s.script[0]
		s.script = s.script[1:]
		s.mu.Unlock()
		return t
	}
	answer := s.Answer
	s.mu.Unlock()
	if answer != nil {
		return answer(req)
	}
	return Answer{Status: http.StatusInternalServerError, Body: `{"error":{"message":"the script is used up"}}`}
}

func refuse(w http.ResponseWriter, status int, message, code string) {
	reply(
		w,
		status,
		map[string]any{
			"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": code},
		},
	)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(v)
	_, _ = w.Write(b.Bytes())
}

func limitOffset(mark, whole int) int { return max(0, min(mark, whole)) }

// header is the HTTP header of a streamed answer that ends when the connection closes.
const header = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: " +
	"no-cache\r\nConnection: close\r\n\r\n"

func isError(t Answer) bool { return t.Status != 0 && t.Status != http.StatusOK }

func errorBody(t Answer) string {
	if strings.TrimSpace(t.Body) != "" {
		return t.Body
	}
	return fmt.Sprintf(`{"error":{"message":%q,"type":"error","param":null,"code":null}}`, http.StatusText(t.Status))
}
