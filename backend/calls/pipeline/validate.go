package pipeline

import (
	"context"

	"sextant/shared/toolspec"
)

// validate replaces the arguments by their canonical form, or says what to send instead.
func (p *Pipeline) validate(_ context.Context, f *flight) *toolspec.Result {
	canonical, problem := p.checker.Check(f.def, f.call.Args)
	if problem != nil {
		// The call is told of and kept all the same, and so its secrets have to be known.
		if desc, err := p.described(f); err == nil {
			f.desc.Secret = desc.Secret
		}
		return problem
	}
	f.call.Args = canonical
	return nil
}
