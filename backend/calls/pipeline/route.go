package pipeline

import (
	"context"

	"sextant/shared/toolspec"
)

// route sends the call to the executor of its tool's origin.
func (p *Pipeline) route(_ context.Context, f *flight) *toolspec.Result {
	if f.executor = p.executor(f.def.Origin); f.executor != nil {
		return nil
	}
	r := toolspec.Fail(toolspec.SystemError, "nothing runs tools of the origin "+string(f.def.Origin)+" here", "Nothing was changed.")
	return &r
}

func (p *Pipeline) executor(origin toolspec.Origin) Executor {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.executors[origin]
}
