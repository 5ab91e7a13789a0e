package pipeline

import (
	"context"
	"slices"
	"sync"

	"sextant/shared/toolspec"
)

const (
	maxTurns      = 64
	maxPerTurn    = 256
	maxRemembered = 256 << 10
	repeatNote    = "(the same call was made before in this turn and nothing was changed since; this is its result)\n"
)

// repeatCache stores the results of read-only calls by turn until something changes.
type repeatCache struct {
	mu sync.Mutex
	// changes counts the starts and ends of calls that can change something. A result is valid only while the count
	// stays the same.
	changes int64
	turns   map[string]map[string]cachedResult
	order   []string
}

type cachedResult struct {
	changes int64
	result  toolspec.Result
}

func newRepeatCache() *repeatCache { return &repeatCache{turns: map[string]map[string]cachedResult{}} }

func (r *repeatCache) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
}

func (r *repeatCache) count() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changes
}

func (r *repeatCache) get(turn, key string) (toolspec.Result, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	cached, ok := r.turns[turn][key]
	return cached.result, ok && cached.changes == r.changes
}

// put stores the result of a call that began when the count was changes, unless the count has changed since.
func (r *repeatCache) put(turn, key string, result toolspec.Result, changes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if changes != r.changes {
		return
	}
	if r.turns[turn] == nil {
		if len(r.order) >= maxTurns {
			delete(r.turns, r.order[0])
			r.order = r.order[1:]
		}
		r.turns[turn] = map[string]cachedResult{}
		r.order = append(r.order, turn)
	}
	if len(r.turns[turn]) < maxPerTurn {
		r.turns[turn][key] = cachedResult{changes: changes, result: result}
	}
}

func (r *repeatCache) forget(turn string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.turns, turn)
	for i, t := range r.order {
		if t == turn {
			r.order = append(r.order[:i], r.order[i+1:]...)
			break
		}
	}
}

// volatile contains the groups of tools that also read what others than calls change: pages, files, the machine, and
// panels.
var volatile = []string{"environment", "files", "shell", "panel"}

// repeatable reports whether the call may be answered from the cache: it only reads, and only calls change what it
// reads.
func (c *callState) repeatable() bool {
	return c.call.From.Turn != "" && c.def.Hints.ReadOnly && !c.def.Hints.OpenWorld &&
		!slices.Contains(volatile, c.def.Group)
}

func (c *callState) cacheKey() string {
	return c.call.Tool + "\x00" + c.call.Panel + "\x00" + c.call.From.Session + "\x00" + string(c.call.Args)
}

func (p *Pipeline) repeat(_ context.Context, c *callState) *toolspec.Result {
	c.changes = p.repeats.count()
	if !c.repeatable() {
		return nil
	}
	earlier, ok := p.repeats.get(c.call.From.Turn, c.cacheKey())
	if !ok {
		return nil
	}
	earlier.Text = repeatNote + earlier.ModelText()
	earlier.DurationMS = 0
	c.row.Decision, c.row.Reason = "repeated", "Answered from the same call earlier in this turn."
	return &earlier
}

// remember stores the result of a call for repeat, if it is a success without pictures and not too long.
func (p *Pipeline) remember(c *callState, result toolspec.Result) {
	if c.repeatable() && result.Success && len(result.Images) == 0 && len(result.ModelText()) <= maxRemembered {
		p.repeats.put(c.call.From.Turn, c.cacheKey(), result, c.changes)
	}
}
