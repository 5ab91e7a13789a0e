// Package panelverbs contains the verbs of sextant panels: list, check, create, pack, install and evaluate panels.
package panelverbs

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/manifest"
	"sextant/shared/navigation"
)

// Verb is the verb panels.
type Verb struct {
	List     panelsListVerb     `cmd:"" default:"1" help:"List every panel."`
	Validate panelsValidateVerb `cmd:"" help:"Check a panel's folder."`
	Schema   panelsSchemaVerb   `cmd:"" help:"Print the JSON Schema of manifest.json, for an editor."`
	New      panelsNewVerb      `cmd:"" help:"Create the folder of a new panel."`
	Pack     panelsPackVerb     `cmd:"" help:"Pack a panel into one file to share."`
	Eval     panelsEvalVerb     `cmd:"" help:"Run a panel's evals: make their calls and compare the answers."`
	Install  panelsInstallVerb  `cmd:"" help:"Install a packed panel, after showing what it may do."`
}

type panelsListVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run prints the panels.
func (v *panelsListVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{AllowTemporaryData: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	list := sys.Panels.Panels()
	if v.JSON {
		return verb.PrintJSON(io, list)
	}
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, p := range list {
		state := "ready"
		switch {
		case !p.Usable:
			state = "off: " + strings.Join(p.ProblemLines(), "; ")
		case len(p.Problems) > 0:
			state = strings.Join(p.ProblemLines(), "; ")
		}
		kind := "yours"
		if p.Builtin {
			kind = "built in"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%d tools\t%s\n", p.ID, p.Title, kind, len(p.Tools), state)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(io.Out, "Your own panels are in", sys.PanelsFolder())
	return err
}

type panelsValidateVerb struct {
	Dir  string `arg:"" help:"Folder of the panel." type:"path"`
	JSON bool   `help:"Print JSON."`
}

// Run checks the manifest and prints the position of each mistake, what was expected and how to correct it.
func (v *panelsValidateVerb) Run(io verb.Streams) error {
	nav, err := navigation.Load()
	if err != nil {
		return err
	}
	report := manifest.Validate(v.Dir, nav.ToolNames()...)
	if v.JSON {
		err = verb.PrintJSON(io, report)
	} else {
		printProblems(io, report.Problems)
	}
	if err == nil && !report.OK {
		return verb.Failure(verb.ExitFailed, "%s has problems and cannot run", report.Panel)
	}
	if err == nil && !v.JSON {
		_, err = fmt.Fprintf(io.Out, "%s can run: %d tools\n", report.Panel, len(report.Tools))
	}
	return err
}

// printProblems prints each problem: first file:line:column, which editors and terminals recognize as a link, then what
// was expected and found, and then a corrected example.
func printProblems(io verb.Streams, problems []manifest.Problem) {
	for _, p := range problems {
		place := ""
		if p.File != "" {
			place = p.File + ": "
		}
		if p.Line > 0 {
			place = fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
		}
		_, _ = fmt.Fprintf(io.Out, "%s%s: %s\n", place, p.Severity, p.Text)
		for _, line := range []struct{ name, text string }{
			{"expected", p.Expected},
			{"found", p.Found},
			{"fix", p.Fix},
		} {
			if line.text != "" {
				_, _ = fmt.Fprintf(io.Out, "  %-8s  %s\n", line.name,
					strings.ReplaceAll(line.text, "\n", "\n            "))
			}
		}
	}
}

type panelsSchemaVerb struct{}

// Run prints the JSON Schema of manifest.json.
func (*panelsSchemaVerb) Run(io verb.Streams) error {
	_, err := io.Out.Write(manifest.JSONSchema())
	return err
}

type panelsNewVerb struct {
	ID   string `arg:"" help:"Id of the panel: lower-case letters, digits and hyphens."`
	Kind string `help:"Kind of panel: process (a Node program), declarative (a page made from JSON), webview (an HTML page) or script (answered by JavaScript)." enum:"process,declarative,webview,script" default:"process"`
	Dir  string `help:"Folder to create it in; by default your panels folder." type:"path" placeholder:"DIR"`
}

// Run creates the panel's folder.
func (v *panelsNewVerb) Run(io verb.Streams, g *verb.Global) error {
	dir := v.Dir
	if dir == "" {
		config, err := config.Load(g.Flags())
		if err != nil {
			return err
		}
		dir = filepath.Join(config.DataDir, "panels")
	}
	dir, err := authoring.CreatePanel(dir, v.ID, v.Kind)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, err = fmt.Fprintf(io.Out, "Created %s. Edit manifest.json; a running Sextant shows changes immediately.\n", dir)
	return err
}
