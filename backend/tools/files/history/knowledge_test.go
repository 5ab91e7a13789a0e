package history

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/toolspec"
)

func owner(n int) string {
	return toolspec.Provenance{Caller: toolspec.CallerRun, Client: fmt.Sprint(n)}.Owner()
}

func TestKnownFilesSurviveARestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.json")
	var before, after knowledge
	if err := before.load(file); err != nil {
		t.Fatal(err)
	}
	stamp := Stamp{Size: 5, Modified: time.Date(2026, 11, 29, 1, 2, 3, 0, time.UTC), Hash: "h"}
	for i := range 3 { // the oldest owner is beyond the limit
		for n := range maxSaved / 2 {
			before.set(owner(i), fmt.Sprint("/f", n), stamp)
		}
	}
	before.set(toolspec.Provenance{Conversation: "c"}.Owner(), "/f1", stamp)
	before.set(toolspec.Provenance{Caller: "mcp", Session: "joined-1"}.Owner(), "/f1", stamp)
	if err := before.save(file); err != nil {
		t.Fatal(err)
	}
	if err := after.load(file); err != nil {
		t.Fatal(err)
	}
	if _, ok := after.get(owner(0), "/f1"); ok {
		t.Error("the oldest owner is known beyond the limit")
	}
	if diff := cmp.Diff([]string{owner(1), owner(2)}, after.order); diff != "" {
		t.Error(diff)
	}
	if got, _ := after.get(owner(2), "/f7"); got != stamp {
		t.Errorf("%+v", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestFilesBeyondTheLimitReplaceOthers(t *testing.T) {
	var k knowledge
	for n := range maxKnown + 1 {
		k.set("a", fmt.Sprint("/f", n), Stamp{})
	}
	if _, ok := k.get("a", fmt.Sprint("/f", maxKnown)); !ok || len(k.owners["a"]) != maxKnown {
		t.Errorf("the newest is known: %v, of %d files", ok, len(k.owners["a"]))
	}
	for n := range maxOwners {
		k.set(owner(n), "/f", Stamp{})
		k.set("a", "/f", Stamp{}) // still in use
	}
	if _, ok := k.get("a", "/f"); !ok {
		t.Error("the owner that acts most is forgotten")
	}
}

func TestDamagedKnownFileCountsAsUnread(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.json")
	if err := os.WriteFile(file, []byte(`[{"owner":"a","files":{"/f":`), 0o600); err != nil {
		t.Fatal(err)
	}
	h := New(Config{Known: file})
	if _, ok := h.known.get("a", "/f"); ok {
		t.Error("a file is known")
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

func TestDeletedConversationIsForgotten(t *testing.T) {
	h := New(Config{})
	h.known.set(toolspec.Provenance{Conversation: "c"}.Owner(), "/f", Stamp{})
	h.known.set(toolspec.Provenance{Conversation: "d"}.Owner(), "/f", Stamp{})
	h.ForgetConversation("c")
	if len(h.known.owners) != 1 || len(h.known.order) != 1 || h.known.order[0] != "conversation d" {
		t.Errorf("%v %v", h.known.owners, h.known.order)
	}
}
