package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"sextant/backend/tools/mcp"
)

// mcpServersVerb manages the MCP servers that Sextant uses.
type mcpServersVerb struct {
	List   mcpListVerb   `cmd:"" default:"1" help:"List the servers and their tools."`
	Add    mcpAddVerb    `cmd:"" help:"Add a server."`
	Import mcpImportVerb `cmd:"" help:"Import servers from another program's mcpServers file."`
}

type mcpListVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run starts the servers and prints their state.
func (v *mcpListVerb) Run(ctx context.Context, io streams, g *Global) error {
	sys, err := openForVerb(ctx, g.flags(), Purpose{Private: true, WaitMCP: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	list := sys.MCP.List()
	if v.JSON {
		return printJSON(io, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(io.out, "No MCP servers yet. Add one: sextant mcp-servers add NAME COMMAND [ARG …]")
		return err
	}
	w := tabwriter.NewWriter(io.out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%d tools\t%s\n", s.Name, s.State, len(s.Tools), s.Error)
	}
	return w.Flush()
}

type mcpAddVerb struct {
	Name    string            `arg:"" help:"Name; its tools are called name__tool."`
	Command []string          `arg:"" optional:"" passthrough:"" help:"Program and its arguments."`
	URL     string            `name:"url" help:"Address of a remote server instead of a program." placeholder:"URL"`
	Env     map[string]string `help:"Environment variables." placeholder:"K=V"`
}

// Run writes the server into mcp-config.json.
func (v *mcpAddVerb) Run(io streams, g *Global) error {
	if (v.URL == "") == (len(v.Command) == 0) {
		return failure(exitUsage, "give a program or --url, e.g. sextant mcp-servers add files npx -y @modelcontextprotocol/server-filesystem .")
	}
	entry := mcp.Entry{URL: v.URL, Env: v.Env}
	if len(v.Command) > 0 {
		entry.Command, entry.Args = v.Command[0], v.Command[1:]
	}
	config, err := LoadConfig(g.flags())
	if err != nil {
		return err
	}
	if err := mcp.Add(filepath.Join(config.ConfigDir, mcp.FileName), v.Name, entry); err != nil {
		return failure(exitFailed, "%v", err)
	}
	_, err = fmt.Fprintf(io.out, "Added %s. A running Sextant starts it at once.\n", v.Name)
	return err
}

type mcpImportVerb struct {
	File string `arg:"" help:"File in the mcpServers form." type:"path"`
}

// Run merges the file's servers; names that exist already are left as they are and told.
func (v *mcpImportVerb) Run(io streams, g *Global) error {
	config, err := LoadConfig(g.flags())
	if err != nil {
		return err
	}
	data, err := os.ReadFile(v.File)
	if err != nil {
		return failure(exitFailed, "reading %s: %v", v.File, err)
	}
	added, skipped, err := mcp.Import(filepath.Join(config.ConfigDir, mcp.FileName), data)
	if err != nil {
		return failure(exitFailed, "%v", err)
	}
	_, _ = fmt.Fprintf(io.out, "Added %d: %s\n", len(added), strings.Join(added, ", "))
	if len(skipped) > 0 {
		_, _ = fmt.Fprintf(io.out, "Left as they are, because the name is taken: %s\n", strings.Join(skipped, ", "))
	}
	return nil
}
