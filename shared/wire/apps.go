package wire

import "encoding/json"

// App is the page of an MCP server that shows a call, as the window needs it.
type App struct {
	// URL is where the page is served for a frame.
	URL string `json:"url"`
	// Border says whether the page wants a border, absent when it leaves that to the window.
	Border *bool `json:"border,omitempty"`
	// Tool is the tool whose call is shown, Tools are those that the page may call.
	Tool  AppTool   `json:"tool"`
	Tools []AppTool `json:"tools"`
	// Allowed are the origins that the page may use, each with its purpose ("connect https://a.example"). Wants are
	// those that it names and the person has not allowed.
	Allowed []string `json:"allowed"`
	Wants   []string `json:"wants"`
}

// AppTool is a tool under its server's own name.
type AppTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}
