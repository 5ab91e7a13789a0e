// Package toolspec is the vocabulary of tools: what a tool is (Definition), what a
// request to run one is (Call), and what comes back (Result).
//
// Every door of Sextant (window, HTTP, MCP, command line, model) speaks in these
// three types, and every executor answers in them. The package holds data and pure
// functions only; it reads nothing and starts nothing. All values are plain data:
// they may be copied freely and shared between goroutines as long as nobody writes.
package toolspec

import "encoding/json"

// Origin says where a tool comes from; the router sends a call by it.
type Origin string

// The four origins of tools.
const (
	OriginBaseline Origin = "baseline"
	OriginPanel    Origin = "panel"
	OriginMCP      Origin = "mcp"
	OriginCreated  Origin = "created"
)

// ReadResult is the name of the tool that reads what is kept of a Result (Result.Kept).
const ReadResult = "read_result"

// The tools of a model that is told only some of the tools: FindTools finds others, CallTool
// calls one by its name. CallTool stands in a model's prompt alone; it is no tool of the Catalogue,
// and what it names passes the Pipeline as itself.
const (
	FindTools = "find_tools"
	CallTool  = "call_tool"
)

// RunSubagent is the tool that hands a task on to a turn of its own.
const RunSubagent = "run_subagent"

// FinalResponse is the tool by which a model says that a task with a wanted format is done. Like
// CallTool it stands in a prompt alone; no tool of the Catalogue may have its name.
const FinalResponse = "final_response"

// Definition describes one callable tool.
type Definition struct {
	// Name is unique in a Catalogue: snake_case; MCP tools are "server__tool".
	Name string `json:"name"`
	// Description is the text a model reads.
	Description string `json:"description"`
	// Parameters is a JSON Schema whose top level is an object.
	Parameters json.RawMessage `json:"parameters"`
	Origin     Origin          `json:"origin"`
	// Owner is the panel id or the MCP server's name, empty for baseline tools.
	Owner string `json:"owner,omitempty"`
	// Group sorts tools for people: navigation, environment, input, workspace,
	// activity_bar, feedback, files, shell, web, panel, mcp.
	Group string `json:"group,omitempty"`
	Hints Hints  `json:"hints"`
	// App is the address (ui://…) of the MCP server's page that shows calls of the tool, "" for none.
	App string `json:"app,omitempty"`
	// TimeoutMS bounds one execution; 0 means DefaultTimeoutMS.
	TimeoutMS int `json:"timeout_ms,omitempty"`
	// Examples are correct argument objects, shown in validation errors.
	Examples []json.RawMessage `json:"examples,omitempty"`
}

// Deadlines of an execution in milliseconds (REQUIREMENTS, "Decisions").
const (
	DefaultTimeoutMS = 30_000
	MaxTimeoutMS     = 300_000
)

// Hints say what a tool can do to the world; they follow MCP's tool annotations.
type Hints struct {
	ReadOnly    bool `json:"read_only,omitempty"`
	Destructive bool `json:"destructive,omitempty"`
	Idempotent  bool `json:"idempotent,omitempty"`
	OpenWorld   bool `json:"open_world,omitempty"`
	// Confirm makes the policy ask a person before every call without a grant.
	Confirm bool `json:"confirm,omitempty"`
	// Inert is true of a tool of ours that changes nothing by itself: what it sets going are calls
	// of other tools, each judged as such, or it ends what its caller began.
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
	return Function{Type: "function", Function: FunctionBody{Name: d.Name, Description: d.Description, Parameters: d.Parameters}}
}

// PromptBytes is about how much d adds to a prompt, in bytes.
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
