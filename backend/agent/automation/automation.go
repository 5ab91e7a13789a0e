// Package automation asks the assistant for an answer that a program can read: JSON of a wanted
// format instead of words (A6, A8).
//
// A Job is one turn of the loop with a goal. The model works with the same tools, through the same
// Pipeline, under the same limits and questions as in a conversation, and with the same system
// prompt in every round. When it calls final_response it is told the format; from then on no tool
// runs. What it answers is read as JSON and checked; when it does not fit, the model is told where,
// and may send it again a bounded number of times.
//
// The format comes from a program and the answer from a model: both are hostile. A format is
// refused when it is too large, points outside of itself or goes in circles; nothing of an answer
// is converted or filled in.
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
	"sextant/shared/clip"
)

// Bounds of a Job.
const (
	// MaxRepairs is the most a Job may ask for.
	MaxRepairs = 10
	// MaxSystemBytes bounds a system prompt of the caller's.
	MaxSystemBytes = 100_000
)

// Runner runs turns: *loop.Loop.
type Runner interface {
	Run(ctx context.Context, ask loop.Ask) (loop.Outcome, error)
}

// Job is one task whose answer has to fit a Format.
type Job struct {
	// Ask is what to do, for whom and with what; its Goal is set by Run.
	loop.Ask
	Format Format
	// Repairs is how often an answer that does not fit is sent back, 0 to MaxRepairs.
	Repairs int
}

// Answer is what came of a Job.
type Answer struct {
	// JSON fits the format: one value without white space around its parts, names in the order in
	// which the model wrote them, none of them twice.
	JSON json.RawMessage
	// Repairs is how often the model had to be told that it does not fit.
	Repairs int
	Outcome loop.Outcome
}

// Error is why there is no answer. Outcome is empty when nothing ran.
type Error struct {
	Message, Suggestion string
	// Last is what the model answered last, "" for nothing, cut at a few thousand characters.
	Last string
	// Wrong is what does not fit in it; empty when something else went wrong.
	Wrong   []string
	Outcome loop.Outcome
	// Unasked says that the Job itself is wrong and nothing ran.
	Unasked bool
	cause   error
}

func (e *Error) Error() string { return strings.TrimSpace(e.Message + " " + e.Suggestion) }

// Unwrap gives the loop's error, such as loop.ErrBusy.
func (e *Error) Unwrap() error { return e.cause }

// Run does job and returns its answer; ctx stops it. Every error is an *Error. Safe for concurrent
// use: two Jobs at once are two turns in two conversations.
func Run(ctx context.Context, runner Runner, job Job) (Answer, error) {
	if err := job.Check(); err != nil {
		return Answer{}, err
	}
	g := &goal{format: job.Format, repairs: job.Repairs}
	job.Goal = g
	outcome, err := runner.Run(ctx, job.Ask)
	if err != nil {
		return Answer{}, &Error{Message: sentence(err.Error()), Unasked: true, cause: err}
	}
	if outcome.Status != chat.StatusDone || g.answer == nil {
		e := &Error{
			Message:    outcome.Error,
			Suggestion: outcome.Suggestion,
			Last:       clip.Runes(outcome.Text, maxShown),
			Wrong:      g.wrong,
			Outcome:    outcome,
		}
		if e.Message == "" {
			e.Message = "The task was stopped before it had an answer."
		}
		return Answer{}, e
	}
	return Answer{JSON: g.answer, Repairs: g.told, Outcome: outcome}, nil
}

// Check is why the Job cannot be done as it is, nil when it can be tried.
func (j *Job) Check() error {
	wrong := func(message, suggestion string) error {
		return &Error{Message: message, Suggestion: suggestion, Unasked: true}
	}
	switch {
	case strings.TrimSpace(j.Text) == "":
		return wrong("The task is empty.", "Say what to do.")
	case j.Format.empty():
		return wrong("The format is missing.", "Give a JSON Schema, or a description in words.")
	case j.Repairs < 0 || j.Repairs > MaxRepairs:
		return wrong(fmt.Sprintf("%d repairs are asked for.", j.Repairs), fmt.Sprintf("Ask for 0 to %d.", MaxRepairs))
	case len(j.System) > MaxSystemBytes:
		return wrong(
			fmt.Sprintf("The system prompt has %d bytes.", len(j.System)),
			fmt.Sprintf("At most %d are taken.", MaxSystemBytes),
		)
	case j.Model == "" || j.Model == llm.PilotName:
		return wrong("An answer in a format needs a language model, and the built-in command pilot is none.", connect)
	}
	return nil
}

// connect says how a person comes to a model.
const connect = "Start Ollama, LM Studio or llama.cpp on this machine, or set SEXTANT_OPENAI_BASE_URL and SEXTANT_OPENAI_API_KEY for a " +
	"compatible service; then name the model as provider/name, e.g. ollama/qwen3, or set it once as SEXTANT_MODEL. sextant doctor shows what is found."

// Failure finds the *Error in err.
func Failure(err error) (*Error, bool) {
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

// maxShown is how many characters of a last answer an error carries.
const maxShown = 4000
