package wire

import "encoding/json"

// App is a page of an MCP server that shows a call.
type App struct {
	// URL is the address of the page for a frame.
	URL string `json:"url"`
	// Border says whether the page wants a border. It is nil if the window may decide.
	Border *bool `json:"border,omitempty"`
	// Tool is the tool of the shown call. Tools contains the tools that the page may call.
	Tool  AppTool   `json:"tool"`
	Tools []AppTool `json:"tools"`
	// Allowed contains the origins that the page may use, each with its purpose ("connect https://a.example"). Wants
	// contains those that the page requests and the person has not allowed.
	Allowed []string `json:"allowed"`
	Wants   []string `json:"wants"`
}

// AppTool is a tool under the name that its server gives it.
type AppTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}
