package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"sextant/app"
	"sextant/shared/toolspec"
)

// toolsVerb lists, shows and calls tools.
type toolsVerb struct {
	List toolsListVerb `cmd:"" default:"1" help:"List every tool."`
	Show toolsShowVerb `cmd:"" help:"Show one tool with its schema."`
	Call toolsCallVerb `cmd:"" help:"Call a tool with JSON arguments."`
}

type toolsListVerb struct {
	Headless bool `help:"Ask a Sextant of its own, also when one runs."`

	Panel string `help:"Panel whose tools are in scope." placeholder:"ID"`
	JSON  bool   `help:"Print the OpenAI function form as JSON."`
}

// Run prints the Catalogue.
func (v *toolsListVerb) Run(ctx context.Context, io Streams, g *Global) error {
	at, _, joined, err := findRunning(ctx, g, cmp.Or(when(v.Headless, "--headless"), g.apart()), io)
	if err != nil {
		return err
	}
	if joined {
		return v.join(ctx, at, io)
	}
	sys, err := openForVerb(ctx, g.flags(), app.Purpose{Private: true, WaitMCP: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	catalogue := sys.Discovery.ForPanel(v.Panel)
	if v.JSON {
		return printJSON(io, catalogue.Wire())
	}
	return listTools(io, catalogue.All())
}

// listTools prints a line a tool.
func listTools(io Streams, list []toolspec.Definition) error {
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, d := range list {
		line, _, _ := strings.Cut(d.Description, "\n")
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", d.Name, d.Origin, shorten(line, 90))
	}
	return w.Flush()
}

type toolsShowVerb struct {
	Headless bool `help:"Ask a Sextant of its own, also when one runs."`

	Name  string `arg:"" help:"Tool."`
	Panel string `help:"Panel whose tools are in scope." placeholder:"ID"`
}

// Run prints one definition.
func (v *toolsShowVerb) Run(ctx context.Context, io Streams, g *Global) error {
	at, _, joined, err := findRunning(ctx, g, cmp.Or(when(v.Headless, "--headless"), g.apart()), io)
	if err != nil {
		return err
	}
	if joined {
		return v.join(ctx, at, io)
	}
	sys, err := openForVerb(ctx, g.flags(), app.Purpose{Private: true, WaitMCP: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	catalogue := sys.Discovery.ForPanel(v.Panel)
	d, ok := catalogue.Get(v.Name)
	if !ok {
		return failure(exitFailed, "there is no tool %q. Nearest: %s", v.Name,
			strings.Join(catalogue.Nearest(v.Name), ", "))
	}
	return printJSON(io, d)
}

type toolsCallVerb struct {
	Headless bool `help:"Use a Sextant and a browser of its own, also when one runs."`

	Name  string `arg:"" help:"Tool."`
	Args  string `arg:"" optional:"" default:"{}" help:"Arguments as a JSON object."`
	Panel string `help:"Panel whose tools are in scope." placeholder:"ID"`
	YesTo string `help:"What is allowed without a question: read or all." enum:",read,all" default:""`
	JSON  bool   `help:"Print the whole result as JSON."`
}

// Run calls the tool through the Pipeline.
func (v *toolsCallVerb) Run(ctx context.Context, io Streams, g *Global) error {
	if !json.Valid([]byte(v.Args)) {
		return failure(exitUsage,
			"the arguments are not JSON. Write them in single quotes: sextant tools call %s '{\"name\": \"value\"}'",
			v.Name)
	}
	// A yes beforehand is for a run of its own: over a running one's door it would be any program's.
	at, _, joined, err := findRunning(ctx, g,
		cmp.Or(when(v.Headless, "--headless"), when(v.YesTo != "", "--yes-to"), g.apart()), io)
	if err != nil {
		return err
	}
	if joined {
		return v.join(ctx, at, io)
	}
	sys, err := openForVerb(ctx, g.flags(), app.Purpose{Private: true, WaitMCP: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	id := "call_" + rand.Text()
	stop := printProgress(sys, id, io.Err)
	r := sys.Pipeline.Do(ctx, toolspec.Call{
		ID: id, Tool: v.Name, Args: json.RawMessage(v.Args), Panel: v.Panel,
		From: toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: v.YesTo, Unpaged: true},
	})
	stop()
	return v.print(io, r)
}

// print writes the result and turns it into an exit code.
func (v *toolsCallVerb) print(io Streams, r toolspec.Result) error {
	var err error
	if v.JSON {
		err = printJSON(io, r)
	} else if r.Success {
		_, err = fmt.Fprintln(io.Out, r.ModelText())
	}
	if err != nil {
		return err
	}
	switch {
	case r.Success:
		return nil
	case r.ErrorType == toolspec.PermissionError || r.ErrorType == toolspec.SecurityError:
		return failure(exitRefused, "%s. %s", strings.TrimSuffix(r.Error, "."), r.Suggestion)
	}
	return failure(exitFailed, "%s. %s", strings.TrimSuffix(r.Error, "."), r.Suggestion)
}

// printJSON writes v indented.
func printJSON(io Streams, v any) error {
	enc := json.NewEncoder(io.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// shorten cuts s at n runes.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
