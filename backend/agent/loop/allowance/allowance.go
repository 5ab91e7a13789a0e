package allowance

import (
	"slices"
	"sync"

	"sextant/shared/toolspec"
)

// maxChildren is how many children run at once below one turn, at any depth.
const MaxSubagents = 3

// rights are what the model of a turn may do beside what the policy lets it.
type Rights struct {
	// tools are the only ones, nil for all that are offered.
	Tools    []string
	readOnly bool
	// calls and rounds bound the turn; 0 leaves that to the settings.
	Calls, Rounds int
}

// narrow is what a child of who has r may do: never more than r lets.
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

// allow reports whether a tool may be called.
func (r Rights) Allow(d toolspec.Definition) bool {
	return r.names(d.Name) && (!r.readOnly || d.Hints.ReadOnly)
}

// least is the smaller of two bounds, of which 0 is none.
func Min(a, b int) int {
	if a <= 0 || b <= 0 {
		return max(a, b)
	}
	return min(a, b)
}

// ledger counts what a turn and all below it still may do.
type Counter struct {
	mu       sync.Mutex
	calls    int
	children int
}

func NewCounter(calls int) *Counter { return &Counter{calls: calls} }

// take counts one call; false when none is left.
func (g *Counter) TakeCall() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls--
	return g.calls >= 0
}

func (g *Counter) CallsLeft() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls
}

// enter counts a child that begins; false when as many run as may.
func (g *Counter) StartSubagent() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.children >= MaxSubagents {
		return false
	}
	g.children++
	return true
}

func (g *Counter) EndSubagent() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.children--
}
