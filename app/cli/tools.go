package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"sextant/app"
	"sextant/app/cli/progress"
	"sextant/app/cli/verb"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

type toolsVerb struct {
	List toolsListVerb `cmd:"" default:"1" help:"List every tool."`
	Show toolsShowVerb `cmd:"" help:"Show one tool with its schema."`
	Call toolsCallVerb `cmd:"" help:"Call a tool with JSON arguments."`
}

type toolsListVerb struct {
	Headless bool `help:"Start a separate Sextant, even if one is running."`

	Panel string `help:"Panel whose tools are available." placeholder:"ID"`
	JSON  bool   `help:"Print the OpenAI function form as JSON."`
}

// Run prints the tools.
func (v *toolsListVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	at, _, joined, err := verb.FindRunning(ctx, g,
		cmp.Or(verb.OptionIf(v.Headless, "--headless"), g.SeparateOption()), io)
	if err != nil {
		return err
	}
	if joined {
		return v.join(ctx, at, io)
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{AllowTemporaryData: true, WaitMCP: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	catalog := sys.Catalog.ForPanel(v.Panel)
	if v.JSON {
		return verb.PrintJSON(io, catalog.Wire())
	}
	return listTools(io, catalog.All())
}

func listTools(io verb.Streams, list []toolspec.Definition) error {
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, d := range list {
		line, _, _ := strings.Cut(d.Description, "\n")
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", d.Name, d.Origin, excerpt.Line(line, 90))
	}
	return w.Flush()
}

type toolsShowVerb struct {
	Headless bool `help:"Start a separate Sextant, even if one is running."`

	Name  string `arg:"" help:"Tool."`
	Panel string `help:"Panel whose tools are available." placeholder:"ID"`
}

// Run prints the definition of a tool.
func (v *toolsShowVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	at, _, joined, err := verb.FindRunning(ctx, g,
		cmp.Or(verb.OptionIf(v.Headless, "--headless"), g.SeparateOption()), io)
	if err != nil {
		return err
	}
	if joined {
		return v.join(ctx, at, io)
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{AllowTemporaryData: true, WaitMCP: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	catalog := sys.Catalog.ForPanel(v.Panel)
	d, ok := catalog.Get(v.Name)
	if !ok {
		return verb.Failure(verb.ExitFailed, "there is no tool %q. Similar names: %s", v.Name,
			strings.Join(catalog.Nearest(v.Name), ", "))
	}
	return verb.PrintJSON(io, d)
}

type toolsCallVerb struct {
	Headless bool `help:"Start a separate Sextant and browser, even if one is running."`

	Name  string `arg:"" help:"Tool."`
	Args  string `arg:"" optional:"" default:"{}" help:"Arguments as a JSON object."`
	Panel string `help:"Panel whose tools are available." placeholder:"ID"`
	YesTo string `help:"What is allowed without asking: read or all." enum:",read,all" default:""`
	JSON  bool   `help:"Print the whole result as JSON."`
	Out   string `help:"Save the picture, or else the text of the result, in this file." placeholder:"FILE" type:"path"`

	printed *progress.Lines
}

// Run calls the tool through the pipeline.
func (v *toolsCallVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	if !json.Valid([]byte(v.Args)) {
		return verb.Failure(verb.ExitUsage,
			"the arguments are not JSON. Put them in single quotes: sextant tools call %s '{\"name\": \"value\"}'",
			v.Name)
	}
	call, end, err := v.open(ctx, io, g)
	if err != nil {
		return err
	}
	defer end()
	r, err := call(ctx, v.Args)
	if err != nil {
		return err
	}
	if v.Out == "" || !r.Success || v.JSON {
		if err := v.print(io, r); err != nil || v.Out == "" {
			return err
		}
	}
	return v.save(io, r)
}

// lines returns where the progress of the call goes. A terminal also gets the output of a command while it runs.
func (v *toolsCallVerb) lines(io verb.Streams) *progress.Lines {
	v.printed = progress.New(io.Err, nil)
	if verb.IsTerminal(io.Out) && !v.JSON && v.Out == "" {
		v.printed = progress.New(io.Err, io.Out)
	}
	return v.printed
}

// save writes the first picture of r, or else its text, into the file.
func (v *toolsCallVerb) save(io verb.Streams, r toolspec.Result) error {
	data := []byte(r.ModelText())
	if len(r.Images) > 0 {
		data = r.Images[0].Data
	}
	if err := os.WriteFile(v.Out, data, 0o644); err != nil {
		return verb.Failure(verb.ExitFailed, "the result was not saved: %v", err)
	}
	_, err := fmt.Fprintf(io.Err, "Saved %s.\n", v.Out)
	return err
}

// open returns a function that calls the tool with arguments, in a running Sextant or in one that ends with end.
func (v *toolsCallVerb) open(ctx context.Context, io verb.Streams, g *verb.Global) (
	call func(ctx context.Context, args string) (toolspec.Result, error), end func(), err error,
) {
	// In a running Sextant, --yes-to would let any program approve its own calls.
	at, _, joined, err := verb.FindRunning(ctx, g,
		cmp.Or(verb.OptionIf(v.Headless, "--headless"), verb.OptionIf(v.YesTo != "", "--yes-to"),
			g.SeparateOption()), io)
	if err != nil {
		return nil, nil, err
	}
	if joined {
		return func(ctx context.Context, args string) (toolspec.Result, error) {
			return v.join(ctx, at, args, io)
		}, func() {}, nil
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{AllowTemporaryData: true, WaitMCP: true}, io)
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, args string) (toolspec.Result, error) {
		id := "call_" + rand.Text()
		defer v.lines(io).Print(sys, id)()
		return sys.Pipeline.Do(ctx, toolspec.Call{
			ID: id, Tool: v.Name, Args: json.RawMessage(args), Panel: v.Panel,
			From: toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: v.YesTo, NeedsFullResults: true},
		}), nil
	}, sys.Close, nil
}

// notPrinted returns the lines of text that are not among the lines that were printed already, after a line break if
// those do not end in one.
func notPrinted(text, printed string) string {
	if printed == "" {
		return text
	}
	var rest []string
	lines := strings.Split(printed, "\n")
	for _, line := range strings.Split(text, "\n") {
		if !slices.Contains(lines, line) {
			rest = append(rest, line)
		}
	}
	if !strings.HasSuffix(printed, "\n") {
		rest = append([]string{""}, rest...)
	}
	return strings.Join(rest, "\n")
}

func (v *toolsCallVerb) print(io verb.Streams, r toolspec.Result) error {
	var err error
	if v.JSON {
		err = verb.PrintJSON(io, r)
	} else if r.Success {
		if text := notPrinted(r.ModelText(), v.printed.Printed()); text != "" {
			_, err = fmt.Fprintln(io.Out, text)
		}
	}
	if err != nil {
		return err
	}
	switch {
	case r.Success:
		return nil
	case r.ErrorType == toolspec.PermissionError || r.ErrorType == toolspec.SecurityError:
		return verb.Failure(verb.ExitRefused, "%s. %s", strings.TrimSuffix(r.Error, "."), r.Suggestion)
	}
	return verb.Failure(verb.ExitFailed, "%s. %s", strings.TrimSuffix(r.Error, "."), r.Suggestion)
}
