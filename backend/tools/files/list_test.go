package files_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sextant/shared/toolspec"
)

func TestListDirectory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("b.txt", "hello")
	b.put("src/deep/x.go", "package x")
	b.put(".gitignore", "out/\n*.tmp\n!keep.tmp\n/only-top\n")
	b.put("out/big.bin", "x")
	b.put("a.tmp", "x")
	b.put("keep.tmp", "x")
	b.put("only-top", "x")
	b.put("src/only-top", "x")
	b.put(".git/HEAD", "ref")
	r := b.ok("list_directory", `{}`)
	want := ".git/\n.gitignore  31 B\na.tmp  1 B\nb.txt  5 B\nkeep.tmp  1 B\nonly-top  1 B\nout/\nsrc/\n"
	if !strings.HasSuffix(r.Text, want) {
		t.Errorf("%s", r.Text)
	}
	r = b.ok("list_directory", `{"recursive":true}`)
	want = "\n.gitignore  31 B\nb.txt  5 B\nkeep.tmp  1 B\nsrc/\nsrc/deep/\nsrc/deep/x.go  9 B\nsrc/only-top  1 B\n"
	if !strings.HasSuffix(r.Text, want) {
		t.Errorf("%s", r.Text)
	}
	b.says(b.ok("list_directory", `{"recursive":true,"ignored":true}`), "out/big.bin", "a.tmp")
	b.says(b.ok("list_directory", `{"path":"src","recursive":true}`), "src: 3 entries", "deep/x.go")
	b.fails("list_directory", `{"path":"b.txt"}`, toolspec.UserError, "not a folder")
	b.fails("list_directory", `{"path":"none"}`, toolspec.UserError, "there is no none")
}

func TestLongListIsTruncated(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for i := range 2010 {
		b.put(fmt.Sprintf("f%04d", i), "")
	}
	r := b.ok("list_directory", `{}`)
	b.says(r, "10 more not shown")
	if n := len(value[struct{ Entries []struct{} }](t, r).Entries); n != 2000 {
		t.Errorf("%d entries", n)
	}
}

func TestFileInfoOfMissingPath(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("notes.txt", "hello")
	link(t, "notes.txt", b.path("alias"))
	for path, want := range map[string]string{
		"none": "does not exist", "none/deeper": "does not exist", "notes.txt/x": "does not exist",
		"notes.txt": "file, 5 B", ".": "folder", "alias": "notes.txt: file", "/": "folder",
	} {
		b.says(b.ok("file_info", argsOf(t, map[string]any{"path": path})), want)
	}
	type info struct {
		Exists bool
		Type   string
		Size   int
		MIME   string
		Target string
	}
	if got := value[info](t, b.ok("file_info", `{"path":"none"}`)); got.Exists {
		t.Errorf("%+v", got)
	}
	got := value[info](t, b.ok("file_info", `{"path":"alias"}`))
	if want := (info{true, "file", 5, "text/plain; charset=utf-8", b.path("notes.txt")}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestFindFilesByGlob(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, f := range []string{"a.go", "src/b.go", "src/b_test.go", "src/deep/c.ts", "vendor/d.go", "docs/x y.md"} {
		b.put(f, "x")
	}
	b.put(".gitignore", "vendor")
	for pattern, want := range map[string]string{
		"*.go": "a.go src/b.go src/b_test.go", "src/*.go": "src/b.go src/b_test.go", "**/*.ts": "src/deep/c.ts",
		"*.{md,ts}": "docs/x y.md src/deep/c.ts",
		"./a.go":    "a.go", "*.none": "", "b?test.go": "src/b_test.go",
	} {
		r := b.ok("find_files", argsOf(t, map[string]any{"pattern": pattern}))
		if got := strings.Join(value[struct{ Files []string }](t, r).Files, " "); got != want {
			t.Errorf("%s found %s, want %s", pattern, got, want)
		}
	}
	b.says(b.ok("find_files", `{"pattern":"*.go","path":"src"}`), "b.go\nb_test.go")
	b.says(b.ok("find_files", `{"pattern":"*.go","ignored":true}`), "vendor/d.go")
	b.fails("find_files", `{"pattern":"[a"}`, toolspec.ValidationError, "not a valid glob")
}

func TestSearchGivesPathLineAndText(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.txt", "nothing\nTODO: one\r\n"+strings.Repeat("y", 500)+" TODO\n")
	b.put("src/b.go", "// todo two\nfunc x() {}\n")
	b.put("c.bin", "TODO\x00")
	b.put("ignored/z.txt", "TODO")
	b.put(".gitignore", "ignored/")
	r := b.ok("search_files", `{"pattern":"TODO"}`)
	b.says(r, "TODO: 2 lines in 1 file", "a.txt:2: TODO: one\n", "a.txt:3: yyy", "…")
	if strings.Contains(r.Text, "c.bin") || strings.Contains(r.Text, "ignored/z") {
		t.Errorf("%s", r.Text)
	}
	b.says(b.ok("search_files", `{"pattern":"(?i)todo","glob":"*.go"}`), "src/b.go:1: // todo two")
	b.says(b.ok("search_files", `{"pattern":"func","path":"src"}`), "src/b.go:2:")
	b.says(b.ok("search_files", `{"pattern":"one$","path":"a.txt"}`), "a.txt:2:")
	b.says(b.ok("search_files", `{"pattern":"TODO","limit":1}`), "more than 1 lines match")
	b.fails("search_files", `{"pattern":"("}`, toolspec.ValidationError, "not a valid regular expression")
}

func TestCancelledSearchEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	line := strings.Repeat("a", 1000) + "\n"
	for i := range 40 {
		b.put(fmt.Sprintf("d/%d.txt", i), strings.Repeat(line, 4000))
	}
	ctx, cancel := context.WithCancel(context.Background())
	type end struct {
		r   toolspec.Result
		err error
	}
	done := make(chan end, 1)
	call := b.call("search_files", `{"pattern":"(a|aa|aaa|b)*c$"}`)
	started := make(chan struct{})
	go func() {
		close(started)
		r, err := b.Execute(ctx, call, toolspec.Definition{}, nil)
		done <- end{r, err}
	}()
	<-started
	cancel()
	select {
	case e := <-done:
		if e.err == nil && e.r.Success {
			t.Error("it came to its end although it was stopped")
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it did not end")
	}
}

func TestWorkspaceFolderCanBeReplaced(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.txt", "one")
	b.ok("read_file", `{"path":"a.txt"}`)
	if err := renameAway(b.work); err != nil {
		t.Fatal(err)
	}
	b.put("a.txt", "two")
	b.says(b.ok("read_file", `{"path":"a.txt"}`), "two")
	b.holds(filepath.Join(b.work+".old", "a.txt"), "one")
}

func renameAway(dir string) error { return os.Rename(dir, dir+".old") }
