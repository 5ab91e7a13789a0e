package prompt_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"sextant/backend/agent/prompt"
	"sextant/backend/pipeline/search/searchtest"
	"sextant/backend/tools/findtools"
	"sextant/backend/tools/page"
	"sextant/backend/tools/readresult"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

// The tokens that tools cost a model that gets a few of 500: all definitions in the request and the answer of
// find_tools, over 300 questions.
func TestToolSearchTokenCost(t *testing.T) {
	nav, err := navigation.Load()
	if err != nil {
		t.Fatal(err)
	}
	rooms, err := page.New(nil, nav, page.Config{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := searchtest.Tools()
	if err != nil {
		t.Fatal(err)
	}
	asked, err := searchtest.Questions()
	if err != nil {
		t.Fatal(err)
	}
	all = slices.Concat(rooms.Definitions(""), readresult.New(nil, nil).Definitions(""), all)
	finds := findtools.New(func(string) []toolspec.Definition { return all })
	all = append(all, finds.Definitions("")...)

	codec, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	var box prompt.Toolbox
	o := box.Select(all, append(nav.CoreTools(), toolspec.ReadResult), 128_000)
	if !o.Searching || len(o.Listed) != len(nav.CoreTools())+3 {
		t.Fatalf("%d of %d tools are listed", len(o.Listed), len(all))
	}
	functions := make([]toolspec.Function, len(o.Listed))
	for i, d := range o.Listed {
		functions[i] = d.Function()
	}
	definitions := count(t, codec, functions)
	hits, most, sum := 0, 0, 0
	for _, q := range asked {
		args, err := json.Marshal(map[string]string{"query": q.Text})
		if err != nil {
			t.Fatal(err)
		}
		r, err := finds.Execute(
			t.Context(),
			toolspec.Call{Tool: toolspec.FindTools, Args: args},
			toolspec.Definition{},
			nil,
		)
		if err != nil || !r.Success {
			t.Fatalf("%+v, %v", r, err)
		}
		n := count(t, codec, r.ModelText())
		most, sum = max(most, n), sum+n
		var value struct{ Tools []toolspec.Function }
		raw, err := json.Marshal(r.Value)
		if err != nil || json.Unmarshal(raw, &value) != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(value.Tools, func(f toolspec.Function) bool { return f.Function.Name == q.Tool }) {
			hits++
		}
	}
	recall := float64(hits) / float64(len(asked))
	t.Logf(
		"%d questions over %d tools: recall at 5 %.3f; %d tokens for %d definitions, an answer %d in the mean and "+
			"%d at most, together at most %d (cl100k)",
		len(asked),
		len(all),
		recall,
		definitions,
		len(o.Listed),
		sum/len(asked),
		most,
		definitions+most,
	)
	if recall < 0.95 || definitions+most > 2000 {
		t.Errorf("recall %.3f in %d tokens", recall, definitions+most)
	}
}

// count is the number of tokens of v, a text or what is sent as JSON.
func count(t *testing.T, codec tokenizer.Codec, v any) int {
	t.Helper()
	text, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text = string(b)
	}
	n, err := codec.Count(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
