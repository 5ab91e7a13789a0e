package tasks

import (
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// State is a task as a server describes it, in the form of either revision. Intervals are in milliseconds.
type State struct {
	sdk.ResultBase
	ID             string          `json:"taskId"`
	Status         string          `json:"status"`
	StatusMessage  string          `json:"statusMessage"`
	PollInterval   float64         `json:"pollInterval"`
	PollIntervalMS float64         `json:"pollIntervalMs"`
	InputRequests  json.RawMessage `json:"inputRequests"`
	Result         json.RawMessage `json:"result"`
	Error          json.RawMessage `json:"error"`
}

func (s *State) pause() time.Duration {
	ms := max(s.PollInterval, s.PollIntervalMS)
	if ms <= 0 {
		return defaultInterval
	}
	return time.Duration(min(max(ms, float64(minInterval.Milliseconds())),
		float64(maxInterval.Milliseconds()))) * time.Millisecond
}

// FromResult returns the task that Hoist found in answer, nil if there is none.
func FromResult(answer *sdk.CallToolResult) *State {
	if answer == nil {
		return nil
	}
	var s State
	if !remarshal(answer.Meta[metaTask], &s) || s.ID == "" || len(s.ID) > maxID {
		return nil
	}
	return &s
}

// RelatedID returns the id of the task that a server's question belongs to, or "" if it names none.
func RelatedID(meta map[string]any) string {
	var to struct {
		ID string `json:"taskId"`
	}
	if !remarshal(meta[related], &to) {
		return ""
	}
	return to.ID
}

func remarshal(from, to any) bool {
	if from == nil {
		return false
	}
	b, err := json.Marshal(from)
	return err == nil && json.Unmarshal(b, to) == nil
}

// Support reports whether calls of t on session must be requested as tasks, and whether they may become tasks.
func Support(session *sdk.ClientSession, t *sdk.Tool) (required, possible bool) {
	initialized := session.InitializeResult()
	if initialized == nil || initialized.Capabilities == nil {
		return false, false
	}
	if initialized.ProtocolVersion >= extensionRevision {
		_, possible = initialized.Capabilities.Extensions[Extension]
		return false, possible
	}
	var can struct {
		Requests struct {
			Tools struct {
				Call *struct{} `json:"call"`
			} `json:"tools"`
		} `json:"requests"`
	}
	var execution struct {
		TaskSupport string `json:"taskSupport"`
	}
	if !remarshal(initialized.Capabilities.Experimental[capTasks], &can) || can.Requests.Tools.Call == nil ||
		!remarshal(t.Meta[metaExecution], &execution) {
		return false, false
	}
	// A tool with "optional" is called like any other, because that delivers the same progress and result.
	required = execution.TaskSupport == "required"
	return required, required
}
