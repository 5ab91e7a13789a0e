package manifest

import (
	"regexp"

	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/when"
	"sextant/shared/toolspec"
)

// Bounds of a manifest's parts.
const (
	maxTools       = 64
	maxTitle       = 80
	maxDescription = 4000
	maxList        = 64
)

func text(about, sample string) *shape {
	return &shape{kind: loose.String, about: about, sample: loose.Quote(sample)}
}

func (s *shape) upTo(high int) *shape {
	s.high = high
	return s
}

func (s *shape) matching(rule *regexp.Regexp) *shape {
	s.pattern = rule.String()
	return s
}

func flag(about string) *shape { return &shape{kind: loose.Bool, about: about, sample: "true"} }

func whole(about string, low, high int, sample string) *shape {
	return &shape{kind: loose.Number, whole: true, low: low, high: high, about: about, sample: sample}
}

func list(items *shape, about, sample string) *shape {
	return &shape{kind: loose.Array, items: items, high: maxList, about: about, sample: sample}
}

func anything(about, sample string) *shape {
	return &shape{kind: loose.Null, open: true, about: about, sample: sample}
}

// spec is version 1 of the manifest. A new member is a line here, a field in manifest.go, and
// a rule where its shape does not say all.
func spec() *shape {
	return &shape{
		kind: loose.Object,
		about: "A panel of Sextant: a folder with this file gives the window a panel and the assistant tools. " +
			"panel_id, panel_type, title and tools are needed, everything else is optional.",
		members: []member{
			{name: "$schema", shape: text("Where this schema is, for an editor.", "panel-manifest.schema.json")},
			{name: "manifest_version", also: []string{"schema_version", "manifestVersion"}, shape: whole("Version of this format.", 0, 1, "1")},
			{name: "panel_id", need: true, also: []string{"id", "panelId"}, shape: text("The name of the panel's folder.", "field-notes").matching(ruleID)},
			{name: "panel_type", need: true, also: []string{"type", "kind", "category"}, shape: text("What kind of panel it is, a word of your choice.", "notes").upTo(maxTitle).matching(ruleWords)},
			{name: "title", need: true, also: []string{"name", "label", "display_name"}, shape: text("What the activity bar shows.", "Field notes").upTo(maxTitle).matching(ruleWords)},
			{name: "version", shape: text("Your own version, shown with problems.", "1.0.0").upTo(maxTitle)},
			{name: "description", also: []string{"desc", "summary"}, shape: text("One line about the panel.", "Short notes, kept in a file").upTo(maxDescription)},
			{name: "icon", shape: text("Name of an icon of the window.", "note").upTo(maxTitle)},
			{name: "activity_bar", shape: &shape{kind: loose.Object, about: "Where the panel stands in the activity bar.", sample: `{"section": "top", "order": 200}`, members: []member{
				{name: "section", also: []string{"position", "place"}, shape: &shape{kind: loose.String, names: []string{"top", "bottom"}, about: "The part of the bar."}},
				{name: "order", also: []string{"index", "priority"}, shape: whole("Smaller stands higher; built-in panels have 10, 20, 30.", -1_000_000, 1_000_000, "200")},
			}}},
			{name: "ui", also: []string{"page", "view", "interface"}, shape: specUI()},
			{name: "backend", also: []string{"server", "process"}, shape: specBackend()},
			{name: "permissions", also: []string{"permission", "capabilities"}, shape: specPermissions()},
			{name: "config", also: []string{"settings", "configuration"}, shape: &shape{kind: loose.Object, about: "Settings of the panel, by name.", sample: `{"limit": {"type": "integer", "default": 20}}`, values: specConfig()}},
			{name: "context", shape: list(text("A key.", "filePath").upTo(maxTitle).matching(ruleKey), "Keys the panel publishes, for inject and when.", `["filePath"]`)},
			{name: "when", also: []string{"if", "condition"}, shape: text("The panel's tools are offered only while this is true.", "panel.active").upTo(when.MaxLength)},
			{name: "tools", need: true, also: []string{"functions", "actions", "commands"}, shape: &shape{kind: loose.Array, high: maxTools, says: "a list of tools", about: "What the assistant can call.", sample: "[]", items: specTool()}},
			{name: "evals", also: []string{"tests"}, shape: &shape{kind: loose.Array, high: maxList, says: "a list of evals", about: "Questions that should lead to the panel's tools, to try it with.", sample: "[]", items: &shape{kind: loose.Object, open: true, sample: `{"prompt": "Keep a note: water the thyme"}`}}},
		},
	}
}

func specUI() *shape {
	hosts := func(about string) *shape {
		origins := list(text("An origin.", "https://api.example.com").upTo(260), about, `["https://api.example.com"]`)
		origins.high = maxDomains
		return origins
	}
	return &shape{
		kind: loose.Object, about: "The panel's page. Without it the panel is shown as a list of its tools.", sample: `{"kind": "webview", "entry": "index.html"}`,
		needs: map[string]string{"declarative": "entry", "webview": "entry"},
		members: []member{
			{name: "kind", need: true, also: []string{"type"}, shape: &shape{kind: loose.String, names: []string{"declarative", "webview"}, own: []string{"builtin"}, about: "declarative: a tree of views in a JSON file, drawn by Sextant. webview: a page of your own in a sandbox."}},
			{name: "entry", also: []string{"file", "path", "src", "index"}, shape: text("The file with the page, in the panel's folder.", "index.html").upTo(300)},
			{name: "csp", shape: &shape{kind: loose.Object, about: "What a webview may reach, by the names of MCP Apps.", sample: `{"connectDomains": []}`, members: []member{
				{name: "connectDomains", shape: hosts("Where scripts may connect to.")},
				{name: "resourceDomains", shape: hosts("Where pictures, styles, fonts and scripts may come from.")},
				{name: "frameDomains", shape: hosts("What may be shown in frames.")},
				{name: "baseUriDomains", shape: hosts("What may stand in a <base> element.")},
			}}},
		},
	}
}

func specBackend() *shape {
	return &shape{
		kind: loose.Object, about: "What answers the panel's tools.", sample: `{"kind": "process", "command": "node", "args": ["server.mjs"]}`,
		needs: map[string]string{"process": "command", "http": "url", "script": "file", "mcp": "command|url"},
		members: []member{
			{name: "kind", need: true, also: []string{"type"}, shape: &shape{kind: loose.String, names: []string{"process", "http", "script", "mcp"}, about: "process: a program. http: an address. script: JavaScript in a sandbox. mcp: an MCP server of the panel's own."}},
			{name: "command", also: []string{"cmd", "program", "exec", "run"}, shape: text("The program to run in the panel's folder.", "node").upTo(1000)},
			{name: "args", also: []string{"arguments", "argv"}, shape: list(text("An argument.", "server.mjs").upTo(4000), "Its arguments.", `["server.mjs"]`)},
			{name: "url", also: []string{"address", "base_url", "baseUrl", "endpoint"}, shape: text("The address that answers.", "http://127.0.0.1:8800").upTo(2000)},
			{name: "file", also: []string{"script", "entry", "path"}, shape: text("The script, in the panel's folder.", "backend.js").upTo(300)},
			{name: "health", also: []string{"healthcheck", "health_check"}, shape: text("A path below /api/<panel_id>/ that answers 2xx when the program is ready.", "/api/field-notes/health").upTo(300)},
			{name: "stdio", shape: flag("The program is spoken to by lines of JSON instead of over a port.")},
			{name: "idle_seconds", also: []string{"idle", "idle_timeout"}, shape: whole("After how many seconds without a call the program is ended; 300 unless you say otherwise.", 0, 86_400, "300")},
		},
	}
}

func specPermissions() *shape {
	host := text("A host name.", "api.example.com").upTo(300)
	return &shape{
		kind: loose.Object, strict: true, about: "What the panel asks for beyond its own folder.", sample: `{"net": ["api.example.com"]}`,
		members: []member{
			{name: "fs", also: []string{"filesystem", "files", "file", "paths", "read", "write"}, shape: list(text("An absolute path or one below ~; with :rw at its end it may be written too.", "~/Documents").upTo(1000), "Folders and files its program may read, or write too.", `["~/Documents"]`)},
			{name: "net", also: []string{"network", "internet", "hosts", "http"}, shape: &shape{about: "Hosts it may reach, or true for any.", sample: `["api.example.com"]`, either: []*shape{
				list(host, "", `["api.example.com"]`), {kind: loose.Bool, sample: "true"},
			}}},
			{name: "exec", also: []string{"shell", "process", "execute", "spawn"}, shape: flag("Whether it may start programs.")},
			{name: "call_tools", also: []string{"tools", "callTools"}, shape: list(text("A tool's name.", "read_file").upTo(128), "Tools of others that its pages and scripts may call.", `["read_file"]`)},
		},
	}
}

func specConfig() *shape {
	return &shape{kind: loose.Object, about: "One setting.", sample: `{"type": "string", "description": "…"}`, members: []member{
		{name: "type", need: true, shape: &shape{kind: loose.String, names: []string{"string", "number", "integer", "boolean"}, about: "What its value is."}},
		{name: "description", also: []string{"desc", "title", "label"}, shape: text("What it is for.", "How many notes are shown").upTo(maxDescription)},
		{name: "default", also: []string{"value"}, shape: anything("Its value until somebody sets it.", "20")},
		{name: "sensitive", also: []string{"secret", "password"}, shape: flag("Whether it is kept as a secret and never shown.")},
	}}
}

func specTool() *shape {
	hint := func(about string) *shape { return flag(about) }
	return &shape{
		kind: loose.Object, about: "One tool.", sample: `{"name": "field_notes_add", "description": "Keep a short note.", "endpoint": "POST /api/field-notes/notes", "parameters": {}}`,
		members: []member{
			{name: "name", need: true, also: []string{"id", "tool", "function"}, shape: text("Unique among all panels; begin it with the panel's name.", "field_notes_add").matching(ruleTool)},
			{name: "description", need: true, also: []string{"desc", "summary"}, shape: text("What the assistant reads to choose the tool: what it does, what it answers.", "Keep a short note. Answers with how many there are.").upTo(maxDescription).matching(ruleWords)},
			{name: "endpoint", need: true, also: []string{"url", "path", "route", "uri"}, shape: text("METHOD /api/<panel_id>/…; {name} stands for a whole part of the path.", "POST /api/field-notes/notes").matching(ruleEndpoint)},
			{name: "parameters", also: []string{"params", "input_schema", "inputSchema", "arguments", "args", "schema", "input"}, shape: &shape{kind: loose.Object, open: true, says: "an object: a JSON Schema, or names with their schemas", about: "A JSON Schema of an object, or names with their schemas, \"required\": true inside.", sample: `{"text": {"type": "string", "required": true}}`}},
			{name: "user_description", also: []string{"userDescription", "label", "title"}, shape: text("The sentence on the call's card; {name} is replaced by the argument.", "Keep the note “{text}”").upTo(300)},
			{name: "confirm", also: []string{"confirmation", "ask"}, shape: flag("Ask the person before every call.")},
			{name: "annotations", also: []string{"hints"}, shape: &shape{kind: loose.Object, about: "MCP's tool annotations.", sample: `{"readOnlyHint": true}`, members: []member{
				{name: "title", shape: text("A title.", "Add a note").upTo(300)},
				{name: "readOnlyHint", also: []string{"readOnly", "read_only"}, shape: hint("It only reads; has an effect for GET only.")},
				{name: "destructiveHint", also: []string{"destructive"}, shape: hint("It may destroy something.")},
				{name: "idempotentHint", also: []string{"idempotent"}, shape: hint("Calling it twice is as calling it once.")},
				{name: "openWorldHint", also: []string{"openWorld"}, shape: hint("It reaches beyond this machine.")},
			}}},
			{name: "inject", shape: &shape{about: "Parameters that a call may leave out because the panel's context knows them.", sample: `["filePath"]`, either: []*shape{
				list(text("A parameter that is also a key.", "filePath").upTo(maxTitle), "", `["filePath"]`),
				{kind: loose.Object, values: text("The context's key.", "filePath").upTo(maxTitle), sample: `{"path": "filePath"}`},
			}}},
			{name: "undo", shape: text("The endpoint that takes the call back.", "POST /api/field-notes/undo").upTo(300)},
			{name: "timeout_ms", also: []string{"timeout", "timeoutMs", "timeout_seconds"}, shape: whole("How long a call may take, in milliseconds.", 0, toolspec.MaxTimeoutMS, "30000")},
			{name: "examples", also: []string{"example"}, shape: &shape{kind: loose.Array, high: maxList, says: "a list of objects of arguments", about: "Objects of correct arguments, shown when a call is wrong.", sample: `[{"text": "Water the thyme"}]`, items: &shape{kind: loose.Object, open: true, says: "an object of arguments", sample: "{}"}}},
			{name: "visibility", shape: list(&shape{kind: loose.String, names: []string{"model", "app"}, about: "Who may call it."}, "[\"app\"] keeps a tool from the assistant.", `["model", "app"]`)},
			{name: "when", also: []string{"if", "condition"}, shape: text("The tool is offered only while this is true.", "selection != null").upTo(when.MaxLength)},
		},
	}
}
