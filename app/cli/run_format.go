package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"sextant/app"
	"sextant/backend/agent/automation"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/navigation"
	"sextant/shared/wire"
)

// wanted is the format that the answer of a run has to fit.
type wanted struct {
	raw    json.RawMessage
	format automation.Format
}

// readFormat reads the file of --format, before anything is opened.
func (v *runVerb) readFormat() error {
	if v.Format == "" {
		return nil
	}
	file, err := os.Open(v.Format)
	if err != nil {
		return failure(exitUsage, "--format: %v. Name a file with a JSON Schema.", err)
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, automation.MaxFormatBytes+1))
	if err != nil {
		return failure(exitUsage, "--format: reading %s: %v", v.Format, err)
	}
	format, err := automation.NewFormat(raw)
	if err != nil {
		return failure(exitUsage, "--format %s: %v", v.Format, err)
	}
	v.wanted = &wanted{raw: raw, format: format}
	return nil
}

// check is why the task cannot be done in that format by model, before a conversation is made for it.
func (w *wanted) check(task, model string) error {
	if w == nil {
		return nil
	}
	job := automation.Job{Ask: loop.Ask{Text: task, Model: model}, Format: w.format}
	if err := job.Check(); err != nil {
		return failure(exitFailed, "%v", err)
	}
	return nil
}

// Run does the task here. An error means that nothing ran.
func (w *wanted) run(ctx context.Context, sys *app.System, ask loop.Ask) (runReport, error) {
	done, err := automation.Run(ctx, sys.Loop,
		automation.Job{Ask: ask, Format: w.format, Repairs: sys.Settings.Count("answer_repairs")})
	if e, ok := automation.Failure(err); ok {
		if e.Unasked {
			return runReport{}, err
		}
		report := reportOf(e.Outcome)
		report.formatted = true
		report.Text, report.Wrong, report.Error, report.Suggestion = e.Last, e.Wrong, e.Message, e.Suggestion
		if report.Status == chat.StatusDone {
			report.Status = chat.StatusFailed
		}
		return report, nil
	}
	report := reportOf(done.Outcome)
	report.Answer, report.Text, report.formatted = done.JSON, string(done.JSON), true
	return report, nil
}

// joined does the task in a running Sextant: what happens is read from its events, the answer is
// that of the request. The error is a failure of the verb's.
func (w *wanted) joined(ctx context.Context, at instance, v *runVerb, conversation string, stream *websocket.Conn,
	told io.Writer,
) (runReport, error) {
	nav, err := navigation.Load()
	if err != nil {
		return runReport{}, err
	}
	method, path := nav.Route("automations_run")
	report := runReport{Calls: []runCall{}, formatted: true}
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		_ = report.follow(stream, func(e wire.Envelope) bool { return e.Conversation == conversation }, told, v.JSON)
	}()
	var answer wire.Automation
	err = at.tell(ctx, method, path, map[string]any{
		"prompt": v.Task, "format": w.raw, "model": v.Model, "panelId": v.Panel, "conversation": conversation,
	}, &answer)
	patience := watchPatience // the end comes with the answer, or could not be stored
	if err != nil || answer.Turn == "" {
		patience = 0 // no end of a turn will come
	}
	late := time.AfterFunc(patience, func() { _ = stream.Close() })
	<-followed // without its last events the answer still holds
	late.Stop()
	switch {
	case err != nil:
		return runReport{}, err
	case answer.Turn == "":
		// nothing happened in it
		_, _ = at.do(ctx, http.MethodDelete, "/api/conversations/"+url.PathEscape(conversation), at.Token, nil,
			stopPatience)
		return runReport{}, failure(exitFailed, "%s", strings.TrimSpace(answer.Error+" "+answer.Suggestion))
	}
	report.Status, report.Usage = answer.Status, answer.Usage
	if answer.Success {
		report.Answer, report.Text = answer.Result, string(answer.Result)
		return report, nil
	}
	report.Text, report.Wrong, report.Error, report.Suggestion = answer.Last, answer.Wrong, answer.Error,
		answer.Suggestion
	if report.Status == chat.StatusDone {
		report.Status = chat.StatusFailed
	}
	return report, nil
}
