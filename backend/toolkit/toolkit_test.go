package toolkit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"sextant/backend/policy/protectedpaths"
	"sextant/shared/toolspec"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(home, "work")
	for _, dir := range []string{work + "/.git", home + "/.ssh", home + "/downloads"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{work + "/keys": home + "/.ssh", work + "/got": home + "/downloads", home +
		"/flat": work} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	p := Paths{
		Folder: func() string { return home + "/flat" }, Home: home,
		Places: protectedpaths.New(protectedpaths.OwnFolders{Home: home}), Downloads: work + "/got",
	}
	for _, c := range []struct {
		path, real, from string
		kind             protectedpaths.Kind
		refused          toolspec.ErrorType
	}{
		{path: "a.txt", real: work + "/a.txt"},
		{path: home + "/flat/a.txt", real: work + "/a.txt"},
		{path: "~", real: home},
		{path: "~/notes/b.txt", real: home + "/notes/b.txt"},
		{path: ".git/config", real: work + "/.git/config", kind: protectedpaths.KindSensitive},
		{path: "got/x.bin", real: home + "/downloads/x.bin", from: "download:x.bin"},
		{path: "../x", refused: toolspec.SecurityError},
		{path: "keys/id", refused: toolspec.SecurityError},
		{path: "~/.ssh/id", refused: toolspec.SecurityError},
		{path: "", refused: toolspec.ValidationError},
		{path: "a\x00b", refused: toolspec.ValidationError},
	} {
		t.Run(c.path, func(t *testing.T) {
			at, bad, err := p.Resolve(c.path)
			switch {
			case err != nil:
				t.Error(err)
			case c.refused != "":
				if bad == nil || bad.ErrorType != c.refused || bad.Suggestion == "" {
					t.Errorf("%+v, want %s", bad, c.refused)
				}
			case bad != nil || at.Real != c.real || at.Folder != work || at.Place.Kind != c.kind ||
				p.Source(at.Real) != c.from:
				t.Errorf("%+v %+v from %q", at, bad, p.Source(at.Real))
			}
		})
	}
	p.Home = ""
	if _, bad, _ := p.Resolve("~/x"); bad == nil || bad.ErrorType != toolspec.UserError {
		t.Errorf("without a home: %+v", bad)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	var into struct{ N int }
	for args, good := range map[string]bool{"": true, `{"n":1}`: true, `{"n":"x"}`: false, `[`: false} {
		t.Run(args, func(t *testing.T) {
			if bad := Decode(json.RawMessage(args), &into); (bad == nil) != good {
				t.Errorf("%+v", bad)
			}
		})
	}
}
