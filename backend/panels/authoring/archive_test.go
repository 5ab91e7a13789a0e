package authoring

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sextant/backend/panels/manifest"
	"sextant/backend/toolprovider/pinning"
	"sextant/shared/wire"
)

// archive is a zip with these files; change sees each header before it is written.
func archive(t *testing.T, files map[string]string, change func(h *zip.FileHeader)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range sorted(bytesOf(files)) {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if change != nil {
			change(h)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(files[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func bytesOf(files map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for name, text := range files {
		all[name] = []byte(text)
	}
	return all
}

// small is a manifest of the panel id.
func small(id, more string) string {
	return fmt.Sprintf(`{"panel_id": %q, "panel_type": "x", "title": "Small", "version": "1.0", %s "tools": []}`, id,
		more)
}

func install(t *testing.T, dir string, text []byte) PackageOffer {
	t.Helper()
	p, err := ReadPackage(text)
	if err != nil {
		t.Fatal(err)
	}
	offer, err := p.Offer(dir, LoadAccepted(dir, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Install(dir); err != nil {
		t.Fatal(err)
	}
	return offer
}

func TestPackRoundTripIsDeterministic(t *testing.T) {
	for _, example := range []string{"habits", "kanban", "reading-list"} {
		t.Run(example, func(t *testing.T) {
			from := filepath.Join("../../../docs/examples", example)
			one, err := Pack(from)
			if err != nil {
				t.Fatal(err)
			}
			if two, err := Pack(from); err != nil || !bytes.Equal(one, two) {
				t.Errorf("%s: packed twice it is two archives (%v)", example, err)
			}
			dir := t.TempDir()
			if offer := install(t, dir, one); offer.Panel != example || offer.IsUpdate || len(offer.Files) == 0 {
				t.Errorf("%s is offered as %+v", example, offer)
			}
			was, err := readFolder(from)
			if err != nil {
				t.Fatal(err)
			}
			is, err := readFolder(filepath.Join(dir, example))
			if err != nil || len(was.files) != len(is.files) {
				t.Fatalf("%s: %d files were %d, %v", example, len(is.files), len(was.files), err)
			}
			for name, text := range was.files {
				if !bytes.Equal(text, is.files[name]) {
					t.Errorf("%s/%s changed on the way", example, name)
				}
			}
		})
	}
}

func TestPackSkipsHiddenFilesAndKeepsModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	for name, mode := range map[string]fs.FileMode{
		"manifest.json": 0o600, "run.sh": 0o755, ".git/config": 0o600,
		".env": 0o600,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(small("mine", "")), mode); err != nil {
			t.Fatal(err)
		}
	}
	text, err := Pack(dir)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	install(t, to, text)
	if info, err := os.Stat(filepath.Join(to, "mine", "run.sh")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the program is %v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(to, "mine", "manifest.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the manifest is %v, %v", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(to, "mine", ".*")); len(left) > 0 {
		t.Errorf("hidden files went along: %v", left)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "users.txt")); err != nil {
		t.Fatal(err)
	}
	if _, err := Pack(dir); err == nil || !strings.Contains(err.Error(), "users.txt is not a regular file") {
		t.Errorf("a link was packed: %v", err)
	}
}

func TestInvalidPanelIsNotPackedOrInstalled(t *testing.T) {
	bad := archive(t, map[string]string{"mine/manifest.json": `{"panel_id": "mine", "title": "Mine"`}, nil)
	var unfit *InvalidPanelError
	if _, err := ReadPackage(bad); !errors.As(err, &unfit) || unfit.Panel != "mine" || unfit.Problems[0].Line == 0 ||
		unfit.Problems[0].Fix == "" {
		t.Errorf("got %v", err)
	}
	rights := archive(t, map[string]string{"mine/manifest.json": small("mine",
		`"permissions": {"everything": true},`)}, nil)
	if _, err := ReadPackage(rights); !errors.As(err, &unfit) || !strings.Contains(err.Error(), "everything") {
		t.Errorf("an unknown permission: %v", err)
	}
	dir := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, manifest.FileName), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Pack(dir); !errors.As(err, &unfit) {
		t.Errorf("packed: %v", err)
	}
}

// TestHostileArchives opens archives that try to write elsewhere, to be
// more than they seem, or to fill the disk.
func TestHostileArchives(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	with := func(name, text string) []byte {
		return archive(t, map[string]string{"mine/manifest.json": small("mine", ""), name: text}, nil)
	}
	mode := func(name string, m fs.FileMode) []byte {
		return archive(t, map[string]string{"mine/manifest.json": small("mine", ""), name: "/etc/passwd"},
			func(h *zip.FileHeader) {
				if h.Name == name {
					h.SetMode(m)
				}
			})
	}
	many := map[string]string{"mine/manifest.json": small("mine", "")}
	for i := range maxPacked + 1 {
		many[fmt.Sprintf("mine/%d.txt", i)] = ""
	}
	crowd := map[string]string{}
	for i := range 4*maxPacked + 1 {
		crowd[fmt.Sprintf("mine/.%d", i)] = ""
	}
	deep := "mine/" + strings.Repeat("a/", maxDepth) + "x"
	for what, c := range map[string]struct {
		archive []byte
		says    string
	}{
		"parent folder in a name":  {with("mine/../../out.txt", "x"), "out of the folder"},
		"name begins with ..":      {with("../out.txt", "x"), "out of the folder"},
		"an absolute name":         {with("/tmp/out.txt", "x"), "out of the folder"},
		"a name with backslashes":  {with(`mine\..\..\out.txt`, "x"), "a character"},
		"a drive":                  {with("mine/c:out.txt", "x"), "a character"},
		"a name with a line break": {with("mine/a\nb", "x"), "a character"},
		"NUL in a name":            {with("mine/\x00b", "x"), "a character"},
		"an empty part":            {with("mine//b", "x"), "out of the folder"},
		"a dot at the end":         {with("mine/manifest.json.", "x"), "ends with a dot"},
		"a long name":              {with("mine/"+strings.Repeat("a", maxName+1), "x"), "too long"},
		"deep folders":             {with(deep, "x"), "deep"},
		"the same name twice":      {with("mine/MANIFEST.json", "x"), "same name"},
		"a file that is a folder": {archive(t, map[string]string{
			"manifest.json": small("mine", ""), "a": "x",
			"a/b": "y",
		}, nil), "a file and a folder"},
		"a link":   {mode("mine/link", fs.ModeSymlink|0o777), "not a regular file"},
		"a device": {mode("mine/null", fs.ModeDevice|fs.ModeCharDevice|0o666), "not a regular file"},
		"a pipe":   {mode("mine/pipe", fs.ModeNamedPipe|0o666), "not a regular file"},
		"an encrypted file": {archive(t, map[string]string{"mine/manifest.json": small("mine", "")},
			func(h *zip.FileHeader) { h.Flags |= 1 }), "encrypted"},
		"too many files":   {archive(t, many, nil), "more than 500 files"},
		"too many entries": {archive(t, crowd, nil), "lists more than"},
		"zip bomb":         {with("mine/zeros", strings.Repeat("\x00", maxUnpacked+1)), "more than 64 MB"},
		"zip bomb of two files": {
			archive(t, map[string]string{
				"mine/manifest.json": small("mine", ""),
				"mine/a":             strings.Repeat("\x00", maxUnpacked/2),
				"mine/b":             strings.Repeat("\x00", maxUnpacked/2+1),
			}, nil),
			"more than 64 MB",
		},
		"no archive":        {[]byte("PK not really"), "not a zip archive"},
		"truncated archive": {with("mine/a.txt", "x")[:120], "not a zip archive"},
		"no panel":          {archive(t, map[string]string{"a/b.txt": "x"}, nil), "no manifest.json"},
		"two panels": {archive(t, map[string]string{
			"a/manifest.json": "{}",
			"b/manifest.json": "{}",
		}, nil), "single top-level folder"},
		"too large": {make([]byte, MaxArchive+1), "larger than"},
	} {
		t.Run(what, func(t *testing.T) {
			if _, err := ReadPackage(c.archive); err == nil || !strings.Contains(err.Error(), c.says) ||
				!strings.HasPrefix(err.Error(), "the archive is refused") {
				t.Errorf("%s: %v", what, err)
			}
			if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
				t.Errorf("%s left %v behind: %v", what, left, err)
			}
		})
	}
}

// TestUnderstatedSizeIsRefused gives an archive whose directory lies about a size.
func TestUnderstatedSizeIsRefused(t *testing.T) {
	text := archive(t, map[string]string{
		"mine/manifest.json": small("mine", ""),
		"mine/zeros":         strings.Repeat("\x00", maxUnpacked+1),
	}, nil)
	// The size in the directory is 24 bytes after the signature of the entry that names the file.
	at := bytes.LastIndex(text, []byte("PK\x01\x02"))
	copy(text[at+24:], []byte{1, 0, 0, 0})
	if _, err := ReadPackage(text); err == nil {
		t.Error("it was believed")
	}
}

func TestUpdateDiff(t *testing.T) {
	dir := t.TempDir()
	first := archive(t, map[string]string{
		"mine/manifest.json": small("mine",
			`"backend": {"kind": "process", "command": "node", "args": ["server.mjs"]},`),
		"mine/server.mjs": "1", "mine/old.txt": "1",
	}, nil)
	offer := install(t, dir, first)
	if offer.IsUpdate || len(offer.Rights) != 1 || !strings.Contains(offer.Rights[0], "process “node” “server.mjs”") {
		t.Errorf("a new one is offered as %+v", offer)
	}
	kept := filepath.Join(dir, "mine", ".git")
	if err := os.Mkdir(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	second := archive(t, map[string]string{
		"manifest.json": small("mine",
			`"backend": {"kind": "process", "command": "sh", "args": ["-c", "id"]}, "permissions": {"net": ["books.example"]},`),
		"server.mjs": "2",
	}, nil)
	offer = install(t, dir, second)
	rights := strings.Join(offer.Rights, "\n")
	if !offer.IsUpdate || offer.PreviousVersion != "1.0" || !strings.Contains(rights, "books.example") ||
		!strings.Contains(rights, "instead of process “node”") {
		t.Errorf("the update is offered as %+v", offer)
	}
	if !strings.Contains(offer.Diff, "+      \"books.example\"") ||
		!slices.Equal(offer.RemovedFiles, []string{"old.txt"}) {
		t.Errorf("difference %s, gone %v", offer.Diff, offer.RemovedFiles)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine", "old.txt")); err == nil {
		t.Error("what the new one does not have is still there")
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error("the folder's .git is gone")
	}
	if text, err := os.ReadFile(filepath.Join(dir, "mine", "server.mjs")); err != nil || string(text) != "2" {
		t.Errorf("server.mjs is %s, %v", text, err)
	}
	third := install(t, dir, second)
	if len(third.Rights) > 0 || third.Diff != "" {
		t.Errorf("the same again widens %+v", third)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUpdateIsComparedWithAcceptedManifest(t *testing.T) {
	w := newHarness(t)
	give := func(more string) []byte {
		return archive(t, map[string]string{"mine/manifest.json": small("mine", more)}, nil)
	}
	say := func(text []byte) PackageOffer {
		t.Helper()
		offer, err := w.Offer(text)
		if err != nil {
			t.Fatal(err)
		}
		return offer
	}
	narrow, wide := give(""), give(`"permissions": {"net": ["books.example"]},`)
	if _, err := w.Install(t.Context(), narrow, say(narrow).Hash); err != nil {
		t.Fatal(err)
	}
	// A wider manifest that somebody wrote into the folder waits; nobody said yes to it.
	path := filepath.Join(w.folder, "mine", "manifest.json")
	if err := os.WriteFile(path, []byte(small("mine", `"permissions": {"net": ["books.example"]},`)),
		0o600); err != nil {
		t.Fatal(err)
	}
	w.reg.ReadNow(t.Context())
	for _, when := range []string{"pending", "declined"} {
		t.Run(when, func(t *testing.T) {
			offer := say(wide)
			if len(offer.Rights) != 1 || !strings.Contains(offer.Rights[0], "books.example") ||
				!strings.Contains(offer.Diff, "+") {
				t.Errorf("%s, it is offered as %+v", when, offer)
			}
			for _, panel := range w.reg.Panels() {
				if panel.ID == "mine" && panel.Pending != nil {
					if err := w.reg.Decline(t.Context(), "mine", panel.Pending.Hash); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
	// What was shown beside another manifest is not what is answered.
	before := say(narrow)
	if _, err := w.Install(t.Context(), wide, say(wide).Hash); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Install(t.Context(), narrow, before.Hash); !errors.Is(err, errChanged) {
		t.Errorf("the answer of before still counts: %v", err)
	}
	if offer := say(wide); len(offer.Rights) > 0 || offer.Diff != "" {
		t.Errorf("what is accepted is asked about again: %+v", offer)
	}
}

func TestUpdateNamesUnlistableFolder(t *testing.T) {
	dir := t.TempDir()
	text := archive(t, map[string]string{"mine/manifest.json": small("mine", "")}, nil)
	install(t, dir, text)
	if err := os.Symlink("manifest.json", filepath.Join(dir, "mine", "link\x1b")); err != nil {
		t.Fatal(err)
	}
	if offer := install(t, dir, text); len(offer.RemovedFiles) != 1 ||
		!strings.Contains(offer.RemovedFiles[0], "everything else") ||
		strings.Contains(offer.RemovedFiles[0], "\x1b") {
		t.Errorf("said to go: %q", offer.RemovedFiles)
	}
}

func TestUpdateIgnoresPendingManifest(t *testing.T) {
	dir := t.TempDir()
	install(t, dir, archive(t, map[string]string{"mine/manifest.json": small("mine",
		`"permissions": {"net": ["evil.example"]},`)}, nil))
	p, err := ReadPackage(archive(t, map[string]string{"mine/manifest.json": small("mine",
		`"permissions": {"net": ["evil.example"]}, "description": "next",`)}, nil))
	if err != nil {
		t.Fatal(err)
	}
	narrow := small("mine", "")
	offer, err := p.Offer(dir, LoadAccepted(dir, []wire.AcceptedPanel{{
		Panel: "mine", Hash: pinning.Hash([]byte(narrow)),
		Manifest: narrow,
	}}))
	if err != nil || !strings.Contains(strings.Join(offer.Rights, "\n"), "evil.example") ||
		!strings.Contains(offer.Diff, "evil.example") {
		t.Errorf("the permission that waits in the folder is not listed: %+v, %v", offer.Rights, err)
	}
	if offer, err = p.Offer(dir, LoadAccepted(dir, nil)); err != nil || len(offer.Rights) > 0 {
		t.Errorf("nothing was accepted yet, so that the folder counts as new: %+v, %v", offer.Rights, err)
	}
}

func TestInstallDoesNotFollowLink(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "mine")); err != nil {
		t.Fatal(err)
	}
	p, err := ReadPackage(archive(t, map[string]string{"mine/manifest.json": small("mine", "")}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Offer(dir, LoadAccepted(dir, nil)); err == nil ||
		!strings.Contains(err.Error(), "is not a folder") {
		t.Errorf("asked about as %v", err)
	}
	if _, err := p.Install(dir); err == nil {
		t.Error("installed")
	}
	if entries, err := os.ReadDir(elsewhere); err != nil || len(entries) > 0 {
		t.Errorf("written elsewhere: %v, %v", entries, err)
	}
}

func TestPanelTextIsEscapedInQuestion(t *testing.T) {
	p, err := ReadPackage(archive(t, map[string]string{"mine/manifest.json": `{"panel_id": "mine", "panel_type": "x", "title": "Nice\u001b[2K\u202epanel", "description": "a\rb",
		"permissions": {"call_tools": ["bash\u200b"]}, "no\u001b[2Kname": 1, "tools": []}`}, nil))
	if err != nil {
		t.Fatal(err)
	}
	offer, err := p.Offer(t.TempDir(), LoadAccepted("", nil))
	if err != nil {
		t.Fatal(err)
	}
	all := offer.Title + offer.Description + strings.Join(offer.Rights, "")
	if len(offer.Problems) == 0 {
		t.Error("the unknown name is no problem")
	}
	for _, p := range offer.Problems {
		all += p.Text + p.Found + p.Pointer + p.Fix
	}
	if strings.ContainsAny(all, "\x1b\r\u202e\u200b") || !strings.Contains(all, `\u202e`) {
		t.Errorf("shown as %q", all)
	}
}
