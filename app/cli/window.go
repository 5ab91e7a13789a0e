package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/app/desktop"
	"sextant/app/instance"
)

// windowVerb opens the window, or another one if Sextant is already running. Without a display, or in a build without a
// window, it serves the same interface and prints its address.
type windowVerb struct{}

// Run opens the window and returns when it is closed.
func (v *windowVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	cfg, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	if running, err := instance.Connect(ctx, cfg.DataDir); err == nil {
		_, _ = fmt.Fprintf(io.Err, "Sextant is already running (process %d).\n", running.PID)
		return openRunning(ctx, io, *g, running)
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{Serve: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	if desktop.Built && hasDisplay() {
		return desktop.Open(ctx, sys)
	}
	why := "No display was found"
	if !desktop.Built {
		why = "This build has no window"
	}
	_, _ = fmt.Fprintf(io.Err,
		"%s, so Sextant runs as a server. Open this address in a browser on this machine (it works once; Ctrl+C "+
			"ends Sextant):\n", why)
	_, _ = fmt.Fprintln(io.Out, sys.URL())
	<-ctx.Done()
	return nil
}

// openRunning opens the window of the running Sextant, in the folder of --workspace.
func openRunning(ctx context.Context, io verb.Streams, g verb.Global, running instance.Client) error {
	folder := g.Workspace
	if folder != "" {
		var err error
		if folder, err = filepath.Abs(folder); err != nil {
			return err
		}
	}
	g.Workspace = ""
	if other := g.SeparateOption(); other != "" {
		_, _ = fmt.Fprintf(io.Err, "It keeps its own %s. To change that, end it first.\n", other)
	}
	return openWindow(ctx, running, folder, !hasDisplay(), hasDisplay(), io)
}

func hasDisplay() bool {
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
