package shape

import (
	"regexp"

	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/when"
	"sextant/shared/toolspec"
)

// Bounds of a manifest's parts.
const (
	maxTools       = 64
	MaxTitle       = 80
	maxDescription = 4000
	maxList        = 64
	maxDomains     = 32
)

func text(about, sample string) *Shape {
	return &Shape{Kind: loose.String, about: about, Sample: loose.Quote(sample)}
}

func (s *Shape) upTo(high int) *Shape {
	s.High = high
	return s
}

func (s *Shape) matching(rule *regexp.Regexp) *Shape {
	s.pattern = rule.String()
	return s
}

func flag(about string) *Shape { return &Shape{Kind: loose.Bool, about: about, Sample: "true"} }

func whole(about string, low, high int, sample string) *Shape {
	return &Shape{Kind: loose.Number, Whole: true, Low: low, High: high, about: about, Sample: sample}
}

func list(items *Shape, about, sample string) *Shape {
	return &Shape{Kind: loose.Array, Items: items, High: maxList, about: about, Sample: sample}
}

func anything(about, sample string) *Shape {
	return &Shape{Kind: loose.Null, Open: true, about: about, Sample: sample}
}

// Manifest is version 1 of the manifest. A new member is a line here, a field in package manifest, and
// a rule where its shape does not say all.
func Manifest() *Shape {
	return &Shape{
		Kind: loose.Object,
		about: "A panel of Sextant: a folder with this file gives the window a panel and the assistant tools. " +
			"panel_id, panel_type, title and tools are needed, everything else is optional.",
		Members: []Member{
			{Name: "$schema", Shape: text("Where this schema is, for an editor.", "panel-manifest.schema.json")},
			{Name: "manifest_version", Also: []string{"schema_version", "manifestVersion"}, Shape: whole("Version of this format.", 0, 1, "1")},
			{Name: "panel_id", Need: true, Also: []string{"id", "panelId"}, Shape: text("The name of the panel's folder.", "field-notes").matching(ruleID)},
			{Name: "panel_type", Need: true, Also: []string{"type", "kind", "category"}, Shape: text("What kind of panel it is, a word of your choice.", "notes").upTo(MaxTitle).matching(ruleWords)},
			{Name: "title", Need: true, Also: []string{"name", "label", "display_name"}, Shape: text("What the activity bar shows.", "Field notes").upTo(MaxTitle).matching(ruleWords)},
			{Name: "version", Shape: text("Your own version, shown with problems.", "1.0.0").upTo(MaxTitle)},
			{Name: "description", Also: []string{"desc", "summary"}, Shape: text("One line about the panel.", "Short notes, kept in a file").upTo(maxDescription)},
			{Name: "icon", Shape: text("Name of an icon of the window.", "note").upTo(MaxTitle)},
			{Name: "activity_bar", Shape: &Shape{Kind: loose.Object, about: "Where the panel stands in the activity bar.", Sample: `{"section": "top", "order": 200}`, Members: []Member{
				{Name: "section", Also: []string{"position", "place"}, Shape: &Shape{Kind: loose.String, Names: []string{"top", "bottom"}, about: "The part of the bar."}},
				{Name: "order", Also: []string{"index", "priority"}, Shape: whole("Smaller stands higher; built-in panels have 10, 20, 30.", -1_000_000, 1_000_000, "200")},
			}}},
			{Name: "ui", Also: []string{"page", "view", "interface"}, Shape: page()},
			{Name: "backend", Also: []string{"server", "process"}, Shape: Backend()},
			{Name: "permissions", Also: []string{"permission", "capabilities"}, Shape: Permissions()},
			{Name: "config", Also: []string{"settings", "configuration"}, Shape: &Shape{Kind: loose.Object, about: "Settings of the panel, by name.", Sample: `{"limit": {"type": "integer", "default": 20}}`, Values: config()}},
			{Name: "context", Shape: list(text("A key.", "filePath").upTo(MaxTitle).matching(ruleKey), "Keys the panel publishes, for inject and when.", `["filePath"]`)},
			{Name: "when", Also: []string{"if", "condition"}, Shape: text("The panel's tools are offered only while this is true.", "panel.active").upTo(when.MaxLength)},
			{Name: "tools", Need: true, Also: []string{"functions", "actions", "commands"}, Shape: &Shape{Kind: loose.Array, High: maxTools, says: "a list of tools", about: "What the assistant can call.", Sample: "[]", Items: tool()}},
			{Name: "evals", Also: []string{"tests", "checks"}, Shape: &Shape{Kind: loose.Array, High: maxList, says: "a list of evals", about: "Calls whose answers are known, to try the panel with: sextant panels eval ID.", Sample: "[]", Items: eval()}},
		},
	}
}

func page() *Shape {
	hosts := func(about string) *Shape {
		origins := list(text("An origin.", "https://api.example.com").upTo(260), about, `["https://api.example.com"]`)
		origins.High = maxDomains
		return origins
	}
	return &Shape{
		Kind: loose.Object, about: "The panel's page. Without it the panel is shown as a list of its tools.", Sample: `{"kind": "webview", "entry": "index.html"}`,
		Needs: map[string]string{"declarative": "entry", "webview": "entry"},
		Members: []Member{
			{Name: "kind", Need: true, Also: []string{"type"}, Shape: &Shape{Kind: loose.String, Names: []string{"declarative", "webview"}, Own: []string{"builtin"}, about: "declarative: a tree of views in a JSON file, drawn by Sextant. webview: a page of your own in a sandbox."}},
			{Name: "entry", Also: []string{"file", "path", "src", "index"}, Shape: text("The file with the page, in the panel's folder.", "index.html").upTo(300)},
			{Name: "csp", Shape: &Shape{Kind: loose.Object, about: "What a webview may reach, by the names of MCP Apps.", Sample: `{"connectDomains": []}`, Members: []Member{
				{Name: "connectDomains", Shape: hosts("Where scripts may connect to.")},
				{Name: "resourceDomains", Shape: hosts("Where pictures, styles, fonts and scripts may come from.")},
				{Name: "frameDomains", Shape: hosts("What may be shown in frames.")},
				{Name: "baseUriDomains", Shape: hosts("What may stand in a <base> element.")},
			}}},
		},
	}
}

// Backend is the manifest's backend.
func Backend() *Shape {
	return &Shape{
		Kind: loose.Object, about: "What answers the panel's tools.", Sample: `{"kind": "process", "command": "node", "args": ["server.mjs"]}`,
		Needs: map[string]string{"process": "command", "http": "url", "script": "file", "mcp": "command|url"},
		Members: []Member{
			{Name: "kind", Need: true, Also: []string{"type"}, Shape: &Shape{Kind: loose.String, Names: []string{"process", "http", "script", "mcp"}, about: "process: a program. http: an address. script: JavaScript in a sandbox. mcp: an MCP server of the panel's own."}},
			{Name: "command", Also: []string{"cmd", "program", "exec", "run"}, Shape: text("The program to run in the panel's folder.", "node").upTo(1000)},
			{Name: "args", Also: []string{"arguments", "argv"}, Shape: list(text("An argument.", "server.mjs").upTo(4000), "Its arguments.", `["server.mjs"]`)},
			{Name: "url", Also: []string{"address", "base_url", "baseUrl", "endpoint"}, Shape: text("The address that answers.", "http://127.0.0.1:8800").upTo(2000)},
			{Name: "file", Also: []string{"script", "entry", "path"}, Shape: text("The script, in the panel's folder.", "backend.js").upTo(300)},
			{Name: "health", Also: []string{"healthcheck", "health_check"}, Shape: text("A path below /api/<panel_id>/ that answers 2xx when the program is ready.", "/api/field-notes/health").upTo(300)},
			{Name: "stdio", Shape: flag("The program is spoken to by lines of JSON instead of over a port.")},
			{Name: "idle_seconds", Also: []string{"idle", "idle_timeout"}, Shape: whole("After how many seconds without a call the program is ended; 300 unless you say otherwise.", 0, 86_400, "300")},
		},
	}
}

// Permissions is what a panel asks for.
func Permissions() *Shape {
	host := text("A host name.", "api.example.com").upTo(300)
	return &Shape{
		Kind: loose.Object, Strict: true, about: "What the panel asks for beyond its own folder.", Sample: `{"net": ["api.example.com"]}`,
		Members: []Member{
			{Name: "fs", Also: []string{"filesystem", "files", "file", "paths", "read", "write"}, Shape: list(text("An absolute path or one below ~; with :rw at its end it may be written too.", "~/Documents").upTo(1000), "Folders and files its program may read, or write too.", `["~/Documents"]`)},
			{Name: "net", Also: []string{"network", "internet", "hosts", "http"}, Shape: &Shape{about: "Hosts it may reach, or true for any.", Sample: `["api.example.com"]`, Either: []*Shape{
				list(host, "", `["api.example.com"]`), {Kind: loose.Bool, Sample: "true"},
			}}},
			{Name: "exec", Also: []string{"shell", "process", "execute", "spawn"}, Shape: flag("Whether it may start programs.")},
			{Name: "call_tools", Also: []string{"tools", "callTools"}, Shape: list(text("A tool's name.", "read_file").upTo(128), "Tools of others that its pages and scripts may call.", `["read_file"]`)},
		},
	}
}

func config() *Shape {
	return &Shape{Kind: loose.Object, about: "One setting.", Sample: `{"type": "string", "description": "…"}`, Members: []Member{
		{Name: "type", Need: true, Shape: &Shape{Kind: loose.String, Names: []string{"string", "number", "integer", "boolean"}, about: "What its value is."}},
		{Name: "description", Also: []string{"desc", "title", "label"}, Shape: text("What it is for.", "How many notes are shown").upTo(maxDescription)},
		{Name: "default", Also: []string{"value"}, Shape: anything("Its value until somebody sets it.", "20")},
		{Name: "sensitive", Also: []string{"secret", "password"}, Shape: flag("Whether it is kept as a secret and never shown.")},
	}}
}

func eval() *Shape {
	return &Shape{Kind: loose.Object, about: "One call and what its answer should be.", Sample: `{"name": "a note is kept", "tool": "field_notes_add", "args": {"text": "Water the thyme"}, "expect": {"contains": ["thyme"]}}`, Members: []Member{
		{Name: "name", Also: []string{"title", "description"}, Shape: text("What should be so, in a sentence.", "a note is kept").upTo(300)},
		{Name: "prompt", Also: []string{"question", "input"}, Shape: text("What a person would say that should lead to the tool.", "Keep a note: water the thyme").upTo(maxDescription)},
		{Name: "tool", Also: []string{"call", "function"}, Shape: text("A tool of the panel.", "field_notes_add").upTo(128)},
		{Name: "args", Also: []string{"arguments", "parameters"}, Shape: &Shape{Kind: loose.Object, Open: true, says: "an object of arguments", about: "Its arguments. A string {added.id} is the member id of the answer that is called added.", Sample: "{}"}},
		{Name: "as", Shape: text("What later evals call the answer.", "added").upTo(MaxTitle).matching(ruleTool)},
		{Name: "expect", Also: []string{"expected", "expects"}, Shape: &Shape{Kind: loose.Object, about: "What the answer should be; without it the call should succeed.", Sample: `{"contains": ["thyme"]}`, Members: []Member{
			{Name: "success", Also: []string{"ok"}, Shape: flag("false where the call should fail.")},
			{Name: "contains", Shape: list(text("A text.", "thyme").upTo(maxDescription), "Texts that the answer, or the error, holds.", `["thyme"]`)},
			{Name: "equals", Shape: &Shape{Kind: loose.Object, Open: true, says: "an object: JSON pointers with values", about: "Values in the answer, by JSON pointer.", Sample: `{"/count": 1}`}},
		}}},
	}}
}

func tool() *Shape {
	hint := func(about string) *Shape { return flag(about) }
	return &Shape{
		Kind: loose.Object, about: "One tool.", Sample: `{"name": "field_notes_add", "description": "Keep a short note.", "endpoint": "POST /api/field-notes/notes", "parameters": {}}`,
		Members: []Member{
			{Name: "name", Need: true, Also: []string{"id", "tool", "function"}, Shape: text("Unique among all panels; begin it with the panel's name.", "field_notes_add").matching(ruleTool)},
			{Name: "description", Need: true, Also: []string{"desc", "summary"}, Shape: text("What the assistant reads to choose the tool: what it does, what it answers.", "Keep a short note. Answers with how many there are.").upTo(maxDescription).matching(ruleWords)},
			{Name: "endpoint", Need: true, Also: []string{"url", "path", "route", "uri"}, Shape: text("METHOD /api/<panel_id>/…; {name} stands for a whole part of the path.", "POST /api/field-notes/notes").matching(ruleEndpoint)},
			{Name: "parameters", Also: []string{"params", "input_schema", "inputSchema", "arguments", "args", "schema", "input"}, Shape: &Shape{Kind: loose.Object, Open: true, says: "an object: a JSON Schema, or names with their schemas", about: "A JSON Schema of an object, or names with their schemas, \"required\": true inside.", Sample: `{"text": {"type": "string", "required": true}}`}},
			{Name: "user_description", Also: []string{"userDescription", "label", "title"}, Shape: text("The sentence on the call's card; {name} is replaced by the argument.", "Keep the note “{text}”").upTo(300)},
			{Name: "confirm", Also: []string{"confirmation", "ask"}, Shape: flag("Ask the person before every call.")},
			{Name: "annotations", Also: []string{"hints"}, Shape: &Shape{Kind: loose.Object, about: "MCP's tool annotations.", Sample: `{"readOnlyHint": true}`, Members: []Member{
				{Name: "title", Shape: text("A title.", "Add a note").upTo(300)},
				{Name: "readOnlyHint", Also: []string{"readOnly", "read_only"}, Shape: hint("It only reads; has an effect for GET only.")},
				{Name: "destructiveHint", Also: []string{"destructive"}, Shape: hint("It may destroy something.")},
				{Name: "idempotentHint", Also: []string{"idempotent"}, Shape: hint("Calling it twice is as calling it once.")},
				{Name: "openWorldHint", Also: []string{"openWorld"}, Shape: hint("It reaches beyond this machine.")},
			}}},
			{Name: "inject", Shape: &Shape{about: "Parameters that a call may leave out because the panel's context knows them.", Sample: `["filePath"]`, Either: []*Shape{
				list(text("A parameter that is also a key.", "filePath").upTo(MaxTitle), "", `["filePath"]`),
				{Kind: loose.Object, Values: text("The context's key.", "filePath").upTo(MaxTitle), Sample: `{"path": "filePath"}`},
			}}},
			{Name: "undo", Shape: text("The endpoint that takes the call back.", "POST /api/field-notes/undo").upTo(300)},
			{Name: "timeout_ms", Also: []string{"timeout", "timeoutMs", "timeout_seconds"}, Shape: whole("How long a call may take, in milliseconds.", 0, toolspec.MaxTimeoutMS, "30000")},
			{Name: "examples", Also: []string{"example"}, Shape: &Shape{Kind: loose.Array, High: maxList, says: "a list of objects of arguments", about: "Objects of correct arguments, shown when a call is wrong.", Sample: `[{"text": "Water the thyme"}]`, Items: &Shape{Kind: loose.Object, Open: true, says: "an object of arguments", Sample: "{}"}}},
			{Name: "visibility", Shape: list(&Shape{Kind: loose.String, Names: []string{"model", "app"}, about: "Who may call it."}, "[\"app\"] keeps a tool from the assistant.", `["model", "app"]`)},
			{Name: "when", Also: []string{"if", "condition"}, Shape: text("The tool is offered only while this is true.", "selection != null").upTo(when.MaxLength)},
		},
	}
}
