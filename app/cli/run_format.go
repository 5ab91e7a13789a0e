package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/gorilla/websocket"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/backend/agent/automation"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/navigation"
	"sextant/shared/wire"
)

type answerFormat struct {
	raw    json.RawMessage
	format automation.Format
}

func (v *runVerb) readFormat() error {
	if v.Format == "" {
		return nil
	}
	raw, err := formatOf(v.Format)
	if err != nil {
		return verb.Failure(verb.ExitUsage,
			"--format: %v. Name a file with a JSON Schema, or describe the answer in words.", err)
	}
	format, err := automation.NewFormat(raw)
	if err != nil {
		return verb.Failure(verb.ExitUsage, "--format %s: %v", v.Format, err)
	}
	v.answerFormat = &answerFormat{raw: raw, format: format}
	return nil
}

// formatOf returns the content of the file name, or name itself as a JSON string if it is several words and not the
// name of a file.
func formatOf(name string) (json.RawMessage, error) {
	file, err := os.Open(name)
	if err != nil {
		if strings.ContainsFunc(name, unicode.IsSpace) && filepath.Ext(name) != ".json" {
			return json.Marshal(name)
		}
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(io.LimitReader(file, automation.MaxFormatBytes+1))
}

func (a *answerFormat) check(task, model string) error {
	if a == nil {
		return nil
	}
	job := automation.Job{TurnRequest: loop.TurnRequest{Text: task, Model: model}, Format: a.format}
	if err := job.Check(); err != nil {
		return verb.Failure(verb.ExitFailed, "%v", err)
	}
	return nil
}

func (a *answerFormat) run(
	ctx context.Context, sys *app.System, ask loop.TurnRequest, repairs int,
) (runReport, error) {
	if repairs < 0 {
		repairs = sys.Settings.Count("answer_repairs")
	}
	done, err := automation.Run(ctx, sys.Loop,
		automation.Job{TurnRequest: ask, Format: a.format, MaxRepairs: repairs})
	if e, ok := automation.AsError(err); ok {
		if e.InvalidJob {
			return runReport{}, err
		}
		report := reportOf(e.Outcome)
		report.formatted = true
		report.Text, report.Wrong, report.Error, report.Suggestion = e.LastAnswer, e.Problems, e.Message, e.Suggestion
		if report.Status == chat.StatusDone {
			report.Status = chat.StatusFailed
		}
		return report, nil
	}
	report := reportOf(done.Outcome)
	report.Answer, report.Text, report.formatted = done.JSON, string(done.JSON), true
	return report, nil
}

func (a *answerFormat) join(
	ctx context.Context, at verb.RunningInstance, v *runVerb, conversation string, stream *websocket.Conn,
	progress io.Writer,
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
		ours := func(e wire.Envelope) bool { return e.Conversation == conversation }
		_ = report.follow(stream, ours, progress, v.JSON)
	}()
	var answer wire.Automation
	body := map[string]any{
		"prompt": v.Task, "format": a.raw, "model": v.Model, "panelId": v.Panel, "conversation": conversation,
		"system": v.System,
	}
	if v.Tools != nil {
		body["tools"] = v.Tools
	}
	if v.Repairs >= 0 {
		body["repairs"] = v.Repairs
	}
	err = at.Call(ctx, method, path, body, &answer)
	wait := watchTimeout // the event that ends the turn may be missing if it could not be stored
	if err != nil || answer.Turn == "" {
		wait = 0 // no turn ran
	}
	late := time.AfterFunc(wait, func() { _ = stream.Close() })
	<-followed // the answer does not depend on the last events
	late.Stop()
	switch {
	case err != nil:
		return runReport{}, err
	case answer.Turn == "":
		// Delete the conversation, which is empty.
		last, cancel := context.WithTimeout(ctx, stopTimeout)
		defer cancel()
		_, _ = at.Do(last, http.MethodDelete, "/api/conversations/"+url.PathEscape(conversation), nil)
		return runReport{}, verb.Failure(verb.ExitFailed, "%s", strings.TrimSpace(answer.Error+" "+answer.Suggestion))
	}
	report.Status, report.Usage = answer.Status, answer.Usage
	if answer.Success {
		report.Answer, report.Text = answer.Result, string(answer.Result)
		return report, nil
	}
	report.Text, report.Wrong, report.Error, report.Suggestion = answer.LastAnswer, answer.FormatErrors, answer.Error,
		answer.Suggestion
	if report.Status == chat.StatusDone {
		report.Status = chat.StatusFailed
	}
	return report, nil
}
