package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/importers"
	"sextant/shared/excerpt"
)

type mcpServersVerb struct {
	List   mcpListVerb   `cmd:"" default:"1" help:"List the servers and their tools."`
	Add    mcpAddVerb    `cmd:"" help:"Add a server."`
	Grants mcpGrantsVerb `cmd:"" help:"Show or change what a server may access."`
	Import mcpImportVerb `cmd:"" help:"Import servers from another program's mcpServers file."`
}

type mcpListVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run starts the servers and prints their state.
func (v *mcpListVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{AllowTemporaryData: true, WaitMCP: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	file := filepath.Join(sys.Config.ConfigDir, mcpconfig.FileName)
	if _, _, err := mcpconfig.ReadEntries(file); err != nil {
		return verb.Failure(verb.ExitFailed, "%s cannot be read. %v", file, err)
	}
	list := sys.MCP.List()
	if v.JSON {
		return verb.PrintJSON(io, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(io.Out, "No MCP servers yet. Add one: sextant mcp-servers add NAME COMMAND [ARG …]")
		return err
	}
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", excerpt.Escape(s.Name), s.State,
			english.Plural(len(s.Tools), "tool", ""), excerpt.Escape(s.Error))
	}
	return w.Flush()
}

type mcpAddVerb struct {
	Name    string            `arg:"" help:"Name; its tools are called name__tool."`
	Command []string          `arg:"" optional:"" passthrough:"" help:"Program and its arguments."`
	URL     string            `name:"url" help:"Address of a remote server instead of a program." placeholder:"URL"`
	Env     map[string]string `help:"Environment variables." placeholder:"K=V"`
}

// Run adds the server to mcp-config.json.
func (v *mcpAddVerb) Run(io verb.Streams, g *verb.Global) error {
	// Kong does not remove a "--" before the program.
	if len(v.Command) > 0 && v.Command[0] == "--" {
		v.Command = v.Command[1:]
	}
	if (v.URL == "") == (len(v.Command) == 0) {
		return verb.Failure(verb.ExitUsage,
			"name a program or --url, e.g. sextant mcp-servers add files npx -y "+
				"@modelcontextprotocol/server-filesystem .")
	}
	entry := mcpconfig.Entry{URL: v.URL, Env: v.Env}
	if len(v.Command) > 0 {
		entry.Command, entry.Args = v.Command[0], v.Command[1:]
	}
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	if err := mcpconfig.Add(filepath.Join(config.ConfigDir, mcpconfig.FileName), v.Name, entry); err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	printAccess(io.Err, sandboxOf(config).Access(entry, workingFolder()))
	_, err = fmt.Fprintf(io.Out, "Added %s. A running Sextant starts it immediately.\n", v.Name)
	return err
}

type mcpImportVerb struct {
	File    string   `arg:"" help:"claude_desktop_config.json, .mcp.json, VS Code's mcp.json, or a bundle (.mcpb)." type:"path"`
	Only    []string `help:"Import only these servers." placeholder:"NAME"`
	Preview bool     `help:"Show what would be added, and add nothing."`
	Yes     bool     `help:"Switch them on immediately, without asking."`
}

// Run shows what the servers in the file would run. It adds them if --yes is set or the person agrees. Without a
// terminal, it adds them switched off. It adds none with --preview, and skips a server if its name is already in use.
func (v *mcpImportVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	list, err := importers.NewReader(config.DataDir, ".").ReadFile(v.File)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	path := filepath.Join(config.ConfigDir, mcpconfig.FileName)
	preview, err := importers.PreviewOf(path, list)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	preview.FillAccess(sandboxOf(config), workingFolder())
	if v.Preview {
		printPreview(io.Out, preview, v.Only)
		return nil
	}
	printPreview(io.Err, preview, v.Only)
	on := v.Yes
	if !on && verb.IsTerminal(io.In) {
		if on, err = verb.Confirm(ctx, io, "Add these and switch them on? [y/N] "); err != nil || !on {
			return verb.Failure(verb.ExitRefused, "nothing was added")
		}
	}
	added, skipped, err := importers.Import(path, list, v.Only, on)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, _ = fmt.Fprintf(io.Out, "Added %d: %s\n", len(added), excerpt.Escape(strings.Join(added, ", ")))
	if len(added) > 0 && !on {
		_, _ = fmt.Fprintln(io.Out,
			"They are switched off. Switch them on in the MCP servers panel, or import with --yes.")
	}
	if len(skipped) > 0 {
		_, _ = fmt.Fprintf(io.Out, "Not changed, because a server of that name exists: %s\n",
			excerpt.Escape(strings.Join(skipped, ", ")))
	}
	return nil
}

func printPreview(out io.Writer, p importers.Preview, only []string) {
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }
	line("This is %s.", p.Format)
	if b := p.Bundle; b != nil {
		line("%q %s by %q, described as %q", b.Title, excerpt.Escape(b.Version), b.Author, b.Description)
		line("%d files, %s, into %s", b.Files, humanize.Bytes(uint64(b.Bytes)), excerpt.Escape(b.Folder))
	}
	for _, s := range p.Servers {
		if len(only) > 0 && !slices.Contains(only, s.Name) {
			continue
		}
		line("%s: %q", excerpt.Escape(s.Name), s.CommandOrURL)
		if s.Entry.Cwd != "" {
			line("  in the folder %q", s.Entry.Cwd)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Entry.Env)) {
			line("  with the variable %q", name+"="+s.Entry.Env[name])
		}
		printAccess(out, s.Access)
		switch {
		case s.Exists:
			line("  A server of that name exists and is not changed.")
		case s.Problem != "":
			line("  It cannot be added: %s.", excerpt.Escape(s.Problem))
		}
		for _, note := range s.Notes {
			line("  %s", excerpt.Escape(note))
		}
	}
}
