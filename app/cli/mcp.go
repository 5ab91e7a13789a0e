package cli

import (
	"cmp"
	"context"
	"net/url"

	"sextant/app"
	"sextant/backend/api/mcpserver"
)

// mcpVerb serves the tools over stdio.
type mcpVerb struct {
	Headless   bool   `help:"A Sextant and a browser of its own, also when one runs that could be joined."`
	Share      bool   `help:"Join the window's tabs; without it, a joined client has tabs of its own."`
	Tools      string `help:"core, environment or all." enum:"core,environment,all" default:"core"`
	Panel      string `help:"Also the tools of this panel." placeholder:"ID"`
	BrowserURL string `name:"browser-url" help:"Attach to a running Chromium at its debugging address (http, or ws of a grid)." placeholder:"http://127.0.0.1:PORT"`
}

// Run serves until stdin ends or the program is interrupted.
func (v *mcpVerb) Run(ctx context.Context, io Streams, g *Global) error {
	if v.BrowserURL != "" {
		if err := checkBrowserURL(v.BrowserURL); err != nil {
			return err
		}
		if g.Profile != nil {
			return failure(exitUsage,
				"--profile is for a browser that Sextant starts, and --browser-url joins one that runs. Leave one "+
					"of them out.")
		}
	}
	apart := cmp.Or(when(v.Headless, "--headless"), when(v.BrowserURL != "", "--browser-url"), g.apart())
	if v.Share && apart != "" {
		return failure(exitUsage,
			"--share joins the tabs of the running window, and %s holds only for a Sextant of its own. Leave one of "+
				"them out.", apart)
	}
	_, config, joined, err := findRunning(ctx, g, apart, io)
	switch {
	case err != nil:
		return err
	case joined:
		return v.join(ctx, config, io)
	case v.Share:
		return failure(exitUsage,
			"--share joins the window's tabs, but no Sextant runs on %s. Start sextant (or sextant serve) first, or "+
				"leave --share out.", config.DataDir)
	}
	session := "mcp"
	if g.Profile != nil && *g.Profile != "" {
		session = "" // the tabs that a kept profile belongs to
	}
	sys, err := openForVerb(ctx, g.flags(), app.Purpose{
		Private: true, AttachURL: v.BrowserURL,
		ThrowAway: session != "", WaitMCP: v.Tools == "all",
	}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	if err := sys.PanelKnown(v.Panel); err != nil {
		return failure(exitUsage, "--panel: %v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	err = mcpserver.Serve(ctx, sys.MCPConfig(ctx, mcpserver.JoinRequest{Tools: v.Tools, Panel: v.Panel}, session),
		io.In, io.Out)
	if err != nil && ctx.Err() == nil {
		return failure(exitFailed, "the MCP connection ended: %v", err)
	}
	return nil
}

// checkBrowserURL says what an address of a running browser looks like.
func checkBrowserURL(address string) error {
	u, err := url.Parse(address)
	if err == nil && u.Host != "" {
		switch u.Scheme {
		case "http", "https", "ws", "wss":
			return nil
		}
	}
	return failure(exitUsage, "--browser-url %q is no debugging address. Start the browser with "+
		"--remote-debugging-port=9222 and write http://127.0.0.1:9222, or take the ws://…/devtools/browser/… of a "+
		"grid.", address)
}
