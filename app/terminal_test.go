package app

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// inTerminal calls terminal_run as who is given.
func inTerminal(t *testing.T, sys *System, from toolspec.Provenance, args map[string]any) toolspec.Result {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return sys.Pipeline.Do(t.Context(), toolspec.Call{Tool: "terminal_run", Panel: "terminal", Args: raw, From: from})
}

func TestCommandInATerminalIsJudgedAndSandboxed(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	sys := openWith(t, flags, OpenOptions{Serve: true})
	if ok, _, why := sys.Confine.Available(); !ok {
		t.Skip("no sandbox here: " + why)
	}
	model := toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "talk", Turn: "t1"}
	r := inTerminal(t, sys, model, map[string]any{"command": "test -t 1 && echo on a terminal; ls"})
	if !r.Success || !strings.Contains(r.Text, "on a terminal") {
		t.Errorf("a command that only reads: %+v", r)
	}
	if r := inTerminal(t, sys, model, map[string]any{"command": "rm -rf sub"}); r.Success ||
		r.ErrorType != toolspec.PermissionError {
		t.Errorf("nobody was there to ask, and it ran: %+v", r)
	}
	// The same yes that bash needs, and the same walls behind it.
	yes := toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: "all"}
	database := filepath.Join(flags["data"], DatabaseName)
	r = inTerminal(t, sys, yes, map[string]any{"command": "echo hi > made; cat " + database +
		" && echo seen; echo over"})
	if !r.Success || strings.Contains(r.Text, "seen") || !strings.Contains(r.Text, "over") {
		t.Errorf("our database: %+v", r)
	}
	if body, err := os.ReadFile(filepath.Join(flags["workspace"], "made")); err != nil || string(body) != "hi\n" {
		t.Errorf("%q %v", body, err)
	}
	// A group that is off, a mode that only reads and a rule against bash close this way too.
	for key, value := range map[string]string{"groups_off": "shell", "mode": "read-only"} {
		if _, err := sys.Settings.Set(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
		if r := inTerminal(t, sys, yes, map[string]any{"command": "touch made-" + key}); r.Success {
			t.Errorf("%s: %+v", key, r)
		}
		if _, err := sys.Settings.Reset(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(flags["workspace"], "made-mode")); err == nil {
		t.Error("the mode Read-only wrote a file")
	}
	rows, err := sys.Audit.List(t.Context(), 50)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, row := range rows {
		seen[row.Tool]++
	}
	if seen["bash"] < 3 || seen["terminal_run"] < 3 {
		t.Errorf("the audit log holds %v", seen)
	}
}

func TestApprovalOfATerminalCommandIsThatOfBash(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	sys := openWith(t, flags, OpenOptions{Serve: true})
	done := make(chan toolspec.Result, 1)
	go func() {
		done <- inTerminal(t, sys, toolspec.Provenance{
			Caller: toolspec.CallerModel, Conversation: "talk", Turn: "t1",
			Interactive: true, Outside: []string{"https://evil.example"},
		},
			map[string]any{"command": "touch planted"})
	}()
	q := pendingOne(t, sys)
	if q.Tool != "bash" || !strings.Contains(string(mustMarshal(t, q)), "touch planted") {
		t.Errorf("asked about %s", mustMarshal(t, q))
	}
	if err := sys.Approvals.Answer(t.Context(), q.ID, event.AnswerDeny, "", q.Hash); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.Success {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(flags["workspace"], "planted")); err == nil {
		t.Error("it ran")
	}
	if n := len(sys.Approvals.WaitingApprovals()); n != 0 {
		t.Errorf("%d further questions", n)
	}
}

func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func pendingOne(t *testing.T, sys *System) event.Approval {
	t.Helper()
	for limit := time.After(20 * time.Second); ; {
		if all := sys.Approvals.WaitingApprovals(); len(all) > 0 {
			return all[0]
		}
		select {
		case <-limit:
			t.Fatal("nothing was asked")
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// shells opens the door of the terminals.
func shells(t *testing.T, sys *System, key string, head http.Header) (*websocket.Conn, error) {
	t.Helper()
	conn, res, err := websocket.DefaultDialer.Dial("ws://"+sys.Host()+"/ws/terminals", head)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.WriteJSON(wire.TerminalMessage{V: wire.Version, Kind: "hello", Token: key}); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn, nil
}

func TestOnlyAWindowReachesThePersonsShell(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	for name, key := range map[string]string{"nobody": "nonsense", "a program": sys.Token()} {
		conn, err := shells(t, sys, key, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.WriteJSON(wire.TerminalMessage{V: wire.Version, Kind: "open", Columns: 80, Rows: 24})
		var news wire.TerminalUpdate
		if err := conn.ReadJSON(&news); err != nil || news.Kind != "error" {
			t.Errorf("%s: %+v, %v", name, news, err)
		}
		if err := conn.ReadJSON(&news); err == nil {
			t.Errorf("%s was let in: %+v", name, news)
		}
	}
	if _, err := shells(t, sys, sys.Token(), http.Header{"Origin": {"null"}}); err == nil {
		t.Error("a sandboxed frame reached the door")
	}
	if tabs, _ := sys.Terminals.List(); len(tabs) != 0 {
		t.Errorf("a shell was started: %+v", tabs)
	}
	key := strings.TrimPrefix(windowOf(t, sys).head.Get("Authorization"), "Bearer ")
	conn, err := shells(t, sys, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.WriteJSON(wire.TerminalMessage{V: wire.Version, Kind: "open", Columns: 80, Rows: 24})
	for {
		var news wire.TerminalUpdate
		if err := conn.ReadJSON(&news); err != nil {
			t.Fatal(err)
		}
		if news.Kind == "opened" {
			break
		}
	}
}

// No tool types into a terminal of the person's: there is none that does, whoever asks.
func TestNoToolReachesThePersonsShell(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	tab, err := sys.Terminals.Open(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	from := toolspec.Provenance{Caller: toolspec.CallerModel, Turn: "t"}
	for _, c := range []struct{ tool, args string }{
		{"terminal_read", `{"tab":1}`},
		{"terminal_stop", `{"tab":1}`},
	} {
		r := sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: c.tool, Panel: "terminal", Args: json.RawMessage(c.args),
			From: from,
		})
		if r.Success || r.ErrorType != toolspec.PermissionError {
			t.Errorf("%s: %+v", c.tool, r)
		}
	}
	if state, _ := sys.Terminals.List(); state[0].State != wire.TerminalRunning || state[0].Tab != tab.Number() {
		t.Errorf("%+v", state)
	}
}
