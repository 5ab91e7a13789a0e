package shell

import (
	"context"
	"io"
	"slices"

	"sextant/backend/sandbox/confine"
)

// Terminal makes a command run in a terminal instead of pipes.
type Terminal struct {
	Columns, Rows uint16
	// OnStart receives the terminal before the command starts. Output receives everything that the command prints.
	OnStart func(confine.TTY)
	Output  io.Writer
}

type terminalKey struct{}

// WithTerminal returns a context that makes a call of bash run in a terminal.
func WithTerminal(ctx context.Context, s *Terminal) context.Context {
	return context.WithValue(ctx, terminalKey{}, s)
}

func terminalOf(ctx context.Context) *Terminal {
	s, _ := ctx.Value(terminalKey{}).(*Terminal)
	return s
}

func (t *Terminal) apply(spec *confine.Spec) {
	if t == nil {
		return
	}
	spec.Terminal = &confine.Terminal{Columns: t.Columns, Rows: t.Rows, OnStart: t.OnStart}
	spec.Env = append(slices.Clone(spec.Env), "TERM=xterm-256color")
	// The terminal is the last writer, because it may block on its viewer, and the result must be complete by then.
	spec.Stdout, spec.Stderr = io.MultiWriter(spec.Stdout, t.Output), nil
}
