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
	// Pending is a changed manifest that waits for the person; nil when none does.
	Pending *PanelPending `json:"pending,omitempty"`
	// Pinned panels offer their tools while another one is active, too.
	Pinned bool `json:"pinned,omitempty"`
	// Evals is how many evals its manifest has.
	Evals int `json:"evals,omitempty"`
	// Develop is true while the person works on the panel, so that changes of its tools do not wait.
	Develop bool `json:"develop,omitempty"`
}

// PanelPage is what a panel shows. Kind is builtin, declarative, webview, or "" for the list
// of its tools; URL is a webview's address on the origin of pages. Revision grows when the
// page changed and has to be read again.
type PanelPage struct {
	Kind     string `json:"kind"`
	URL      string `json:"url,omitempty"`
	Revision int    `json:"revision"`
}

// PanelPending is a manifest that would let its panel do more than the one the person accepted,
// which runs meanwhile.
type PanelPending struct {
	// Hash names the manifest; it is what accepting or declining says.
	Hash string `json:"hash"`
	// Reasons are sentences about what it would widen, Diff is the unified difference to the one
	// that was accepted.
	Reasons []string `json:"reasons"`
	Diff    string   `json:"diff"`
	// Developing is true when "develop" would have let it through: it changes tools only.
	Developing bool `json:"developing,omitempty"`
	// Declined is true when the person said no to it.
	Declined bool `json:"declined,omitempty"`
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

// MCPServer is the state of one MCP server: State is off, starting, ready, degraded (it is
// connected and does not answer well) or down.
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

// MCPHeard is what servers told of what they offer beside tools, as counts since the program began.
type MCPHeard struct {
	Servers []ServerHeard `json:"servers"`
}

// ServerHeard says how often a server's resources or prompts changed, and each resource of it that is
// watched.
type ServerHeard struct {
	Name    string         `json:"name"`
	Lists   int            `json:"lists"`
	Updates map[string]int `json:"updates,omitempty"`
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
