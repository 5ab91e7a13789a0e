package app

import (
	"context"
	"slices"

	"sextant/backend/api/mcpserver"
	"sextant/shared/toolspec"
)

// mcpVerb serves the tools over stdio.
type mcpVerb struct {
	Headless   bool   `help:"Use a browser and data of its own even when Sextant runs."`
	Share      bool   `help:"Join the window's tabs instead of own ones."`
	Tools      string `help:"core, environment or all." enum:"core,environment,all" default:"core"`
	BrowserURL string `name:"browser-url" help:"Attach to a running Chromium at its debugging address." placeholder:"http://127.0.0.1:PORT"`
}

// Run serves until stdin ends or the program is interrupted.
func (v *mcpVerb) Run(ctx context.Context, io streams, g *Global) error {
	sys, err := openForVerb(ctx, g.flags(), Purpose{Private: true, AttachURL: v.BrowserURL}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	session := "mcp"
	if v.Share {
		session = ""
	}
	err = mcpserver.Serve(ctx, mcpserver.Config{
		Tools: offered{sys, v.Tools}, Caller: sys.Pipeline, Session: session, Version: Version,
	}, io.in, io.out)
	if err != nil && ctx.Err() == nil {
		return failure(exitFailed, "the MCP connection ended: %v", err)
	}
	return nil
}

// offered is the part of the Catalogue that an MCP client sees.
type offered struct {
	sys *System
	set string
}

// Definitions lists the tools of the chosen set.
func (o offered) Definitions() []toolspec.Definition {
	all := o.sys.Discovery.Discover("").All()
	core := o.sys.Nav.Core()
	var environment []string
	for _, c := range o.sys.Nav.Environment {
		environment = append(environment, c.Tool)
	}
	return slices.DeleteFunc(slices.Clone(all), func(d toolspec.Definition) bool {
		switch o.set {
		case "core":
			return !slices.Contains(core, d.Name)
		case "environment":
			return !slices.Contains(environment, d.Name)
		}
		return false
	})
}
