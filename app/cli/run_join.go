package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/gorilla/websocket"

	"sextant/app/cli/progress"
	"sextant/app/cli/verb"
	"sextant/backend/agent/loop/typedhosts"
	httpapi "sextant/backend/api/http"
	"sextant/backend/policy"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// privateHost returns "the address HOST" for the first host in the task that is on this machine or in a private
// network, "" for none. A running Sextant opens it only for the person at its window.
func privateHost(task string) string {
	for _, host := range typedhosts.Find(task) {
		if policy.IsLocalHost(host) {
			return "the address " + host
		}
	}
	return ""
}

const stopTimeout = 3 * time.Second

// join runs the task in the running Sextant: in a new conversation, in the window's tabs, with questions in the window.
func (v *runVerb) join(ctx context.Context, at verb.RunningInstance, files []localFile, out verb.Streams) error {
	attached, err := uploadTo(ctx, at, files)
	if err != nil {
		return err
	}
	var conversation chat.Conversation
	if err := at.Call(ctx, http.MethodPost, "/api/conversations", map[string]string{}, &conversation); err != nil {
		return err
	}
	path := "/api/conversations/" + url.PathEscape(conversation.ID)
	var begun wire.Transcript
	if err := at.Call(ctx, http.MethodGet, path, nil, &begun); err != nil {
		return err
	}
	stream, err := at.Subscribe(ctx, begun.Seq)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "following the running Sextant: %v", err)
	}
	defer func() { _ = stream.Close() }()
	report, err := v.follow(ctx, at, path, conversation.ID, attached, stream, out.Err)
	if ctx.Err() != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		_, _ = at.Do(last, http.MethodPost, path+"/stop", nil) // the turn may already have ended
		return verb.Failure(verb.ExitFailed, "stopped")
	}
	if err != nil {
		return err
	}
	if err := report.print(out.Out, v.JSON); err != nil {
		return err
	}
	return report.verdict()
}

func (v *runVerb) follow(ctx context.Context, at verb.RunningInstance, path, conversation string,
	attached []httpapi.AttachedFile, stream *websocket.Conn, w io.Writer,
) (runReport, error) {
	stop := context.AfterFunc(ctx, func() { _ = stream.Close() })
	defer stop()
	if v.answerFormat != nil {
		return v.answerFormat.join(ctx, at, v, conversation, stream, w)
	}
	report := runReport{Calls: []runCall{}}
	var turn struct{ Turn string }
	if err := at.Call(ctx, http.MethodPost, path+"/messages",
		map[string]any{"text": v.Task, "model": v.Model, "panel": v.Panel, "files": attached}, &turn); err != nil {
		return report, err
	}
	if err := report.follow(stream, func(e wire.Envelope) bool { return e.Turn == turn.Turn }, w, v.JSON); err != nil {
		return report, verb.Failure(verb.ExitFailed,
			"the running Sextant ended before the task did; the conversation in it shows what was done (%v)", err)
	}
	return report, nil
}

// follow reads events for which ours returns true until a turn ends. It prints questions to w, and calls with their
// progress unless quiet is true.
func (r *runReport) follow(stream *websocket.Conn, ours func(wire.Envelope) bool, w io.Writer, quiet bool) error {
	lines := progress.New(w, nil)
	for {
		var e wire.Envelope
		if err := stream.ReadJSON(&e); err != nil {
			return err
		}
		if !ours(e) {
			continue
		}
		switch event.Kind(e.Kind) {
		case event.CallOutput:
			if !quiet {
				lines.Add(e.Data)
			}
		case event.MessageAdded:
			var m chat.Message
			if json.Unmarshal(e.Data, &m) == nil && m.Role == chat.RoleAssistant && m.Text != "" {
				r.Text = m.Text
			}
		case event.ApprovalAsked:
			var a event.Approval
			if json.Unmarshal(e.Data, &a) == nil {
				_, _ = fmt.Fprintf(w, "waiting for an answer in the Sextant window: %s\n", a.Question)
			}
		case event.CallEnded:
			var end event.CallEnd
			if json.Unmarshal(e.Data, &end) != nil {
				continue
			}
			r.Calls = append(r.Calls, newRunCall(end))
			if !quiet {
				_, _ = fmt.Fprintf(w, "%s · %s · %d ms\n", end.Sentence, end.Tool, end.DurationMS)
			}
		case event.TurnEnded:
			var end event.Turn
			if err := json.Unmarshal(e.Data, &end); err != nil {
				return err
			}
			r.Status, r.Error, r.Suggestion, r.Usage = end.Status, end.Error, end.Suggestion, end.Usage
			return nil
		}
	}
}
