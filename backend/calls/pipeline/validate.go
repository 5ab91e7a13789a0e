package pipeline

import (
	"context"

	"sextant/shared/toolspec"
)

// validate replaces the arguments by their canonical form, or says what to send instead.
func (p *Pipeline) validate(_ context.Context, f *flight) *toolspec.Result {
	canonical, problem := p.checker.Check(f.def, f.call.Args)
	if problem != nil {
		return problem
	}
	f.call.Args = canonical
	return nil
}
