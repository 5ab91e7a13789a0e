package registry

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/panels/manifest"
	builtin "sextant/panels"
	"sextant/shared/event"
	"sextant/shared/navigation"
)

func TestBuiltInPanelsMatchMap(t *testing.T) {
	t.Parallel()
	m, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	r, _, _ := started(t, func(c *Config) {
		c.Builtin, c.Handlers = builtin.Builtin(), map[string]http.Handler{}
		for _, id := range m.Panels {
			c.Handlers[id] = http.NotFoundHandler()
		}
	})
	var ids []string
	for _, p := range r.Panels() {
		ids = append(ids, p.ID)
		if !p.Builtin || !p.Usable || len(p.Problems) > 0 || p.Icon == "" {
			t.Errorf("%+v", p)
		}
	}
	if diff := cmp.Diff(m.Panels, ids); diff != "" {
		t.Errorf("panels (-map +registry):\n%s", diff)
	}
}

func TestFoldersAreWatched(t *testing.T) {
	t.Parallel()
	r, j, root := started(t, func(c *Config) { c.rescan = time.Hour })
	copyTree(t, "../../../docs/examples/reading-list", filepath.Join(root, "reading-list"))
	eventually(t, "the copied panel is listed", func() bool { _, ok := panel(r, "reading-list"); return ok })
	p, _ := panel(r, "reading-list")
	if !p.Usable || len(p.Problems) > 0 || len(p.Tools) != 4 || p.Title != "Reading list" {
		t.Errorf("got %+v", p)
	}
	if n := len(r.Definitions("reading-list")); n != 4 {
		t.Errorf("%d tools while it is active", n)
	}
	if n := len(r.Definitions("other")) + len(r.Definitions("")); n != 0 {
		t.Errorf("%d tools while another panel is active", n)
	}
	eventually(t, "the change is published", func() bool {
		return j.count(event.PanelsChanged) == 2 && j.count(event.CatalogChanged) == 2
	})
	if err := os.RemoveAll(filepath.Join(root, "reading-list")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the removed panel is gone", func() bool { _, ok := panel(r, "reading-list"); return !ok })
	if len(r.AllDefinitions()) != 0 {
		t.Error("its tools are still there")
	}
}

func TestExistingFolderIsListed(t *testing.T) {
	t.Parallel()
	extra := t.TempDir()
	put(t, extra, "notes", map[string]string{manifest.FileName: minimal("notes", `,"tools":[]`)})
	r, _, _ := started(t, func(c *Config) { c.Dirs = []string{extra} })
	if p, ok := panel(r, "notes"); !ok || !p.Usable {
		t.Errorf("got %+v, %t", p, ok)
	}
}

func TestBrokenManifestIsReported(t *testing.T) {
	t.Parallel()
	r, j, root := started(t, nil)
	good := minimal(
		"notes",
		`,"version":"1.1.0","backend":{"kind":"process","command":"node"},"tools":[{"name":"note_add","description":"x","endpoint":"POST /api/notes/add"}]`,
	)
	put(t, root, "notes", map[string]string{manifest.FileName: good})
	waitFor(t, r, "notes")

	put(t, root, "notes", map[string]string{manifest.FileName: strings.Replace(good, "/api/notes/add",
		"/api/mail/add", 1)})
	eventually(t, "the problem is shown", func() bool { p, _ := panel(r, "notes"); return len(p.Problems) > 0 })
	p, _ := panel(r, "notes")
	if !p.Usable || !slices.Equal(p.Tools, []string{"note_add"}) {
		t.Errorf("got %+v", p)
	}
	if !strings.Contains(p.Problems[0].String(), "manifest.json 1:") ||
		p.Problems[1].Text != "Version 1.1.0, the last good one, keeps running." {
		t.Errorf("got %q", p.Problems)
	}
	if d := definition(t, r, "note_add"); d.Owner != "notes" {
		t.Errorf("got %+v", d)
	}
	if j.count(event.CatalogChanged) != 2 { // the empty one at the start, the panel
		t.Error("the catalog did not change, but a change was published")
	}

	put(t, root, "notes", map[string]string{manifest.FileName: strings.Replace(good, "1.1.0", "1.2.0", 1)})
	eventually(t, "the corrected manifest is used", func() bool {
		p,
			_ := panel(r, "notes")
		return len(p.Problems) == 0
	})
}

func TestInvalidManifestIsListedAsUnusable(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	put(t, root, "notes", map[string]string{manifest.FileName: "{"})
	p := waitFor(t, r, "notes")
	if p.Usable || len(p.Problems) != 1 || !strings.Contains(p.Problems[0].String(), "manifest.json 1:2") {
		t.Errorf("got %+v", p)
	}
	put(t, root, "empty", map[string]string{"readme.txt": "x"})
	p = waitFor(t, r, "empty")
	if p.Usable || !strings.Contains(p.Problems[0].String(), "manifest.json is missing") {
		t.Errorf("got %+v", p)
	}
}

func TestPartlyWrittenManifestIsNotBroken(t *testing.T) {
	t.Parallel()
	now, j, data := time.Now(), &journal{}, t.TempDir()
	r := New(Config{Data: data, Publisher: j, now: func() time.Time { return now }})
	defer r.Close()
	soon := time.NewTimer(time.Hour)
	defer soon.Stop()
	dir := filepath.Join(data, "panels", "notes")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, manifest.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r.scanAndPublish(t.Context(), nil, soon)
	text := []byte(minimal("notes", `,"tools":[]`))
	// A slow copy: it takes longer than a bad manifest is tolerated.
	for pieces := slices.Collect(slices.Chunk(text, len(text)/8)); len(pieces) > 0; pieces = pieces[1:] {
		if p, ok := panel(r, "notes"); ok {
			t.Fatalf("listed while it was written: %v", p.Problems)
		}
		now = now.Add(settle - time.Millisecond)
		if _, err := file.Write(pieces[0]); err != nil {
			t.Fatal(err)
		}
		r.scanAndPublish(t.Context(), nil, soon)
	}
	if p, ok := panel(r, "notes"); !ok || !p.Usable || len(p.Problems) > 0 {
		t.Errorf("got %+v", p)
	}
	if n := j.count(event.PanelsChanged); n != 2 {
		t.Errorf("%d lists were published, want the one at the start and the one with it", n)
	}
}

func TestNameConflicts(t *testing.T) {
	t.Parallel()
	other := t.TempDir()
	taken := func(id string) string {
		return minimal(id, `,"backend":{"kind":"process","command":"node"},"tools":[
		  {"name":"note_add","description":"x","endpoint":"POST /api/`+id+`/add"},
		  {"name":"click_element","description":"x","endpoint":"POST /api/`+id+`/click"},
		  {"name":"`+strings.ReplaceAll(id, "-", "_")+`_own","description":"x","endpoint":"POST /api/`+id+`/own"}]`)
	}
	r, _, root := started(t, func(c *Config) {
		c.Dirs = []string{other}
		c.Reserved = func() []string { return []string{"click_element"} }
	})
	put(t, root, "zz-first", map[string]string{manifest.FileName: taken("zz-first")})
	waitFor(t, r, "zz-first")
	put(t, root, "aa-second", map[string]string{manifest.FileName: taken("aa-second")})
	put(t, other, "zz-first", map[string]string{manifest.FileName: minimal("zz-first", `,"tools":[]`)})
	waitFor(t, r, "aa-second")
	first, _ := panel(r, "zz-first")
	second, _ := panel(r, "aa-second")
	if !slices.Equal(first.Tools, []string{"note_add", "zz_first_own"}) ||
		!slices.Equal(second.Tools, []string{"aa_second_own"}) {
		t.Errorf("first has %v, second has %v", first.Tools, second.Tools)
	}
	if all := strings.Join(second.ProblemLines(), "\n"); !strings.Contains(all,
		"note_add is off: the zz-first panel already has") ||
		!strings.Contains(all, "click_element is off: the name belongs to a tool of Sextant") {
		t.Errorf("second: %s", all)
	}
	eventually(t, "the duplicate id is reported", func() bool {
		p, _ := panel(r, "zz-first")
		return strings.Contains(strings.Join(p.ProblemLines(), "\n"),
			filepath.Join(other, "zz-first")+" is ignored: there is already a panel called zz-first")
	})
}

func TestFolderCannotReplaceBuiltIn(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, func(c *Config) {
		c.Builtin = fstest.MapFS{"home/manifest.json": {Data: []byte(minimal("home",
			`,"ui":{"kind":"builtin"},"tools":[]`))}}
	})
	put(t, root, "home", map[string]string{manifest.FileName: minimal("home", `,"tools":[]`)})
	eventually(t, "the conflict is reported", func() bool {
		p, _ := panel(r, "home")
		return p.Builtin && len(p.Problems) == 1
	})
}

func TestLinksOutOfFolderAreRefused(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	put(t, outside, "linked", map[string]string{manifest.FileName: minimal("linked", `,"tools":[]`)})
	r, _, root := started(t, nil)
	if err := os.Symlink(filepath.Join(outside, "linked"), filepath.Join(root, "linked")); err != nil {
		t.Fatal(err)
	}
	put(t, root, "inner", map[string]string{"x": ""})
	if err := os.Symlink(filepath.Join(outside, "linked", manifest.FileName),
		filepath.Join(root, "inner", manifest.FileName)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"linked": "link that leads out of the panels folder",
		"inner":  "link that leads out of the panel's folder",
	} {
		eventually(t, id+" is refused: "+want, func() bool {
			p, ok := panel(r, id)
			return ok && !p.Usable && strings.Contains(p.Problems[0].String(), want)
		})
	}
}

func TestUnreadableManifests(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	// The folder is moved in whole: the beginning of its manifest is a valid one, which would keep the panel usable.
	outside := t.TempDir()
	put(t, outside, "large", map[string]string{
		manifest.FileName: minimal("large", `,"tools":[]`) + strings.Repeat(" ", manifest.MaxBytes),
	})
	if err := os.Rename(filepath.Join(outside, "large"), filepath.Join(root, "large")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "folder", manifest.FileName), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, root, "pipe", map[string]string{"x": ""})
	if err := mkfifo(filepath.Join(root, "pipe", manifest.FileName)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"large": "larger than 1 MB", "folder": "is not a file",
		"pipe": "is not a file",
	} {
		eventually(t, id+" is refused: "+want, func() bool {
			p, ok := panel(r, id)
			return ok && !p.Usable && strings.Contains(p.Problems[0].String(), want)
		})
	}
}

func TestDamagedBuiltInStopsOpen(t *testing.T) {
	t.Parallel()
	r := New(Config{Builtin: fstest.MapFS{"home/manifest.json": {Data: []byte(`{`)}}})
	defer r.Close()
	if err := r.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "built-in panel home") {
		t.Errorf("got %v", err)
	}
}
