package shell

import (
	"context"
	"io"
	"slices"

	"sextant/backend/sandbox/confine"
)

// Terminal is a terminal that a command runs in instead of pipes, in the same sandbox. Nothing else differs.
type Terminal struct {
	Columns, Rows uint16
	// Started gets the terminal before the command starts, Output everything that it prints.
	Started func(confine.TTY)
	Output  io.Writer
}

type terminalKey struct{}

// WithTerminal returns a context for a call of bash that runs in a terminal.
func WithTerminal(ctx context.Context, s *Terminal) context.Context {
	return context.WithValue(ctx, terminalKey{}, s)
}

// terminalOf returns the terminal of a call, nil for none.
func terminalOf(ctx context.Context) *Terminal {
	s, _ := ctx.Value(terminalKey{}).(*Terminal)
	return s
}

// apply makes spec run in the terminal; a nil Terminal changes nothing.
func (t *Terminal) apply(spec *confine.Spec) {
	if t == nil {
		return
	}
	spec.Terminal = &confine.Terminal{Columns: t.Columns, Rows: t.Rows, OnStart: t.Started}
	spec.Env = append(slices.Clone(spec.Env), "TERM=xterm-256color")
	// The terminal comes last: it may block on its viewer, and the result must not lack what it shows.
	spec.Stdout, spec.Stderr = io.MultiWriter(spec.Stdout, t.Output), nil
}
