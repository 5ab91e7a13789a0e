// Package manifest parses and checks the manifest.json of a panel. Parse validates the text with the published JSON
// Schema and checks what a schema cannot express. It returns a Plan with tools that are ready to be offered and called,
// or Problems with their positions and corrections. Parse uses only the text; ReadFile and Validate read it from a
// folder.
//
// A manifest is outside text. The package does not run it, follow its references or trust its claims.
package manifest

import (
	"bytes"
	"encoding/json"
)

// Manifest is the content of a panel's manifest.json, version 1 (docs/panels.md). PanelID, PanelType, Title and Tools
// are required. A new member needs a field here and a property in the schema.
type Manifest struct {
	ManifestVersion int                    `json:"manifest_version"`
	PanelID         string                 `json:"panel_id"`
	PanelType       string                 `json:"panel_type"`
	Title           string                 `json:"title"`
	Version         string                 `json:"version"`
	Description     string                 `json:"description"`
	Icon            string                 `json:"icon"`
	ActivityBar     ActivityBarPlace       `json:"activity_bar"`
	UI              *UI                    `json:"ui"`
	Backend         *Backend               `json:"backend"`
	Permissions     Permissions            `json:"permissions"`
	Config          map[string]ConfigField `json:"config"`
	// Context lists the keys that the panel publishes, for use in inject and in conditions.
	Context []string `json:"context"`
	When    string   `json:"when"`
	Tools   []Tool   `json:"tools"`
	// Evals are calls with known answers, to test the panel.
	Evals []Eval `json:"evals"`
}

// ActivityBarPlace is a panel's place in the activity bar: Section top or bottom, then Order.
type ActivityBarPlace struct {
	Section string `json:"section"`
	Order   int    `json:"order"`
}

// UI is the panel's page: Kind builtin (embedded panels only), declarative or webview.
type UI struct {
	Kind  string `json:"kind"`
	Entry string `json:"entry"`
	CSP   CSP    `json:"csp"`
}

// Backend answers the panel's endpoints: Kind process, http, script or mcp.
type Backend struct {
	Kind    string   `json:"kind"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	URL     string   `json:"url"`
	File    string   `json:"file"`
	// Health is a path below /api/<panel_id>/ that answers 2xx when the program is ready.
	// Without it an open port is enough.
	Health string `json:"health"`
	// Stdio: lines of JSON on standard input and output instead of a port.
	Stdio bool `json:"stdio"`
	// IdleSeconds without a call stop the program; 0 means 300.
	IdleSeconds int `json:"idle_seconds"`
}

// Permissions is what a panel asks for beyond its own folder.
type Permissions struct {
	FS        []string `json:"fs"`
	Net       Hosts    `json:"net"`
	Exec      bool     `json:"exec"`
	CallTools []string `json:"call_tools"`
}

// Hosts is a list of host names in JSON, or true for any.
type Hosts struct {
	Any  bool
	List []string
}

// UnmarshalJSON reads true, false or a list of names.
func (h *Hosts) UnmarshalJSON(b []byte) error {
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	if bytes.Equal(b, []byte("true")) || bytes.Equal(b, []byte("false")) {
		*h = Hosts{Any: b[0] == 't'}
		return nil
	}
	return json.Unmarshal(b, &h.List)
}

// ConfigField is one setting of a panel.
type ConfigField struct {
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Sensitive   bool            `json:"sensitive"`
}

// Tool is one tool of a panel. Endpoint is "METHOD /api/<panel_id>/…" with {name} for
// path parameters; Parameters is a JSON Schema of an object, or the short form: an object
// from name to schema, with "required": true inside.
type Tool struct {
	Name            string            `json:"name"`
	Description     string            `json:"description"`
	Endpoint        string            `json:"endpoint"`
	Parameters      json.RawMessage   `json:"parameters"`
	UserDescription string            `json:"user_description"`
	Confirm         bool              `json:"confirm"`
	Annotations     Annotations       `json:"annotations"`
	Inject          Injection         `json:"inject"`
	Undo            string            `json:"undo"`
	TimeoutMS       int               `json:"timeout_ms"`
	Examples        []json.RawMessage `json:"examples"`
	Visibility      []string          `json:"visibility"`
	When            string            `json:"when"`
}

// Annotations are MCP's tool annotations; nil means the manifest does not say.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint"`
	Destructive *bool `json:"destructiveHint"`
	Idempotent  *bool `json:"idempotentHint"`
	OpenWorld   *bool `json:"openWorldHint"`
}

// Injection maps parameters to the context keys that fill them when a call leaves them
// out. In JSON it is such an object, or a list of names that are both parameter and key.
type Injection map[string]string

// UnmarshalJSON reads either form.
func (i *Injection) UnmarshalJSON(b []byte) error {
	var list []string
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("[")) {
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
		*i = Injection{}
		for _, name := range list {
			(*i)[name] = name
		}
		return nil
	}
	return json.Unmarshal(b, (*map[string]string)(i))
}
