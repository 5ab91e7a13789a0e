package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/agent/automation"
	"sextant/backend/agent/loop"
	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

type automationInput struct {
	Body struct {
		Prompt string          `json:"prompt" doc:"What to do." minLength:"1" maxLength:"200000"`
		Format json.RawMessage `json:"format" doc:"What the answer must match: a JSON Schema, or a description as a string."`
		System string          `json:"system,omitempty" doc:"System prompt, byte for byte; that of the settings when absent." maxLength:"100000"`
		Tools  []string        `json:"tools,omitempty" doc:"The only tools that may be called; all that are offered when absent." maxItems:"200"`
		Model  string          `json:"model,omitempty" doc:"Model as provider/name; the setting's when absent." maxLength:"200"`
		Panel  string          `json:"panelId,omitempty" doc:"Panel whose tools are in scope." maxLength:"64"`
		// A pointer, because 0 differs from absent.
		Repairs      *int       `json:"repairs,omitempty" doc:"How often an answer that does not match is sent back; the setting's when absent." minimum:"0" maximum:"10"`
		Budget       budgetBody `json:"budget,omitzero" doc:"What this task may cost. The budgets of the settings apply too."`
		Conversation string     `json:"conversation,omitempty" doc:"Conversation to do it in; a new one when absent." maxLength:"128"`
	}
}

func (s *Server) automationRoutes() {
	m, p := s.services.Nav.Route("automations_run")
	route.Add(s.api, m, p, "Do a task and answer with JSON of a wanted format", http.StatusOK, s.runAutomation)
}

// runAutomation stops the turn if the client disconnects.
func (s *Server) runAutomation(ctx context.Context, in *automationInput) (*route.Body[wire.Automation], error) {
	started := time.Now()
	format, err := automation.NewFormat(in.Body.Format)
	suggestion := "Nothing ran. Send another format."
	if err == nil {
		err, suggestion = s.services.Catalog.CheckNames(in.Body.Tools), "Nothing ran. Send the names of tools."
	}
	if err != nil {
		return route.Answer(failedAutomation(&automation.Error{
			Message: err.Error(), Suggestion: suggestion, InvalidJob: true,
		}, started)), nil
	}
	if in.Body.Conversation != "" {
		if _, err := s.conversation(ctx, in.Body.Conversation); err != nil {
			return nil, err
		}
	}
	budget, err := in.Body.Budget.read()
	if err != nil {
		return nil, route.BadRequest("The budget: " + err.Error() + ".")
	}
	job := automation.Job{
		TurnRequest: loop.TurnRequest{
			Budget:       budget,
			Conversation: in.Body.Conversation, Text: in.Body.Prompt, System: in.Body.System, Tools: in.Body.Tools,
			Model: in.Body.Model, Panel: in.Body.Panel, Caller: toolspec.CallerModel, Interactive: true,
		},
		Format: format,
	}
	if job.Model == "" {
		job.Model = s.services.Settings.Get("model")
	}
	if in.Body.Repairs != nil {
		job.MaxRepairs = *in.Body.Repairs
	} else if job.MaxRepairs, err = strconv.Atoi(s.services.Settings.Get("answer_repairs")); err != nil {
		return nil, route.InternalError("The setting answer_repairs is not a number.", err)
	}
	if !access.IsWindow(ctx) {
		job.Caller, job.Interactive = toolspec.CallerHTTP, s.services.HasWindow()
	}
	done, err := automation.Run(ctx, s.services.Loop, job)
	if e, ok := automation.AsError(err); ok {
		if errors.Is(err, loop.ErrBusy) {
			return nil, huma.NewError(http.StatusConflict,
				"A turn is running in this conversation. Stop it or wait for its end.")
		}
		return route.Answer(failedAutomation(e, started)), nil
	}
	a := newAutomation(done.Outcome, started)
	a.Success, a.Result, a.Repairs = true, done.JSON, done.Repairs
	return route.Answer(a), nil
}

func newAutomation(o loop.Outcome, started time.Time) wire.Automation {
	return wire.Automation{
		DurationMS: time.Since(started).Milliseconds(), Conversation: o.Conversation, Turn: o.Turn,
		Status: o.Status, Rounds: o.Rounds, Calls: o.Calls, Usage: o.Usage,
		Bill: o.Bill, Budget: o.Budget,
	}
}

func failedAutomation(e *automation.Error, started time.Time) wire.Automation {
	a := newAutomation(e.Outcome, started)
	a.Error, a.Suggestion, a.LastAnswer, a.FormatErrors = e.Message, e.Suggestion, e.LastAnswer, e.Problems
	switch {
	case e.InvalidJob:
		a.ErrorType, a.Status = toolspec.ValidationError, chat.StatusFailed
		if errors.Unwrap(e) != nil { // the request was valid, but the loop could not start
			a.ErrorType = toolspec.SystemError
		}
	case len(e.Problems) > 0, e.Outcome.Status != chat.StatusFailed:
		a.ErrorType = toolspec.UserError
	default:
		a.ErrorType = toolspec.SystemError
	}
	return a
}
