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
	return openWindow(ctx, running, windowTarget{}, v.Print || !hasDisplay(), false, io)
}

// windowTarget is what a window is opened with: the folder that the assistant works in then, and a sextant:// link; ""
// for none.
type windowTarget struct{ folder, link string }

// openWindow opens a window of the running Sextant in a browser, or with raise its desktop window if it has one.
func openWindow(
	ctx context.Context, running instance.Client, target windowTarget, printOnly, raise bool, io verb.Streams,
) error {
	link, err := running.WindowLink(ctx, raise, target.folder, target.link)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "the running Sextant (process %d) did not open: %v", running.PID, err)
	}
	if target.folder != "" {
		_, _ = fmt.Fprintf(io.Out, "It works in %s now.\n", target.folder)
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
