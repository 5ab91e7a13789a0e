// Package toolspec defines tools (Definition), requests to run them (Call) and their outcomes (Result).
//
// Callers (window, HTTP, MCP, command line, model) and executors use these types. The package contains plain data and
// pure functions.
package toolspec

import "encoding/json"

// Origin is the source of a tool. It determines the executor of its calls.
type Origin string

// The origins of tools.
const (
	OriginBaseline Origin = "baseline"
	OriginPanel    Origin = "panel"
	OriginMCP      Origin = "mcp"
	OriginCreated  Origin = "created"
	OriginRecipe   Origin = "recipe"
)

// ReadResult is the name of the tool that reads a stored result in parts.
const ReadResult = "read_result"

// The names of two tools for models that are sent only some of the tools: FindTools finds others, and CallTool calls a
// tool by its name. CallTool exists only in the prompt: the named tool runs through the pipeline under its own name.
const (
	FindTools = "find_tools"
	CallTool  = "call_tool"
)

// RunSubagent is the name of the tool that gives a task to a subagent.
const RunSubagent = "run_subagent"

// FinalResponse is the name of the tool by which a model returns the result of a task with a required format. Like
// CallTool, it exists only in the prompt, and no other tool may have its name.
const FinalResponse = "final_response"

// Definition describes a tool that can be called.
type Definition struct {
	// Name is unique among the available tools and in snake_case. The names of MCP tools have the form "server__tool".
	Name string `json:"name"`
	// Description is the text that a model reads.
	Description string `json:"description"`
	// Parameters is the JSON Schema of the arguments, which are an object.
	Parameters json.RawMessage `json:"parameters"`
	// Output is the JSON Schema of the value of a successful Result, which is an object; nil if it is not declared.
	Output json.RawMessage `json:"output,omitempty"`
	Origin Origin          `json:"origin"`
	// Owner is the id of a panel or the name of an MCP server, "" for baseline tools.
	Owner string `json:"owner,omitempty"`
	// Group is the heading under which people find the tool: navigation, environment, input, workspace, activity_bar,
	// feedback, files, shell, web, panel, mcp, created.
	Group string `json:"group,omitempty"`
	Hints Hints  `json:"hints"`
	// Still makes the window show a running call without an animation, for a tool that waits for somebody or runs for
	// as long as it is left running.
	Still bool `json:"still,omitempty"`
	// AppURI is the address (ui://…) of the MCP server's page that shows calls of the tool, "" for none.
	AppURI string `json:"app,omitempty"`
	// TimeoutMS is the time limit of one call in milliseconds; 0 means DefaultTimeoutMS.
	TimeoutMS int `json:"timeout_ms,omitempty"`
	// Examples contains example arguments for prompts, validation errors and search.
	Examples []json.RawMessage `json:"examples,omitempty"`
}

// Time limits of a call in milliseconds.
const (
	DefaultTimeoutMS = 30_000
	MaxTimeoutMS     = 300_000
)

// Hints describe the possible effects of a tool. They follow the tool annotations of MCP.
type Hints struct {
	ReadOnly    bool `json:"read_only,omitempty"`
	Destructive bool `json:"destructive,omitempty"`
	Idempotent  bool `json:"idempotent,omitempty"`
	OpenWorld   bool `json:"open_world,omitempty"`
	// Confirm makes the policy ask a person before each call, unless a grant covers it or the mode or the settings
	// leave the question out.
	Confirm bool `json:"confirm,omitempty"`
	// Inert is true for a built-in tool without effects of its own: it makes other calls, which are judged separately,
	// or ends something that its caller started.
	Inert bool `json:"inert,omitempty"`
}

// Function is a Definition in the form of OpenAI's function calling.
type Function struct {
	Type     string             `json:"type"`
	Function FunctionDefinition `json:"function"`
}

// FunctionDefinition is the inner object of Function.
type FunctionDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Function returns d in the form of OpenAI's function calling.
func (d Definition) Function() Function {
	body := FunctionDefinition{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	return Function{Type: "function", Function: body}
}

// PromptBytes returns the estimated number of bytes that d adds to a prompt.
func (d Definition) PromptBytes() int {
	const frame = 40 // names and brackets around the fields
	return len(d.Name) + len(d.Description) + len(d.Parameters) + frame
}

// BytesPerToken is the usual estimate for English text and JSON.
const BytesPerToken = 4

// TimeLimitMS returns the time limit of a call of d in milliseconds: from 1 to MaxTimeoutMS.
func (d Definition) TimeLimitMS() int {
	switch {
	case d.TimeoutMS <= 0:
		return DefaultTimeoutMS
	case d.TimeoutMS > MaxTimeoutMS:
		return MaxTimeoutMS
	}
	return d.TimeoutMS
}
