package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Over HTTP, a client of a revision before 2026-07-28 has a session. Later revisions have no sessions: requests
// with the same client name, version, options and session name (?session=NAME) belong to the same client. Two
// copies of one program that need separate tabs must use two session names.

const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	// methodListen is the request with which a client without a session waits for notifications.
	methodListen = "subscriptions/listen"
	maxRequest   = 4 << 20
	// Beyond maxHTTPSessions, a new client replaces the one that has been idle longest. If all are busy, it must
	// retry after retryAfter seconds.
	maxHTTPSessions = 64
	retryAfter      = 5
	// idleFor is how long the tabs of an idle client stay open.
	idleFor = 8 * time.Hour
)

const sharedTabsInstructions = "This address names no session, so all copies of your program share these tabs. To " +
	"have tabs of your own, add ?session=NAME to the address, with a name that no other program uses."

type httpSessionKey struct{}

func (j *JoinServer) prepare() {
	blank := sdk.NewServer(&sdk.Implementation{Name: "sextant"}, nil)
	serverOf := func(r *http.Request) *sdk.Server {
		if s, ok := r.Context().Value(httpSessionKey{}).(*httpSession); ok {
			return s.server
		}
		return blank // for a request with a session, the SDK reads only its revisions
	}
	j.stateful = sdk.NewStreamableHTTPHandler(serverOf, &sdk.StreamableHTTPOptions{
		SessionTimeout:      idleFor,
		MaxRequestBodyBytes: maxRequest,
	})
	j.stateless = sdk.NewStreamableHTTPHandler(serverOf, &sdk.StreamableHTTPOptions{
		Stateless:                    true,
		PropagateRequestCancellation: true, MaxRequestBodyBytes: maxRequest,
	})
}

// requestInfo contains the parts of a request's body that are needed before the SDK reads it.
type requestInfo struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
}

// serveHTTP only checks join for a GET without an event stream, see Instance.Check.
func (j *JoinServer) serveHTTP(w http.ResponseWriter, r *http.Request, join JoinRequest) {
	if r.Method == http.MethodGet && !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		if err := j.check(join); err != nil {
			writeError(w, requestInfo{}, http.StatusBadRequest, err.Error())
			return
		}
		w.Header().Set("Upgrade", protocolName)
		http.Error(w, "This is an MCP endpoint. Use streamable HTTP, or join with: sextant mcp",
			http.StatusUpgradeRequired)
		return
	}
	if session := r.Header.Get(sessionHeader); session != "" {
		// A GET opens a stream of notifications.
		stream := r.Method == http.MethodGet
		if s := j.sessionByID(session, stream); s != nil {
			defer s.endRequest(stream)
		}
		j.stateful.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, "The request is larger than 4 MB or incomplete.", http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var rpc requestInfo
	_ = json.Unmarshal(body, &rpc) // the SDK reports invalid JSON
	if r.Method == http.MethodPost && stateless(r, body) {
		j.serveStateless(w, r, join, rpc)
		return
	}
	if r.Method != http.MethodPost || !bytes.Contains(body, []byte(`"initialize"`)) {
		j.stateful.ServeHTTP(w, r) // it reports the error
		return
	}
	if err := j.check(join); err != nil {
		writeError(w, rpc, http.StatusBadRequest, err.Error())
		return
	}
	j.serveInitialize(w, r, join, rpc)
}

func (j *JoinServer) serveStateless(w http.ResponseWriter, r *http.Request, join JoinRequest, rpc requestInfo) {
	key, stream := join.key(r, rpc), rpc.Method == methodListen
	if !j.hasSession(key) {
		if err := j.check(join); err != nil {
			writeError(w, rpc, http.StatusBadRequest, err.Error())
			return
		}
	}
	join.Unnamed = r.URL.Query().Get("session") == "" && !join.SharesTabs
	s := j.sessionFor(join, key, stream)
	if s == nil {
		writeBusy(w, rpc)
		return
	}
	defer s.endRequest(stream)
	j.stateless.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), httpSessionKey{}, s)))
}

func (j *JoinServer) serveInitialize(w http.ResponseWriter, r *http.Request, join JoinRequest, rpc requestInfo) {
	s := j.sessionFor(join, "", false)
	if s == nil {
		writeBusy(w, rpc)
		return
	}
	named := &sessionIDWriter{ResponseWriter: w, name: func(session string) {
		j.mu.Lock()
		defer j.mu.Unlock()
		s.session = session
	}}
	j.stateful.ServeHTTP(named, r.WithContext(context.WithValue(r.Context(), httpSessionKey{}, s)))
	began := false
	for session := range s.server.Sessions() {
		began = true
		j.mu.Lock()
		if j.closed {
			j.mu.Unlock()
			break
		}
		j.busy.Add(1)
		s.session = session.ID()
		j.mu.Unlock()
		go func() {
			defer j.busy.Done()
			_ = session.Wait() // the reason does not matter
			s.close()
		}()
	}
	if !began {
		s.close()
		return
	}
	s.endRequest(false)
}

// sessionIDWriter reads the id of a new session before the client gets it, because the client may use it at once.
type sessionIDWriter struct {
	http.ResponseWriter
	name func(session string)
}

func (s *sessionIDWriter) report() {
	if session := s.Header().Get(sessionHeader); session != "" && s.name != nil {
		s.name(session)
		s.name = nil
	}
}

// WriteHeader implements http.ResponseWriter.
func (s *sessionIDWriter) WriteHeader(status int) {
	s.report()
	s.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (s *sessionIDWriter) Write(b []byte) (int, error) {
	s.report()
	return s.ResponseWriter.Write(b)
}

// Flush implements http.Flusher.
func (s *sessionIDWriter) Flush() {
	s.report()
	_ = http.NewResponseController(s.ResponseWriter).Flush() // a writer that cannot flush needs none
}

// Unwrap returns the underlying writer for http.ResponseController.
func (s *sessionIDWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (j *JoinServer) check(join JoinRequest) error {
	if j.Check == nil {
		return nil
	}
	return j.Check(join)
}

// writeError answers a request with a JSON-RPC error, which clients show to their users.
func writeError(w http.ResponseWriter, rpc requestInfo, status int, message string) {
	code := jsonrpc.CodeInvalidParams
	if status >= http.StatusInternalServerError {
		code = jsonrpc.CodeInternalError
	}
	id := rpc.ID
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client may have disconnected
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": message},
	})
}

func writeBusy(w http.ResponseWriter, rpc requestInfo) {
	w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	writeError(w, rpc, http.StatusServiceUnavailable, fmt.Sprintf(
		"%d programs have calls running, the maximum. Try again in %d seconds, or disconnect one in Sextant's "+
			"settings under Other programs.", maxHTTPSessions, retryAfter))
}

func (j *JoinServer) hasSession(key string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.httpSessions, func(s *httpSession) bool { return s.key == key })
}

// sessionByID begins a request of the client that it returns.
func (j *JoinServer) sessionByID(session string, stream bool) *httpSession {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.httpSessions {
		if s.session == session {
			s.beginRequest(stream)
			return s
		}
	}
	return nil
}

func stateless(r *http.Request, body []byte) bool {
	if version := r.Header.Get(versionHeader); version != "" {
		return version >= sinceStateless
	}
	return bytes.Contains(body, []byte(`"`+sdk.MetaKeyProtocolVersion+`"`))
}

func (join JoinRequest) key(r *http.Request, rpc requestInfo) string {
	var info sdk.Implementation
	_ = json.Unmarshal(rpc.Params.Meta[sdk.MetaKeyClientInfo], &info) // a client may have no name
	return fmt.Sprintf("%q %q %q %q %q %t", truncate(info.Name, 80), truncate(info.Version, 40),
		truncate(r.URL.Query().Get("session"), 80), join.Tools, join.Panel, join.SharesTabs)
}
