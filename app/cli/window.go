package cli

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/app/desktop"
	"sextant/app/instance"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

// windowVerb opens the window, or another one if Sextant is already running. Without a display, or in a build without a
// window, it serves the same interface and prints its address.
type windowVerb struct {
	Hidden bool   `help:"Start in the tray, without showing the window, if the desktop has a tray."`
	Target string `help:"Folder to work in, address to open, or sextant:// link to show. --target may be left out."`
}

// withTarget returns args with --target before a first argument that can only be a folder, an address or a link.
func withTarget(args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || !strings.ContainsAny(args[0], ":/.") {
		return args
	}
	return append([]string{"window", "--target"}, args...)
}

// Run opens the window and returns when it is closed.
func (v *windowVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	target, err := readTarget(v.Target)
	if err != nil {
		return err
	}
	return showWindow(ctx, io, g, target, v.Hidden)
}

// askVerb opens the window with the message box of a new conversation, for a key of the desktop. It sends nothing.
type askVerb struct {
	Text []string `arg:"" optional:"" help:"Text for the message box; - is what a pipe gives, such as the clipboard."`
}

// maxAsked is how long a text for the message box may be, in bytes.
const maxAsked = 1000

// Run opens the window, or brings it to the front.
func (v *askVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global) error {
	text := strings.Join(v.Text, " ")
	if text == "-" {
		piped, err := io.ReadAll(io.LimitReader(streams.In, 1<<20))
		if err != nil {
			return verb.Failure(verb.ExitFailed, "the text could not be read: %v", err)
		}
		text = strings.TrimSpace(string(piped))
	}
	if len(text) > maxAsked || !utf8.ValidString(text) {
		return verb.Failure(verb.ExitUsage,
			"the text must be UTF-8 and at most %d bytes. Attach a longer one as a file.", maxAsked)
	}
	link := event.LinkScheme + "://new?" + url.Values{"text": {text}}.Encode()
	return showWindow(ctx, streams, g, windowTarget{link: link}, false)
}

// showWindow opens the window, or that of the running Sextant, with a target. It returns when the window is closed.
func showWindow(
	ctx context.Context, io verb.Streams, g *verb.Global, target windowTarget, hidden bool,
) error {
	if target.folder != "" {
		g.Workspace = target.folder
	}
	cfg, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	if running, err := instance.Connect(ctx, cfg.DataDir); err == nil {
		_, _ = fmt.Fprintf(io.Err, "Sextant is already running (process %d).\n", running.PID)
		if hidden {
			return nil
		}
		return openRunning(ctx, io, *g, running, target.link)
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{Serve: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	if desktop.Built && hasDisplay() {
		return desktop.Open(ctx, sys, fragment(target.link), hidden)
	}
	why := "No display was found"
	if !desktop.Built {
		why = "This build has no window"
	}
	_, _ = fmt.Fprintf(io.Err,
		"%s, so Sextant runs as a server. Open this address in a browser on this machine (it works once; Ctrl+C "+
			"ends Sextant):\n", why)
	_, _ = fmt.Fprintln(io.Out, sys.URL()+fragment(target.link))
	<-ctx.Done()
	return nil
}

// readTarget reads the argument of the window verb. An address of the web is a link that offers to open it.
func readTarget(text string) (windowTarget, error) {
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		text = event.LinkScheme + "://open?url=" + url.QueryEscape(text)
	}
	if strings.HasPrefix(text, event.LinkScheme+":") {
		link, err := event.ParseLink(text)
		if link.Kind == event.LinkMessage && link.Name != "" {
			err = event.ErrLink // any page can have a link; only the verb ask writes into the message box
		}
		if err != nil {
			return windowTarget{}, verb.Failure(verb.ExitUsage, "%s: %v.", excerpt.Line(text, 100), err)
		}
		return windowTarget{link: text}, nil
	}
	if text == "" {
		return windowTarget{}, nil
	}
	if info, err := os.Stat(text); err != nil || !info.IsDir() {
		return windowTarget{}, verb.Failure(verb.ExitUsage, "%s is neither a folder nor an address. Run sextant "+
			"--help to list the commands.", excerpt.Line(text, 100))
	}
	return windowTarget{folder: text}, nil
}

// fragment returns what the address of a window gets to show a link, "" for none.
func fragment(link string) string {
	if parsed, err := event.ParseLink(link); err == nil {
		return "&" + parsed.Fragment()
	}
	return ""
}

// openRunning opens the window of the running Sextant, in the folder of --workspace, and shows a link in it.
func openRunning(ctx context.Context, io verb.Streams, g verb.Global, running instance.Client, link string) error {
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
	return openWindow(ctx, running, windowTarget{folder, link}, !hasDisplay(), hasDisplay(), io)
}

func hasDisplay() bool {
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
