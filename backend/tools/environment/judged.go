package environment

import (
	"slices"
	"sync"
)

// maxJudged bounds the calls that are remembered until they run; most run at once.
const maxJudged = 1000

// judged remembers by call what its description named and its arguments alone do not say: which files
// a link led to, who offered a tool. What runs is that and nothing else. It is safe for concurrent
// use.
type judged struct {
	mu    sync.Mutex
	order []string
	facts map[string][]string
}

// note remembers facts of call; a later note of the same call takes the place of an earlier one.
func (j *judged) note(call string, facts []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.facts == nil {
		j.facts = map[string][]string{}
	}
	if _, again := j.facts[call]; !again {
		if len(j.order) >= maxJudged {
			delete(j.facts, j.order[0])
			j.order = j.order[1:]
		}
		j.order = append(j.order, call)
	}
	j.facts[call] = facts
}

// take hands over what was noted, once; false when nothing was.
func (j *judged) take(call string) (facts []string, was bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	facts, was = j.facts[call]
	delete(j.facts, call)
	j.order = slices.DeleteFunc(j.order, func(id string) bool { return id == call })
	return facts, was
}
