package pipeline

import (
	"context"
	"slices"
	"sync"

	"sextant/shared/toolspec"
)

// Bounds of what is remembered for repeated calls.
const (
	maxTurns        = 64
	maxPerTurn      = 256
	maxRemembered   = 256 << 10
	repeatedInWords = "(the same call was made before in this turn and nothing was changed since; this is its result)\n"
)

// memory holds the results of read-only calls by turn, for as long as nothing changes.
type memory struct {
	mu sync.Mutex
	// changes counts the beginnings and ends of calls that can change something. An
	// answer holds only while the count stands still.
	changes int64
	turns   map[string]map[string]remembered
	order   []string
}

type remembered struct {
	changes int64
	result  toolspec.Result
}

func newMemory() *memory { return &memory{turns: map[string]map[string]remembered{}} }

func (m *memory) changed() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changes++
}

func (m *memory) count() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changes
}

func (m *memory) recall(turn, key string) (toolspec.Result, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.turns[turn][key]
	return r.result, ok && r.changes == m.changes
}

// keep remembers a result of a call that began when the count stood at changes.
func (m *memory) keep(turn, key string, result toolspec.Result, changes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if changes != m.changes {
		return
	}
	if m.turns[turn] == nil {
		if len(m.order) >= maxTurns {
			delete(m.turns, m.order[0])
			m.order = m.order[1:]
		}
		m.turns[turn] = map[string]remembered{}
		m.order = append(m.order, turn)
	}
	if len(m.turns[turn]) < maxPerTurn {
		m.turns[turn][key] = remembered{changes: changes, result: result}
	}
}

func (m *memory) forget(turn string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.turns, turn)
	for i, t := range m.order {
		if t == turn {
			m.order = append(m.order[:i], m.order[i+1:]...)
			break
		}
	}
}

// moving are the groups whose tools look at what others change, too: pages, files (a person
// saves, a build writes, a database grows), the machine, and panels, which a person works in.
var moving = []string{"environment", "files", "shell", "panel"}

// repeatable reports whether the call may be answered from memory: it only reads, and what
// it reads does not move by itself.
func (f *flight) repeatable() bool {
	return f.call.From.Turn != "" && f.def.Hints.ReadOnly && !f.def.Hints.OpenWorld && !slices.Contains(moving, f.def.Group)
}

func (f *flight) memoryKey() string {
	return f.call.Tool + "\x00" + f.call.Panel + "\x00" + f.call.From.Session + "\x00" + string(f.call.Args)
}

// repeat answers a read-only call that was made before in this turn from its first result.
func (p *Pipeline) repeat(_ context.Context, f *flight) *toolspec.Result {
	f.changes = p.memory.count()
	if !f.repeatable() {
		return nil
	}
	earlier, ok := p.memory.recall(f.call.From.Turn, f.memoryKey())
	if !ok {
		return nil
	}
	earlier.Text = repeatedInWords + earlier.ModelText()
	earlier.DurationMS = 0
	f.verdict, f.reason = "repeated", "Answered from the same call earlier in this turn."
	return &earlier
}

// remember keeps what run returned for a later repeat.
func (p *Pipeline) remember(f *flight, result toolspec.Result) {
	if f.repeatable() && result.Success && len(result.Images) == 0 && len(result.ModelText()) <= maxRemembered {
		p.memory.keep(f.call.From.Turn, f.memoryKey(), result, f.changes)
	}
}
