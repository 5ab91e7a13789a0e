package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestWriteCreatesFoldersAndReplacesReadFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.ok("write_file", `{"path":"new/deep/notes.txt","content":"one\ntwo\n"}`)
	b.holds("new/deep/notes.txt", "one\ntwo\n")
	if r.Sentence != "Wrote 2 lines to new/deep/notes.txt" || len(r.Changed) != 1 ||
		r.Changed[0] != b.path("new/deep/notes.txt") {
		t.Errorf("%q %q", r.Sentence, r.Changed)
	}
	b.ok("write_file", `{"path":"new/deep/notes.txt","content":"three\n"}`) // who wrote it knows it
	b.holds("new/deep/notes.txt", "three\n")

	b.put("old.txt", "precious")
	b.fails("write_file", `{"path":"old.txt","content":"x"}`, toolspec.UserError, "was not read before", "read_file")
	b.holds("old.txt", "precious")
	b.ok("read_file", `{"path":"old.txt"}`)
	b.ok("write_file", `{"path":"old.txt","content":"x"}`)
	b.holds("old.txt", "x")
	if r := b.ok("write_file", `{"path":"old.txt","content":"x"}`); len(r.Changed) != 0 ||
		!strings.Contains(r.Text, "already") {
		t.Errorf("%+v", r)
	}
}

func TestWriteRefusesFileChangedSinceRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("notes.txt", "one")
	b.ok("read_file", `{"path":"notes.txt"}`)
	info, err := os.Stat(b.path("notes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	b.put("notes.txt", "two")
	// Same size, same time: the content tells.
	if err := os.Chtimes(b.path("notes.txt"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	b.fails("write_file", `{"path":"notes.txt","content":"x"}`, toolspec.UserError, "has changed since it was read",
		"read_file again")
	b.fails("edit_file", `{"path":"notes.txt","old":"two","new":"x"}`, toolspec.UserError,
		"has changed since it was read")
	b.holds("notes.txt", "two")
	b.ok("read_file", `{"path":"notes.txt"}`)
	b.ok("edit_file", `{"path":"notes.txt","old":"two","new":"three"}`)
	b.holds("notes.txt", "three")
}

func TestReadIsRememberedPerConversation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("notes.txt", "one")
	b.ok("read_file", `{"path":"notes.txt"}`)
	b.conversation = "k2"
	b.fails("write_file", `{"path":"notes.txt","content":"x"}`, toolspec.UserError, "was not read before")
	b.ok("read_file", `{"path":"notes.txt"}`)
	b.conversation = "k1"
	b.ok("write_file", `{"path":"notes.txt","content":"of k1"}`)
	b.conversation = "k2"
	b.fails("write_file", `{"path":"notes.txt","content":"of k2"}`, toolspec.UserError, "has changed since")
	b.holds("notes.txt", "of k1")
}

func TestWriteKeepsModeAndLeavesNoTemporaryFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(b.path("run.sh"), 0o751); err != nil {
		t.Fatal(err)
	}
	b.ok("edit_file", `{"path":"run.sh","old":"#!/bin/sh","new":"#!/bin/bash"}`)
	info, err := os.Stat(b.path("run.sh"))
	if err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("%v %v", info, err)
	}
	link(t, "run.sh", b.path("alias.sh"))
	b.ok("edit_file", `{"path":"alias.sh","old":"bash","new":"dash"}`)
	b.holds("run.sh", "#!/bin/dash\n")
	if info, err := os.Lstat(b.path("alias.sh")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced by a file: %v %v", info, err)
	}
	entries, err := os.ReadDir(b.work)
	if err != nil || len(entries) != 2 {
		t.Errorf("%v %v", entries, err)
	}
}

func TestUnwritableFolder(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	b := newBench(t)
	b.folder(b.path("closed"))
	if err := os.Chmod(b.path("closed"), 0o500); err != nil {
		t.Fatal(err)
	}
	b.fails("write_file", `{"path":"closed/x","content":"x"}`, toolspec.PermissionError)
}

func TestWriteBelowAFileFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a", "x")
	b.fails("write_file", `{"path":"a/b/c.txt","content":"x"}`, toolspec.UserError, "is not a folder")
	b.folder(b.path("dir"))
	b.fails("write_file", `{"path":"dir","content":"x"}`, toolspec.UserError, "is a folder")
}

func TestEditKeepsLineEndings(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, c := range map[string]struct{ before, old, new, after string }{
		"plain":   {"a\nb\nc\n", `b\n`, `B\nBB\n`, "a\nB\nBB\nc\n"},
		"windows": {"a\r\nb\r\nc\r\n", `a\nb`, `A\nB`, "A\r\nB\r\nc\r\n"},
		"mixed":   {"a\r\nb\nc\n", `b\nc`, `B\nC`, "a\r\nB\nC\n"},
		"marked":  {"\xef\xbb\xbfa\nb", `a`, `A`, "\xef\xbb\xbfA\nb"},
		"wide":    {"\xff\xfea\x00\n\x00", `a`, `ä`, "\xff\xfe\xe4\x00\n\x00"},
		"dollar":  {"x", `x`, `$1 \\0 &`, "$1 \\0 &"},
		"last":    {"a\nb", `b`, ``, "a\n"},
	} {
		b.put(name, c.before)
		b.ok("edit_file", `{"path":"`+name+`","old":"`+c.old+`","new":"`+c.new+`"}`)
		b.holds(name, c.after)
	}
}

func TestEditThatMatchesNowhereOrTwiceFails(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("x.go", "func one() {\n\treturn\n}\n\nfunc two() {\n\treturn\n}\n")
	b.fails("edit_file", `{"path":"x.go","old":"return","new":"panic()"}`, toolspec.UserError, "2 times", "line 2, 6",
		`"all": true`)
	b.fails("edit_file", `{"path":"x.go","old":"  return\n","new":"y"}`, toolspec.UserError, "line 2",
		"differs in spaces")
	b.fails("edit_file", `{"path":"x.go","old":"func three() {","new":"y"}`, toolspec.UserError, "line")
	b.fails("edit_file", `{"path":"x.go","old":"zzzzzzzz","new":"y"}`, toolspec.UserError, "does not occur in x.go")
	b.fails("edit_file", `{"path":"x.go","old":"a","new":"a"}`, toolspec.ValidationError, "the same")
	b.fails("edit_file", `{"path":"y.go","old":"a","new":"b"}`, toolspec.UserError, "there is no y.go", "x.go",
		"write_file")
	r := b.ok("edit_file", `{"path":"x.go","old":"return","new":"panic()","all":true}`)
	b.says(r, "2 occurrences replaced", "line 2, 6", "-\treturn", "+\tpanic()")
	if r.Sentence != "Edited x.go: 2 occurrences replaced" {
		t.Errorf("%q", r.Sentence)
	}
	b.put("cut.txt", "\xff\xfea\x00b")
	b.fails("edit_file", `{"path":"cut.txt","old":"a","new":"b"}`, toolspec.UserError, "damaged utf-16le")
	b.put("pic", "\x00\x01")
	b.fails("edit_file", `{"path":"pic","old":"a","new":"b"}`, toolspec.UserError, "not text")
}

func TestWriteDescription(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	d := b.Describe(b.call("write_file", `{"path":"notes.txt","content":"`+strings.Repeat(`x\n`, 120)+`"}`))
	if d.Sentence != "Writing 120 lines to the new file notes.txt" || d.Data != strings.Repeat("x\n", 120) ||
		d.Files[0].Use != toolspec.UseWrite {
		t.Errorf("%+v", d)
	}
	b.put("notes.txt", "a")
	if d = b.Describe(b.call("write_file",
		`{"path":"notes.txt","content":"x"}`)); d.Sentence != "Writing 1 line to notes.txt" {
		t.Errorf("%q", d.Sentence)
	}
	d = b.Describe(b.call("edit_file", `{"path":".bashrc","old":"a\nb","new":"c"}`))
	if d.Sentence != "Editing .bashrc" || d.Data != "- a\n- b\n+ c\n" ||
		d.Files[0].Sensitive != "a shell start-up file" {
		t.Errorf("%+v", d)
	}
	d = b.Describe(b.call("write_file", argsOf(t,
		map[string]any{"path": filepath.Join(b.outside, "x"), "content": ""})))
	if d.Target != filepath.Join(b.outside, "x") {
		t.Errorf("%+v", d)
	}
}

func TestConcurrentEditsAreNotLost(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var whole strings.Builder
	for i := range 40 {
		fmt.Fprintf(&whole, "<%d>\n", i)
	}
	b.put("count.txt", whole.String())
	done := make(chan toolspec.Result)
	for i := range 40 {
		call := b.call("edit_file", fmt.Sprintf(`{"path":"count.txt","old":"<%d>","new":"[%d]"}`, i, i))
		go func() { done <- b.run(t.Context(), call) }()
	}
	for range 40 {
		if r := <-done; !r.Success {
			t.Error(r.Error)
		}
	}
	b.holds("count.txt", strings.NewReplacer("<", "[", ">", "]").Replace(whole.String()))
}
