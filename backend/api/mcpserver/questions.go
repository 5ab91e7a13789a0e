package mcpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/pipeline/approval"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// Without a window, a question of a call is sent to the client, which can ask its own user. A client of an
// older revision is asked during the call. A client of 2026-07-28 gets the question as the call's result, and
// sends the call again with the answer; until then the call is parked under a random state.

const (
	approvalKey   = "approval"
	approvalField = "answer"
)

const answerTimeout = 10 * time.Minute

const maxAsked = 8000

// sinceStateless is the first revision without sessions and without requests by the server.
const sinceStateless = "2026-07-28"

type pendingCall struct {
	def       toolspec.Definition
	call      toolspec.Call
	questions chan event.Approval
	result    chan toolspec.Result
	cancel    context.CancelFunc
	stop      func()
}

type parkedCalls struct {
	mu     sync.Mutex
	closed bool
	calls  map[string]*parkedCall
	busy   sync.WaitGroup
}

type parkedCall struct {
	run     *pendingCall
	asked   event.Approval
	timeout *time.Timer
}

func (p *parkedCalls) close() {
	p.mu.Lock()
	p.closed = true
	for state, s := range p.calls {
		s.timeout.Stop()
		s.run.cancel()
		delete(p.calls, state)
	}
	p.mu.Unlock()
	p.busy.Wait()
}

func (p *parkedCalls) waiting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) > 0
}

func (p *parkedCalls) park(run *pendingCall, asked event.Approval) string {
	state := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		run.cancel()
		return state
	}
	if p.calls == nil {
		p.calls = map[string]*parkedCall{}
	}
	p.calls[state] = &parkedCall{run: run, asked: asked, timeout: time.AfterFunc(answerTimeout, func() {
		if p.take(state, nil) != nil {
			run.cancel()
		}
	})}
	return state
}

// take returns nil if there is no such call, or if call does not repeat it. A nil call matches any parked call.
func (p *parkedCalls) take(state string, call *toolspec.Call) *parkedCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.calls[state]
	if s == nil || call != nil && (call.Tool != s.run.call.Tool || call.From.Client != s.run.call.From.Client ||
		!sameJSON(call.Args, s.run.call.Args)) {
		return nil
	}
	s.timeout.Stop()
	delete(p.calls, state)
	return s
}

func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	one, _ := json.Marshal(x)
	other, _ := json.Marshal(y)
	return bytes.Equal(one, other)
}

func (t *toolServer) canAskClient(caps *sdk.ClientCapabilities) bool {
	return t.cfg.FollowQuestions != nil && t.cfg.Answer != nil && supportsForms(caps)
}

// supportsForms counts a client that names no mode, as the protocol demands.
func supportsForms(caps *sdk.ClientCapabilities) bool {
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

func (t *toolServer) callWithQuestions(
	ctx context.Context, req *sdk.CallToolRequest, def toolspec.Definition, call toolspec.Call,
) (*sdk.CallToolResult, error) {
	call.ID, call.From.Interactive = "mcp_"+rand.Text(), true
	call.From.RootCall = call.ID
	// The call may outlive the request.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	run := &pendingCall{
		def: def, call: call, questions: make(chan event.Approval), result: make(chan toolspec.Result, 1),
		cancel: cancel,
	}
	run.stop = t.cfg.FollowQuestions(call.ID, func(q event.Approval) {
		select {
		case run.questions <- q:
		case <-work.Done():
		}
	})
	t.parkedCalls.busy.Go(func() {
		run.result <- t.cfg.Caller.Do(work, call)
		cancel()
		run.stop()
	})
	return t.awaitResult(ctx, req, run)
}

func (t *toolServer) awaitResult(
	ctx context.Context, req *sdk.CallToolRequest, run *pendingCall,
) (*sdk.CallToolResult, error) {
	detach := context.AfterFunc(ctx, run.cancel)
	defer detach()
	call := run.call
	defer t.progress(ctx, req, &call)()
	for {
		select {
		case result := <-run.result:
			t.logResult(ctx, req.Session, call.Tool, result)
			return t.answer(ctx, run.def, result, byClientUser), nil
		case q := <-run.questions:
			if why := windowOnly(q); why != "" {
				t.sendAnswer(ctx, run, q, event.AnswerDeny, why)
				continue
			}
			if req.ProtocolVersion() >= sinceStateless {
				detach() // the call outlives this request
				return &sdk.CallToolResult{
					InputRequests: sdk.InputRequestMap{approvalKey: questionForm(q)},
					RequestState:  t.parkedCalls.park(run, q),
				}, nil
			}
			answer, err := req.Session.Elicit(ctx, questionForm(q))
			if err != nil {
				answer = nil // a user who cannot be asked has not agreed
			}
			t.applyAnswer(ctx, run, q, answer)
		}
	}
}

func (t *toolServer) resume(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	call := t.toCall(req.ClientInfo(), req.Params.Name, req.Params.Arguments)
	s := t.parkedCalls.take(req.Params.RequestState, &call)
	if s == nil {
		return nil, &jsonrpc.Error{
			Code: jsonrpc.CodeInvalidParams,
			Message: truncate(req.Params.Name, 80) +
				": requestState belongs to no open question of this call. It was " +
				"answered, expired after ten minutes, or belongs to another call. Send the call again without " +
				"requestState.",
		}
	}
	answer, answered := req.Params.InputResponses[approvalKey]
	if !answered {
		return &sdk.CallToolResult{
			InputRequests: sdk.InputRequestMap{approvalKey: questionForm(s.asked)},
			RequestState:  t.parkedCalls.park(s.run, s.asked),
		}, nil
	}
	form, _ := answer.(*sdk.ElicitResult)
	t.applyAnswer(ctx, s.run, s.asked, form)
	return t.awaitResult(ctx, req, s.run)
}

// applyAnswer denies the call unless the answer is a clear consent.
func (t *toolServer) applyAnswer(ctx context.Context, run *pendingCall, q event.Approval, form *sdk.ElicitResult) {
	answer, reason := event.AnswerDeny, ""
	if form != nil && form.Action == "accept" && form.Content[approvalField] == string(event.AnswerOnce) {
		answer = event.AnswerOnce
	}
	if form == nil {
		reason = "The client did not ask its user."
	}
	t.sendAnswer(ctx, run, q, answer, reason)
}

// sendAnswer accepts that q was answered in a window meanwhile: that answer counts.
func (t *toolServer) sendAnswer(ctx context.Context, run *pendingCall, q event.Approval, answer event.Answer,
	reason string,
) {
	if err := t.cfg.Answer(context.WithoutCancel(ctx), q.ID, answer, reason, q.Hash); err != nil &&
		!errors.Is(err, approval.ErrAnswered) {
		t.cfg.Log.Warn("the answer of an MCP client was not accepted", "question", q.ID, "err", err)
		run.cancel()
	}
}

func windowOnly(q event.Approval) string {
	const hint = " It can be answered only in Sextant's window: open it and call again."
	switch long := utf8.RuneCountInString(questionText(q)) - maxAsked; {
	case q.WindowOnly:
		return "Its effect outlasts this call, or shows on the person's screen." + hint
	case len(q.Form) > 0:
		return "The question has fields to fill in." + hint
	case long > 0:
		return fmt.Sprintf("The question is too long for a form: %d characters would not be shown.", long) + hint
	}
	return ""
}

// questionText escapes and indents the values, which may be from outside, so that none looks like a line of ours.
func questionText(q event.Approval) string {
	text := []string{excerpt.Escape(q.Question)}
	for _, fact := range []struct{ name, value string }{
		{"What it does", q.Effect},
		{"Where", q.Target},
		{"Why", q.Reason},
		{"With", q.Data},
	} {
		lines := strings.Split(fact.value, "\n")
		for i, line := range lines {
			lines[i] = excerpt.Escape(line)
		}
		switch {
		case fact.value == "":
		case len(lines) == 1:
			text = append(text, fact.name+": "+lines[0])
		default:
			text = append(text, fact.name+":\n    "+strings.Join(lines, "\n    "))
		}
	}
	return strings.Join(text, "\n")
}

// questionForm offers only "this time" and "no": lasting permissions are granted in a window, where the person can see
// and revoke them.
func questionForm(q event.Approval) *sdk.ElicitParams {
	return &sdk.ElicitParams{
		Mode: "form", Message: questionText(q),
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"` + approvalField +
			`":{"type":"string","title":"Your answer",` +
			`"oneOf":[{"const":"` + string(event.AnswerOnce) + `","title":"Allow this time"},{"const":"` +
			string(event.AnswerDeny) + `","title":"Don't allow"}]}},` +
			`"required":["` + approvalField + `"]}`),
	}
}
