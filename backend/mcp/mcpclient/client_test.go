package mcpclient

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/mcp/config"
	"sextant/backend/toolprovider/results"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

type journal struct {
	mu     sync.Mutex
	events []event.Event
}

func (j *journal) Publish(e event.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func (j *journal) count(kind event.Kind) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// published reports whether a list was published in which the server was in that state.
func (j *journal) published(name, state string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.events, func(e event.Event) bool {
		var list event.MCPList
		return e.Kind == event.MCPChanged && json.Unmarshal(e.Data, &list) == nil &&
			slices.ContainsFunc(list.Servers, func(v event.MCPServer) bool {
				return v.Name == name &&
					v.State == state
			})
	})
}

// last returns the list that was published last.
func (j *journal) last(t *testing.T) event.MCPList {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	var list event.MCPList
	for _, e := range slices.Backward(j.events) {
		if e.Kind == event.MCPChanged {
			if err := json.Unmarshal(e.Data, &list); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	return list
}

// stdio is a config entry that runs this test's binary as a server.
func stdio(t *testing.T, mode, more string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return `{"command": ` + strconv.Quote(self) + `, "env": {"` + serverMode + `": "` + mode + `"}` + more + `}`
}

func configText(servers ...string) string {
	return `{"mcpServers": {` + strings.Join(servers, ", ") + `}}`
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// started returns running Servers with that config.
func started(t *testing.T, text string) (*Servers, *journal, string) {
	t.Helper()
	return startedWith(t, text, Config{})
}

func startedWith(t *testing.T, text string, cfg Config) (*Servers, *journal, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp-config.json")
	if text != "" {
		write(t, path, text)
	}
	j := &journal{}
	cfg.Path, cfg.Journal, cfg.Version = path, j, "test"
	s := New(cfg)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, j, path
}

func find(s *Servers, name string) event.MCPServer {
	list := s.List()
	at := slices.IndexFunc(list, func(v event.MCPServer) bool { return v.Name == name })
	if at < 0 {
		return event.MCPServer{}
	}
	return list[at]
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
	}
}

func waitForState(t *testing.T, s *Servers, name, state string) event.MCPServer {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); find(s, name).State != state; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s is never %s: %+v", name, state, find(s, name))
		}
	}
	return find(s, name)
}

func call(t *testing.T, s *Servers, tool, args string) toolspec.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, err := s.Execute(ctx, toolspec.Call{Tool: tool, Args: json.RawMessage(args)},
		toolspec.Definition{Name: tool, Owner: strings.Split(tool, "__")[0]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustFail(t *testing.T, r toolspec.Result, kind toolspec.ErrorType, words ...string) {
	t.Helper()
	if r.Success || r.ErrorType != kind {
		t.Fatalf("got %+v, want a %s", r, kind)
	}
	for _, w := range words {
		if !strings.Contains(r.Error+" | "+r.Suggestion, w) {
			t.Errorf("error %q (%s) does not say %q", r.Error, r.Suggestion, w)
		}
	}
}

func pid(t *testing.T, s *Servers) int {
	t.Helper()
	n, err := strconv.Atoi(strings.Split(call(t, s, "my_tester__env", `{}`).Text, "\n")[0])
	if err != nil {
		// A text result without structure is the value.
		text, _ := call(t, s, "my_tester__env", `{}`).Value.(string)
		if n, err = strconv.Atoi(strings.Split(text, "\n")[0]); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestToolsAreOffered(t *testing.T) {
	s, j, _ := started(t, configText(`"My Tester": `+stdio(t, "good", "")))
	v := waitForState(t, s, "My Tester", stateReady)
	want := []string{
		"my_tester__crash", "my_tester__drop", "my_tester__echo_text_81127a12", "my_tester__echo_text_f2e88feb",
		"my_tester__env", "my_tester__grow",
		"my_tester__hang", "my_tester__huge", "my_tester__large", "my_tester__mixed", "my_tester__order",
		"my_tester__turn",
	}
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(v.Tools))); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if v.Transport != "stdio" || !v.Enabled || v.Error != "" {
		t.Errorf("got %+v", v)
	}
	for _, d := range s.Definitions("any") {
		if d.Origin != toolspec.OriginMCP || d.Owner != "My Tester" || d.Hints.ReadOnly || !d.Hints.Confirm ||
			d.Hints.Destructive != (d.Name == "my_tester__drop") {
			t.Errorf("%s: %+v", d.Name, d)
		}
	}
	eventually(t, "the catalogue's change is published", func() bool {
		return j.count(event.CatalogChanged) == 2 &&
			j.count(event.MCPChanged) >= 2
	})
}

func TestResults(t *testing.T) {
	t.Setenv("SEXTANT_OPENAI_API_KEY", "secret")
	s, _, _ := started(t, configText(`"My Tester": `+stdio(t, "good", "")))
	waitForState(t, s, "My Tester", stateReady)
	if r := call(t, s, "my_tester__echo_text_81127a12", `{"text":"hi"}`); !r.Success || r.Value != "hi" ||
		r.Sources[0] != "mcp:My Tester" {
		t.Errorf("got %+v", r)
	}
	if r := s.Call(t.Context(), "My Tester", "echo-text", nil); r.Value != "the other" {
		t.Errorf("got %+v", r)
	}
	r := call(t, s, "my_tester__mixed", `{}`)
	if want := "first\n(audio, audio/wav, 1 bytes, not shown)\na.txt file:///a.txt\nnote:1\ninside"; r.Text != want {
		t.Errorf("got %q", r.Text)
	}
	if b, _ := json.Marshal(r.Value); string(b) != `{"n":1}` || len(r.Images) != 1 ||
		string(r.Images[0].Data) != "\x01\x02\x03" {
		t.Errorf("got %s, %+v", b, r.Images)
	}
	mustFail(t, call(t, s, "my_tester__drop", `{}`), toolspec.UserError, "no such table", "of the MCP server My Tester")
	if r := call(t, s, "my_tester__large", `{}`); !r.Success || len(r.ModelText()) > results.MaxText+100 ||
		!strings.HasSuffix(r.ModelText(), "more bytes left out") {
		t.Errorf("%d bytes: %.300s", len(r.ModelText()), r.ModelText())
	}
	if env := call(t, s, "my_tester__env", `{}`).ModelText(); strings.Contains(env, "SEXTANT_OPENAI_API_KEY") ||
		!strings.Contains(env, "PATH=") {
		t.Errorf("its environment: %s", env)
	}
	mustFail(t, s.Call(t.Context(), "My Tester", "nothing", nil), toolspec.UserError, `has no tool "nothing"`)
	mustFail(t, s.Call(t.Context(), "other", "nothing", nil), toolspec.UserError, `there is no MCP server "other"`)
	if name, ok := s.ToolName("My Tester", "echoText"); !ok || name != "my_tester__echo_text_81127a12" {
		t.Errorf("got %s, %t", name, ok)
	}
}

func TestCrashedServerIsRestarted(t *testing.T) {
	s, j, _ := started(t, configText(`"My Tester": `+stdio(t, "good", ""), `"other": `+stdio(t, "good", "")))
	waitForState(t, s, "My Tester", stateReady)
	waitForState(t, s, "other", stateReady)
	first := pid(t, s)
	mustFail(t, call(t, s, "my_tester__crash", `{}`), toolspec.SystemError, "stopped during the call",
		"Stopped, exit 3: Error: out of paper")
	if r := call(t, s, "other__echo_text_81127a12", `{"text":"still here"}`); r.Value != "still here" {
		t.Errorf("the other: %+v", r)
	}
	eventually(t, "the failure is published", func() bool { return j.published("My Tester", stateDown) })
	eventually(t, "it is started again", func() bool { return find(s, "My Tester").State == stateReady })
	if second := pid(t, s); second == first {
		t.Error("the same process")
	}
}

func TestFailedServerNamesReasonAndRetry(t *testing.T) {
	s, _, _ := startedWith(t, configText(`"My Tester": `+stdio(t, "good", "")),
		Config{timing: timing{firstPause: time.Hour}})
	waitForState(t, s, "My Tester", stateReady)
	for _, r := range []toolspec.Result{
		call(t, s, "my_tester__crash", `{}`), s.Call(t.Context(), "My Tester", "env", nil),
	} {
		// The text of the server is in the error, so the error has the server as its source.
		mustFail(t, r, toolspec.SystemError, "Stopped, exit 3: Error: out of paper")
		if !slices.Equal(r.Sources, []string{"mcp:My Tester"}) {
			t.Errorf("sources of %q: %q", r.Error, r.Sources)
		}
	}
	eventually(t, "the next try is set", func() bool { return find(s, "My Tester").NextTry != nil })
	v := find(s, "My Tester")
	if v.State != stateDown || v.Error != "Stopped, exit 3: Error: out of paper" || len(v.Tools) != 0 {
		t.Errorf("got %+v", v)
	}
	mustFail(t, s.Call(t.Context(), "My Tester", "env", nil), toolspec.SystemError, "is not running: Stopped, exit 3",
		"Next try in ")
}

func TestConcurrentPublishKeepsOrder(t *testing.T) {
	j := &journal{}
	s := New(Config{Journal: j})
	s.servers["a"], s.servers["b"] = newServer(s, "a", "a", config.Entry{}, ""), newServer(s, "b", "b", config.Entry{},
		"")
	for round := range 200 {
		var both sync.WaitGroup
		for _, v := range s.servers {
			both.Go(func() {
				v.set(func() { v.err = strconv.Itoa(round) })
				s.publish()
			})
		}
		both.Wait()
		if last := j.last(t); last.Servers[0].Error != last.Servers[1].Error {
			t.Fatalf("round %d ends with %+v", round, last)
		}
	}
}

func TestStartErrors(t *testing.T) {
	s, _, _ := started(t, configText(
		`"dies": `+stdio(t, "dies", ""), `"missing": {"command": "no-such-program-here"}`,
		`"garbage": `+stdio(t, "garbage", ""),
		`"good": `+stdio(t, "good", ""), `"wrong": {"comand": "x"}`, `"typed": {"command": 5}`,
	))
	for name, want := range map[string]string{
		"dies":    "Stopped, exit 1: Error: the database refused the connection",
		"missing": "no-such-program-here",
		"wrong":   "mcp-config.json 1:",
		"typed":   "command has the wrong type (number)",
	} {
		t.Run(name, func(t *testing.T) {
			if v := waitForState(t, s, name, stateDown); !strings.Contains(v.Error, want) {
				t.Errorf("%s: got %q", name, v.Error)
			}
		})
	}
	// A server that greets on its output is forgiven or fails; it must not hang the rest.
	eventually(t, "the talkative one is decided", func() bool { return find(s, "garbage").State != stateStarting })
	waitForState(t, s, "good", stateReady)
}

func TestOversizedAnswerEndsConnection(t *testing.T) {
	s, j, _ := started(t, configText(`"My Tester": `+stdio(t, "good", "")))
	waitForState(t, s, "My Tester", stateReady)
	mustFail(t, call(t, s, "my_tester__huge", `{}`), toolspec.SystemError, "stopped during the call")
	eventually(t, "the failure is published", func() bool { return j.published("My Tester", stateDown) })
	waitForState(t, s, "My Tester", stateReady)
}

func TestCallDeadline(t *testing.T) {
	s, _, _ := started(t, configText(`"My Tester": `+stdio(t, "good", "")))
	waitForState(t, s, "My Tester", stateReady)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	mustFail(t, s.Call(ctx, "My Tester", "hang", nil), toolspec.SystemError, "did not answer hang in time; whether it "+
		"took effect is unknown")
	if r := call(t, s, "my_tester__echo_text_f2e88feb", `{}`); !r.Success {
		t.Errorf("got %+v", r)
	}
}

func TestToolListChanged(t *testing.T) {
	s, _, _ := started(t, configText(`"My Tester": `+stdio(t, "good", "")))
	waitForState(t, s, "My Tester", stateReady)
	if r := call(t, s, "my_tester__grow", `{}`); !r.Success {
		t.Fatal(r.Error)
	}
	eventually(t, "the new tool is offered", func() bool { _, ok := s.ToolName("My Tester", "grown"); return ok })
	if r := call(t, s, "my_tester__grown", `{}`); r.Value != "new" {
		t.Errorf("got %+v", r)
	}
}

func TestCloseEndsEveryProcess(t *testing.T) {
	s, _, _ := started(t, configText(`"My Tester": `+stdio(t, "good", ""), `"mute": `+stdio(t, "mute", "")))
	waitForState(t, s, "My Tester", stateReady)
	n := pid(t, s)
	if find(s, "mute").State != stateStarting {
		t.Errorf("got %+v", find(s, "mute"))
	}
	mustFail(t, s.Call(t.Context(), "mute", "x", nil), toolspec.SystemError, "is starting")
	s.Close()
	if alive(n) {
		t.Error("it is still there")
	}
}
