package scheduleverbs

import (
	"context"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/app/instance"
)

// running returns the running Sextant of the data folder. ok is false if none runs.
func running(ctx context.Context, g *verb.Global) (at verb.RunningInstance, ok bool) {
	config, err := config.Load(g.Flags())
	if err != nil {
		return at, false // opening one reports it
	}
	at.Client, err = instance.Connect(ctx, config.DataDir)
	return at, err == nil
}

// openAlone opens a Sextant that does not serve, for what a person decides: a program that joined a running Sextant
// must not. panel is the panel in which the person decides while one runs.
func openAlone(
	ctx context.Context, io verb.Streams, g *verb.Global, panel string, options app.OpenOptions,
) (*app.System, error) {
	if at, ok := running(ctx, g); ok {
		return nil, verb.Failure(verb.ExitRefused,
			"Sextant is running (process %d). Do it in its window, in the panel %s, or end it first.", at.PID, panel)
	}
	return verb.Open(ctx, g.Flags(), options, io)
}
