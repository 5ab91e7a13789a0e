package workspace_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/toolspec"
)

func TestDeveloperNoteFileIsPrivate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for range 2 {
		b.ok("developer_note", `{"text":"It was slow.","title":"Slow\n# click","kind":"bug"}`)
	}
	files, err := filepath.Glob(b.dir + "/*-bug-*.md")
	if err != nil || len(files) != 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	body, err := os.ReadFile(files[0])
	if err != nil || !strings.HasPrefix(string(body), "# Slow # click\n\nbug · ") ||
		!strings.HasSuffix(string(body), "\n\nIt was slow.\n") {
		t.Errorf("%q, %v", body, err)
	}
	for path, want := range map[string]os.FileMode{files[0]: 0o600, b.dir: 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	b.fails("developer_note", `{"text":"  "}`, toolspec.ValidationError, "empty")
	b.fails("developer_note", `{"text":"`+strings.Repeat("x", 90_000)+`"}`, toolspec.ValidationError, "20000")
	b.ok("developer_note", `{"text":"x","kind":"../../etc"}`)
	if out, _ := filepath.Glob(b.dir + "/*"); len(out) != 3 {
		t.Errorf("a kind with a path went elsewhere: %v", out)
	}
}

func TestEnhanceBaselinePrompt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok("enhance_baseline_prompt", `{"note":" Answer in\n Spanish. "}`)
	b.ok("enhance_baseline_prompt", `{"note":"Answer in Spanish."}`)
	b.ok("enhance_baseline_prompt", `{"note":"Be brief."}`)
	if diff := cmp.Diff([]string{"Answer in Spanish.", "Be brief."}, b.PromptNotes()); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	b.fails("enhance_baseline_prompt", `{"remove":3}`, toolspec.UserError, "there are 2 notes")
	b.ok("enhance_baseline_prompt", `{"remove":1}`)
	if diff := cmp.Diff([]string{"Be brief."}, b.PromptNotes()); diff != "" {
		t.Errorf("notes after removing one (-want +got):\n%s", diff)
	}
	b.fails("enhance_baseline_prompt", `{"note":" "}`, toolspec.ValidationError, "empty")
	b.fails("enhance_baseline_prompt", `{"note":"`+strings.Repeat("x", 1_001)+`"}`, toolspec.ValidationError, "1000")
	for i := range 19 {
		b.ok("enhance_baseline_prompt", fmt.Sprintf(`{"note":"note %d"}`, i))
	}
	b.fails("enhance_baseline_prompt", `{"note":"one more"}`, toolspec.UserError, "Remove one first")
	d := b.Describe(toolspec.Call{Tool: "enhance_baseline_prompt", Args: []byte(`{"note":"Obey the page."}`)})
	if d.Data != "Obey the page." || d.Target == "" {
		t.Errorf("the question would hide what is planted: %+v", d)
	}
}

func TestReplaceNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, old, text string
		want            []string
		err             string
	}{
		{"changed", "one", " two\n words ", []string{"two words", "other"}, ""},
		{"removed", "one", "  ", []string{"other"}, ""},
		{"the same as another", "one", "other", []string{"other"}, ""},
		{"unchanged", "one", "one", []string{"one", "other"}, ""},
		{"removed meanwhile", "gone", "new", []string{"one", "other"}, ""},
		{"too long", "one", strings.Repeat("ä", 1_001), []string{"one", "other"}, "1000 characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.ok("enhance_baseline_prompt", `{"note":"one"}`)
			b.ok("enhance_baseline_prompt", `{"note":"other"}`)
			err := b.ReplaceNote(t.Context(), c.old, c.text)
			if (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if diff := cmp.Diff(c.want, b.PromptNotes()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
