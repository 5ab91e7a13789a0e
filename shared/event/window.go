package event

import (
	"time"
)

// PanelRef names a panel.
type PanelRef struct {
	Panel string `json:"panel"`
}

// SurfaceRef names what should get the focus: a panel id, "assistant" or "page".
type SurfaceRef struct {
	Surface string `json:"surface"`
}

// PanelList is every known panel in order of the activity bar.
type PanelList struct {
	Panels []Panel `json:"panels"`
}

// Panel is a panel as the window needs it.
type Panel struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type,omitempty"`
	Icon        string `json:"icon,omitempty"`
	Section     string `json:"section,omitempty"`
	Order       int    `json:"order"`
	// Builtin panels are drawn by a Svelte component of the same id.
	Builtin bool `json:"builtin"`
	// Tools are names; Problems say what is wrong with the manifest and where.
	Tools    []string       `json:"tools"`
	Problems []PanelProblem `json:"problems,omitempty"`
	// Usable is false when a problem keeps the panel off.
	Usable bool      `json:"usable"`
	Page   PanelPage `json:"page"`
}

// PanelPage is what a panel shows. Kind is builtin, declarative, webview, or "" for the list
// of its tools; URL is a webview's address on the origin of pages. Revision grows when the
// page changed and has to be read again.
type PanelPage struct {
	Kind     string `json:"kind"`
	URL      string `json:"url,omitempty"`
	Revision int    `json:"revision"`
}

// ActivityBar is the state of the bar at the left and the device presets it offers.
type ActivityBar struct {
	Expanded bool     `json:"expanded"`
	Devices  []string `json:"devices"`
	Device   string   `json:"device"`
}

// MCPList is every configured MCP server.
type MCPList struct {
	Servers []MCPServer `json:"servers"`
	// Problem says why the config on disk is not in force; the last good one is then.
	Problem string `json:"problem,omitempty"`
}

// MCPServer is the state of one MCP server: State is off, starting, running, failed.
type MCPServer struct {
	Name      string   `json:"name"`
	State     string   `json:"state"`
	Enabled   bool     `json:"enabled"`
	Transport string   `json:"transport"`
	Command   string   `json:"command,omitempty"`
	Tools     []string `json:"tools"`
	Error     string   `json:"error,omitempty"`
	// NextTry is when a failed server is started again.
	NextTry *time.Time `json:"next_try,omitempty"`
}

// Setting is one setting's value and where it comes from: flag, environment, file, window, default.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
	// About is what the setting is; nil for the window's own and in a change.
	About *SettingAbout `json:"about,omitempty"`
}

// SettingAbout is what a setting does and takes.
type SettingAbout struct {
	Doc     string `json:"doc"`
	Default string `json:"default"`
	// OneOf are the allowed values; none for any.
	OneOf []string `json:"one_of,omitempty"`
	// Window says that a person may change it in the window.
	Window bool `json:"window,omitempty"`
	// Secret says that its value is never shown.
	Secret bool `json:"secret,omitempty"`
}
