// Package openaitest is a small OpenAI-compatible server for tests: a real HTTP server on
// loopback that speaks the real wire format (server-sent events, calls in fragments, a
// usage chunk, [DONE], the list of models) and answers from a script. It can also do what
// services do on bad days: cut an answer at a byte, stall, refuse the key, ask for
// patience.
//
// Like the services, it refuses a conversation in which a call has no result. It is not a
// model, and nothing of the product uses it.
package openaitest

import (
	"bytes"
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

// Turn is one scripted answer; the zero value is an empty one.
type Turn struct {
	Text  string
	Calls []Call
	// Finish is the reason to end; empty means stop, or tool_calls when there are calls.
	Finish string
	Usage  Usage
	// Fragment is how many bytes of text or arguments go into one chunk; 0 means 7.
	Fragment int
	// Gap is waited between chunks.
	Gap time.Duration

	// Status other than 0 and 200 answers with Body (an error of the usual form when
	// empty) instead of a stream.
	Status     int
	Body       string
	RetryAfter string

	// Cut drops the connection after so many bytes of the stream; 0 means never, -1 before
	// the first. Clean makes it an orderly end of the connection.
	Cut   int
	Clean bool
	// Stall keeps the connection open and silent after so many bytes; 0 means never, -1
	// before the first.
	Stall int
	// Raw is sent instead of the rendered stream.
	Raw string
}

// Call is a tool call; Args is sent as it is, even when it is not JSON.
type Call struct {
	ID   string
	Name string
	Args string
}

// Usage is what the usage chunk says.
type Usage struct {
	Input  int
	Output int
	Cached int
}

// Request is what the server was asked.
type Request struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []Message `json:"messages"`
	Tools    []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	// Body is the whole request.
	Body []byte `json:"-"`
	// Authorization is the header as it came.
	Authorization string `json:"-"`
}

// Message is a message of a Request.
type Message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Tool reports whether r offers a function of that name.
func (r Request) Tool(name string) bool {
	for _, t := range r.Tools {
		if t.Function.Name == name {
			return true
		}
	}
	return false
}

// Last is the content of the last message.
func (r Request) Last() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// Server is the listening server. Its fields are set before the first request.
type Server struct {
	// Models are listed at /v1/models and, as Ollama does, at /api/tags; others are
	// refused with 404. None means that every name is taken.
	Models []string
	// Key is asked for when not empty.
	Key string
	// Answer gives the turn for a request when the script is used up.
	Answer func(Request) Turn
	// Probes says that the question whether the model has calls of its own goes to the script like
	// any other; without it the server answers yes and keeps no record of it.
	Probes bool

	ln   net.Listener
	http *http.Server
	done chan struct{}
	quit context.CancelFunc

	mu       sync.Mutex
	script   []Turn
	requests []Request
}

// Start listens on a free loopback port and answers with turns, one a request.
func Start(turns ...Turn) (*Server, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	ctx, quit := context.WithCancel(context.Background())
	s := &Server{ln: ln, script: turns, done: make(chan struct{}), quit: quit}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /api/tags", s.tags)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(ln)
	}()
	return s, nil
}

// URL is the base address, ending in /v1.
func (s *Server) URL() string { return "http://" + s.ln.Addr().String() + "/v1" }

// Port is the port on 127.0.0.1.
func (s *Server) Port() int {
	a, _ := s.ln.Addr().(*net.TCPAddr)
	return a.Port
}

// Close ends the server and everything it does.
func (s *Server) Close() {
	s.quit()
	_ = s.http.Close()
	<-s.done
}

// Add appends turns to the script.
func (s *Server) Add(turns ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, turns...)
}

// Requests are the chat requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) allowed(w http.ResponseWriter, r *http.Request) bool {
	if s.Key == "" || r.Header.Get("Authorization") == "Bearer "+s.Key {
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

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 32<<20))
	var req Request
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, "We could not parse the JSON body of your request.", "invalid_request_error")
		return
	}
	req.Body, req.Authorization = body, r.Header.Get("Authorization")
	if !s.allowed(w, r) {
		return
	}
	if len(s.Models) > 0 && !contains(s.Models, req.Model) {
		refuse(w, http.StatusNotFound, fmt.Sprintf("The model '%s' does not exist or you do not have access to it.", req.Model), "model_not_found")
		return
	}
	if problem := check(req.Messages); problem != "" {
		refuse(w, http.StatusBadRequest, problem, "invalid_request_error")
		return
	}
	if !s.Probes && len(req.Tools) == 1 && req.Tool(probeTool) {
		s.play(w, r, Turn{Calls: []Call{{ID: "call_probe", Name: probeTool, Args: `{"word":"saffron"}`}}})
		return
	}
	s.play(w, r, s.next(req))
}

// probeTool is the tool of dialect's question.
const probeTool = "say_word"

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func (s *Server) next(req Request) Turn {
	s.mu.Lock()
	s.requests = append(s.requests, req)
	if len(s.script) > 0 {
		t := s.script[0]
		s.script = s.script[1:]
		s.mu.Unlock()
		return t
	}
	s.mu.Unlock()
	if s.Answer != nil {
		return s.Answer(req)
	}
	return Turn{Status: http.StatusInternalServerError, Body: `{"error":{"message":"the script is used up"}}`}
}

// check is the rule that services hold: each call is answered right after it, once.
func check(messages []Message) string {
	open := map[string]bool{}
	for _, m := range messages {
		if m.Role == "tool" {
			if !open[m.ToolCallID] {
				return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 {
			return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
		}
		for _, c := range m.ToolCalls {
			if !json.Valid([]byte(c.Function.Arguments)) {
				return "The arguments of a tool call are not valid JSON."
			}
			open[c.ID] = true
		}
	}
	if len(open) > 0 {
		return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
	}
	return ""
}

func refuse(w http.ResponseWriter, status int, message, code string) {
	reply(w, status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error", "param": nil, "code": code}})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	var b bytes.Buffer
	_ = json.NewEncoder(&b).Encode(v)
	_, _ = w.Write(b.Bytes())
}

// trimmedLen is how many bytes of stream go out before mark takes effect.
func trimmedLen(mark, whole int) int { return max(0, min(mark, whole)) }

// header is the head of a streamed answer that ends with its connection.
const header = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n"

func isError(t Turn) bool { return t.Status != 0 && t.Status != http.StatusOK }

func errorBody(t Turn) string {
	if strings.TrimSpace(t.Body) != "" {
		return t.Body
	}
	return fmt.Sprintf(`{"error":{"message":%q,"type":"error","param":null,"code":null}}`, http.StatusText(t.Status))
}
