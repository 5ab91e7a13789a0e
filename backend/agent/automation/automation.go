// Package automation asks the assistant for an answer that a program can read: JSON of a given format.
//
// A Job is one turn of the loop with a goal. The model works with the same tools, pipeline, limits and questions as in
// a conversation, unless the Job sets others. When it is done, it gets the format. Its answer is parsed as JSON and
// checked. If it does not fit, the model gets the problems and may send it again a limited number of times.
//
// The format comes from a program and the answer from a model; neither is trusted. Nothing in an answer is converted or
// filled in.
package automation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/excerpt"
)

const (
	maxRepairs     = 10
	maxSystemBytes = 100_000
)

// Runner runs turns. *loop.Loop implements it.
type Runner interface {
	Run(ctx context.Context, ask loop.TurnRequest) (loop.Outcome, error)
}

// Job is one task whose answer must fit a Format.
type Job struct {
	// TurnRequest is the task. Run sets its Goal.
	loop.TurnRequest
	Format Format
	// MaxRepairs limits how often an answer that does not fit is sent back: 0 to 10.
	MaxRepairs int
}

// Answer is the result of a Job.
type Answer struct {
	// JSON is one compact value that fits the format. Names keep the model's order.
	JSON json.RawMessage
	// Repairs counts how often the model was asked to correct its answer.
	Repairs int
	Outcome loop.Outcome
}

// Error says why there is no answer. Outcome is empty if nothing ran.
type Error struct {
	Message, Suggestion string
	// LastAnswer is the model's last text, cut at maxShown characters; "" if there was none.
	LastAnswer string
	// Problems says why the answer that was checked last does not fit.
	Problems []string
	Outcome  loop.Outcome
	// InvalidJob means that the Job was refused before anything ran.
	InvalidJob bool
	cause      error
}

// Error implements error.
func (e *Error) Error() string { return strings.TrimSpace(e.Message + " " + e.Suggestion) }

// Unwrap returns the loop's error, such as loop.ErrBusy, or nil.
func (e *Error) Unwrap() error { return e.cause }

// Run does job and returns its answer; ctx stops it. The error is an *Error. Safe for concurrent use, but a second Job
// in the same conversation fails with loop.ErrBusy.
func Run(ctx context.Context, runner Runner, job Job) (Answer, error) {
	if err := job.Check(); err != nil {
		return Answer{}, err
	}
	g := &goal{format: job.Format, maxRepairs: job.MaxRepairs}
	job.Goal = g
	outcome, err := runner.Run(ctx, job.TurnRequest)
	if err != nil {
		return Answer{}, &Error{Message: sentence(err.Error()), InvalidJob: true, cause: err}
	}
	if outcome.Status != chat.StatusDone || g.answer == nil {
		e := &Error{
			Message:    outcome.Error,
			Suggestion: outcome.Suggestion,
			LastAnswer: excerpt.TruncateRunes(outcome.Text, maxShown),
			Problems:   g.problems,
			Outcome:    outcome,
		}
		if e.Message == "" {
			e.Message = "The task was stopped before it had an answer."
		}
		return Answer{}, e
	}
	return Answer{JSON: g.answer, Repairs: g.repairsSent, Outcome: outcome}, nil
}

// Check returns an *Error if the Job is invalid, else nil. The loop checks the rest of the TurnRequest.
func (j *Job) Check() error {
	wrong := func(message, suggestion string) error {
		return &Error{Message: message, Suggestion: suggestion, InvalidJob: true}
	}
	switch {
	case strings.TrimSpace(j.Text) == "":
		return wrong("The task is empty.", "Say what to do.")
	case j.Format.empty():
		return wrong("The format is missing.", "Give a JSON Schema, or a description in words.")
	case j.MaxRepairs < 0 || j.MaxRepairs > maxRepairs:
		return wrong(
			fmt.Sprintf("%d repairs were requested.", j.MaxRepairs),
			fmt.Sprintf("Ask for 0 to %d.", maxRepairs),
		)
	case len(j.System) > maxSystemBytes:
		return wrong(
			fmt.Sprintf("The system prompt has %d bytes.", len(j.System)),
			fmt.Sprintf("At most %d are allowed.", maxSystemBytes),
		)
	case j.Model == "" || j.Model == llm.PilotName:
		return wrong("An answer in a format needs a language model; the built-in command pilot is not one.",
			connectHint)
	}
	return nil
}

const connectHint = "Start Ollama, LM Studio or llama.cpp on this machine, or set SEXTANT_OPENAI_BASE_URL and " +
	"SEXTANT_OPENAI_API_KEY for a " +
	"compatible service; then name the model as provider/name, e.g. ollama/qwen3, or set it once as " +
	"SEXTANT_MODEL. sextant doctor shows what is found."

// AsError finds the *Error in err.
func AsError(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

const maxShown = 4000
