package search_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sextant/backend/pipeline/search"
	"sextant/backend/pipeline/search/searchtest"
	"sextant/shared/toolspec"
)

func searchCases(t *testing.T) ([]toolspec.Definition, []searchtest.Question) {
	t.Helper()
	defs, err := searchtest.Tools()
	if err != nil {
		t.Fatal(err)
	}
	asked, err := searchtest.Questions()
	if err != nil {
		t.Fatal(err)
	}
	if len(defs) < 500 || len(asked) < 300 {
		t.Fatalf("%d tools, %d questions", len(defs), len(asked))
	}
	return defs, asked
}

func names(defs []toolspec.Definition) []string {
	out := make([]string, len(defs))
	for i, d := range defs {
		out[i] = d.Name
	}
	return out
}

func TestQuestionFindsToolAmongFirstFive(t *testing.T) {
	defs, asked := searchCases(t)
	index := search.New(defs)
	all := names(defs)
	hits, first := 0, 0
	for _, q := range asked {
		if !slices.Contains(all, q.Tool) {
			t.Fatalf("no tool %s", q.Tool)
		}
		_, bare, _ := strings.Cut(q.Tool, "__")
		if strings.Contains(strings.ToLower(q.Text), strings.ReplaceAll(bare, "_", " ")) {
			t.Errorf("%q copies the name %s", q.Text, q.Tool)
		}
		found := names(index.Find(q.Text, 5))
		switch slices.Index(found, q.Tool) {
		case 0:
			first++
			hits++
		case -1:
			t.Logf("missed %s: %q finds %s", q.Tool, q.Text, strings.Join(found, ", "))
		default:
			hits++
		}
	}
	recall := float64(hits) / float64(len(asked))
	t.Logf("%d questions over %d tools: recall at 5 %.3f, at 1 %.3f", len(asked), len(defs), recall,
		float64(first)/float64(len(asked)))
	if recall < 0.95 {
		t.Errorf("recall at 5 is %.3f", recall)
	}
}

func TestFindIsDeterministic(t *testing.T) {
	defs, asked := searchCases(t)
	index, other := search.New(defs), search.New(defs)
	for _, q := range asked {
		if a, b := names(index.Find(q.Text, 10)), names(other.Find(q.Text, 10)); !slices.Equal(a, b) {
			t.Fatalf("%q: %v, then %v", q.Text, a, b)
		}
	}
}

func TestFindByExactName(t *testing.T) {
	defs, _ := searchCases(t)
	index := search.New(defs)
	for _, d := range defs {
		if found := index.Find("please run `"+d.Name+"` for me", 1); len(found) != 1 || found[0].Name != d.Name {
			t.Errorf("%s finds %v", d.Name, names(found))
		}
	}
}

func TestUnknownWordsFindNothing(t *testing.T) {
	defs, _ := searchCases(t)
	index := search.New(defs)
	for _, q := range []string{"", "the and of it", "xyzzy plugh", strings.Repeat("\x00 \xff", 10_000)} {
		t.Run(fmt.Sprintf("%.20q", q), func(t *testing.T) {
			if found := index.Find(q, 5); len(found) != 0 {
				t.Errorf("%.40q finds %v", q, names(found))
			}
		})
	}
	if found := search.New(nil).Find("send a message", 5); len(found) != 0 {
		t.Errorf("of no tools it finds %v", names(found))
	}
}

func TestSummaryIsShort(t *testing.T) {
	told := search.Summary([]toolspec.Definition{
		{Name: "files__move", Description: "Moves\n  a file. " + strings.Repeat("Very long. ", 200), Parameters: json.RawMessage(`{"type":"object","properties":{
			"to":{"type":"string","description":"where */ to"},"from":{"type":"string"},"how":{"enum":["copy","rename"]},"tags":{"type":"array","items":{"type":"string"}},
			"more":{"type":"object","properties":{"deep":{"type":"integer"}}}},"required":["to","from"]}`)},
		{Name: "odd", Parameters: json.RawMessage(`[`)},
		{Name: "wide", Parameters: json.RawMessage(`{"properties":{"` + strings.Repeat("x", 5000) +
			`":{"description":"` + strings.Repeat("y ", 5000) + `"}}}`)},
	})
	const want = `files__move({from: string, to: string /* where * / to */, how?: "copy"|"rename", more?: {deep?: integer}, tags?: string[]})
  Moves a file. Very long.`
	if !strings.HasPrefix(told, want) {
		t.Errorf("told is\n%s", told)
	}
	if len(told) > 1500 || !strings.Contains(told, "\nodd({…})\n") {
		t.Errorf("%d bytes:\n%s", len(told), told)
	}
}
