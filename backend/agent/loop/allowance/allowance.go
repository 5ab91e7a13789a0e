// Package allowance tracks what a turn and its subagents may still do: the tools they may call, and the calls and
// subagents left. Permissions are decided by the pipeline, not here.
package allowance

import (
	"slices"
	"sync"

	"sextant/shared/toolspec"
)

// MaxSubagents limits how many subagents run at once below one turn, at any depth.
const MaxSubagents = 3

// Rights limit what the model of a turn may do, in addition to the policy.
type Rights struct {
	// Tools names the tools that may be called; nil means all that are offered.
	Tools    []string
	readOnly bool
	// MaxCalls and MaxRounds limit the turn; 0 means the limit of the settings.
	MaxCalls, MaxRounds int
}

// Narrow returns the rights of a subagent, which are never more than r. nil tools means those of r.
func (r Rights) Narrow(tools []string, readOnly bool, calls, rounds int) Rights {
	if tools != nil {
		all := r
		r.Tools = slices.DeleteFunc(slices.Clone(tools), func(name string) bool { return !all.names(name) })
	}
	r.readOnly = r.readOnly || readOnly
	r.MaxCalls, r.MaxRounds = MinLimit(r.MaxCalls, calls), MinLimit(r.MaxRounds, rounds)
	return r
}

func (r Rights) names(name string) bool { return r.Tools == nil || slices.Contains(r.Tools, name) }

// Allows reports whether a tool may be called.
func (r Rights) Allows(d toolspec.Definition) bool {
	return r.names(d.Name) && (!r.readOnly || d.Hints.ReadOnly)
}

// MinLimit returns the smaller of two limits, where 0 means no limit.
func MinLimit(a, b int) int {
	if a <= 0 || b <= 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Counter counts the remaining calls and running subagents of a turn and its subagents. Safe for concurrent use.
type Counter struct {
	mu       sync.Mutex
	calls    int
	children int
}

// NewCounter returns a Counter that allows the given number of calls.
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

// EndSubagent reverses a successful StartSubagent.
func (c *Counter) EndSubagent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.children--
}
