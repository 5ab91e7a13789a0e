package registry

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"sextant/backend/panels/manifest"
)

// TestBrokenManifestKeepsLastGoodOne puts each of the manifests
// written for it where a good one stood.
func TestBrokenManifestKeepsLastGoodOne(t *testing.T) {
	t.Parallel()
	now, data := time.Now(), t.TempDir()
	r := New(Config{Data: data, Publisher: &journal{}, now: func() time.Time { return now }})
	defer r.Close()
	soon := time.NewTimer(time.Hour)
	defer soon.Stop()
	good := minimal(
		"notes",
		`,"version":"1.1.0","backend":{"kind":"process","command":"node"},"tools":[{"name":"note_good","description":"x","endpoint":"POST /api/notes/good"}]`,
	)
	put(t, filepath.Join(data, "panels"), "notes", map[string]string{manifest.FileName: good})
	r.scanAndPublish(t.Context(), nil, soon)
	before := text(definition(t, r, "note_good"))
	files, err := filepath.Glob("../manifest/testdata/broken/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, broken := range regexp.MustCompile(`(?m)^-- \S+ --\n`).Split(string(archive), -1)[1:] {
				n++
				put(t, filepath.Join(data, "panels"), "notes", map[string]string{manifest.FileName: broken})
				r.scanAndPublish(t.Context(), nil, soon)
				now = now.Add(settle)
				r.scanAndPublish(t.Context(), nil, soon)
				p, _ := panel(r, "notes")
				last := p.Problems[max(0, len(p.Problems)-1):]
				if !p.Usable || !slices.Equal(p.Tools, []string{"note_good"}) ||
					text(definition(t, r, "note_good")) != before || len(p.Problems) < 2 ||
					last[0].Text != "Version 1.1.0, the last good one, keeps running." {
					t.Errorf("%s: got %+v for\n%s", file, p, broken)
				}
			}
		})
	}
	put(t, filepath.Join(data, "panels"), "notes", map[string]string{manifest.FileName: good})
	r.scanAndPublish(t.Context(), nil, soon)
	if p, _ := panel(r, "notes"); len(p.Problems) != 0 {
		t.Errorf("the good one again: %v", p.Problems)
	}
	t.Logf("%d broken manifests, the last good one kept running through all", n)
	if n < 300 {
		t.Errorf("only %d", n)
	}
}
