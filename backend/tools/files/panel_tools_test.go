package files_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sextant/backend/tools/files"
	"sextant/backend/tools/files/safefs"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// text opens a file as an editor does.
func (b *bench) text(path string) wire.FileText {
	b.t.Helper()
	f, err := b.ReadText(context.Background(), path)
	if err != nil {
		b.t.Fatal(err)
	}
	return f
}

// save is what an editor does with text that came from version.
func (b *bench) save(path, content, version string) string {
	return `{"path":` + quoted(path) + `,"content":` + quoted(content) + `,"version":` + quoted(version) + `}`
}

func TestSaveRefusesChangedVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.caller = toolspec.CallerPerson
	b.put("a.txt", "one\n")
	opened := b.text("a.txt")
	if opened.Text != "one\n" || opened.DisplayPath != "a.txt" || opened.ReadOnly != "" || opened.Problem != "" {
		t.Fatalf("%+v", opened)
	}
	r := b.ok(files.PanelSaveTool, b.save("a.txt", "two\n", opened.Version))
	b.holds("a.txt", "two\n")
	if v := value[struct{ Version string }](t, r); v.Version != b.text("a.txt").Version {
		t.Errorf("saved as %s, is %s", v.Version, b.text("a.txt").Version)
	}
	b.fails(files.PanelSaveTool, b.save("a.txt", "three\n", opened.Version), toolspec.UserError,
		"has changed since it was read")
	b.fails(files.PanelSaveTool, b.save("a.txt", "three\n", ""), toolspec.UserError, "has changed since it was read")
	b.holds("a.txt", "two\n")
	b.ok(files.PanelSaveTool, b.save("new.txt", "n", ""))
	b.holds("new.txt", "n")
	if err := os.Remove(b.path("a.txt")); err != nil {
		t.Fatal(err)
	}
	b.fails(files.PanelSaveTool, b.save("a.txt", "x", opened.Version), toolspec.UserError, "has changed")
	b.holds("a.txt", "")
	b.ok("undo", `{"turn":"t1"}`)
	b.holds("new.txt", "")
}

func TestAssistantSaveRequiresRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.txt", "precious")
	b.fails(files.PanelSaveTool, `{"path":"a.txt","content":"x"}`, toolspec.UserError, "was not read before")
	b.ok("read_file", `{"path":"a.txt"}`)
	b.ok(files.PanelSaveTool, `{"path":"a.txt","content":"x"}`)
	b.holds("a.txt", "x")
}

func TestSaveKeepsEncoding(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.caller = toolspec.CallerPerson
	b.put("wide.txt", "\xff\xfea\x00")
	b.put("marked.txt", "\xef\xbb\xbfa")
	for name, want := range map[string]string{"wide.txt": "\xff\xfe\xe4\x00", "marked.txt": "\xef\xbb\xbfä"} {
		f := b.text(name)
		if f.Text != "a" {
			t.Fatalf("%s: %+v", name, f)
		}
		b.ok(files.PanelSaveTool, b.save(name, "ä", f.Version))
		b.holds(name, want)
	}
}

func TestOpenNonTextFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("pic", "\x00\x01\x02")
	b.put("latin", "caf\xe9")
	b.put("late", strings.Repeat("x", 9000)+"\x00")
	b.put("big", strings.Repeat("y", 3<<20))
	b.folder(b.path("dir"))
	if err := syscall.Mkfifo(b.path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, word := range map[string]string{
		"pic": "not text", "latin": "UTF-8", "late": "encoding", "big": "up to",
		"dir": "folder", "pipe": "a pipe",
	} {
		if f := b.text(name); !strings.Contains(f.Problem, word) || f.Text != "" {
			t.Errorf("%s: %q", name, f.Problem)
		}
	}
	if f := b.text("none.txt"); !f.Missing || f.Problem != "" {
		t.Errorf("%+v", f)
	}
	link(t, b.home+"/.ssh", b.path("keys"))
	for _, path := range []string{"../x", "keys/id", "~/.ssh/id", b.home + "/data/sextant.db"} {
		if _, err := b.ReadText(context.Background(), path); !files.IsSecurityError(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
	b.put(b.outside+"/o.txt", "o")
	if f := b.text(b.outside + "/o.txt"); f.ReadOnly == "" || f.Text != "o" {
		t.Errorf("%+v", f)
	}
}

func TestMoveIsUndoneWithItsTurn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a/one.txt", "1")
	b.put("a/deep/two.txt", "2")
	link(t, "one.txt", b.path("a/alias"))
	b.ok(files.PanelMoveTool, `{"from":"a","to":"b"}`)
	b.holds("b/one.txt", "1")
	b.holds("b/deep/two.txt", "2")
	b.holds("a/one.txt", "")
	b.ok("undo", `{"turn":"t1"}`)
	b.holds("a/one.txt", "1")
	b.holds("a/deep/two.txt", "2")
	b.holds("b/one.txt", "")
	if to, err := os.Readlink(b.path("a/alias")); err != nil || to != "one.txt" {
		t.Errorf("%q %v", to, err)
	}
}

func TestMoveOverwritesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("a.txt", "a")
	b.put("b.txt", "b")
	b.put("dir/x", "x")
	b.put("dir/.env", "SECRET=1")
	link(t, b.outside, b.path("out"))
	b.fails(files.PanelMoveTool, `{"from":"a.txt","to":"b.txt"}`, toolspec.UserError, "exists already")
	b.fails(files.PanelMoveTool, `{"from":"none","to":"c"}`, toolspec.UserError, "there is no none")
	b.fails(files.PanelMoveTool, `{"from":"dir","to":"dir/sub"}`, toolspec.UserError, "into itself")
	b.fails(files.PanelMoveTool, `{"from":"a.txt","to":"../c"}`, toolspec.SecurityError, "leads out")
	b.fails(files.PanelMoveTool, `{"from":"a.txt","to":"~/.ssh/c"}`, toolspec.SecurityError)
	b.fails(files.PanelMoveTool, `{"from":"a.txt","to":"sub/.."}`, toolspec.ValidationError)
	b.fails(files.PanelMoveTool, `{"from":".","to":"c"}`, toolspec.ValidationError)
	b.fails(files.PanelMoveTool, `{"from":`+quoted(b.work)+`,"to":"`+b.home+`/c"}`, toolspec.UserError,
		"workspace folder itself")
	b.fails(files.PanelMoveTool, `{"from":"a.txt","to":"`+strings.Repeat("n", 256)+`"}`, toolspec.ValidationError, "longer")
	b.holds("a.txt", "a")
	b.holds("b.txt", "b")
	b.put("deep/"+strings.Repeat("d/", safefs.MaxDepth)+".env", "SECRET=1")
	b.fails(files.PanelMoveTool, `{"from":"deep","to":"c"}`, toolspec.UserError, "levels to check")
	// A link itself is moved; a link in the path is followed in the description.
	d := b.Describe(b.call(files.PanelMoveTool, `{"from":"a.txt","to":"out/a.txt"}`))
	if len(d.Files) != 2 || d.Files[1].Path != b.outside+"/a.txt" {
		t.Errorf("%+v", d.Files)
	}
	b.ok(files.PanelMoveTool, `{"from":"out","to":"renamed\nlink"}`)
	if to, err := os.Readlink(b.path("renamed\nlink")); err != nil || to != b.outside {
		t.Errorf("%q %v", to, err)
	}
	b.forbidden = []string{b.path("dir/x")}
	b.fails(files.PanelMoveTool, `{"from":"dir","to":"free"}`, toolspec.SecurityError, "closed to every tool")
	b.holds("dir/x", "x")
}

func TestTrashAndRestore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("dir/one.txt", "1")
	b.put("dir/.git/config", "[core]")
	if err := syscall.Mkfifo(b.path("dir/pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := b.ok(files.PanelTrashTool, `{"path":"dir"}`)
	if _, err := os.Lstat(b.path("dir")); !os.IsNotExist(err) {
		t.Fatal("it is still there")
	}
	item := value[wire.TrashItem](t, r)
	if list := b.TrashItems(); len(list) != 1 || list[0].ID != item.ID || list[0].Path != b.path("dir") {
		t.Errorf("%+v", list)
	}
	b.put("dir", "in the way")
	b.fails(files.PanelRestoreTool, `{"id":"`+item.ID+`"}`, toolspec.UserError, "exists already")
	if err := os.Remove(b.path("dir")); err != nil {
		t.Fatal(err)
	}
	b.ok(files.PanelRestoreTool, `{"id":"`+item.ID+`"}`)
	b.holds("dir/one.txt", "1")
	b.holds("dir/.git/config", "[core]")
	b.fails(files.PanelRestoreTool, `{"id":"`+item.ID+`"}`, toolspec.UserError, "no longer in the trash")
	b.fails(files.PanelRestoreTool, `{"id":"../../x"}`, toolspec.UserError, "no longer in the trash")

	b.put("gone.txt", "g")
	b.turn = "t2"
	b.ok(files.PanelTrashTool, `{"path":"gone.txt"}`)
	b.ok("undo", `{"turn":"t2"}`)
	b.holds("gone.txt", "g")
}

func TestCreateFolderAndUndo(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok(files.PanelFolderTool, `{"path":"a/b"}`)
	if info, err := os.Stat(b.path("a/b")); err != nil || !info.IsDir() {
		t.Fatal(err)
	}
	b.fails(files.PanelFolderTool, `{"path":"a/b/"}`, toolspec.UserError, "exists already")
	b.ok("undo", `{"turn":"t1"}`)
	if _, err := os.Stat(b.path("a/b")); !os.IsNotExist(err) {
		t.Error("it is still there")
	}
}

func TestFolderListing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put(".gitignore", "out/\n")
	b.put("out/x", "x")
	b.put("Beta.txt", "12")
	b.put("alpha.txt", "1")
	b.put("zed/a", "a")
	got, err := b.ListFolder(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range got.Rows {
		names = append(names, r.Kind+" "+r.Name)
		if r.Ignored != (r.Name == "out") || r.Hidden != (r.Name == ".gitignore") {
			t.Errorf("%+v", r)
		}
	}
	if s := strings.Join(names, ", "); s != "folder out, folder zed, file .gitignore, file alpha.txt, file Beta.txt" {
		t.Error(s)
	}
	before := b.Stamps([]string{b.work, b.path("none"), "relative"})
	if before.Stamps[b.work] != got.Stamp || before.Stamps[b.path("none")] != "" {
		t.Errorf("%+v", before)
	}
	b.put("more.txt", "m")
	if err := os.Chtimes(b.work, time.Time{}, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if after := b.Stamps([]string{b.work}); after.Stamps[b.work] == got.Stamp {
		t.Error("a new file does not show in the folder's stamp")
	}
}

func TestFindPathsBySubsequence(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, p := range []string{"src/app/main.go", "src/main_test.go", "docs/maintain.md", "other.txt", ".git/main"} {
		b.put(p, "x")
	}
	found, err := b.FindPaths(context.Background(), "main")
	if err != nil || strings.Join(found.Paths, " ") != "src/app/main.go docs/maintain.md src/main_test.go" {
		t.Errorf("%v %v", found, err)
	}
	if found, _ = b.FindPaths(context.Background(), "src go"); len(found.Paths) != 2 {
		t.Errorf("%v", found)
	}
	b.put("src/new.go", "x")
	b.later = time.Minute
	if found, _ = b.FindPaths(context.Background(), "new"); len(found.Paths) != 1 {
		t.Errorf("a new file: %v", found)
	}
	b.work = b.outside
	b.put(filepath.Join(b.outside, "there.txt"), "x")
	if found, _ = b.FindPaths(context.Background(), ""); strings.Join(found.Paths, " ") != "there.txt" {
		t.Errorf("in another folder: %v", found)
	}
}

func TestShowPictureRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("p.png", "\x89PNG\r\n\x1a\n0000")
	b.put("p.svg", "<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>")
	file, kind, err := b.OpenPicture("p.png")
	if err != nil || kind != "image/png" {
		t.Fatal(kind, err)
	}
	_ = file.Close()
	for _, p := range []string{"p.svg", "none.png", "."} {
		if _, _, err := b.OpenPicture(p); !files.IsCallError(err) {
			t.Errorf("%s: %v", p, err)
		}
	}
}
