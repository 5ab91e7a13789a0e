package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sextant/app"
	"sextant/app/instance"
)

func joinList(list []string) string { return strings.Join(list, ",") }

func joinPaths(list []string) string { return strings.Join(list, string(filepath.ListSeparator)) }

type serveVerb struct {
	Addr      string `help:"Loopback address and port; port 0 uses a free one." placeholder:"127.0.0.1:0"`
	TokenFile string `help:"Write address and token as JSON to this file (0600)." placeholder:"FILE"`
}

// serveReport is the line that the verb prints, and the content of the token file. The line contains Token and Window
// only if it is printed to a terminal.
type serveReport struct {
	URL   string `json:"url"`
	Token string `json:"token,omitempty"`
	PID   int    `json:"pid"`
	// Window is an address that opens one window once. It is as secret as the token.
	Window string `json:"window,omitempty"`
}

// Run serves until the program is interrupted.
func (v *serveVerb) Run(ctx context.Context, io Streams, g *Global) error {
	flags := g.flags()
	flags["addr"] = v.Addr
	sys, err := openForVerb(ctx, flags, app.OpenOptions{Serve: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	line := serveReport{URL: "http://" + sys.Host(), PID: os.Getpid()}
	if v.TokenFile != "" {
		if err := instance.WritePrivateJSON(v.TokenFile,
			serveReport{URL: line.URL, Token: sys.Token(), PID: line.PID, Window: sys.URL()}); err != nil {
			return failure(exitFailed, "writing the token file: %v", err)
		}
		defer func() { _ = os.Remove(v.TokenFile) }()
	}
	if isTerminal(io.Out) {
		line.Token, line.Window = sys.Token(), sys.URL()
	}
	b, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(io.Out, string(b)); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// isTerminal reports whether w, an input or output, is a character device other than /dev/null.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != "null"
}
