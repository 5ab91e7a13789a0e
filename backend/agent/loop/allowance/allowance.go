// Package allowance holds what a turn and its subagents may still do: the tools they may call, and the
// calls and subagents left. It decides nothing about permissions; that is the pipeline's.
package allowance

import (
	"slices"
	"sync"

	"sextant/shared/toolspec"
)

// MaxSubagents is how many subagents run at once below one turn, at any depth.
const MaxSubagents = 3

// Rights are what the model of a turn may do, besides what the policy allows.
type Rights struct {
	// Tools are the only ones, nil for all that are offered.
	Tools    []string
	readOnly bool
	// Calls and Rounds limit the turn; 0 leaves that to the settings.
	Calls, Rounds int
}

// Narrow returns the rights of a subagent: never more than r.
func (r Rights) Narrow(tools []string, readOnly bool, calls, rounds int) Rights {
	if tools != nil {
		all := r
		r.Tools = slices.DeleteFunc(slices.Clone(tools), func(name string) bool { return !all.names(name) })
	}
	r.readOnly = r.readOnly || readOnly
	r.Calls, r.Rounds = Min(r.Calls, calls), Min(r.Rounds, rounds)
	return r
}

func (r Rights) names(name string) bool { return r.Tools == nil || slices.Contains(r.Tools, name) }

// Allow reports whether a tool may be called.
func (r Rights) Allow(d toolspec.Definition) bool {
	return r.names(d.Name) && (!r.readOnly || d.Hints.ReadOnly)
}

// Min is the smaller of two limits, where 0 means none.
func Min(a, b int) int {
	if a <= 0 || b <= 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Counter counts the remaining calls and running subagents of a turn and all below it.
type Counter struct {
	mu       sync.Mutex
	calls    int
	children int
}

// NewCounter returns a Counter that allows that many calls.
func NewCounter(calls int) *Counter { return &Counter{calls: calls} }

// TakeCall counts one call; it returns false if none is left.
func (c *Counter) TakeCall() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls--
	return c.calls >= 0
}

// CallsLeft returns how many calls remain; it is negative if more were taken than allowed.
func (c *Counter) CallsLeft() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls
}

// StartSubagent counts a subagent; it returns false if MaxSubagents are running.
func (c *Counter) StartSubagent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.children >= MaxSubagents {
		return false
	}
	c.children++
	return true
}

// EndSubagent ends what a successful StartSubagent began.
func (c *Counter) EndSubagent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.children--
}
