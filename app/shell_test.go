package app

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
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

func TestACommandRunsInTheWorkspaceAndSeesNothingOfOurs(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	sys := openWith(t, flags, Purpose{Serve: true})
	r := bashOf(t, sys, "echo hi > made; cat made; pwd", false)
	if !r.Success || r.Text != "hi\n"+flags["workspace"] {
		t.Errorf("%+v", r)
	}
	if body, err := os.ReadFile(filepath.Join(flags["workspace"], "made")); err != nil || string(body) != "hi\n" {
		t.Errorf("%q %v", body, err)
	}
	if ok, _, why := sys.Confine.Available(); !ok {
		t.Skip("no sandbox here: " + why)
	}
	database := filepath.Join(flags["data"], databaseName)
	if r := bashOf(t, sys, "cat "+database+" && echo seen", false); strings.Contains(r.Text, "seen") {
		t.Errorf("our database: %.200s", r.Text)
	}
	_, port, err := net.SplitHostPort(sys.Host())
	if err != nil {
		t.Fatal(err)
	}
	for _, network := range []bool{false, true} {
		// The shell's own way to a socket names no program of the network.
		if r := bashOf(t, sys, "x=tcp; (exec 3<>/dev/$x/127.0.0.1/"+port+") && echo reached", network); strings.Contains(r.Text, "reached") {
			t.Errorf("our own port, network %v: %+v", network, r)
		}
	}
}
