// Package scheduleverbs contains the verbs about what runs by itself: schedules, and the service that runs them.
package scheduleverbs

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/backend/api/scheduleroutes"
	"sextant/shared/excerpt"
	"sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// Schedules is the verb schedules.
type Schedules struct {
	List   listVerb   `cmd:"" default:"withargs" help:"List what runs by itself."`
	Add    addVerb    `cmd:"" help:"Add a schedule. It waits until its permission card is signed."`
	Sign   signVerb   `cmd:"" help:"Show what a schedule needs, and allow it."`
	Run    runVerb    `cmd:"" help:"Run a schedule now and wait for its end."`
	Runs   runsVerb   `cmd:"" help:"List the runs of a schedule."`
	Pause  pauseVerb  `cmd:"" help:"Pause a schedule."`
	Resume resumeVerb `cmd:"" help:"Let a paused schedule run again."`
	Token  tokenVerb  `cmd:"" help:"Make a token with which a program runs a schedule."`
	Delete deleteVerb `cmd:"" help:"Delete a schedule."`
}

const schedulesPath = "/api/schedules"

// joinSchedules connects to the running Sextant, because only that runs schedules.
func joinSchedules(ctx context.Context, g *verb.Global) (verb.RunningInstance, error) {
	at, ok := running(ctx, g)
	if !ok {
		return at, verb.Failure(verb.ExitFailed,
			"no Sextant is running, and schedules run only while one does. Start it with: sextant serve")
	}
	return at, nil
}

func readSchedules(
	ctx context.Context, g *verb.Global,
) (verb.RunningInstance, []scheduleroutes.ListedSchedule, error) {
	at, err := joinSchedules(ctx, g)
	if err != nil {
		return at, nil, err
	}
	var list scheduleroutes.ScheduleList
	err = at.Call(ctx, http.MethodGet, schedulesPath, nil, &list)
	return at, list.Schedules, err
}

// findSchedule returns the schedule with an id or name.
func findSchedule(
	ctx context.Context, g *verb.Global, name string,
) (verb.RunningInstance, scheduleroutes.ListedSchedule, error) {
	at, all, err := readSchedules(ctx, g)
	if err != nil {
		return at, scheduleroutes.ListedSchedule{}, err
	}
	i := slices.IndexFunc(all, func(l scheduleroutes.ListedSchedule) bool { return isNamed(l.Schedule, name) })
	if i < 0 {
		return at, scheduleroutes.ListedSchedule{}, noSchedule(name)
	}
	return at, all[i], nil
}

func isNamed(one schedule.Schedule, name string) bool { return one.ID == name || one.Name == name }

func noSchedule(name string) error {
	return verb.Failure(verb.ExitFailed, "there is no schedule %q. List them with: sextant schedules", name)
}

type listVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run prints the schedules.
func (v *listVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	_, all, err := readSchedules(ctx, g)
	if err != nil {
		return err
	}
	if v.JSON {
		return verb.PrintJSON(io, all)
	}
	if len(all) == 0 {
		_, _ = fmt.Fprintln(io.Err, "Nothing runs by itself yet. Add a schedule in the window, or with: "+
			"sextant schedules add NAME --recipe RECIPE --cron '0 8 * * *'")
	}
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, l := range all {
		last := "has not run"
		if l.Last != nil {
			last = "last " + string(l.Last.Status)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", excerpt.Escape(l.Schedule.Name), l.When, stateOf(l), last)
	}
	return w.Flush()
}

func stateOf(l scheduleroutes.ListedSchedule) string {
	switch {
	case l.Running != nil:
		return "running"
	case l.Schedule.Card == nil:
		return "waits for: sextant schedules sign"
	case l.Schedule.Paused != "":
		return "paused: " + excerpt.Line(l.Schedule.Paused, 100)
	case !l.Schedule.When.Timed():
		return "ready"
	case l.Next.IsZero():
		return "has no further time"
	}
	return "next " + l.Next.Local().Format("2006-01-02 15:04")
}

type addVerb struct {
	Name   string            `arg:"" help:"Name."`
	Recipe string            `help:"Recipe that runs." placeholder:"NAME"`
	Param  map[string]string `help:"Value of a parameter of the recipe." placeholder:"NAME=VALUE"`
	Prompt string            `help:"What the assistant shall do, instead of a recipe."`
	Tool   string            `help:"Tool that the assistant made, instead of a recipe." placeholder:"NAME"`
	Args   string            `help:"Arguments of the tool as a JSON object." default:"{}"`
	Model  string            `help:"Model of the prompt; the setting's if it is left out." placeholder:"PROVIDER/NAME"`
	Cron   string            `help:"Minute, hour, day of the month, month, day of the week." placeholder:"'0 8 * * *'"`
	Every  int               `help:"Minutes between two runs." placeholder:"MINUTES"`
	At     string            `help:"A single time." placeholder:"2027-03-01T08:00:00+01:00"`
	After  string            `help:"Run after each run of another schedule." placeholder:"NAME"`
	// IfChanged is about After.
	IfChanged bool   `help:"With --after: only if its result changed."`
	Folder    string `help:"Run for each new file in a folder. In values, {{file}} is the path of the file." type:"path" placeholder:"FOLDER"`
	Pattern   string `help:"With --folder: only files whose names match." placeholder:"'*.pdf'"`
	Webhook   bool   `help:"Run when a program calls a local address; see sextant schedules token."`
	Zone      string `help:"Time zone; the computer's if it is left out." placeholder:"Europe/Berlin"`
	Missed    string `help:"What happens with missed times: skip, once or all." enum:"skip,once,all" default:"once"`
}

// Run adds a schedule to the running Sextant.
func (v *addVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	one := schedule.Schedule{
		Name: v.Name, Task: schedule.Task{Recipe: v.Recipe, Values: v.Param, Prompt: v.Prompt, Model: v.Model},
		When: schedule.When{
			Cron: v.Cron, EveryMinutes: v.Every, Zone: v.Zone, Folder: v.Folder, Pattern: v.Pattern, Webhook: v.Webhook,
		},
		Missed: schedule.Missed{Do: schedule.MissedPolicy(v.Missed), Limit: 10},
	}
	if v.Tool != "" {
		if !json.Valid([]byte(v.Args)) {
			return verb.Failure(verb.ExitUsage, "--args is not a JSON object")
		}
		one.Task.Tool, one.Task.Args = v.Tool, json.RawMessage(v.Args)
	}
	if v.At != "" {
		var err error
		if one.When.At, err = time.Parse(time.RFC3339, v.At); err != nil {
			return verb.Failure(verb.ExitUsage, "--at needs a time such as 2027-03-01T08:00:00+01:00")
		}
	}
	if v.After != "" {
		_, l, err := findSchedule(ctx, g, v.After)
		if err != nil {
			return err
		}
		one.When.After, one.When.IfChanged = l.Schedule.ID, v.IfChanged
	}
	at, err := joinSchedules(ctx, g)
	if err != nil {
		return err
	}
	body := map[string]any{"name": one.Name, "task": one.Task, "when": one.When, "missed": one.Missed}
	if err := at.Call(ctx, http.MethodPut, schedulesPath, body, nil); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(io.Out, "Added %q. It runs once you allow what it needs: in the panel Schedules, or, while no "+
		"Sextant runs, with sextant schedules sign.\n", v.Name)
	return nil
}

type signVerb struct {
	Name string `arg:"" help:"Name or id."`
	Acts int    `help:"How often a run may act at most; as often as it needs if left out." placeholder:"N"`
	// SignIns lets the runs begin with the window's cookies for the sites of the card.
	SignIns bool `help:"Let it begin signed in on these sites as the window is."`
}

// openSchedule opens a schedule in a Sextant that does not serve. Close the System afterwards.
func openSchedule(
	ctx context.Context, io verb.Streams, g *verb.Global, name string,
) (*app.System, schedule.Schedule, error) {
	sys, err := openAlone(ctx, io, g, "Schedules", app.OpenOptions{})
	if err != nil {
		return nil, schedule.Schedule{}, err
	}
	all := sys.Schedules.Schedules()
	i := slices.IndexFunc(all, func(one schedule.Schedule) bool { return isNamed(one, name) })
	if i < 0 {
		sys.Close()
		return nil, schedule.Schedule{}, noSchedule(name)
	}
	return sys, all[i], nil
}

// Run asks for a signature.
func (v *signVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	sys, one, err := openSchedule(ctx, io, g, v.Name)
	if err != nil {
		return err
	}
	defer sys.Close()
	plan, err := sys.Schedules.Plan(ctx, one)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if plan.Card == nil {
		return verb.Failure(verb.ExitFailed,
			"what a prompt or tool needs is not known beforehand. Watch a run in the panel Schedules.")
	}
	card := *plan.Card
	card.SignIns = v.SignIns
	if v.Acts > 0 {
		card.Acts = v.Acts
	}
	_, _ = fmt.Fprintf(io.Out, "%s\n%s", plan.Sentence, cardText(card))
	ok, err := verb.Confirm(ctx, io, "It runs without asking within these limits. Allow? (y/N) ")
	if err != nil || !ok {
		return err
	}
	if err := sys.Schedules.Sign(ctx, one.ID, plan.Digest, card); err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	return nil
}

func cardText(card toolspec.Card) string {
	var text strings.Builder
	line := func(label string, list []string) {
		if len(list) > 0 {
			fmt.Fprintf(&text, "  %s: %s\n", label, excerpt.Escape(strings.Join(list, ", ")))
		}
	}
	line("sites", card.Hosts)
	if card.SignIns {
		text.WriteString("  signed in on these sites as the window is\n")
	}
	line("actions", card.Tools)
	line("on pages", card.PageEffects)
	line("files", card.Files)
	line("commands", card.Commands)
	line("secrets", card.Secrets)
	fmt.Fprintf(&text, "  actions in one run, at most: %d\n", card.Acts)
	return text.String()
}

type runVerb struct {
	Name string `arg:"" help:"Name or id."`
	JSON bool   `help:"Print the run as JSON."`
}

// Run starts a run and waits for its end.
func (v *runVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	at, l, err := findSchedule(ctx, g, v.Name)
	if err != nil {
		return err
	}
	path := schedulesPath + "/" + url.PathEscape(l.Schedule.ID)
	var run schedule.Run
	if err := at.Call(ctx, http.MethodPost, path+"/run", map[string]any{}, &run); err != nil {
		return err
	}
	for !run.Status.Ended() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
		var list scheduleroutes.ScheduledRuns
		if err := at.Call(ctx, http.MethodGet, path+"/runs", nil, &list); err != nil {
			return err
		}
		if i := slices.IndexFunc(list.Runs, func(r schedule.Run) bool { return r.ID == run.ID }); i >= 0 {
			run = list.Runs[i]
		}
	}
	if v.JSON {
		if err := verb.PrintJSON(io, run); err != nil {
			return err
		}
	} else if run.Text != "" {
		_, _ = fmt.Fprintln(io.Out, run.Text)
	}
	switch run.Status {
	case schedule.StatusDone:
		return nil
	case schedule.StatusParked:
		return verb.Failure(verb.ExitRefused, "parked: %s", run.Reason)
	}
	return verb.Failure(verb.ExitFailed, "%s: %s", run.Status, run.Reason)
}

type runsVerb struct {
	Name string `arg:"" help:"Name or id."`
	JSON bool   `help:"Print JSON."`
}

// Run prints the runs of a schedule, newest first.
func (v *runsVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	at, l, err := findSchedule(ctx, g, v.Name)
	if err != nil {
		return err
	}
	var list scheduleroutes.ScheduledRuns
	path := schedulesPath + "/" + url.PathEscape(l.Schedule.ID) + "/runs"
	if err := at.Call(ctx, http.MethodGet, path, nil, &list); err != nil {
		return err
	}
	if v.JSON {
		return verb.PrintJSON(io, list.Runs)
	}
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, r := range list.Runs {
		begun := r.Slot
		if begun.IsZero() {
			begun = r.Queued
		}
		status := string(r.Status)
		if r.Count > 0 {
			status = fmt.Sprintf("%d missed", r.Count)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", begun.Local().Format("2006-01-02 15:04:05"), status,
			excerpt.Line(r.Reason, 200))
	}
	return w.Flush()
}

type pauseVerb struct {
	Name string `arg:"" help:"Name or id."`
}

// Run pauses a schedule.
func (v *pauseVerb) Run(ctx context.Context, g *verb.Global) error {
	return changeSchedule(ctx, g, v.Name, http.MethodPost, "/pause")
}

type resumeVerb struct {
	Name string `arg:"" help:"Name or id."`
}

// Run lets a schedule run again.
func (v *resumeVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	sys, one, err := openSchedule(ctx, io, g, v.Name)
	if err != nil {
		return err
	}
	defer sys.Close()
	if err := sys.Schedules.Resume(ctx, one.ID); err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	return nil
}

type tokenVerb struct {
	Name string `arg:"" help:"Name or id."`
}

// Run prints how a program runs a schedule.
func (v *tokenVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	sys, one, err := openSchedule(ctx, io, g, v.Name)
	if err != nil {
		return err
	}
	defer sys.Close()
	token, err := sys.Schedules.NewToken(ctx, one.ID)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, _ = fmt.Fprintf(io.Out, "curl -X POST -H 'Authorization: Bearer %s' http://127.0.0.1:PORT%s\n", token,
		scheduleroutes.HooksPath+one.ID)
	_, _ = fmt.Fprintln(io.Err, "The token is not shown again, and one made before is no longer valid. PORT is that "+
		"of sextant serve --addr 127.0.0.1:PORT")
	return nil
}

type deleteVerb struct {
	Name string `arg:"" help:"Name or id."`
}

// Run deletes a schedule.
func (v *deleteVerb) Run(ctx context.Context, g *verb.Global) error {
	return changeSchedule(ctx, g, v.Name, http.MethodDelete, "")
}

func changeSchedule(ctx context.Context, g *verb.Global, name, method, action string) error {
	at, l, err := findSchedule(ctx, g, name)
	if err != nil {
		return err
	}
	return at.Call(ctx, method, schedulesPath+"/"+url.PathEscape(l.Schedule.ID)+action, nil, nil)
}
