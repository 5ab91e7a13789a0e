package manifest

import (
	"strings"
	"testing"
)

func TestProblemPositions(t *testing.T) {
	tool := func(more string) string {
		return `,"backend":{"kind":"process","command":"node"},"tools":[{"name":"save_note","description":"Saves.",` +
			more + `}]`
	}
	good := `"endpoint":"POST /api/notes/save"`
	for _, c := range []struct{ name, text, want string }{
		{
			"text that is cut off", `{"panel_id": "notes",`,
			"1:22: not valid JSON: expected a name in double quotes, found the end of the file",
		},
		{"a missing comma", "{\"panel_id\": \"notes\"\n \"title\": \"x\"}", "2:2: not valid JSON: "},
		{"more than one value", `{} {}`, `1:4: not valid JSON: expected the end of the file, found "{"`},
		{"a list instead of an object", `[]`, "the manifest should be an object, not a list"},
		{
			"a title that is a number", `{"panel_id":"notes","panel_type":"t","title":5,"tools":[]}`,
			"1:46: title should be a string, not the number 5",
		},
		{"a missing title", `{"panel_id":"notes","panel_type":"t","tools":[]}`, "1:1: title is missing"},
		{"missing tools", `{"panel_id":"notes","panel_type":"t","title":"Notes"}`, "tools is missing"},
		{"the same key twice", minimal("notes", `,"title":"Again","tools":[]`), `"title" occurs twice`},
		{
			"an id with capitals", `{"panel_id":"Notes","panel_type":"t","title":"N","tools":[]}`,
			`1:13: panel_id "Notes" is not allowed`,
		},
		{
			"an id that is a route of ours", `{"panel_id":"mcp","panel_type":"t","title":"N","tools":[]}`,
			`"mcp" is reserved`,
		},
		{
			"an id that is not the folder's name", minimal("other", `,"tools":[]`),
			`panel_id is "other" but the folder is called "notes"`,
		},
		{
			"a tool name with a hyphen", minimal("notes", `,"tools":[{"name":"save-note","description":"x",`+good+`}]`),
			`name "save-note" is not allowed`,
		},
		{"a tool name with two underscores", minimal("notes",
			`,"tools":[{"name":"save__note","description":"x",`+good+`}]`), "two underscores"},
		{"a tool without description", minimal("notes", `,"tools":[{"name":"save",`+good+`}]`), "has no description"},
		{
			"two tools of one name", minimal("notes",
				`,"tools":[{"name":"s1","description":"x",`+good+`},{"name":"s1","description":"x",`+good+`}]`),
			"two tools called s1",
		},
		{
			"another panel's route", minimal("notes", tool(`"endpoint":"POST /api/mail/send"`)),
			"found /api/mail/send, expected /api/notes/…",
		},
		{"a route of Sextant", minimal("notes", tool(`"endpoint":"GET /api/state"`)), "expected /api/notes/…"},
		{
			"a host in the route", minimal("notes", tool(`"endpoint":"GET http://127.0.0.1/api/notes/x"`)),
			"names a host",
		},
		{"a route with ..", minimal("notes", tool(`"endpoint":"GET /api/notes/../mail/x"`)), `holds ".."`},
		{"an encoded slash", minimal("notes", tool(`"endpoint":"GET /api/notes/a%2fb"`)), "encoded character"},
		{"a query in the route", minimal("notes", tool(`"endpoint":"GET /api/notes/a?b=1"`)), "nothing else"},
		{"an unknown method", minimal("notes", tool(`"endpoint":"LINK /api/notes/a"`)), "does not begin with GET"},
		{
			"a path parameter that is not declared", minimal("notes", tool(`"endpoint":"GET /api/notes/{id}"`)),
			"{id} is not among the parameters",
		},
		{"parameters that are no schema", minimal("notes",
			tool(good+`,"parameters":{"type":"object","properties":{"a":{"type":"strong"}}}`)), "not a JSON Schema"},
		{"a schema with a remote reference", minimal("notes",
			tool(good+`,"parameters":{"a":{"$ref":"file:///etc/passwd"}}`)), "references may only lead inside"},
		{"a required name that is not there", minimal("notes",
			tool(good+`,"parameters":{"type":"object","required":["a"]}`)), `"a" is required but`},
		{
			"an unknown permission", minimal("notes", `,"tools":[],"permissions":{"network":true}`),
			`permission "network" is not known`,
		},
		{
			"a backend of an unknown kind", minimal("notes", `,"tools":[],"backend":{"kind":"docker","command":"x"}`),
			`kind "docker" is not known; it is process, http, script or mcp`,
		},
		{
			"a script elsewhere", minimal("notes", `,"tools":[],"backend":{"kind":"script","file":"../a.js"}`),
			`backend.file "../a.js" is not a .js file`,
		},
		{
			"an MCP server without command", minimal("notes", `,"tools":[],"backend":{"kind":"mcp"}`),
			"backend.command is missing",
		},
		{
			"a process without command", minimal("notes", `,"tools":[],"backend":{"kind":"process"}`),
			"backend.command is missing",
		},
		{
			"an address outside without permission",
			minimal("notes", `,"tools":[],"backend":{"kind":"http","url":"https://api.example.com"}`),
			"add that host to permissions.net",
		},
		{
			"a page that only built-in panels have", minimal("notes", `,"tools":[],"ui":{"kind":"builtin"}`),
			"for the panels inside Sextant",
		},
		{"an injected name that is no parameter", minimal("notes",
			`,"context":["filePath"]`+tool(good+`,"inject":["filePath"]`)), "not among the parameters"},
		{
			"an injected key the panel does not publish", minimal("notes",
				tool(good+`,"parameters":{"filePath":{"type":"string"}},"inject":["filePath"]`)),
			"the panel's context does not hold",
		},
		{
			"a time limit beyond the longest", minimal("notes", tool(good+`,"timeout_ms":400000`)),
			"timeout_ms is 400000",
		},
		{"a newer version", minimal("notes", `,"tools":[],"manifest_version":2`), "this program reads version 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := Parse([]byte(c.text), "notes", false)
			if found.Plan != nil {
				t.Fatalf("was accepted, with %v", found.Problems)
			}
			var all []string
			for _, p := range found.Problems {
				if p.Line == 0 || p.Column == 0 {
					t.Errorf("%q has no place", p.Text)
				}
				all = append(all, p.String())
			}
			if got := strings.Join(all, "\n"); !strings.Contains(got, c.want) {
				t.Errorf("got:\n%s\nwant %q", got, c.want)
			}
		})
	}
}

func TestUnknownFieldWarning(t *testing.T) {
	text := minimal("notes", `,
 "descripton": "x",
 "backend": {"kind": "process", "command": "node", "arguments": []},
 "tools": [{"name": "save", "description": "x", "endpont": "x", "endpoint": "POST /api/notes/save"}],
 "zzz": 1`)
	found := Parse([]byte(text), "notes", false)
	if found.Plan == nil {
		t.Fatalf("was refused: %v", found.Problems)
	}
	want := []string{
		`manifest.json 2:2: "descripton" is not known and has no effect; did you mean "description"`,
		`manifest.json 3:52: "arguments" is not known and has no effect; did you mean "args"`,
		`manifest.json 4:49: "endpont" is not known and has no effect; did you mean "endpoint"`,
		`manifest.json 5:2: "zzz" is not known and has no effect`,
	}
	if len(found.Problems) != len(want) {
		t.Fatalf("got %v", found.Problems)
	}
	for i, p := range found.Problems {
		if p.String() != want[i] || !p.IsWarning() {
			t.Errorf("got %q (warning %t), want %q", p, p.IsWarning(), want[i])
		}
	}
}

func TestMinimalManifest(t *testing.T) {
	found := Parse([]byte(minimal("notes",
		`,"tools":[{"name":"save","description":"x","endpoint":"POST /api/notes/save","parameters":{}}]`)), "notes",
		false)
	if found.Plan == nil {
		t.Fatalf("was refused: %v", found.Problems)
	}
	if len(found.Plan.Tools) != 0 || len(found.Problems) != 1 ||
		!strings.Contains(found.Problems[0].Text, "nothing answers the tools") {
		t.Errorf("got tools %v, problems %v", found.Plan.Tools, found.Problems)
	}
}

func TestHints(t *testing.T) {
	text := minimal("notes", `,"backend":{"kind":"process","command":"x"},"permissions":{"net":true},"tools":[
	  {"name":"look","description":"x","endpoint":"GET /api/notes/a"},
	  {"name":"drop","description":"x","endpoint":"DELETE /api/notes/a"},
	  {"name":"query","description":"x","endpoint":"POST /api/notes/a","annotations":{"readOnlyHint":true,"openWorldHint":false}},
	  {"name":"wipe","description":"x","endpoint":"POST /api/notes/b","annotations":{"destructiveHint":true},"confirm":true}]`)
	found := Parse([]byte(text), "notes", false)
	if found.Plan == nil {
		t.Fatal(found.Problems)
	}
	look, drop, query, wipe := found.Plan.Tools[0].Def.Hints, found.Plan.Tools[1].Def.Hints,
		found.Plan.Tools[2].Def.Hints, found.Plan.Tools[3].Def.Hints
	if !look.ReadOnly || !look.OpenWorld || look.Destructive {
		t.Errorf("GET: %+v", look)
	}
	if drop.ReadOnly || !drop.Destructive {
		t.Errorf("DELETE: %+v", drop)
	}
	if query.ReadOnly || query.OpenWorld {
		t.Errorf("annotated POST: %+v", query)
	}
	if p := found.Problems; len(p) != 1 || !p[0].IsWarning() || p[0].Line == 0 ||
		!strings.Contains(p[0].Text, "readOnlyHint of query has no effect") {
		t.Errorf("a reassuring POST is not warned of: %v", p)
	}
	built := Parse([]byte(strings.Replace(text, `"backend":{"kind":"process","command":"x"},`, "", 1)), "notes", true)
	if built.Plan == nil || !built.Plan.Tools[2].Def.Hints.ReadOnly {
		t.Errorf("a panel of our own is not believed: %v", built.Problems)
	}
	if wipe.ReadOnly || !wipe.Destructive || !wipe.Confirm {
		t.Errorf("destructive POST: %+v", wipe)
	}
}

// FuzzParse checks that no text makes Parse panic, and that accepted tools have endpoints below
// the panel's own routes only.
func FuzzParse(f *testing.F) {
	f.Add(minimal("notes", `,"tools":[]`))
	f.Add(minimal("notes",
		`,"backend":{"kind":"process","command":"x"},"tools":[{"name":"save","description":"x","endpoint":"POST /api/notes/{id}","parameters":{"id":{"type":"string"}}}]`))
	f.Add(`{"tools":[{"inject":["a"],"annotations":{"readOnlyHint":null}}],"permissions":{"net":["x"]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		found := Parse([]byte(text), "notes", false)
		if found.Plan == nil {
			if len(found.Problems) == 0 {
				t.Fatal("refused without a reason")
			}
			return
		}
		for _, tool := range found.Plan.Tools {
			if !strings.HasPrefix(tool.Path, "/api/notes/") || strings.Contains(tool.Path, "..") &&
				strings.Contains(tool.Path, "/../") {
				t.Fatalf("accepted %q", tool.Path)
			}
		}
	})
}
