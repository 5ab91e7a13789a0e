package scheduleverbs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/backend/api/batchroutes"
	"sextant/backend/batch"
	"sextant/backend/batch/table"
	"sextant/backend/store/pgqueue"
	data "sextant/shared/batch"
	"sextant/shared/excerpt"
)

// Runs is the verb runs.
type Runs struct {
	Queue string `help:"Shared queue that workers run, instead of the batches of this computer." env:"SEXTANT_QUEUE" placeholder:"postgres://USER@HOST/DATABASE"`

	List   batchListVerb   `cmd:"" default:"withargs" help:"List the batches: recipes that run for each row of a table."`
	Start  batchStartVerb  `cmd:"" help:"Run a recipe for each row of a table, in several browsers at once."`
	Show   batchShowVerb   `cmd:"" help:"List the rows of a batch."`
	Resume batchResumeVerb `cmd:"" help:"Go on with a batch that was stopped."`
	Retry  batchRetryVerb  `cmd:"" help:"Run rows again that failed or were parked."`
	Stop   batchStopVerb   `cmd:"" help:"Stop a batch."`
	Export batchExportVerb `cmd:"" help:"Write the table with its results as CSV."`
	Delete batchDeleteVerb `cmd:"" help:"Delete a batch with its results."`
}

// queueAddress is the address of the shared queue, "" for the batches of this computer.
type queueAddress string

// AfterApply passes the queue to the verb.
func (r *Runs) AfterApply(k *kong.Context) error {
	k.Bind(queueAddress(r.Queue))
	return nil
}

const batchesPath = "/api/batches"

// batches is the batches of the running Sextant, or of the data folder if none runs.
type batches struct {
	at  verb.RunningInstance
	sys *app.System
}

func openBatches(
	ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress,
) (b batches, err error) {
	if queue != "" {
		b.sys, err = openQueue(ctx, streams, g, queue, app.OpenOptions{AllowTemporaryData: true})
		return b, err
	}
	var ok bool
	if b.at, ok = running(ctx, g); ok {
		return b, nil
	}
	b.sys, err = verb.Open(ctx, g.Flags(), app.OpenOptions{}, streams)
	return b, err
}

// openQueue opens a Sextant that does not serve, with the batches of a shared queue.
func openQueue(
	ctx context.Context, streams verb.Streams, g *verb.Global, address queueAddress, options app.OpenOptions,
) (*app.System, error) {
	queue, err := pgqueue.Open(ctx, string(address))
	if err != nil {
		return nil, verb.Failure(verb.ExitFailed, "%v", err)
	}
	options.Queue = queue
	sys, err := verb.Open(ctx, g.Flags(), options, streams)
	if err != nil {
		return nil, errors.Join(err, queue.Close())
	}
	sys.OnClose("queue", queue.Close)
	return sys, nil
}

func (b batches) close() {
	if b.sys != nil {
		b.sys.Close()
	}
}

func (b batches) list(ctx context.Context) (all []batchroutes.ListedBatch, err error) {
	if b.sys == nil {
		var list batchroutes.BatchList
		err := b.at.Call(ctx, http.MethodGet, batchesPath, nil, &list)
		return list.Batches, err
	}
	for _, one := range b.sys.Batches.Batches() {
		counts, err := b.sys.Batches.Counts(ctx, one.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, batchroutes.ListedBatch{Batch: one, Counts: counts})
	}
	return all, nil
}

func (b batches) find(ctx context.Context, name string) (data.Batch, error) {
	all, err := b.list(ctx)
	if err != nil {
		return data.Batch{}, err
	}
	for _, l := range all {
		if isBatch(l.Batch, name) {
			return l.Batch, nil
		}
	}
	return data.Batch{}, noBatch(name)
}

// withBatch calls do with the newest batch of an id or name.
func withBatch(
	ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress, name string,
	do func(batches, data.Batch) error,
) error {
	b, err := openBatches(ctx, streams, g, queue)
	if err != nil {
		return err
	}
	defer b.close()
	one, err := b.find(ctx, name)
	if err != nil {
		return err
	}
	return do(b, one)
}

func isBatch(one data.Batch, name string) bool { return one.ID == name || one.Name == name }

func noBatch(name string) error {
	return verb.Failure(verb.ExitFailed, "there is no batch %q. List them with: sextant runs", name)
}

// rows returns the rows after the one with the number after, at most as many as the running Sextant returns at once.
func (b batches) rows(ctx context.Context, id string, after int, status string) ([]data.Row, error) {
	const limit = 1000
	if b.sys == nil {
		query := url.Values{"after": {fmt.Sprint(after)}, "limit": {fmt.Sprint(limit)}, "status": {status}}
		var page batchroutes.BatchRows
		err := b.at.Call(ctx, http.MethodGet, batchPath(id, "/rows?"+query.Encode()), nil, &page)
		return page.Rows, err
	}
	var statuses []data.Status
	if status != "" {
		statuses = []data.Status{data.Status(status)}
	}
	return b.sys.Batches.Rows(ctx, id, after, limit, statuses...)
}

func (b batches) table(ctx context.Context, id string) ([]byte, error) {
	if b.sys == nil {
		return b.at.Do(ctx, http.MethodGet, batchPath(id, "/table"), nil)
	}
	columns, rows, err := b.sys.Batches.Table(ctx, id)
	var text bytes.Buffer
	if err == nil {
		err = table.Write(&text, columns, rows)
	}
	return text.Bytes(), err
}

func batchPath(id, action string) string { return batchesPath + "/" + url.PathEscape(id) + action }

type batchListVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run prints the batches.
func (v *batchListVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) error {
	b, err := openBatches(ctx, streams, g, queue)
	if err != nil {
		return err
	}
	defer b.close()
	all, err := b.list(ctx)
	if err != nil {
		return err
	}
	if v.JSON {
		return verb.PrintJSON(streams, all)
	}
	if len(all) == 0 {
		_, _ = fmt.Fprintln(streams.Err, "No recipe has run for a table yet. Start with: "+
			"sextant runs start RECIPE --rows TABLE.csv")
	}
	w := tabwriter.NewWriter(streams.Out, 0, 0, 2, ' ', 0)
	for _, l := range all {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.Batch.ID, excerpt.Escape(l.Batch.Name), l.Batch.State,
			countsText(l.Counts))
	}
	return w.Flush()
}

// countsText says how many rows have each status: "3 of 10 done, 1 failed".
func countsText(counts data.Counts) string {
	all := 0
	for _, n := range counts {
		all += n
	}
	text := fmt.Sprintf("%d of %d done", counts[data.StatusDone], all)
	for _, status := range []data.Status{
		data.StatusRunning, data.StatusFailed, data.StatusParked, data.StatusUnknown,
	} {
		if n := counts[status]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	return text
}

type batchStartVerb struct {
	Recipe   string            `arg:"" help:"Recipe."`
	Rows     string            `help:"Table of comma-separated values. Its first line names the columns, which are parameters of the recipe." type:"existingfile" required:"" placeholder:"FILE.csv"`
	Param    map[string]string `help:"Value that is the same in each row; can be repeated." placeholder:"NAME=VALUE" mapsep:"none"`
	Browsers int               `help:"How many rows run at once, each in a browser of its own; workers of a queue have their own number." default:"4"`
	PerHost  int               `help:"How many of them may work on one host; without a limit if left out." placeholder:"N"`
	Out      string            `help:"Where the table with the results is written at the end." placeholder:"FILE.csv"`
	Name     string            `help:"Name of the batch; that of the recipe if left out."`
	Yes      bool              `help:"Allow what the rows need without a question."`
}

// Run adds a batch. Without a running Sextant, it asks for a signature and runs it.
func (v *batchStartVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) error {
	text, err := os.ReadFile(v.Rows)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if at, ok := running(ctx, g); ok && queue == "" {
		return v.addTo(ctx, streams, at, text)
	}
	sys, err := openToRun(ctx, streams, g, queue)
	if err != nil {
		return err
	}
	defer sys.Close()
	if err := copyRecipe(g, sys, v.Recipe); err != nil {
		return err
	}
	one, err := sys.Batches.Add(ctx, batch.New{
		Name: v.Name, Recipe: v.Recipe, Table: text, Values: v.Param, Browsers: v.Browsers, PerHost: v.PerHost,
	})
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if err := sign(ctx, streams, sys, one, v.Yes); err != nil {
		_ = sys.Batches.Delete(context.WithoutCancel(ctx), one.ID)
		return err
	}
	return follow(ctx, streams, sys, one.ID, v.Out)
}

// copyRecipe gives a Sextant with a temporary data folder a recipe of the configured one.
func copyRecipe(g *verb.Global, sys *app.System, name string) error {
	config, err := config.Load(g.Flags())
	if err != nil || config.DataDir == sys.Config.DataDir {
		return err
	}
	all, err := app.OpenRecipes(config)
	if err != nil {
		return err
	}
	rec, err := all.Get(name)
	if err != nil {
		return nil // adding the batch says so
	}
	return sys.Recipes.Save(rec)
}

// addTo adds the batch to the running Sextant, whose window allows and runs it.
func (v *batchStartVerb) addTo(ctx context.Context, streams verb.Streams, at verb.RunningInstance, text []byte) error {
	if v.Yes || v.Out != "" {
		return verb.Failure(verb.ExitRefused, "Sextant is running (process %d), so its window allows the batch and "+
			"runs it. Leave out --yes and --out, or end it first.", at.PID)
	}
	var added batchroutes.ListedBatch
	if err := at.Call(ctx, http.MethodPost, batchesPath, map[string]any{
		"name": v.Name, "recipe": v.Recipe, "table": text, "values": v.Param, "browsers": v.Browsers,
		"per_host": v.PerHost,
	}, &added); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(streams.Out, "Added %q with %d rows. It runs once you allow what it needs: in the panel "+
		"Recipes of the running Sextant. Write the results with: sextant runs export %s\n", added.Batch.Name,
		added.Counts[data.StatusQueued], added.Batch.ID)
	return nil
}

// sign shows what the rows of a batch need and asks the person, unless yes is set.
func sign(ctx context.Context, streams verb.Streams, sys *app.System, one data.Batch, yes bool) error {
	if !yes {
		where := fmt.Sprintf("in %d browsers", one.Browsers)
		if one.Definition != nil {
			where = "by the workers of the queue"
		}
		_, _ = fmt.Fprintf(streams.Err, "Run the recipe %s for each row, %s\n%s", one.Recipe, where,
			cardText(one.Needs))
		ok, err := verb.Confirm(ctx, streams, "Each row runs without asking within these limits. Allow? (y/N) ")
		if err != nil {
			return err
		}
		if !ok {
			return verb.Failure(verb.ExitRefused, "not allowed, so nothing ran")
		}
	}
	return failure(sys.Batches.Sign(ctx, one.ID, one.Digest, one.Needs))
}

// follow prints the progress of a batch until it ends, and then writes its table to the file out, if that is not "". An
// interrupt stops the batch, unless workers run it.
func follow(ctx context.Context, streams verb.Streams, sys *app.System, id, out string) error {
	shown, hinted, begun := "", false, time.Now()
	for {
		one, err := sys.Batches.Get(id)
		if err != nil {
			return verb.Failure(verb.ExitFailed, "%v", err)
		}
		counts, err := sys.Batches.Counts(context.WithoutCancel(ctx), id)
		if err != nil {
			return err
		}
		if text := countsText(counts); text != shown {
			shown = text
			_, _ = fmt.Fprintf(streams.Err, "%s  %s\n", time.Since(begun).Truncate(time.Second), text)
		}
		if one.State != data.StateRunning && counts[data.StatusRunning] == 0 {
			return finish(context.WithoutCancel(ctx), streams, sys, one, counts, out)
		}
		shared := one.Definition != nil
		if !hinted && shared && counts[data.StatusRunning] == 0 && time.Since(begun) > hintAfter {
			hinted = true
			_, _ = fmt.Fprintln(streams.Err,
				"No worker runs its rows yet. Start one with: sextant worker --queue ADDRESS")
		}
		select {
		case <-ctx.Done():
			if shared {
				_, _ = fmt.Fprintf(streams.Err, "Its workers go on. End it with: sextant runs stop %s\n", one.ID)
				return nil
			}
			if one.State == data.StateRunning {
				if err := sys.Batches.Stop(context.WithoutCancel(ctx), id, "You stopped it."); err != nil {
					return err
				}
			}
			time.Sleep(followPause / 10)
		case <-time.After(followPause):
		}
	}
}

const (
	followPause = time.Second
	// hintAfter is how long rows of a shared queue wait before a hint about workers is printed.
	hintAfter = 5 * time.Second
)

func finish(
	ctx context.Context, streams verb.Streams, sys *app.System, one data.Batch, counts data.Counts, out string,
) error {
	if out != "" {
		text, err := batches{sys: sys}.table(ctx, one.ID)
		if err == nil {
			err = os.WriteFile(out, text, 0o600)
		}
		if err != nil {
			return verb.Failure(verb.ExitFailed, "the results were not written to %s: %v", out, err)
		}
		_, _ = fmt.Fprintf(streams.Err, "Wrote %s.\n", out)
	}
	if one.State == data.StateStopped {
		return verb.Failure(verb.ExitFailed, "stopped: %s Go on with: sextant runs resume %s", one.Reason, one.ID)
	}
	bad := counts[data.StatusFailed] + counts[data.StatusParked] + counts[data.StatusUnknown]
	if bad == 0 {
		return nil
	}
	rows, err := sys.Batches.Rows(ctx, one.ID, 0, 3, data.StatusFailed, data.StatusParked, data.StatusUnknown)
	if err != nil {
		return err
	}
	for _, r := range rows {
		_, _ = fmt.Fprintf(streams.Err, "row %d %s: %s\n", r.Number, r.Status,
			excerpt.Escape(excerpt.Line(r.Reason, 300)))
	}
	return verb.Failure(verb.ExitFailed, "%d of the rows did not end as done. See them with: sextant runs show %s", bad,
		one.ID)
}

type batchShowVerb struct {
	Name   string `arg:"" help:"Name or id."`
	Status string `help:"Only rows of a status." enum:",queued,running,done,failed,parked,unknown" default:""`
	JSON   bool   `help:"Print JSON."`
}

// Run prints the rows of a batch.
func (v *batchShowVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) error {
	return withBatch(ctx, streams, g, queue, v.Name, func(b batches, one data.Batch) error {
		all := []data.Row{}
		for after := 0; ; after = all[len(all)-1].Number {
			page, err := b.rows(ctx, one.ID, after, v.Status)
			if err != nil {
				return err
			}
			if len(page) == 0 {
				return v.print(streams, all)
			}
			all = append(all, page...)
		}
	})
}

func (v *batchShowVerb) print(streams verb.Streams, rows []data.Row) error {
	if v.JSON {
		return verb.PrintJSON(streams, rows)
	}
	w := tabwriter.NewWriter(streams.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", r.Number, r.Status,
			excerpt.Escape(excerpt.Line(strings.Join(r.Cells, ", "), 60)),
			excerpt.Escape(excerpt.Line(cmp.Or(r.Reason, resultText(r)), 200)))
	}
	return w.Flush()
}

func resultText(r data.Row) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(r.Results)) {
		all = append(all, name+": "+r.Results[name])
	}
	return strings.Join(all, ", ")
}

type batchResumeVerb struct {
	Name string `arg:"" help:"Name or id."`
	Out  string `help:"Where the table with the results is written at the end." placeholder:"FILE.csv"`
	Yes  bool   `help:"Allow what the rows need without a question, if the recipe has changed."`
}

// Run goes on with a batch.
func (v *batchResumeVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) error {
	return goOn(ctx, streams, g, queue, v.Name, v.Out, v.Yes, func(sys *app.System, id string) error {
		return sys.Batches.Start(ctx, id)
	})
}

// openToRun opens a Sextant that runs batches, or lets the workers of a shared queue run them.
func openToRun(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) (*app.System, error) {
	if queue != "" {
		return openQueue(ctx, streams, g, queue, app.OpenOptions{AllowTemporaryData: true})
	}
	return openAlone(ctx, streams, g, "Recipes", app.OpenOptions{RunBatches: true})
}

// goOn starts a batch and follows it. If its recipe has changed, it asks for a signature first.
func goOn(
	ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress, name, out string, yes bool,
	start func(sys *app.System, id string) error,
) error {
	sys, err := openToRun(ctx, streams, g, queue)
	if err != nil {
		return err
	}
	defer sys.Close()
	one, err := batches{sys: sys}.find(ctx, name)
	if err != nil {
		return err
	}
	err = start(sys, one.ID)
	if errors.Is(err, batch.ErrChanged) || errors.Is(err, batch.ErrUnsigned) {
		if one, err = sys.Batches.Get(one.ID); err == nil {
			err = sign(ctx, streams, sys, one, yes)
		}
		if err == nil {
			err = start(sys, one.ID)
		}
	}
	if err != nil {
		return failure(err)
	}
	return follow(ctx, streams, sys, one.ID, out)
}

type batchRetryVerb struct {
	Name    string `arg:"" help:"Name or id."`
	Row     int    `help:"Only this row, also if it was done or its outcome is unknown." placeholder:"N"`
	Unknown bool   `help:"Also the rows whose outcome is unknown."`
	Acted   bool   `help:"Also rows that may have done something already. They do it again."`
	Out     string `help:"Where the table with the results is written at the end." placeholder:"FILE.csv"`
	Yes     bool   `help:"Allow what the rows need without a question, if the recipe has changed."`
}

// Run runs rows again.
func (v *batchRetryVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) error {
	statuses := []data.Status{data.StatusFailed, data.StatusParked}
	if v.Unknown {
		statuses = append(statuses, data.StatusUnknown)
	}
	return goOn(ctx, streams, g, queue, v.Name, v.Out, v.Yes, func(sys *app.System, id string) error {
		n, err := sys.Batches.Retry(ctx, id, v.Row, v.Acted, statuses...)
		if acted := (batch.ActedError{}); errors.As(err, &acted) {
			return verb.Failure(verb.ExitRefused, "%v. To run them all the same, add --acted", err)
		}
		if err == nil && n == 0 {
			return verb.Failure(verb.ExitFailed, "no row has to run again")
		}
		return err
	})
}

type batchStopVerb struct {
	Name string `arg:"" help:"Name or id."`
}

// Run stops a batch.
func (v *batchStopVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) error {
	return withBatch(ctx, streams, g, queue, v.Name, func(b batches, one data.Batch) error {
		if b.sys != nil {
			return failure(b.sys.Batches.Stop(ctx, one.ID, "It was stopped."))
		}
		return b.at.Call(ctx, http.MethodPost, batchPath(one.ID, "/stop"), nil, nil)
	})
}

// failure returns an error of the batches as that of a verb.
func failure(err error) error {
	if coded := (*verb.Error)(nil); err == nil || errors.As(err, &coded) {
		return err
	}
	return verb.Failure(verb.ExitFailed, "%v", err)
}

type batchExportVerb struct {
	Name string `arg:"" help:"Name or id."`
	Out  string `help:"File to write, in place of the output." placeholder:"FILE.csv"`
}

// Run writes the table of a batch.
func (v *batchExportVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) error {
	return withBatch(ctx, streams, g, queue, v.Name, func(b batches, one data.Batch) error {
		text, err := b.table(ctx, one.ID)
		switch {
		case err != nil:
		case v.Out == "":
			_, err = streams.Out.Write(text)
		default:
			err = os.WriteFile(v.Out, text, 0o600)
		}
		return failure(err)
	})
}

type batchDeleteVerb struct {
	Name string `arg:"" help:"Name or id."`
}

// Run deletes a batch.
func (v *batchDeleteVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global, queue queueAddress) error {
	return withBatch(ctx, streams, g, queue, v.Name, func(b batches, one data.Batch) error {
		if b.sys != nil {
			return failure(b.sys.Batches.Delete(ctx, one.ID))
		}
		return b.at.Call(ctx, http.MethodDelete, batchPath(one.ID, ""), nil, nil)
	})
}
