package cli

import (
	"context"
	"fmt"

	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/app/instance"
	"sextant/app/openurl"
)

// openVerb opens another window of the running Sextant, in a browser.
type openVerb struct {
	Print bool `help:"Print the address instead of opening it. It opens one window, within ten minutes."`
}

// Run asks the running Sextant for a link and opens or prints it.
func (v *openVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	cfg, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	running, err := instance.Connect(ctx, cfg.DataDir)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "no Sextant is running with the data folder %s. Start one with: sextant",
			cfg.DataDir)
	}
	return openWindow(ctx, running, "", v.Print || !hasDisplay(), false, io)
}

// openWindow opens a window of the running Sextant in a browser, or with raise its desktop window if it has one. The
// assistant works in folder then, unless it is "".
func openWindow(
	ctx context.Context, running instance.Client, folder string, printOnly, raise bool, io verb.Streams,
) error {
	link, err := running.WindowLink(ctx, raise, folder)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "the running Sextant (process %d) did not open: %v", running.PID, err)
	}
	if folder != "" {
		_, _ = fmt.Fprintf(io.Out, "It works in %s now.\n", folder)
	}
	if link == "" {
		_, err = fmt.Fprintln(io.Out, "Its window is in front now.")
		return err
	}
	if !printOnly {
		if err = openurl.InBrowser(link); err == nil {
			_, err = fmt.Fprintln(io.Out, "Opened a window in your browser.")
			return err
		}
		_, _ = fmt.Fprintf(io.Err, "sextant: %v. Open this address in a browser on this machine:\n", err)
	}
	_, err = fmt.Fprintln(io.Out, link)
	return err
}
