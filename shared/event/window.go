package event

import (
	"time"
)

// PanelRef names a panel.
type PanelRef struct {
	Panel string `json:"panel"`
}

// SurfaceRef names what gets the focus: a panel id, "assistant" or "page".
type SurfaceRef struct {
	Surface string `json:"surface"`
}

// PanelList holds all panels in the order of the activity bar.
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
	// Tools are the names of its tools, Problems the mistakes in its manifest.
	Tools    []string       `json:"tools"`
	Problems []PanelProblem `json:"problems,omitempty"`
	// Usable is false when a problem disables the panel.
	Usable bool      `json:"usable"`
	Page   PanelPage `json:"page"`
	// Pending is a changed manifest that waits for the person, nil for none.
	Pending *PendingManifest `json:"pending,omitempty"`
	// Pinned panels offer their tools also while another panel is active.
	Pinned bool `json:"pinned,omitempty"`
	// Evals is the number of evals in its manifest.
	Evals int `json:"evals,omitempty"`
	// Develop is true while the person works on the panel, so that changes to its tools need no approval.
	Develop bool `json:"develop,omitempty"`
}

// PanelPage is what a panel shows. Kind is builtin, declarative, webview, or "" for the list of its tools. URL is a
// webview's address on the origin of panels' pages. Revision increases when the page has to be loaded again.
type PanelPage struct {
	Kind     string `json:"kind"`
	URL      string `json:"url,omitempty"`
	Revision int    `json:"revision"`
}

// PendingManifest is a manifest that would allow its panel more than the one the person has accepted, which stays
// in use meanwhile.
type PendingManifest struct {
	// Hash identifies the manifest when it is accepted or declined.
	Hash string `json:"hash"`
	// Reasons are sentences about what it would allow. Diff is the unified diff from the accepted manifest.
	Reasons []string `json:"reasons"`
	Diff    string   `json:"diff"`
	// Developing is true when it only changes tools, so that Panel.Develop would accept it.
	Developing bool `json:"developing,omitempty"`
	// Declined is true when the person has declined it.
	Declined bool `json:"declined,omitempty"`
}

// ActivityBar is the state of the bar at the left, and the devices that it offers to emulate.
type ActivityBar struct {
	Expanded bool     `json:"expanded"`
	Devices  []string `json:"devices"`
	Device   string   `json:"device"`
}

// MCPList holds all configured MCP servers.
type MCPList struct {
	Servers []MCPServer `json:"servers"`
	// Problem says why the config file is not in use; the last valid one is used then.
	Problem string `json:"problem,omitempty"`
}

// MCPServer is the state of one MCP server. State is off, starting, ready, degraded (connected, but answering
// badly) or down.
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

// MCPNotifications counts the notifications of servers about resources and prompts since Sextant started.
type MCPNotifications struct {
	Servers []ServerNotifications `json:"servers"`
}

// ServerNotifications counts how often a server's lists of resources or prompts changed, and how often each watched
// resource did.
type ServerNotifications struct {
	Name    string         `json:"name"`
	Lists   int            `json:"lists"`
	Updates map[string]int `json:"updates,omitempty"`
}

// Setting is the value of one setting and its source: flag, environment, file, window or default.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
	// About describes the setting, nil for the window's own settings and in changes.
	About *SettingDescription `json:"about,omitempty"`
}

// SettingDescription describes a setting and its values.
type SettingDescription struct {
	Doc     string `json:"doc"`
	Default string `json:"default"`
	// OneOf are the allowed values, empty for any.
	OneOf []string `json:"one_of,omitempty"`
	// Window says that a person can change it in the window.
	Window bool `json:"window,omitempty"`
	// Secret says that its value is never shown.
	Secret bool `json:"secret,omitempty"`
}
