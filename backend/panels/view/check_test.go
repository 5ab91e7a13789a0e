package view

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func books() []Tool {
	schema := func(properties, required string) json.RawMessage {
		return json.RawMessage(`{"type":"object","properties":` + properties + `,"required":` + required +
			`,"additionalProperties":false}`)
	}
	return []Tool{
		{Name: "books_show", ReadOnly: true, Parameters: schema(`{"limit":{"type":"integer"}}`, `[]`)},
		{Name: "books_add", Parameters: schema(`{"title":{"type":"string"},"author":{"type":"string"}}`, `["title"]`)},
		{Name: "books_mark", Parameters: schema(`{"id":{"type":"integer"},"read":{"type":"boolean"}}`,
			`["id","read"]`)},
		{Name: "books_remove", Parameters: schema(`{"id":{"type":"integer"}}`, `["id"]`)},
	}
}

const wholePage = `{
  "source": { "tool": "books_show", "args": { "limit": 20 }, "every": 30 },
  "children": [
    { "kind": "text", "style": "figure", "text": "{count|number} books" },
    { "kind": "columns", "children": [
      { "kind": "section", "title": "Books", "text": "What is read next", "children": [
        { "kind": "list", "from": "/books", "empty": "No books yet.",
          "item": { "title": "{title}", "text": "{author}", "meta": "{added|ago}" },
          "check": { "field": "read", "tool": "books_mark", "args": { "id": "{id}" } },
          "actions": [{ "label": "Remove", "tool": "books_remove", "args": { "id": "{id}" }, "confirm": "Remove “{title}”?", "style": "danger" }] },
        { "kind": "table", "from": "/books", "columns": [{ "title": "Title", "text": "{title}" }, { "title": "Pages", "text": "{pages|number}", "align": "end" }] }
      ]},
      { "kind": "form", "title": "Add a book", "tool": "books_add", "fields": ["title"], "submit": "Add" }
    ]},
    { "kind": "markdown", "text": "Some **words**" },
    { "kind": "markdown", "from": "/about" },
    { "kind": "buttons", "actions": [{ "label": "Add one", "tool": "books_add", "args": { "title": "Emma" } }] },
    { "kind": "chart", "title": "Pages by day", "from": "/days", "x": "{day}", "style": "lines", "series": [{ "title": "Pages", "field": "pages" }], "unit": "pages" }
  ]
}`

func TestEveryElementIsAccepted(t *testing.T) {
	page, problems := Check("page.json", []byte(wholePage), books())
	if len(problems) > 0 {
		t.Fatalf("a good page has problems: %+v", problems)
	}
	seen := map[string]bool{}
	var walk func([]Part)
	walk = func(nodes []Part) {
		for _, n := range nodes {
			seen[n.Kind] = true
			walk(n.Children)
		}
	}
	walk(page.Children)
	for _, kind := range kinds {
		if !seen[kind] {
			t.Errorf("no %s came through", kind)
		}
	}
	list := page.Children[1].Children[0].Children[0]
	if page.Source.Every != 30 || list.Check.Tool != "books_mark" || list.Actions[0].Confirm != "Remove “{title}”?" {
		t.Errorf("members were lost: %+v", list)
	}
}

func TestShapeExamplesAreValid(t *testing.T) {
	for shape, members := range shapes() {
		for name, m := range members {
			if m.example == "" || !json.Valid([]byte(m.example)) {
				t.Errorf("%s.%s has no example: %q", shape, name, m.example)
			}
		}
	}
}

// TestProblemPositionsAndFixes breaks the good page in one place each.
func TestProblemPositionsAndFixes(t *testing.T) {
	cases := []struct{ name, from, to, at, says, fix string }{
		{
			"a tool that is not there", `"tool": "books_show"`, `"tool": "books_shwo"`, "2:23",
			`no tool "books_shwo"; did you mean "books_show"`, `"books_show"`,
		},
		{
			"a source that changes something", `"tool": "books_show"`, `"tool": "books_add"`, "2:23",
			"a source may only read", `"books_show"`,
		},
		{"too often", `"every": 30`, `"every": 1`, "2:71", "5 to 86400", "30"},
		{
			"a misspelt member", `"empty": "No`, `"emtpy": "No`, "7:45", `did you mean "empty"`,
			`"empty": "No books yet."`,
		},
		{"an unknown kind", `"kind": "chart"`, `"kind": "chrat"`, "18:15", `did you mean "chart"`, `"text"`},
		{"no kind", `"kind": "chart", `, ``, "18:5", "has no kind", `"kind": "text"`},
		{
			"an argument the tool does not take", `"args": { "limit": 20 }`, `"args": { "limt": 20 }`, "2:55",
			`books_show takes no "limt"`, `"limit"`,
		},
		{
			"an argument left out", `"tool": "books_remove", "args": { "id": "{id}" }`, `"tool": "books_remove"`,
			"10:23", "books_remove needs id", `"args": {"id": "{id}"}`,
		},
		{"a field of a form", `"fields": ["title"]`, `"fields": ["titel"]`, "13:80", `did you mean "title"`, `"title"`},
		{
			"a field that is a template", `"field": "pages"`, `"field": "{pages}"`, "18:138", "the name of a field",
			`"pages"`,
		},
		{"a pointer with dots", `"from": "/days"`, `"from": "days"`, "18:57", "a JSON pointer", `"/days"`},
		{"a format", `{added|ago}`, `{added|agoo}`, "8:69", `did you mean "ago"`, `"{added|date}"`},
		{"a style", `"style": "danger"`, `"style": "dangerous"`, "10:135", `did you mean "danger"`, `"danger"`},
		{"text that is a number", `"title": "Books"`, `"title": 7`, "6:37", "should be text", `"Books"`},
		{
			"a list that is an object", `"series": [{ "title": "Pages", "field": "pages" }]`, `"series": {}`, "18:108",
			"should be a list", ``,
		},
		{
			"no item", `"item": { "title": "{title}", "text": "{author}", "meta": "{added|ago}" },`, ``, "7:9",
			"a list has no item", `"item": {"title": "{title}"}`,
		},
		{
			"nothing to read from", `"source": { "tool": "books_show", "args": { "limit": 20 }, "every": 30 },`, ``,
			"4:5", "has no source", `"source": {"tool": "books_show"}`,
		},
		{"script", `"kind": "markdown", "text"`, `"kind": "html", "text"`, "15:15", "section, columns, text", `"text"`},
		{"twice", `"unit": "pages"`, `"x": "{day}"`, "18:150", "occurs twice", ``},
		{"the end is missing", "  ]\n}", "  ]\n", "20:1", "not valid JSON", ``},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(wholePage, c.from, c.to, 1)
			if text == wholePage {
				t.Fatalf("the page does not contain %q", c.from)
			}
			page, problems := Check("page.json", []byte(text), books())
			if page != nil || len(problems) == 0 {
				t.Fatal("it was taken")
			}
			for _, p := range problems {
				if fmt.Sprintf("%d:%d", p.Line, p.Column) == c.at && strings.Contains(p.Text, c.says) &&
					strings.Contains(p.Fix, c.fix) {
					return
				}
			}
			t.Errorf("got %+v, want %s … %s (fix %s)", problems, c.at, c.says, c.fix)
		})
	}
}

func TestAllProblemsAreReported(t *testing.T) {
	_, problems := Check("page.json",
		[]byte(`{"children": [{"kind": "list"}, {"kind": "chart"}, {"kind": "buttons", "actions": [{"label": 1}]}]}`),
		books())
	// list: item, source; chart: series, title, x, source; action: label, tool.
	if len(problems) != 8 {
		t.Errorf("got %d: %+v", len(problems), problems)
	}
}

func TestPageLimits(t *testing.T) {
	deep := strings.Repeat(`{"kind":"section","children":[`, 9) + strings.Repeat(`]}`, 9)
	many := strings.TrimSuffix(strings.Repeat(`{"kind":"text","text":"x"},`, maxNodes+1), ",")
	var sources strings.Builder
	for i := range maxSources + 1 {
		fmt.Fprintf(&sources, `{"kind":"section","source":{"tool":"books_show","args":{"limit":%d}},"children":[]},`, i)
	}
	for name, c := range map[string]struct{ children, says string }{
		"depth": {deep, "8 parts deep"}, "parts": {many, "at most 400"},
		"sources": {strings.TrimSuffix(sources.String(), ","), "at most 16 sources"},
		"text":    {`{"kind":"text","text":"` + strings.Repeat("x", maxText+1) + `"}`, "8,000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := Check("page.json", []byte(`{"children":[`+c.children+`]}`), books())
			if len(problems) != 1 || !strings.Contains(problems[0].Text, c.says) {
				t.Errorf("%s: got %+v", name, problems)
			}
		})
	}
	if _, problems := Check("page.json", make([]byte, maxBytes+1), nil); len(problems) != 1 ||
		!strings.Contains(problems[0].Text, "256 KB") {
		t.Errorf("bytes: got %+v", problems)
	}
}

func TestPageFileLink(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	secret := filepath.Join(out, "secret.json")
	if err := os.WriteFile(secret, []byte(`{"children":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "page.json")); err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"page.json", "../" + filepath.Base(out) + "/secret.json", "gone.json", "."} {
		if text, err := ReadFile(dir, entry); err == nil {
			t.Errorf("%s was read: %s", entry, text)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add([]byte(wholePage))
	f.Add([]byte(`{"children":[{"kind":"list","item":{"title":"{x|y}"},"check":{"field":"","tool":""}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		page, problems := Check("page.json", text, books())
		if (page == nil) != (len(problems) > 0) {
			t.Fatalf("page %v with %d problems", page, len(problems))
		}
	})
}
