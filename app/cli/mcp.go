package cli

import (
	"cmp"
	"context"
	"net/url"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/backend/api/mcpserver"
)

type mcpVerb struct {
	Headless   bool   `help:"Start a separate Sextant and browser, even if one is running."`
	Share      bool   `help:"Use the tabs of the window; without it, a client has tabs of its own."`
	Tools      string `help:"Tools to offer: core, environment or all." enum:"core,environment,all" default:"core"`
	Panel      string `help:"Offer the tools of this panel, too." placeholder:"ID"`
	BrowserURL string `name:"browser-url" help:"Attach to a running Chromium at its debugging address (http, or ws of a grid)." placeholder:"http://127.0.0.1:PORT"`
}

// Run serves until stdin ends or the program is interrupted.
func (v *mcpVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	if v.BrowserURL != "" {
		if err := checkBrowserURL(v.BrowserURL); err != nil {
			return err
		}
		if g.Profile != nil {
			return verb.Failure(verb.ExitUsage,
				"--profile is for a browser that Sextant starts, and --browser-url attaches to a running one. Use "+
					"only one of them.")
		}
	}
	separate := cmp.Or(verb.OptionIf(v.Headless, "--headless"), verb.OptionIf(v.BrowserURL != "", "--browser-url"),
		g.SeparateOption())
	if v.Share && separate != "" {
		return verb.Failure(verb.ExitUsage,
			"--share uses the tabs of the running window, and %s needs a separate Sextant. Use only one of "+
				"them.", separate)
	}
	_, config, joined, err := verb.FindRunning(ctx, g, separate, io)
	switch {
	case err != nil:
		return err
	case joined:
		return v.join(ctx, config, io)
	case v.Share:
		return verb.Failure(verb.ExitUsage,
			"--share uses the window's tabs, but no Sextant is running on %s. Start sextant (or sextant serve) "+
				"first, or omit --share.", config.DataDir)
	}
	session := "mcp"
	if g.Profile != nil && *g.Profile != "" {
		session = "" // the tabs of the profile
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{
		AllowTemporaryData: true, AttachURL: v.BrowserURL,
		TemporaryProfile: session != "", WaitMCP: v.Tools == "all",
	}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	if err := sys.Sharing.CheckPanel(v.Panel); err != nil {
		return verb.Failure(verb.ExitUsage, "--panel: %v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	join := mcpserver.JoinRequest{Tools: v.Tools, Panel: v.Panel}
	err = mcpserver.Serve(ctx, sys.Sharing.ClientConfig(ctx, join, session), io.In, io.Out)
	if err != nil && ctx.Err() == nil {
		return verb.Failure(verb.ExitFailed, "the MCP connection ended: %v", err)
	}
	return nil
}

func checkBrowserURL(address string) error {
	u, err := url.Parse(address)
	if err == nil && u.Host != "" {
		switch u.Scheme {
		case "http", "https", "ws", "wss":
			return nil
		}
	}
	return verb.Failure(verb.ExitUsage, "--browser-url %q is not a debugging address. Start the browser with "+
		"--remote-debugging-port=9222 and use http://127.0.0.1:9222, or use the ws://…/devtools/browser/… of a "+
		"grid.", address)
}
