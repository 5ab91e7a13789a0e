// Package toolspec defines what a tool is (Definition), a request to run one (Call), and its outcome (Result).
//
// Every caller of Sextant (window, HTTP, MCP, command line, model) and every executor uses these three types. The
// package holds plain data and pure functions. Values may be copied, and shared between goroutines that only
// read.
package toolspec

import "encoding/json"

// Origin says where a tool comes from. It selects the executor of a call.
type Origin string

// The four origins of tools.
const (
	OriginBaseline Origin = "baseline"
	OriginPanel    Origin = "panel"
	OriginMCP      Origin = "mcp"
	OriginCreated  Origin = "created"
)

// ReadResult is the tool that reads a stored result in parts (Result.Stored).
const ReadResult = "read_result"

// The tools of a model whose prompt has only some of the tools: FindTools finds others, CallTool calls one by its
// name. CallTool exists only in the prompt: the tool that it names runs through the pipeline under its own name.
const (
	FindTools = "find_tools"
	CallTool  = "call_tool"
)

// RunSubagent is the tool that gives a task to a subagent.
const RunSubagent = "run_subagent"

// FinalResponse is the tool by which a model says that a task with a required format is done. Like CallTool it
// exists only in the prompt; no tool may have its name.
const FinalResponse = "final_response"

// Definition describes one callable tool.
type Definition struct {
	// Name is unique among the tools on offer, in snake_case; MCP tools are "server__tool".
	Name string `json:"name"`
	// Description is the text a model reads.
	Description string `json:"description"`
	// Parameters is a JSON Schema whose top level is an object.
	Parameters json.RawMessage `json:"parameters"`
	Origin     Origin          `json:"origin"`
	// Owner is the panel id or the MCP server's name, empty for baseline tools.
	Owner string `json:"owner,omitempty"`
	// Group groups tools for people: navigation, environment, input, workspace,
	// activity_bar, feedback, files, shell, web, panel, mcp, created.
	Group string `json:"group,omitempty"`
	Hints Hints  `json:"hints"`
	// App is the address (ui://…) of the MCP server's page that shows calls of the tool, "" for none.
	App string `json:"app,omitempty"`
	// TimeoutMS bounds one execution; 0 means DefaultTimeoutMS.
	TimeoutMS int `json:"timeout_ms,omitempty"`
	// Examples are correct argument objects, shown in validation errors.
	Examples []json.RawMessage `json:"examples,omitempty"`
}

// Deadlines of an execution in milliseconds.
const (
	DefaultTimeoutMS = 30_000
	MaxTimeoutMS     = 300_000
)

// Hints say what effects a tool can have. They follow MCP's tool annotations.
type Hints struct {
	ReadOnly    bool `json:"read_only,omitempty"`
	Destructive bool `json:"destructive,omitempty"`
	Idempotent  bool `json:"idempotent,omitempty"`
	OpenWorld   bool `json:"open_world,omitempty"`
	// Confirm makes the policy ask a person before every call without a grant.
	Confirm bool `json:"confirm,omitempty"`
	// Inert is true of a tool of ours that changes nothing itself: it only makes calls of other tools, which
	// are judged on their own, or ends what its caller began.
	Inert bool `json:"inert,omitempty"`
}

// Function is the OpenAI function-calling form of a Definition.
type Function struct {
	Type     string       `json:"type"`
	Function FunctionBody `json:"function"`
}

// FunctionBody is the inner object of Function.
type FunctionBody struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Function returns d in OpenAI function-calling form.
func (d Definition) Function() Function {
	body := FunctionBody{Name: d.Name, Description: d.Description, Parameters: d.Parameters}
	return Function{Type: "function", Function: body}
}

// PromptBytes estimates how much d adds to a prompt, in bytes.
func (d Definition) PromptBytes() int {
	const frame = 40 // the names and brackets around it
	return len(d.Name) + len(d.Description) + len(d.Parameters) + frame
}

// BytesPerToken is the usual estimate for English and JSON.
const BytesPerToken = 4

// Deadline returns the execution bound of d in milliseconds, always within (0, MaxTimeoutMS].
func (d Definition) Deadline() int {
	switch {
	case d.TimeoutMS <= 0:
		return DefaultTimeoutMS
	case d.TimeoutMS > MaxTimeoutMS:
		return MaxTimeoutMS
	}
	return d.TimeoutMS
}
