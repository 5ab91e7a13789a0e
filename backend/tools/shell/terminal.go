package shell

import (
	"context"
	"io"
	"slices"

	"sextant/backend/guard/confine"
)

// Screen is a terminal that a command runs in instead of pipes, in the same sandbox. Nothing else differs.
type Screen struct {
	Columns, Rows uint16
	// Begun gets the terminal before the command starts, Output everything that it prints.
	Begun  func(confine.TTY)
	Output io.Writer
}

type screenKey struct{}

// OnScreen returns a context for a call of bash that runs in a terminal.
func OnScreen(ctx context.Context, s *Screen) context.Context {
	return context.WithValue(ctx, screenKey{}, s)
}

// terminalOf returns the terminal of a call, nil for none.
func terminalOf(ctx context.Context) *Screen {
	s, _ := ctx.Value(screenKey{}).(*Screen)
	return s
}

// apply makes spec run in the terminal; a nil Screen changes nothing.
func (s *Screen) apply(spec *confine.Spec) {
	if s == nil {
		return
	}
	spec.Terminal = &confine.Terminal{Columns: s.Columns, Rows: s.Rows, Begun: s.Begun}
	spec.Env = append(slices.Clone(spec.Env), "TERM=xterm-256color")
	// The terminal comes last: it may block on its viewer, and the result must not lack what it shows.
	spec.Stdout, spec.Stderr = io.MultiWriter(spec.Stdout, s.Output), nil
}
