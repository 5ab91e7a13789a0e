package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/app/instance"
	"sextant/backend/agent/loop"
	"sextant/backend/api/transferroutes"
	"sextant/backend/store/sqlite"
	"sextant/backend/store/transfer"
	"sextant/shared/excerpt"
)

type conversationsVerb struct {
	List   conversationsListVerb   `cmd:"" default:"withargs" help:"List the conversations, the most recent first."`
	Export conversationsExportVerb `cmd:"" help:"Print a conversation as JSON, Markdown or HTML."`
	Import conversationsImportVerb `cmd:"" help:"Add the conversations of a JSON export."`
}

// readConversations opens the database for reading, also while Sextant runs.
func readConversations(ctx context.Context, g *verb.Global) (*sqlite.Store, *config.Config, error) {
	config, err := config.Load(g.Flags())
	if err != nil {
		return nil, nil, err
	}
	s, err := sqlite.OpenReadOnly(ctx, filepath.Join(config.DataDir, app.DatabaseName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, verb.Failure(verb.ExitFailed,
			"there are no conversations in %s yet. Name another folder with --data.",
			config.DataDir)
	}
	if err != nil {
		return nil, nil, verb.Failure(verb.ExitFailed, "%v", err)
	}
	return s, config, nil
}

type conversationsListVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run lists the conversations of the person.
func (v *conversationsListVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	s, _, err := readConversations(ctx, g)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	all, err := s.Conversations(ctx)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if v.JSON {
		return verb.PrintJSON(io, all)
	}
	w := tabwriter.NewWriter(io.Out, 0, 0, 2, ' ', 0)
	for _, c := range all {
		if c.Parent == "" {
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", c.ID, c.Updated.Local().Format("2006-01-02 15:04"),
				printable(excerpt.Line(c.Title, 70)))
		}
	}
	return w.Flush()
}

type conversationsExportVerb struct {
	ID     string `arg:"" help:"Conversation, from the list."`
	Format string `help:"json can be imported; markdown and html contain the branch that is shown." enum:"json,markdown,html" default:"json"`
	Share  bool   `help:"Hide secrets, for a file that others read."`
}

// Run prints one conversation.
func (v *conversationsExportVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	s, config, err := readConversations(ctx, g)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	list, err := transfer.Collect(ctx, s, v.ID)
	switch {
	case errors.Is(err, transfer.ErrNotFound):
		return verb.Failure(verb.ExitFailed, "there is no conversation %q. List them: sextant conversations list", v.ID)
	case errors.Is(err, transfer.ErrRunning):
		return verb.Failure(verb.ExitFailed,
			"a turn is running in this conversation. Wait for its end, then export it.")
	case err != nil:
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	if v.Share {
		vault, err := app.OpenVault(config, slog.New(slog.DiscardHandler))
		if err != nil {
			return verb.Failure(verb.ExitFailed, "%v", err)
		}
		hidden := 0
		list, hidden, err = transfer.Veil(list, vault.Mask)
		if err = errors.Join(err, vault.Close()); err != nil {
			return verb.Failure(verb.ExitFailed, "secrets could not be hidden, so nothing was exported: %v", err)
		}
		_, _ = fmt.Fprintf(io.Err, "%d secrets hidden. Read the file before you share it.\n", hidden)
	}
	if _, err := transfer.WriteAs(io.Out, v.Format, list); err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	return nil
}

const importTimeout = 5 * time.Minute

type conversationsImportVerb struct {
	File string `arg:"" help:"JSON export of Sextant, or ChatGPT's or Claude's export (conversations.json or the ZIP file); - for standard input."`
}

// Run imports a file, through the running Sextant if there is one.
func (v *conversationsImportVerb) Run(ctx context.Context, streams verb.Streams, g *verb.Global) error {
	config, err := config.Load(g.Flags())
	if err != nil {
		return err
	}
	from := streams.In
	if v.File != "-" {
		f, err := os.Open(v.File)
		if err != nil {
			return verb.Failure(verb.ExitFailed, "%v", err)
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	raw, err := io.ReadAll(io.LimitReader(from, transfer.MaxFile+1))
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	file, err := transfer.Read(bytes.NewReader(raw))
	if err != nil {
		return verb.Failure(verb.ExitFailed, "%v Nothing was imported.", err)
	}
	var known int
	if running, err := instance.Connect(ctx, config.DataDir); err == nil {
		answer, err := running.Send(ctx, http.MethodPost, "/api/conversations/import",
			bytes.NewReader(raw), importTimeout)
		if err != nil {
			return verb.Failure(verb.ExitFailed, "%v", err)
		}
		var imported transferroutes.Imported
		if err := json.Unmarshal(answer, &imported); err != nil {
			return verb.Failure(verb.ExitFailed, "%v", err)
		}
		known = imported.Known
	} else if known, err = importInto(ctx, config, file); err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	_, err = fmt.Fprintf(streams.Out, "imported: %d\nhere already: %d\n", len(file.Conversations)-known, known)
	for _, reason := range file.LeftOut {
		_, _ = fmt.Fprintf(streams.Err, "not imported: %s\n", reason)
	}
	return err
}

// importInto imports a file into the database of a Sextant that does not run.
func importInto(ctx context.Context, config *config.Config, file *transfer.Import) (known int, err error) {
	log := slog.New(slog.DiscardHandler)
	vault, err := app.OpenVault(config, log)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, vault.Close()) }()
	s, err := sqlite.Open(ctx, filepath.Join(config.DataDir, app.DatabaseName), log)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if file.Foreign {
		if file, known, err = s.WithoutKnown(ctx, file); err != nil {
			return 0, err
		}
	}
	table, id, err := s.KnownID(ctx, file)
	if err != nil {
		return 0, err
	}
	if table != "" {
		return 0, fmt.Errorf("nothing was imported: %q, an id of the file in %s, is here already", id, table)
	}
	events := file.Events(loop.NewSecret)
	for i := range events {
		events[i].Data = vault.MaskJSON(events[i].Data)
	}
	_, err = s.AppendEvents(ctx, events)
	return known, err
}
