// Package tasks continues a call that a server answers with a task instead of a result: it polls the task until
// it ends, answers its questions, and cancels it when nobody waits for it any more. It supports the
// experimental form of revision 2025-11-25, where the client requests a task, and the extension
// io.modelcontextprotocol/tasks of 2026-07-28, where the server decides.
//
// The SDK supports neither. Hoist moves a server's data about tasks to fields that the SDK keeps, and the rest of
// the package reads it from there.
package tasks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Extension is the name under which servers and clients of the newest revision declare support for tasks.
const Extension = "io.modelcontextprotocol/tasks"

const related = "io.modelcontextprotocol/related-task"

// extensionRevision is the first revision in which the server decides whether a call becomes a task.
const extensionRevision = "2026-07-28"

const (
	// taskTTL is how long a server is asked to store a task: longer than a call without questions may last.
	taskTTL                                   = time.Hour
	minInterval, defaultInterval, maxInterval = 250 * time.Millisecond, time.Second, 30 * time.Second
	maxMisses                                 = 5
	pollLimit                                 = 30 * time.Second
	cancelLimit                               = 1500 * time.Millisecond
	maxID                                     = 1024
	maxInputs                                 = 10
)

const (
	working       = "working"
	inputRequired = "input_required"
	completed     = "completed"
	failed        = "failed"
	cancelled     = "cancelled"
)

type requestKey struct{}

// WithTaskRequest marks a context so that the call made with it is requested as a task.
func WithTaskRequest(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, true)
}

type taskCallParams struct {
	*sdk.CallToolParams
	Task struct {
		TTL int64 `json:"ttl"`
	} `json:"task"`
}

type (
	idParams struct {
		sdk.ParamsBase
		ID string `json:"taskId"`
	}
	updateParams struct {
		sdk.ParamsBase
		ID        string               `json:"taskId"`
		Responses sdk.InputResponseMap `json:"inputResponses"`
	}
	emptyResult struct{ sdk.ResultBase }
)

// Register registers the methods of tasks with client. Call it before client connects.
func Register(client *sdk.Client) error {
	client.AddSendingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			params, ok := req.GetParams().(*sdk.CallToolParams)
			session, ours := req.GetSession().(*sdk.ClientSession)
			if !ok || !ours || ctx.Value(requestKey{}) == nil {
				return next(ctx, method, req)
			}
			more := &taskCallParams{CallToolParams: params}
			more.Task.TTL = taskTTL.Milliseconds()
			return next(ctx, method, &sdk.ClientRequest[*taskCallParams]{Session: session, Params: more})
		}
	})
	return errors.Join(
		sdk.AddSendingCustomMethod[*idParams, *State](client, "tasks/get"),
		sdk.AddSendingCustomMethod[*idParams, *sdk.CallToolResult](client, "tasks/result"),
		sdk.AddSendingCustomMethod[*updateParams, *emptyResult](client, "tasks/update"),
		sdk.AddSendingCustomMethod[*idParams, *emptyResult](client, "tasks/cancel"),
	)
}

// Task is a call that continues as a task.
type Task struct {
	Session *sdk.ClientSession
	First   *State
	// Report shows the server's status messages to the person.
	Report func(line string)
	// Answer answers the task's questions. Responses have the same names as their requests.
	Answer func(ctx context.Context, requests sdk.InputRequestMap) (sdk.InputResponseMap, error)

	// Go runs do in a goroutine of the session. It returns false if the session has ended.
	Go func(do func()) bool

	answered map[string]bool
	// earlyResult receives the result, which is requested before it exists, because an older server can ask
	// questions only while that request is open.
	earlyResult chan outcome
}

type outcome struct {
	answer *sdk.CallToolResult
	err    error
}

// EndedError is the error of a task that its server cancelled or that cannot be continued.
type EndedError struct{ Why string }

// Error returns Why.
func (e *EndedError) Error() string { return e.Why }

// CanceledError is the error of a task that nobody waits for any more. Confirmed is true if the server
// confirmed the cancellation.
type CanceledError struct {
	Confirmed bool
	Cause     error
}

// Error says whether the task was canceled.
func (e *CanceledError) Error() string {
	if e.Confirmed {
		return "its task was cancelled"
	}
	return "its task could not be cancelled and may still be running there"
}

// Unwrap returns why the wait ended.
func (e *CanceledError) Unwrap() error { return e.Cause }

// Wait waits for the end of the task. If ctx ends first, Wait cancels the task at the server and returns a
// CanceledError.
func (t *Task) Wait(ctx context.Context) (*sdk.CallToolResult, error) {
	// A request for the early result ends with the wait.
	inner, stop := context.WithCancel(ctx)
	defer stop()
	answer, err := t.follow(inner)
	if ctx.Err() == nil {
		return answer, err
	}
	if err == nil {
		return answer, nil
	}
	last, done := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit)
	defer done()
	_, cancelErr := sdk.CallCustomMethod[*idParams, *emptyResult](last, t.Session, "tasks/cancel",
		&idParams{ID: t.First.ID})
	return nil, &CanceledError{Confirmed: cancelErr == nil, Cause: ctx.Err()}
}

func (t *Task) follow(ctx context.Context) (*sdk.CallToolResult, error) {
	misses := 0
	for now := t.First; ; {
		if now.StatusMessage != "" {
			t.Report(now.StatusMessage)
		}
		answer, ended, err := t.step(ctx, now)
		if ended || err != nil {
			return answer, err
		}
		pause := time.NewTimer(now.pause() * time.Duration(1+misses))
		select {
		case <-pause.C:
		case o := <-t.earlyResult:
			pause.Stop()
			t.earlyResult = nil
			if o.err == nil {
				return o.answer, nil
			}
			// Perhaps only the connection failed; the next poll will show it.
		case <-ctx.Done():
			pause.Stop()
			return nil, ctx.Err()
		}
		next, err := t.poll(ctx)
		switch {
		case err == nil:
			now, misses = next, 0
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case isFinal(err):
			return nil, err
		default:
			if misses++; misses >= maxMisses {
				return nil, fmt.Errorf("polling its task: %w", err)
			}
		}
	}
}

func isFinal(err error) bool {
	var refused *jsonrpc.Error
	const undelivered = -32005 // the SDK's own code for a request that HTTP did not deliver
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.As(err, &refused) && refused.Code != undelivered
}

func (t *Task) poll(ctx context.Context) (*State, error) {
	ctx, done := context.WithTimeout(ctx, pollLimit)
	defer done()
	next, err := sdk.CallCustomMethod[*idParams, *State](ctx, t.Session, "tasks/get", &idParams{ID: t.First.ID})
	if err == nil && next.ID != t.First.ID {
		return nil, &EndedError{Why: "it answered about another task"}
	}
	return next, err
}

func (t *Task) step(ctx context.Context, now *State) (answer *sdk.CallToolResult, ended bool, err error) {
	newer := t.modern()
	switch {
	case now.Status == working:
		return nil, false, nil
	case now.Status == cancelled:
		return nil, true, &EndedError{Why: "the server cancelled its task"}
	case now.Status == inputRequired && newer:
		return nil, false, t.answerInputs(ctx, now)
	case now.Status == inputRequired:
		if t.earlyResult == nil {
			early := make(chan outcome, 1)
			t.earlyResult = early
			if !t.Go(func() {
				answer, err := t.result(ctx)
				early <- outcome{answer, err}
			}) {
				return nil, true, sdk.ErrConnectionClosed
			}
		}
		return nil, false, nil
	case now.Status == completed && newer:
		answer = &sdk.CallToolResult{}
		if err := json.Unmarshal(now.Result, answer); err != nil {
			return nil, true, &EndedError{Why: "its task ended with a result that cannot be read"}
		}
		return answer, true, nil
	case now.Status == failed && newer:
		refused := &jsonrpc.Error{}
		if json.Unmarshal(now.Error, refused) != nil || refused.Message == "" {
			refused.Message = "its task failed: " + now.StatusMessage
		}
		return nil, true, refused
	case now.Status == completed, now.Status == failed:
		if t.earlyResult != nil {
			select {
			case o := <-t.earlyResult:
				if o.err == nil {
					return o.answer, true, nil
				}
			case <-ctx.Done():
				return nil, true, ctx.Err()
			}
		}
		answer, err = t.result(ctx)
		return answer, true, err
	}
	return nil, true, &EndedError{Why: "its task is in an unknown state: " + now.Status}
}

func (t *Task) modern() bool {
	initialized := t.Session.InitializeResult()
	return initialized != nil && initialized.ProtocolVersion >= extensionRevision
}

// result waits: an older server answers once there is a result.
func (t *Task) result(ctx context.Context) (*sdk.CallToolResult, error) {
	return sdk.CallCustomMethod[*idParams, *sdk.CallToolResult](ctx, t.Session, "tasks/result",
		&idParams{ID: t.First.ID})
}

func (t *Task) answerInputs(ctx context.Context, now *State) error {
	var asks sdk.InputRequestMap
	if err := json.Unmarshal(now.InputRequests, &asks); err != nil {
		return &EndedError{Why: "its task asks for something unknown"}
	}
	fresh := sdk.InputRequestMap{}
	for name, ask := range asks {
		if !t.answered[name] {
			fresh[name] = ask
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if len(t.answered)+len(fresh) > maxInputs {
		return &EndedError{Why: fmt.Sprintf("its task asks for more than %d things", maxInputs)}
	}
	answers, err := t.Answer(ctx, fresh)
	if err != nil {
		return err
	}
	if t.answered == nil {
		t.answered = map[string]bool{}
	}
	for name := range fresh {
		t.answered[name] = true
	}
	limit, done := context.WithTimeout(ctx, pollLimit)
	defer done()
	if _, err = sdk.CallCustomMethod[*updateParams, *emptyResult](limit, t.Session, "tasks/update",
		&updateParams{ID: t.First.ID, Responses: answers}); err != nil {
		return fmt.Errorf("answering the questions of its task: %w", err)
	}
	return nil
}
