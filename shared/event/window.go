package event

import (
	"time"
)

// OpenedFolder is the folder in which the assistant works, with those that were open last, newest first.
type OpenedFolder struct {
	Path   string   `json:"path"`
	Recent []string `json:"recent"`
}

// PanelRef identifies a panel by its id.
type PanelRef struct {
	Panel string `json:"panel"`
}

// SurfaceRef identifies the part of the window that receives the focus: a panel id, "assistant" or "page".
type SurfaceRef struct {
	Surface string `json:"surface"`
}

// PanelList contains all panels in the order of the activity bar.
type PanelList struct {
	Panels []Panel `json:"panels"`
}

// Panel describes a panel for the window.
type Panel struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Type        string `json:"type,omitempty"`
	Icon        string `json:"icon,omitempty"`
	Section     string `json:"section,omitempty"`
	Order       int    `json:"order"`
	// Builtin is true for a panel that a Svelte component with the same id draws.
	Builtin bool `json:"builtin"`
	// Tools contains the names of the panel's tools. Problems contains the mistakes in its manifest.
	Tools    []string       `json:"tools"`
	Problems []PanelProblem `json:"problems,omitempty"`
	// Usable is false if a problem disables the panel.
	Usable bool      `json:"usable"`
	Page   PanelPage `json:"page"`
	// Pending is a changed manifest that waits for the person's review, nil for none.
	Pending *PendingManifest `json:"pending,omitempty"`
	// Pinned is true if the panel's tools are also available while another panel is active.
	Pinned bool `json:"pinned,omitempty"`
	// EvalCount is the number of evals in its manifest.
	EvalCount int `json:"evals,omitempty"`
	// IsDeveloped is true while the person is developing the panel. Changes to its tools then need no approval.
	IsDeveloped bool `json:"develop,omitempty"`
}

// PanelPage is the content of a panel. Kind is builtin, declarative, webview, or "" for the list of its tools. URL is
// the address of a webview. Revision increases when the page has to be loaded again.
type PanelPage struct {
	Kind     string `json:"kind"`
	URL      string `json:"url,omitempty"`
	Revision int    `json:"revision"`
}

// PendingManifest is a manifest that would allow its panel more than the accepted manifest, which remains in use until
// the person accepts this one.
type PendingManifest struct {
	// Hash identifies the manifest when it is accepted or declined.
	Hash string `json:"hash"`
	// Reasons contains sentences about what the manifest would newly allow. Diff is the unified diff from the accepted
	// manifest.
	Reasons []string `json:"reasons"`
	Diff    string   `json:"diff"`
	// Developing is true if only tools are changed, so that the manifest would be accepted without a question while the
	// person develops the panel.
	Developing bool `json:"developing,omitempty"`
	// Declined is true if the person has declined the manifest.
	Declined bool `json:"declined,omitempty"`
}

// ActivityBar is the state of the bar on the left. Devices contains the devices that it offers for emulation.
type ActivityBar struct {
	Expanded bool     `json:"expanded"`
	Devices  []string `json:"devices"`
	Device   string   `json:"device"`
}

// MCPList contains all configured MCP servers.
type MCPList struct {
	Servers []MCPServer `json:"servers"`
	// Problem says why the configuration file is not in use. The last valid configuration then remains in use.
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
	// NextTry is the time at which a failed server is started again, nil for never.
	NextTry *time.Time `json:"next_try,omitempty"`
}

// MCPNotifications counts the notifications of servers about resources and prompts. The counts of a server begin at 0
// again when it reconnects or its entry in the configuration changes.
type MCPNotifications struct {
	Servers []ServerNotifications `json:"servers"`
}

// ServerNotifications counts the changes of a server's lists of resources or prompts, and the updates of each watched
// resource.
type ServerNotifications struct {
	Name    string         `json:"name"`
	Lists   int            `json:"lists"`
	Updates map[string]int `json:"updates,omitempty"`
}

// Setting is the value of a setting; for a secret one, Value is "set" or "". Source is flag, environment, file, window
// or default.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
	// Description describes the setting. It is nil for the window's own settings and in changes.
	Description *SettingDescription `json:"about,omitempty"`
}

// SettingDescription describes a setting and its values.
type SettingDescription struct {
	Doc     string `json:"doc"`
	Default string `json:"default"`
	// OneOf contains the allowed values, and is empty if any value is allowed.
	OneOf []string `json:"one_of,omitempty"`
	// Window is true if the person can change the setting in the window.
	Window bool `json:"window,omitempty"`
	// Secret is true if the value is never shown.
	Secret bool `json:"secret,omitempty"`
}
