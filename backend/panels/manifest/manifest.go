// Package manifest parses and checks the manifest.json of a panel. Parse validates the text with the published JSON
// Schema and checks what a schema cannot express. It returns the problems, most of them with a position and a
// correction. Unless one is an error, it also returns a Plan with tools that are ready to be offered and called.
//
// A manifest is outside text. The package runs no program that it names.
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
	// Context lists the keys of the values that the panel publishes, for use in inject and in conditions.
	Context []string `json:"context"`
	When    string   `json:"when"`
	Tools   []Tool   `json:"tools"`
	// Evals contains calls with known answers that test the panel.
	Evals []Eval `json:"evals"`
}

// ActivityBarPlace is the position of a panel in the activity bar. Section is top or bottom, and Order sorts the panels
// within the section.
type ActivityBarPlace struct {
	Section string `json:"section"`
	Order   int    `json:"order"`
}

// UI describes the panel's page. Kind is builtin (embedded panels only), declarative or webview.
type UI struct {
	Kind  string `json:"kind"`
	Entry string `json:"entry"`
	CSP   CSP    `json:"csp"`
}

// Backend describes what answers the panel's endpoints. Kind is process, http, script or mcp.
type Backend struct {
	Kind    string   `json:"kind"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	URL     string   `json:"url"`
	File    string   `json:"file"`
	// Health is a path below /api/<panel_id>/ that answers 2xx when a program with a port is ready. If it is "", the
	// program is ready when its port is open.
	Health string `json:"health"`
	// Stdio is true if the program uses lines of JSON on standard input and output instead of a port.
	Stdio bool `json:"stdio"`
	// IdleSeconds is the time without a call after which a program of kind process or mcp is stopped; 0 means 300.
	IdleSeconds int `json:"idle_seconds"`
}

// Permissions lists what a panel requests besides access to its own folder.
type Permissions struct {
	FS        []string `json:"fs"`
	Net       Hosts    `json:"net"`
	Exec      bool     `json:"exec"`
	CallTools []string `json:"call_tools"`
}

// Hosts is a set of hosts. In JSON it is a list of host names, true for any host, or false for none.
type Hosts struct {
	Any  bool
	List []string
}

// UnmarshalJSON implements json.Unmarshaler for true, false and a list of names.
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

// ConfigField describes a setting of a panel.
type ConfigField struct {
	Type        string          `json:"type"`
	Description string          `json:"description"`
	Default     json.RawMessage `json:"default"`
	Sensitive   bool            `json:"sensitive"`
}

// Tool is a tool of a panel. Endpoint has the form "METHOD /api/<panel_id>/…", with {name} for path parameters.
// Parameters is the JSON Schema of an object, or a short form: an object from names to schemas, which may contain
// "required": true.
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
	Still           bool              `json:"still"`
	Examples        []json.RawMessage `json:"examples"`
	Visibility      []string          `json:"visibility"`
	When            string            `json:"when"`
}

// Annotations are the tool annotations of MCP. nil means that the manifest omits the annotation.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint"`
	Destructive *bool `json:"destructiveHint"`
	Idempotent  *bool `json:"idempotentHint"`
	OpenWorld   *bool `json:"openWorldHint"`
}

// Injection maps parameters to the context keys that fill them if a call omits them. In JSON it is an object, or a list
// of names that are both parameter and key.
type Injection map[string]string

// UnmarshalJSON implements json.Unmarshaler for an object and a list.
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
