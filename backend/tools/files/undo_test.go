package files_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// states are the changes of a turn, as the window gets them.
func (b *bench) states(turn string) string {
	b.t.Helper()
	changed, err := b.Changes(context.Background(), turn)
	if err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, f := range changed {
		out = append(out, f.DisplayPath+" "+f.Change+" "+string(f.State))
	}
	return strings.Join(out, ", ")
}

func (b *bench) expect(turn, want string) {
	b.t.Helper()
	if got := b.states(turn); got != want {
		b.t.Errorf("%s: %s, want %s", turn, got, want)
	}
}

// editSeveralFiles changes one file twice, another once, and makes a third.
func (b *bench) editSeveralFiles() {
	b.put("a.txt", "a1\n")
	b.put("b.sh", "b1\n")
	if err := os.Chmod(b.path("b.sh"), 0o755); err != nil {
		b.t.Fatal(err)
	}
	b.ok("edit_file", `{"path":"a.txt","old":"a1","new":"a2"}`)
	b.ok("edit_file", `{"path":"a.txt","old":"a2","new":"a3"}`)
	b.ok("edit_file", `{"path":"b.sh","old":"b1","new":"b2"}`)
	b.ok("write_file", `{"path":"new/c.txt","content":"c1\n"}`)
}

func TestUndoAndRedoTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.editSeveralFiles()
	b.expect("t1", "a.txt changed ready, b.sh changed ready, new/c.txt made ready")
	b.turn = "t2"
	r := b.ok("undo", `{"turn":"t1"}`)
	b.holds("a.txt", "a1\n")
	b.holds("b.sh", "b1\n")
	b.holds("new/c.txt", "")
	if info, err := os.Stat(b.path("b.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("%v %v", info, err)
	}
	if r.Sentence != "Undid the changes to 3 files" || len(r.Changed) != 3 {
		t.Errorf("%q %q", r.Sentence, r.Changed)
	}
	undone := b.last
	b.expect("t1", "a.txt changed undone, b.sh changed undone, new/c.txt made undone")
	b.says(b.ok("undo", `{"turn":"t1"}`), "Nothing was left to undo")
	b.ok("undo", `{"call":"`+undone+`"}`)
	b.holds("a.txt", "a3\n")
	b.holds("b.sh", "b2\n")
	b.holds("new/c.txt", "c1\n")
	b.expect("t1", "a.txt changed ready, b.sh changed ready, new/c.txt made ready")
}

func TestUndoCallRefusedWhenLaterCallDependsOnIt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.txt", "a1\n")
	b.ok("edit_file", `{"path":"a.txt","old":"a1","new":"a2"}`)
	first := b.last
	b.ok("edit_file", `{"path":"a.txt","old":"a2","new":"a3"}`)
	b.fails("undo", `{"call":"`+first+`"}`, toolspec.UserError, "a.txt (it was changed since)")
	b.holds("a.txt", "a3\n")
	b.ok("undo", `{}`)
	b.holds("a.txt", "a2\n")
	b.ok("undo", `{"call":"`+first+`"}`)
	b.holds("a.txt", "a1\n")
}

func TestUndoSkipsChangedFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.editSeveralFiles()
	b.put("a.txt", "by user\n")
	b.expect("t1", "a.txt changed conflict, b.sh changed ready, new/c.txt made ready")
	r := b.ok("undo", `{"turn":"t1"}`)
	b.says(r, "Left as they are: a.txt (it was changed since)")
	b.holds("a.txt", "by user\n")
	b.holds("b.sh", "b1\n")
	b.holds("new/c.txt", "")
	if !strings.Contains(r.Sentence, "1 could not be") {
		t.Errorf("%q", r.Sentence)
	}
}

func TestUndoConflictsWithUsersChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.txt", "a1\n")
	b.ok("edit_file", `{"path":"a.txt","old":"a1","new":"a2"}`)
	b.put("a.txt", "hand\n")
	b.ok("read_file", `{"path":"a.txt"}`)
	b.ok("edit_file", `{"path":"a.txt","old":"hand","new":"a3"}`)
	b.fails("undo", `{"turn":"t1"}`, toolspec.UserError, "something else changed it in between")
	b.holds("a.txt", "a3\n")
}

func TestUndoTurnThatContainsUndo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.txt", "a1\n")
	b.ok("edit_file", `{"path":"a.txt","old":"a1","new":"a2"}`)
	b.ok("edit_file", `{"path":"a.txt","old":"a2","new":"a3"}`)
	b.ok("undo", `{}`)
	b.holds("a.txt", "a2\n")
	b.expect("t1", "a.txt changed ready")
	b.ok("edit_file", `{"path":"a.txt","old":"a2","new":"a4"}`)
	b.expect("t1", "a.txt changed ready")
	b.ok("undo", `{"turn":"t1"}`)
	b.holds("a.txt", "a1\n")
	b.ok("edit_file", `{"path":"a.txt","old":"a1","new":"a5"}`)
	b.expect("t1", "a.txt changed ready")
	b.put("a.txt", "a4\n") // an undone version no longer counts as the turn's
	b.expect("t1", "a.txt changed conflict")
	b.put("a.txt", "a5\n")
	b.ok("undo", `{"turn":"t1"}`)
	b.holds("a.txt", "a1\n")
}

// A row is written before its change, so a process that ended in between leaves a row of a
// change that is not there.
func TestRecordedChangeThatNeverHappenedIsIgnored(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.txt", "a1\n")
	b.ok("edit_file", `{"path":"a.txt","old":"a1","new":"a2"}`)
	did, err := b.store.FileChanges(context.Background(), "", "", "", b.last)
	if err != nil || len(did) != 1 {
		t.Fatalf("%v %v", did, err)
	}
	never := did[0]
	never.Call, never.Before, never.After = "c-never", never.After, strings.Repeat("0", 64)
	if err := b.store.AddFileChange(context.Background(), never); err != nil {
		t.Fatal(err)
	}
	b.expect("t1", "a.txt changed ready")
	b.says(b.ok("undo", `{"turn":"t1","preview":true}`), "-a1\n+a2")
	b.ok("edit_file", `{"path":"a.txt","old":"a2","new":"a3"}`)
	b.ok("undo", `{"turn":"t1"}`)
	b.holds("a.txt", "a1\n")
}

func TestUndoLeavesRemovedOrLinkedFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok("write_file", `{"path":"c.txt","content":"c"}`)
	b.ok("write_file", `{"path":"d.txt","content":"d"}`)
	b.put(filepath.Join(b.outside, "d.txt"), "d")
	if err := os.Remove(b.path("d.txt")); err != nil {
		t.Fatal(err)
	}
	link(t, filepath.Join(b.outside, "d.txt"), b.path("d.txt"))
	b.says(b.ok("undo", `{"turn":"t1"}`), "c.txt: undone", "it is a link to")
	b.holds(filepath.Join(b.outside, "d.txt"), "d")
	b.holds("c.txt", "")
}

func TestUndoPreview(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.editSeveralFiles()
	r := b.ok("undo", `{"turn":"t1","preview":true}`)
	b.says(r, "nothing was done yet", "-a1\n+a3", "new/c.txt: made, ready", "+c1")
	b.holds("a.txt", "a3\n")
	if len(r.Changed) != 0 {
		t.Errorf("%q", r.Changed)
	}
	d := b.Describe(b.call("undo", `{"turn":"t1","preview":true}`))
	for _, f := range d.Files {
		if f.Use != toolspec.UseRead {
			t.Errorf("%+v", f)
		}
	}
	d = b.Describe(b.call("undo", `{"turn":"t1"}`))
	if d.Sentence != "Undoing the changes to 3 files" || len(d.Files) != 3 || d.Files[2].Use != toolspec.UseDelete ||
		d.Files[0].Use != toolspec.UseWrite {
		t.Errorf("%+v", d)
	}
	changed, err := b.Changes(context.Background(), "t1")
	if err != nil || changed[0].Added != 1 || changed[0].Removed != 1 || !strings.Contains(changed[0].Diff, "+a3") ||
		changed[0].Path != b.path("a.txt") {
		t.Errorf("%+v %v", changed, err)
	}
}

func TestUndoNamedFilesOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.editSeveralFiles()
	b.ok("undo", argsOf(t, map[string]any{"turn": "t1", "paths": []string{b.path("b.sh")}}))
	b.holds("b.sh", "b1\n")
	b.holds("a.txt", "a3\n")
}

func TestUndoIsLimitedToConversation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.editSeveralFiles()
	b.conversation = "k2"
	b.fails("undo", `{"turn":"t1"}`, toolspec.UserError, "no change of a file to undo")
	b.fails("undo", `{}`, toolspec.UserError, "no change of a file to undo")
	b.holds("a.txt", "a3\n")
	b.caller, b.conversation = toolspec.CallerPerson, ""
	b.ok("undo", `{"turn":"t1"}`)
	b.holds("a.txt", "a1\n")
}

func TestUndoIsLimitedToProgram(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	from := func(caller toolspec.Caller, client, session string) {
		b.caller, b.client, b.session, b.conversation, b.turn = caller, client, session, "", ""
	}
	from(toolspec.CallerPerson, "", "")
	b.ok("write_file", `{"path":"mine.txt","content":"mine"}`)
	mine := b.last
	from(toolspec.CallerMCP, "editor", "s1")
	b.ok("write_file", `{"path":"one.txt","content":"one"}`)
	one := b.last
	from(toolspec.CallerHTTP, "agent", "s2")
	b.ok("write_file", `{"path":"two.txt","content":"two"}`)
	two := b.last
	from(toolspec.CallerMCP, "editor", "s3")
	for _, call := range []string{
		`{}`, `{"call":"` + mine + `"}`, `{"call":"` + one + `"}`, `{"call":"` + two + `"}`,
		`{"call":"` + one + `","preview":true}`,
	} {
		b.fails("undo", call, toolspec.UserError, "no change of a file to undo")
	}
	from(toolspec.CallerMCP, "editor", "s1")
	b.says(b.ok("undo", `{}`), "one.txt: undone")
	b.holds("two.txt", "two")
	from(toolspec.CallerPerson, "", "")
	b.ok("undo", `{"call":"`+two+`"}`)
	b.ok("undo", `{"call":"`+mine+`"}`)
	for _, gone := range []string{"mine.txt", "one.txt", "two.txt"} {
		b.holds(gone, "")
	}
}

func TestUndoBinaryFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("pic", "\x00\x01\x02")
	b.ok("read_file", `{"path":"pic","encoding":"base64"}`)
	b.ok("write_file", `{"path":"pic","content":"text now"}`)
	changed, err := b.Changes(context.Background(), "t1")
	if err != nil || changed[0].Diff != "" || changed[0].Note == "" || changed[0].State != wire.UndoReady {
		t.Errorf("%+v %v", changed, err)
	}
	b.ok("undo", `{}`)
	b.holds("pic", "\x00\x01\x02")
}
