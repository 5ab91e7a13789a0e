package manifest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// broken calls check with each of the broken manifests in testdata.
func broken(t *testing.T, check func(t *testing.T, text []byte)) (n int) {
	t.Helper()
	files, err := filepath.Glob("testdata/broken/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no broken manifests: %v", err)
	}
	for _, file := range files {
		archive, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// A file begins after its line "-- name --" and goes on to the next such line.
		marks := regexp.MustCompile(`(?m)^-- (\S+) --\n`).FindAllSubmatchIndex(archive, -1)
		for i, mark := range marks {
			end := len(archive)
			if i+1 < len(marks) {
				end = marks[i+1][0]
			}
			n++
			name := filepath.Base(file) + "/" + string(archive[mark[2]:mark[3]])
			t.Run(name, func(t *testing.T) { check(t, archive[mark[1]:end]) })
		}
	}
	return n
}

func TestBrokenManifests(t *testing.T) {
	problems, stopping := 0, 0
	n := broken(t, func(t *testing.T, text []byte) {
		parsed := Parse(text, "notes", false)
		if parsed.Plan != nil {
			t.Fatalf("was accepted with %v", parsed.Problems)
		}
		if !slices.ContainsFunc(parsed.Problems, Problem.DisablesPanel) {
			t.Fatalf("nothing stops it: %v", parsed.Problems)
		}
		for _, p := range parsed.Problems {
			problems++
			if p.Line < 1 || p.Column < 1 || p.File != FileName {
				t.Errorf("no place: %+v", p)
			}
			if p.IsWarning() {
				continue
			}
			stopping++
			if p.Fix == "" || p.Expected == "" || p.Found == "" || p.Text == "" {
				t.Errorf("incomplete: %+v", p)
			}
			if !strings.HasPrefix(p.Text, "not valid JSON") && !json.Valid([]byte(p.Fix)) &&
				!json.Valid([]byte("{"+p.Fix+"}")) {
				t.Errorf("the value to write is no JSON: %s", p.Fix)
			}
		}
	})
	t.Logf("%d broken manifests, %d problems, %d of them errors", n, problems, stopping)
	if n < 300 {
		t.Errorf("only %d broken manifests", n)
	}
}

// TestSuggestedFixIsAccepted writes the suggested value in the place of each problem.
func TestSuggestedFixIsAccepted(t *testing.T) {
	tried := 0
	broken(t, func(t *testing.T, text []byte) {
		for _, p := range Parse(text, "notes", false).Problems {
			fixed, ok := rewritten(text, p)
			if p.IsWarning() || !ok {
				continue
			}
			tried++
			again := Parse(fixed, "notes", false).Problems
			if slices.ContainsFunc(again, func(q Problem) bool { return q.Pointer == p.Pointer && q.Text == p.Text }) {
				t.Errorf("%s is still reported after %s was written:\n%s", p, p.Fix, fixed)
			}
		}
	})
	t.Logf("%d values tried", tried)
	if tried < 150 {
		t.Errorf("only %d values were tried", tried)
	}
}

// rewritten is text with p.Fix in the place of p; ok is false if p has no position.
func rewritten(text []byte, p Problem) (fixed []byte, ok bool) {
	var whole any
	if json.Unmarshal(text, &whole) != nil {
		return nil, false
	}
	var fix map[string]any
	names := strings.Split(p.Pointer, "/")
	parent, last := names[:len(names)-1], names[len(names)-1]
	if json.Unmarshal([]byte("{"+p.Fix+"}"), &fix) != nil || len(parent) == 0 {
		return nil, false
	}
	at := whole
	for _, name := range parent[1:] {
		object, ok := at.(map[string]any)
		if !ok {
			return nil, false
		}
		at = object[name]
	}
	object, ok := at.(map[string]any)
	value, named := fix[last]
	if !ok || !named {
		return nil, false
	}
	object[last] = value
	fixed, err := json.Marshal(whole)
	return fixed, err == nil
}
