package app

import (
	"context"
	"fmt"
	"os"
)

// windowVerb opens the window; without a display, or in a build without a window, it
// serves the same interface and says where.
type windowVerb struct{}

// Run opens the window and returns when it is closed.
func (v *windowVerb) Run(ctx context.Context, io streams, g *Global) error {
	sys, err := openForVerb(ctx, g.flags(), Purpose{Serve: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	if windowBuilt && hasDisplay() {
		return openWindow(ctx, sys)
	}
	why := "There is no display"
	if !windowBuilt {
		why = "This build has no window"
	}
	_, _ = fmt.Fprintf(io.err, "%s, so Sextant is served. Open this address in a browser on this machine (it works once; Ctrl C ends Sextant):\n", why)
	_, _ = fmt.Fprintln(io.out, sys.URL())
	<-ctx.Done()
	return nil
}

// hasDisplay reports whether a window can be shown.
func hasDisplay() bool {
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
