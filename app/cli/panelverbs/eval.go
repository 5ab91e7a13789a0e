package panelverbs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"sextant/app"
	"sextant/app/cli/verb"
	httpapi "sextant/backend/api/http"
	"sextant/backend/panels/evals"
	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

type panelsEvalVerb struct {
	Headless bool `help:"Start a separate Sextant, even if one is running."`

	ID    string `arg:"" help:"Panel whose evals are run."`
	YesTo string `help:"What is allowed without asking: read or all." enum:",read,all" default:""`
	JSON  bool   `help:"Print JSON."`
}

// Run makes the calls of the evals through the pipeline. In a running Sextant, the questions appear in its window;
// otherwise a call that needs an answer is refused unless --yes-to or a grant allows it.
func (v *panelsEvalVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	if err := manifest.CheckID(v.ID); err != nil {
		return verb.Failure(verb.ExitUsage, "%v", err)
	}
	at, _, joined, err := verb.FindRunning(ctx, g,
		cmp.Or(verb.OptionIf(v.Headless, "--headless"), verb.OptionIf(v.YesTo != "", "--yes-to"),
			g.SeparateOption()), io)
	if err != nil {
		return err
	}
	if joined {
		var done httpapi.PanelEvals
		if err := at.Call(ctx, http.MethodPost, "/api/panels/"+url.PathEscape(v.ID)+"/eval", nil, &done); err != nil {
			return err
		}
		return v.print(io, done.Outcomes)
	}
	sys, err := verb.Open(ctx, g.Flags(), app.OpenOptions{AllowTemporaryData: true, WaitMCP: true}, io)
	if err != nil {
		return err
	}
	defer sys.Close()
	list, known := sys.Panels.Evals(v.ID)
	if !known {
		return verb.Failure(verb.ExitFailed, "there is no working panel %s. List the panels: sextant panels list", v.ID)
	}
	return v.print(io, evals.Run(ctx, list, func(ctx context.Context, tool string,
		args json.RawMessage,
	) toolspec.Result {
		return sys.Pipeline.Do(ctx, toolspec.Call{
			Tool: tool, Args: args, Panel: v.ID,
			From: toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: v.YesTo, NeedsFullResults: true},
		})
	}))
}

func (v *panelsEvalVerb) print(io verb.Streams, outcomes []evals.Outcome) error {
	failed, skipped := 0, 0
	for _, o := range outcomes {
		switch o.State {
		case evals.StateFailed:
			failed++
		case evals.StateSkipped:
			skipped++
		}
		if !v.JSON {
			line := fmt.Sprintf("%-7s  %s", o.State, o.Name)
			if o.Reason != "" {
				line += "\n         " + o.Reason
			}
			_, _ = fmt.Fprintln(io.Out, line)
		}
	}
	if v.JSON {
		if err := verb.PrintJSON(io, httpapi.PanelEvals{Outcomes: outcomes}); err != nil {
			return err
		}
	} else if len(outcomes) == 0 {
		_, _ = fmt.Fprintf(io.Out,
			"%s has no evals. Its manifest can list calls and their expected answers under \"evals\".\n", v.ID)
	} else {
		_, _ = fmt.Fprintf(io.Out, "%d of %d passed, %d skipped\n", len(outcomes)-failed-skipped, len(outcomes),
			skipped)
	}
	if failed > 0 {
		return verb.Failure(verb.ExitFailed, "%d evals of %s failed", failed, v.ID)
	}
	return nil
}
