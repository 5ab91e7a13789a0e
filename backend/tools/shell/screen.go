package shell

import (
	"context"
	"io"
	"slices"

	"sextant/backend/guard/confine"
)

// Screen is a terminal that a command runs in instead of pipes, behind the same walls. What is
// judged, asked for, limited and answered is the same.
type Screen struct {
	Columns, Rows uint16
	// Begun is handed the terminal before the command begins, Output all that it prints as it comes.
	Begun  func(confine.TTY)
	Output io.Writer
}

type screenKey struct{}

// OnScreen is ctx for a call of bash that is to run in a terminal.
func OnScreen(ctx context.Context, s *Screen) context.Context {
	return context.WithValue(ctx, screenKey{}, s)
}

// screenOf is the terminal of a call, nil for none.
func screenOf(ctx context.Context) *Screen {
	s, _ := ctx.Value(screenKey{}).(*Screen)
	return s
}

// put makes spec one for the terminal; without one it stays as it is.
func (s *Screen) put(spec *confine.Spec) {
	if s == nil {
		return
	}
	spec.Terminal = &confine.Terminal{Columns: s.Columns, Rows: s.Rows, Begun: s.Begun}
	spec.Env = append(slices.Clone(spec.Env), "TERM=xterm-256color")
	// The screen comes last: it may wait for who watches, and the answer must not lack what it shows.
	spec.Stdout, spec.Stderr = io.MultiWriter(spec.Stdout, s.Output), nil
}
