package app

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// bashOf runs a command through the whole Pipeline, allowed beforehand.
func bashOf(t *testing.T, sys *System, command string, network bool) toolspec.Result {
	t.Helper()
	args, err := json.Marshal(map[string]any{"command": command, "network": network})
	if err != nil {
		t.Fatal(err)
	}
	return sys.Pipeline.Do(t.Context(), toolspec.Call{
		Tool: "bash", Args: args,
		From: toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: "all"},
	})
}

func TestCommandRunsInTheWorkspaceWithoutOurData(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	sys := openWith(t, flags, OpenOptions{Serve: true})
	r := bashOf(t, sys, "echo hi > made; cat made; pwd", false)
	if !r.Success || r.Text != "hi\n"+flags["workspace"]+"\nChanged: made (new). undo can undo it." {
		t.Errorf("%+v", r)
	}
	if body, err := os.ReadFile(filepath.Join(flags["workspace"], "made")); err != nil || string(body) != "hi\n" {
		t.Errorf("%q %v", body, err)
	}
	if ok, _, why := sys.Confine.Available(); !ok {
		t.Skip("no sandbox here: " + why)
	}
	database := filepath.Join(flags["data"], DatabaseName)
	if r := bashOf(t, sys, "cat "+database+" && echo seen", false); strings.Contains(r.Text, "seen") {
		t.Errorf("our database: %.200s", r.Text)
	}
	_, port, err := net.SplitHostPort(sys.Host())
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []bool{false, true} {
		// The shell's own way to a socket names no program of the network.
		if r := bashOf(t, sys, "x=tcp; (exec 3<>/dev/$x/127.0.0.1/"+port+") && echo reached",
			network); strings.Contains(r.Text, "reached") {
			t.Errorf("our own port, network %v: %+v", network, r)
		}
	}
}

func TestCommandAsksBeforeItReachesAHost(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	flags["mode"] = "workspace"
	sys := openWith(t, flags, OpenOptions{Serve: true})
	if !sys.Confine.IsolatesNetwork() {
		t.Skip("no network of a run's own here")
	}
	_, port, err := net.SplitHostPort(sys.Host())
	if err != nil {
		t.Fatal(err)
	}
	// The name is put together when it runs, so that nobody could read it before.
	command := `python3 -c 'import urllib.request as r; print(r.urlopen("http://demo."+"sextant.test/").read().decode()[:4000])'; ` +
		`x=127.0.0; (exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:}; printf "GET http://$x.1:` + port +
		`/api/proof HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" >&3; cat <&3)`
	args, err := json.Marshal(map[string]any{"command": command, "network": true})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan toolspec.Result, 1)
	go func() {
		done <- sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: "bash", Args: args,
			From: toolspec.Provenance{
				Caller: toolspec.CallerModel, Conversation: "talk", Turn: "t1",
				Interactive: true,
			},
		})
	}()
	var asked []string
	for {
		select {
		case r := <-done:
			if !r.Success || !strings.Contains(r.Text, "<html") ||
				!strings.Contains(r.Text, "127.0.0.1:"+port+" is on this machine") {
				t.Errorf("it answered %s", r.Text[max(0, len(r.Text)-800):])
			}
			if len(asked) == 0 || !strings.HasPrefix(asked[len(asked)-1],
				"Allow a command to connect to demo.sextant.test: python3 ") {
				t.Errorf("it was asked %q", asked)
			}
			return
		default:
		}
		for _, q := range sys.Approvals.WaitingApprovals() {
			asked = append(asked, q.Question)
			if err := sys.Approvals.Answer(t.Context(), q.ID, event.AnswerOnce, "", q.Hash); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Millisecond)
	}
}

func TestChangesOfAStoppedCommandAreListedImmediately(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	sys := openWith(t, flags, OpenOptions{Serve: true})
	made := filepath.Join(flags["workspace"], "made")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stopped := make(chan toolspec.Result, 1)
	go func() {
		stopped <- sys.Pipeline.Do(ctx, toolspec.Call{
			Tool: "bash", Args: json.RawMessage(`{"command":"echo hi > made; sleep 1000"}`),
			From: toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "k1", Turn: "t1", YesTo: "all"},
		})
	}()
	for until := time.Now().Add(20 * time.Second); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if body, err := os.ReadFile(made); err == nil && string(body) == "hi\n" {
			break
		}
	}
	cancel()
	if r := <-stopped; r.Success {
		t.Fatalf("%+v", r)
	}
	var changes wire.Changes
	status, b := windowOf(t, sys).do(http.MethodGet, "/api/changes?turn=t1", nil)
	if err := json.Unmarshal(b, &changes); err != nil || status != http.StatusOK || len(changes.Files) != 1 ||
		changes.Files[0].State != wire.UndoReady {
		t.Fatalf("%d %s %v", status, b, err)
	}
	if status, b := windowOf(t, sys).do(http.MethodPost, "/api/changes/undo",
		map[string]string{"turn": "t1"}); status != http.StatusOK {
		t.Errorf("%d %s", status, b)
	}
	if _, err := os.Stat(made); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}
