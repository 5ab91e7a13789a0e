package mcpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/backend/mcp/requests"
	"sextant/backend/pipeline/deadline"
	"sextant/shared/toolspec"
)

// taskServer is a server over HTTP, without an SDK, that answers calls with tasks as its revision says.
type taskServer struct {
	era string
	// asks has it ask for a size before it is done, endless never be done.
	asks, endless bool

	mu    sync.Mutex
	heard []string
	looks int
	size  string
	// said is where an older client's answer to a question comes in.
	said chan json.RawMessage
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
}

const sizeForm = `{"mode":"form","message":"Which size?","requestedSchema":{"type":"object","properties":{"size":{"type":"string"}}}`

// ServeHTTP answers one message.
func (t *taskServer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var m message
	if json.NewDecoder(req.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	t.mu.Lock()
	t.heard = append(t.heard, strings.TrimSpace(m.Method+" "+string(m.Params)+" "+req.Header.Get("Mcp-Name")))
	t.mu.Unlock()
	switch {
	case m.Method == "" && m.Result != nil:
		t.said <- m.Result
		w.WriteHeader(http.StatusAccepted)
		return
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	case m.Method == "tasks/result" && t.asks:
		t.stream(w, m)
		return
	}
	result, refusal := t.answer(m)
	w.Header().Set("Content-Type", "application/json")
	if refusal != "" {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, refusal)
		return
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// stream asks within the answer, as a server of 2025-11-25 does, and then gives the result.
func (t *taskServer) stream(w http.ResponseWriter, m message) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":`+sizeForm+
		`,"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}}`+"\n\n")
	w.(http.Flusher).Flush()
	var params struct{ Content struct{ Size string } }
	_ = json.Unmarshal(<-t.said, &params)
	t.mu.Lock()
	t.size = params.Content.Size
	t.mu.Unlock()
	_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", m.ID, t.result())
}

func (t *taskServer) result() string {
	return `{"content":[{"type":"text","text":"made ` + t.size + `"}]}`
}

func (t *taskServer) answer(m message) (result, refusal string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	newer := t.era == statelessRevision
	switch m.Method {
	case "server/discover":
		if !newer {
			return "", `{"code":-32601,"message":"no such method"}`
		}
		return `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`, ""
	case "initialize":
		return `{"protocolVersion":"2025-11-25","serverInfo":{"name":"l","version":"1"},"capabilities":{"tools":{},"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}}}`, ""
	case "tools/list":
		return `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"make","description":"Makes it.","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}]}`, ""
	case "tools/call":
		if newer {
			return `{"resultType":"task","taskId":"t1","status":"working","statusMessage":"Begun","pollIntervalMs":1}`,
				""
		}
		if !bytes.Contains(m.Params, []byte(`"task":{"ttl":`)) {
			return "", `{"code":-32601,"message":"it has to be a task"}`
		}
		return `{"task":{"taskId":"t1","status":"working","statusMessage":"Begun","pollInterval":1}}`, ""
	case "tasks/get":
		return t.state(newer), ""
	case "tasks/update":
		var params struct {
			InputResponses struct {
				Size struct{ Content struct{ Size string } }
			}
		}
		_ = json.Unmarshal(m.Params, &params)
		t.size = params.InputResponses.Size.Content.Size
		return `{"resultType":"complete"}`, ""
	case "tasks/result":
		return t.result(), ""
	case "tasks/cancel":
		return `{"resultType":"complete","taskId":"t1","status":"cancelled"}`, ""
	}
	return "", `{"code":-32601,"message":"no such method"}`
}

// state is the task: working twice, then asking where it asks, then done.
func (t *taskServer) state(newer bool) string {
	t.looks++
	is := func(status, more string) string {
		return `{"resultType":"complete","taskId":"t1","status":"` + status + `","statusMessage":"Look ` +
			fmt.Sprint(t.looks) + `","pollInterval":1,"pollIntervalMs":1` + more + `}`
	}
	switch {
	case t.endless || t.looks < 2:
		return is("working", "")
	case t.asks && t.size == "":
		if newer {
			return is("input_required", `,"inputRequests":{"size":{"method":"elicitation/create","params":`+sizeForm+
				`}}}`)
		}
		return is("input_required", "")
	case newer:
		return is("completed", `,"result":`+t.result())
	}
	return is("completed", "")
}

func (t *taskServer) received(what string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Contains(strings.Join(t.heard, "\n"), what)
}

// callTask calls the tool of a taskServer.
func callTask(
	ctx context.Context, t *testing.T, l *taskServer, cfg Config, out func(stream, text string), brief ...time.Duration,
) toolspec.Result {
	t.Helper()
	l.said = make(chan json.RawMessage, 1)
	h := httptest.NewServer(l)
	t.Cleanup(h.Close)
	cfg.KnownServers = fixedRevision{l.era}
	s, _, _ := startedWith(t, configText(`"l": {"url": "`+h.URL+`"}`), cfg)
	waitForState(t, s, "l", stateReady)
	if defs := s.Definitions(""); len(defs) != 1 || defs[0].TimeoutMS != toolspec.MaxTimeoutMS {
		t.Errorf("its tool is given too little time: %+v", defs)
	}
	if len(brief) > 0 {
		var stop func()
		ctx, stop = deadline.With(ctx, brief[0])
		defer stop()
	}
	r, err := s.Execute(ctx, toolspec.Call{ID: "c1", Tool: "l__make"}, toolspec.Definition{Owner: "l"}, out)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTaskIsPolledToItsResult(t *testing.T) {
	for _, era := range []string{statelessRevision, "2025-11-25"} {
		for _, asks := range []bool{false, true} {
			t.Run(fmt.Sprint(era, " asks ", asks), func(t *testing.T) {
				l := &taskServer{era: era, asks: asks}
				var heard outputRecorder
				questions := 0
				r := callTask(t.Context(), t, l,
					Config{Elicit: func(_ context.Context, q requests.Elicitation) (requests.Answer, error) {
						questions++
						if q.Call.ID != "c1" {
							t.Errorf("asked in %+v", q.Call)
						}
						return requests.Answer{
							Action:  requests.ActionAccept,
							Content: map[string]any{"size": "large"},
						}, nil
					}}, heard.out)
				want := "made "
				if asks {
					want += "large"
				}
				if !r.Success || strings.TrimSpace(r.ModelText()) != strings.TrimSpace(want) || questions > 1 ||
					asks != (questions == 1) {
					t.Errorf("got %+v after %d questions", r, questions)
				}
				if !strings.HasPrefix(heard.all(), "progress: Begun\n") {
					t.Errorf("got %q", heard.all())
				}
				if era == statelessRevision && !l.received("tasks/get {") || era == statelessRevision &&
					!l.received(" t1") {
					t.Errorf("not routed by the task: %q", l.heard)
				}
				if l.received("tasks/cancel") {
					t.Error("a task that ended was cancelled")
				}
			})
		}
	}
}

func TestAbandonedTaskIsCanceled(t *testing.T) {
	for _, era := range []string{statelessRevision, "2025-11-25"} {
		t.Run(era, func(t *testing.T) {
			l := &taskServer{era: era, endless: true}
			ctx, cancel := context.WithCancel(t.Context())
			r := callTask(ctx, t, l, Config{}, func(_, text string) {
				if strings.HasPrefix(text, "Look") {
					cancel()
				}
			})
			if r.Success || !strings.Contains(r.Error, "stopped while") ||
				!strings.Contains(r.Error, "its task was cancelled") || !l.received("tasks/cancel") {
				t.Errorf("got %+v", r)
			}
		})
		t.Run(era+" in time", func(t *testing.T) {
			l := &taskServer{era: era, endless: true}
			r := callTask(t.Context(), t, l, Config{}, nil, 700*time.Millisecond)
			if r.Success || !strings.Contains(r.Error, "did not finish make in time; its task was cancelled") ||
				!l.received("tasks/cancel") {
				t.Errorf("got %+v", r)
			}
		})
	}
}
