package wire

import "encoding/json"

// App is the page of an MCP server that shows a call, as the window needs it.
type App struct {
	// URL is where the page is served for a frame.
	URL string `json:"url"`
	// Border is what the page says of a border around it, absent when it leaves that to the window.
	Border *bool `json:"border,omitempty"`
	// Tool is the one whose call is shown, Tools are those that the page may call.
	Tool  AppTool   `json:"tool"`
	Tools []AppTool `json:"tools"`
	// Allowed are the origins that the page may reach, each with what for ("connect https://a.example"),
	// Wants those that it names and the person has not agreed to.
	Allowed []string `json:"allowed"`
	Wants   []string `json:"wants"`
}

// AppTool is a tool by its server's own name.
type AppTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}
