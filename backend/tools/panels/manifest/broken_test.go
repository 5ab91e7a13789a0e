package manifest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"sextant/backend/tools/panels/manifest/loose"
)

// broken calls check with each of the broken manifests written for testdata.
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
		// A file begins behind its line "-- name --" and goes on to the next such line.
		marks := regexp.MustCompile(`(?m)^-- (\S+) --\n`).FindAllSubmatchIndex(archive, -1)
		for i, mark := range marks {
			end := len(archive)
			if i+1 < len(marks) {
				end = marks[i+1][0]
			}
			n++
			t.Run(filepath.Base(file)+"/"+string(archive[mark[2]:mark[3]]), func(t *testing.T) { check(t, archive[mark[1]:end]) })
		}
	}
	return n
}

func TestEveryBrokenManifestHasAPlaceAndARightPieceForEachProblem(t *testing.T) {
	problems, stopping := 0, 0
	n := broken(t, func(t *testing.T, text []byte) {
		found := Read(text, "notes", false)
		if found.Plan != nil {
			t.Fatalf("was accepted with %v", found.Problems)
		}
		if !slices.ContainsFunc(found.Problems, Problem.Stops) {
			t.Fatalf("nothing stops it: %v", found.Problems)
		}
		for _, p := range found.Problems {
			problems++
			if p.Line < 1 || p.Column < 1 || p.File != FileName {
				t.Errorf("no place: %+v", p)
			}
			if p.Warning() {
				continue
			}
			stopping++
			if p.Fix == "" || p.Expected == "" || p.Found == "" || p.Text == "" {
				t.Errorf("not told in full: %+v", p)
			}
		}
	})
	t.Logf("%d broken manifests, %d problems, %d of them stop: each has a position and a mended example", n, problems, stopping)
	if n < 300 {
		t.Errorf("only %d broken manifests", n)
	}
}

func TestTheMendedExamplePutInItsPlaceIsAccepted(t *testing.T) {
	edits := 0
	n := broken(t, func(t *testing.T, text []byte) {
		found := Read(text, "notes", false)
		for _, f := range found.findings {
			if len(f.edits) == 0 || len(found.doc.Faults) > 0 {
				continue
			}
			edits++
			if !json.Valid([]byte(f.Fix)) && !json.Valid([]byte("{"+f.Fix+"}")) {
				t.Errorf("the example is no JSON: %s", f.Fix)
			}
			after := loose.Apply(found.doc.Text, f.edits)
			if slices.ContainsFunc(Read(after, "notes", false).Problems, func(p Problem) bool { return p.Pointer == f.Pointer && p.Text == f.Text }) {
				t.Errorf("%s is still told after %q was put in:\n%s", f.Problem, f.Fix, after)
			}
		}
		mended, ok := Mend(text, "notes")
		if !ok {
			t.Errorf("mended, it is\n%s\n%v", mended, Read(mended, "notes", false).Problems)
		}
	})
	t.Logf("%d broken manifests mended, %d single edits tried", n, edits)
}
