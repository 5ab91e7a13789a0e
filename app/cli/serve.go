package cli

import (
	"context"
	"fmt"
	"os"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/instance"
)

type serveVerb struct {
	Addr      string `help:"Loopback address and port; port 0 uses a free one." placeholder:"127.0.0.1:0"`
	TokenFile string `help:"Write address and token as JSON to this file (0600)." placeholder:"FILE"`
}

// serveReport is the content of the token file. Window is an address that opens one window once. It is as secret as the
// token.
type serveReport struct {
	URL    string `json:"url"`
	Token  string `json:"token"`
	PID    int    `json:"pid"`
	Window string `json:"window"`
}

// Run serves until the program is interrupted. It prints the address that opens a window only to a terminal, because a
// file or a service's log is read by others.
func (v *serveVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	flags := g.Flags()
	flags["addr"] = v.Addr
	sys, err := verb.Open(ctx, flags, app.OpenOptions{Serve: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	report := serveReport{URL: "http://" + sys.Host(), Token: sys.Token(), PID: os.Getpid(), Window: sys.URL()}
	if v.TokenFile != "" {
		if err := instance.WritePrivateJSON(v.TokenFile, report); err != nil {
			return verb.Failure(verb.ExitFailed, "writing the token file: %v", err)
		}
		defer func() { _ = os.Remove(v.TokenFile) }()
	}
	text := fmt.Sprintf("Sextant serves %s (process %d). To open a window, run: sextant open", report.URL, report.PID)
	if verb.IsTerminal(io.Out) {
		text += "\nOr open this address in a browser on this machine (it works once; Ctrl+C ends Sextant):\n" +
			report.Window
	}
	if _, err := fmt.Fprintln(io.Out, text); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}
