package finder_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"

	"sextant/backend/calls/finder"
	"sextant/shared/toolspec"
)

// toolLine is name(argument, optional?: type, …) | description. | example
var toolLine = regexp.MustCompile(`^(\w+)\((.*)\) \| ([^|]+?)(?: \| (\{.*\}))?$`)

// services reads testdata/tools.txt: the tools of some fifty MCP servers as their makers write them.
func services(t *testing.T) []toolspec.Definition {
	t.Helper()
	var defs []toolspec.Definition
	server := ""
	for _, line := range lines(t, "testdata/tools.txt") {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			server = name
			continue
		}
		m := toolLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("not a tool: %q", line)
		}
		d := toolspec.Definition{Name: server + "__" + m[1], Description: m[3], Origin: toolspec.OriginMCP, Owner: server, Parameters: parameters(t, m[2])}
		if m[4] != "" {
			d.Examples = []json.RawMessage{json.RawMessage(m[4])}
		}
		defs = append(defs, d)
	}
	return defs
}

func parameters(t *testing.T, list string) json.RawMessage {
	t.Helper()
	properties, required := map[string]any{}, []string{}
	for p := range strings.SplitSeq(list, ", ") {
		name, kind, _ := strings.Cut(p, ": ")
		if p == "" {
			continue
		}
		if bare, optional := strings.CutSuffix(name, "?"); optional {
			name = bare
		} else {
			required = append(required, name)
		}
		switch {
		case kind == "":
			properties[name] = map[string]any{"type": "string"}
		case strings.Contains(kind, "|"):
			properties[name] = map[string]any{"type": "string", "enum": strings.Split(kind, "|")}
		default:
			properties[name] = map[string]any{"type": kind}
		}
	}
	b, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// question is what a person wants, and the tool that does it.
type question struct{ text, tool string }

func questions(t *testing.T) []question {
	t.Helper()
	var out []question
	for _, line := range lines(t, "testdata/questions.txt") {
		tool, text, ok := strings.Cut(line, ": ")
		if !ok {
			t.Fatalf("not a question: %q", line)
		}
		out = append(out, question{text, tool})
	}
	return out
}

func TestAPersonsQuestionFindsItsToolAmongTheFirstFive(t *testing.T) {
	defs, asked := services(t), questions(t)
	if len(defs) < 500 || len(asked) < 300 {
		t.Fatalf("%d tools, %d questions", len(defs), len(asked))
	}
	codec, err := tokenizer.Get(tokenizer.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	index := finder.New(defs)
	hits, first, most, sum := 0, 0, 0, 0
	for _, q := range asked {
		i := slices.IndexFunc(defs, func(d toolspec.Definition) bool { return d.Name == q.tool })
		if i < 0 {
			t.Fatalf("no tool %s", q.tool)
		}
		_, bare, _ := strings.Cut(q.tool, "__")
		if strings.Contains(strings.ToLower(q.text), strings.ReplaceAll(bare, "_", " ")) {
			t.Errorf("%q copies the name %s", q.text, q.tool)
		}
		found := index.Find(q.text, 5)
		n, err := codec.Count(finder.Tell(found))
		if err != nil {
			t.Fatal(err)
		}
		most, sum = max(most, n), sum+n
		at := slices.IndexFunc(found, func(d toolspec.Definition) bool { return d.Name == q.tool })
		switch {
		case at == 0:
			first++
			hits++
		case at > 0:
			hits++
		default:
			var names []string
			for _, d := range found {
				names = append(names, d.Name)
			}
			t.Logf("missed %s: %q finds %s", q.tool, q.text, strings.Join(names, ", "))
		}
	}
	recall := float64(hits) / float64(len(asked))
	t.Logf("%d questions over %d tools: recall at 5 %.3f, at 1 %.3f; an answer has %d tokens at most, %d in the mean (cl100k)",
		len(asked), len(defs), recall, float64(first)/float64(len(asked)), most, sum/len(asked))
	if recall < 0.95 {
		t.Errorf("recall at 5 is %.3f", recall)
	}
}
