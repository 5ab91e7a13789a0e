package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/backend/store/audit"
	"sextant/backend/store/pgqueue"
	"sextant/backend/store/sqlite"
	"sextant/shared/excerpt"
	"sextant/shared/wire"
)

type auditVerb struct {
	Verify auditVerifyVerb `cmd:"" help:"Read the whole log and report whether a row was changed."`
	Show   auditShowVerb   `cmd:"" default:"withargs" help:"Show the newest calls, or one call in full."`
	Export auditExportVerb `cmd:"" help:"Print every row as a line of JSON, the oldest first."`
}

func openAudit(ctx context.Context, g *verb.Global) (*audit.Log, func(), error) {
	config, err := config.Load(g.Flags())
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(config.DataDir, app.DatabaseName)
	s, err := sqlite.OpenReadOnly(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, verb.Failure(verb.ExitFailed,
			"there is no audit log in %s yet, because no tool was called there. Name another folder with --data.",
			config.DataDir)
	}
	if err != nil {
		return nil, nil, verb.Failure(verb.ExitFailed, "%v", err)
	}
	return audit.New(s), func() { _ = s.Close() }, nil
}

type auditVerifyVerb struct {
	Queue string `help:"Verify the logs of all workers of a shared queue instead." placeholder:"postgres://USER@HOST/DATABASE"`
}

// Run verifies the log. If a row was changed or the log cannot be read, the exit code is 1.
func (v *auditVerifyVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	if v.Queue != "" {
		return verifyWorkers(ctx, io, v.Queue)
	}
	log, done, err := openAudit(ctx, g)
	if err != nil {
		return err
	}
	defer done()
	n, err := log.Verify(ctx)
	if errors.Is(err, audit.ErrBroken) {
		return verb.Failure(verb.ExitFailed,
			"%v. The %d entries before it are intact. A backup of the data folder shows what the entry "+
				"was.", err, n)
	}
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	cfg, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	err = audit.HeadKeeper{Log: log, Folder: cfg.DataDir}.Verify(ctx)
	if errors.Is(err, audit.ErrBroken) {
		return verb.Failure(verb.ExitFailed, "%v. The %d entries that are left are intact. Data files that were "+
			"copied over newer ones explain this, too.", err, n)
	}
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, err = fmt.Fprintf(io.Out, "%d entries, all intact\n", n)
	return err
}

type auditShowVerb struct {
	ID    string `arg:"" optional:"" help:"Call to show in full."`
	Limit int    `help:"How many calls to list." default:"50" placeholder:"N"`
	JSON  bool   `help:"Print JSON."`
}

// Run lists the latest calls or shows one call.
func (v *auditShowVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	if v.Limit < 1 {
		return verb.Failure(verb.ExitUsage, "--limit must be 1 or more")
	}
	log, done, err := openAudit(ctx, g)
	if err != nil {
		return err
	}
	defer done()
	if v.ID != "" {
		return v.printOne(ctx, io, log)
	}
	rows, err := log.List(ctx, v.Limit)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if v.JSON {
		return verb.PrintJSON(io, rows)
	}
	if len(rows) == 0 {
		_, _ = fmt.Fprintln(io.Err, "No tool was called yet.")
	}
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Started.Local().Format("2006-01-02 15:04:05"), r.ID,
			callerName(r), r.Tool, r.Status, r.Decision, printable(excerpt.Line(r.Sentence, 70)))
	}
	return w.Flush()
}

func (v *auditShowVerb) printOne(ctx context.Context, io verb.Streams, log *audit.Log) error {
	r, found, err := log.Get(ctx, v.ID)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if !found {
		return verb.Failure(verb.ExitFailed, "there is no call %q. List the newest calls: sextant audit show", v.ID)
	}
	if v.JSON {
		return verb.PrintJSON(io, r)
	}
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, line := range [][2]string{
		{"call", r.ID},
		{"when", r.Started.Local().Format("2006-01-02 15:04:05.000 -0700")},
		{"by", callerName(r)},
		{"tool", r.Tool},
		{"what", r.Sentence},
		{"target", r.Target},
		{"arguments", string(r.Args)},
		{"decision", r.Decision},
		{"why", r.Reason},
		{"grant", r.Grant},
		{"ended", fmt.Sprintf("%s after %d ms", r.Status, r.DurationMS)},
		{"error", r.Error},
		{"outside text", strings.Join(r.Sources, ",")},
		{"output", r.Output},
	} {
		if line[1] != "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\n", line[0], printable(line[1]))
		}
	}
	return w.Flush()
}

// printable replaces control, format and private-use characters other than line feeds, because text of a page or
// server may contain terminal sequences.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Co)) {
			return '\uFFFD'
		}
		return r
	}, text)
}

func callerName(r wire.CallRow) string {
	if r.Client != "" {
		return string(r.Caller) + ":" + r.Client
	}
	return string(r.Caller)
}

// verifyWorkers verifies the logs of the workers of a shared queue.
func verifyWorkers(ctx context.Context, io verb.Streams, address string) error {
	queue, err := pgqueue.Open(ctx, address)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	defer queue.Close()
	counts, err := queue.VerifyAudit(ctx)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	for _, worker := range slices.Sorted(maps.Keys(counts)) {
		_, _ = fmt.Fprintf(io.Out, "%s: %d entries, all intact\n", excerpt.Escape(worker), counts[worker])
	}
	return nil
}

type auditExportVerb struct {
	Queue string `help:"Print the logs of all workers of a shared queue in the order of time instead." placeholder:"postgres://USER@HOST/DATABASE"`
}

// Run prints the rows as JSON lines.
func (v *auditExportVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	enc := json.NewEncoder(io.Out)
	if v.Queue != "" {
		queue, err := pgqueue.Open(ctx, v.Queue)
		if err != nil {
			return verb.Failure(verb.ExitFailed, "%v", err)
		}
		defer queue.Close()
		return queue.WalkAudit(ctx, func(e pgqueue.Entry) error { return enc.Encode(e) })
	}
	log, done, err := openAudit(ctx, g)
	if err != nil {
		return err
	}
	defer done()
	err = log.Walk(ctx, 0, func(e audit.Entry) error { return enc.Encode(e) })
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	return nil
}
