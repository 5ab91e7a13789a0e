// Package manifest reads a panel's manifest.json and judges it: Read turns its text into a
// Plan whose tools are ready to be offered and called, or into Problems that say where it
// is wrong. It looks at nothing but the text it is given; ReadFile and Validate find that
// text in a folder.
//
// What a manifest says is text from outside: nothing here runs it, follows its references
// or believes what it says about itself.
package manifest

import (
	"bytes"
	"encoding/json"
)

// Manifest is a panel's manifest.json (docs/panels.md). Only PanelID, PanelType, Title
// and Tools are needed; the rest is version 1's and optional.
type Manifest struct {
	ManifestVersion int                    `json:"manifest_version"`
	PanelID         string                 `json:"panel_id"`
	PanelType       string                 `json:"panel_type"`
	Title           string                 `json:"title"`
	Version         string                 `json:"version"`
	Description     string                 `json:"description"`
	Icon            string                 `json:"icon"`
	ActivityBar     Place                  `json:"activity_bar"`
	UI              *UI                    `json:"ui"`
	Backend         *Backend               `json:"backend"`
	Permissions     Permissions            `json:"permissions"`
	Config          map[string]ConfigField `json:"config"`
	// Context are the keys the panel publishes, for tools to have injected.
	Context []string `json:"context"`
	When    string   `json:"when"`
	Tools   []Tool   `json:"tools"`
	// Evals are calls whose answers the author knows, to try the panel with.
	Evals []Eval `json:"evals"`
}

// Place is where a panel stands in the activity bar: Section top or bottom, then Order.
type Place struct {
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
	// Health is a path below /api/<panel_id>/ that answers 2xx when the program is ready;
	// without it an open port is enough.
	Health string `json:"health"`
	// Stdio says that the program is spoken to by lines of JSON instead of over a port.
	Stdio bool `json:"stdio"`
	// IdleSeconds is after how many seconds without a call the program is ended, 300 when 0.
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
// out. In JSON it is such an object, or a list of names that are both.
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
