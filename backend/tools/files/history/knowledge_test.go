package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/toolspec"
)

func program(n int) toolspec.Provenance {
	return toolspec.Provenance{Caller: toolspec.CallerRun, Client: fmt.Sprint(n)}
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
			before.set(program(i), fmt.Sprint("/f", n), stamp)
		}
	}
	before.set(toolspec.Provenance{Conversation: "c"}, "/f1", stamp)
	before.set(toolspec.Provenance{Caller: toolspec.CallerMCP, Session: "joined-1"}, "/f1", stamp)
	if err := before.save(file); err != nil {
		t.Fatal(err)
	}
	if err := after.load(file); err != nil {
		t.Fatal(err)
	}
	if _, ok := after.get(program(0), "/f1"); ok {
		t.Error("the oldest owner is known beyond the limit")
	}
	if diff := cmp.Diff([]string{program(1).Owner(), program(2).Owner()}, after.order); diff != "" {
		t.Error(diff)
	}
	if got, _ := after.get(program(2), "/f7"); got != stamp {
		t.Errorf("%+v", got)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

func TestFilesBeyondTheLimitReplaceOthers(t *testing.T) {
	var k knowledge
	for n := range maxKnown + 1 {
		k.set(program(-1), fmt.Sprint("/f", n), Stamp{})
	}
	if _, ok := k.get(program(-1), fmt.Sprint("/f", maxKnown)); !ok || len(k.owners[program(-1).Owner()]) != maxKnown {
		t.Errorf("the newest is known: %v, of %d files", ok, len(k.owners[program(-1).Owner()]))
	}
	for n := range maxOwners {
		k.set(program(n), "/f", Stamp{})
		k.set(program(-1), "/f", Stamp{}) // still in use
	}
	if _, ok := k.get(program(-1), "/f"); !ok {
		t.Error("the owner that acts most is forgotten")
	}
}

func TestDamagedKnownFileCountsAsUnread(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.json")
	if err := os.WriteFile(file, []byte(`[{"owner":"a","files":{"/f":`), 0o600); err != nil {
		t.Fatal(err)
	}
	h := New(Config{Known: file})
	if _, ok := h.known.get(toolspec.Provenance{Client: "a"}, "/f"); ok {
		t.Error("a file is known")
	}
	h.known.set(program(0), "/f", Stamp{})
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	if _, ok := New(Config{Known: file}).known.get(program(0), "/f"); !ok {
		t.Error("the damaged file is not replaced")
	}
}

func TestNothingIsWrittenUnlessAProgramReadAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.json")
	h := New(Config{Known: file})
	h.known.set(toolspec.Provenance{Conversation: "c"}, "/f", Stamp{})
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestDeletedConversationIsForgotten(t *testing.T) {
	h := New(Config{})
	h.known.set(toolspec.Provenance{Conversation: "c"}, "/f", Stamp{})
	h.known.set(toolspec.Provenance{Conversation: "d"}, "/f", Stamp{})
	h.ForgetConversation("c")
	if len(h.known.owners) != 1 || len(h.known.order) != 1 || h.known.order[0] != "conversation d" {
		t.Errorf("%v %v", h.known.owners, h.known.order)
	}
}
