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

	"sextant/backend/calls/approval"
	"sextant/backend/tools/panels/accepted"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// A question of a call whose client can ask its own person is put to that person, when there is
// no window to put it in. A client of an older revision is asked while its call waits. One of
// 2026-07-28 gets the question as the call's result, and sends the call again with the answer:
// until then the call is parked, bound to a state that nobody can guess.

// The entry under which a question is put, and what it asks for.
const (
	approvalKey   = "approval"
	approvalField = "answer"
)

// parkedFor bounds how long a client may take to come back with an answer.
const parkedFor = 10 * time.Minute

// maxAsked bounds the text of a question in characters; it holds data of the call.
const maxAsked = 8000

// sinceStateless is the first revision in which a server sends no requests.
const sinceStateless = "2026-07-28"

// running is a call under way whose questions its client answers.
type running struct {
	def  toolspec.Definition
	call toolspec.Call
	// questions holds what was asked and not yet put; result what came of it.
	questions chan event.Approval
	result    chan toolspec.Result
	cancel    context.CancelFunc
	stop      func()
}

// parking keeps the calls whose client has a question to answer. Its methods may be called
// concurrently.
type parking struct {
	mu     sync.Mutex
	closed bool
	calls  map[string]*space
	busy   sync.WaitGroup
}

// space is one parked call, the question it waits for and what ends it.
type space struct {
	run     *running
	asked   event.Approval
	timeout *time.Timer
}

func (p *parking) close() {
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

// any reports whether a call waits for its client.
func (p *parking) any() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls) > 0
}

// park keeps run until its client comes back, and returns the state that it has to bring.
func (p *parking) park(run *running, asked event.Approval) string {
	state := rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		run.cancel()
		return state
	}
	if p.calls == nil {
		p.calls = map[string]*space{}
	}
	p.calls[state] = &space{run: run, asked: asked, timeout: time.AfterFunc(parkedFor, func() {
		if p.take(state, nil) != nil {
			run.cancel() // its question lapses, so it does not run
		}
	})}
	return state
}

// take is the call of state when it is the one that call sends again; nil takes any.
func (p *parking) take(state string, call *toolspec.Call) *space {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.calls[state]
	if s == nil || call != nil && (call.Tool != s.run.call.Tool || call.From.Client != s.run.call.From.Client || !sameJSON(call.Args, s.run.call.Args)) {
		return nil
	}
	s.timeout.Stop()
	delete(p.calls, state)
	return s
}

// sameJSON compares what two documents say.
func sameJSON(a, b []byte) bool {
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	one, _ := json.Marshal(x)
	other, _ := json.Marshal(y)
	return bytes.Equal(one, other)
}

// canAsk reports whether a client can be asked a question of a call.
func (d *door) canAsk(caps *sdk.ClientCapabilities) bool {
	return d.cfg.Questions != nil && d.cfg.Answer != nil && asksByForm(caps)
}

// asksByForm reports whether a client can put a form to its person. One that names no mode can.
func asksByForm(caps *sdk.ClientCapabilities) bool {
	return caps != nil && caps.Elicitation != nil && (caps.Elicitation.Form != nil || caps.Elicitation.URL == nil)
}

// askingClient runs call, whose questions its client puts to its person.
func (d *door) askingClient(ctx context.Context, req *sdk.CallToolRequest, def toolspec.Definition, call toolspec.Call) (*sdk.CallToolResult, error) {
	call.ID, call.From.Interactive = "mcp_"+rand.Text(), true
	call.From.Root = call.ID
	// The request that began it may end before it does.
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	run := &running{def: def, call: call, questions: make(chan event.Approval), result: make(chan toolspec.Result, 1), cancel: cancel}
	run.stop = d.cfg.Questions(call.ID, func(q event.Approval) {
		select {
		case run.questions <- q:
		case <-work.Done():
		}
	})
	d.parked.busy.Go(func() {
		run.result <- d.cfg.Caller.Do(work, call)
		cancel()
		run.stop()
	})
	return d.follow(ctx, req, run)
}

// follow waits for run's result. What the client is asked meanwhile is asked here, or returned
// to be asked.
func (d *door) follow(ctx context.Context, req *sdk.CallToolRequest, run *running) (*sdk.CallToolResult, error) {
	gone := context.AfterFunc(ctx, run.cancel)
	defer gone()
	call := run.call
	defer d.progress(ctx, req, &call)()
	for {
		select {
		case result := <-run.result:
			d.tell(ctx, req.Session, call.Tool, result)
			return d.answer(ctx, run.def, result, byClient), nil
		case q := <-run.questions:
			if why := windowOnly(q); why != "" {
				d.reply(ctx, run, q, event.AnswerDeny, why)
				continue
			}
			if req.ProtocolVersion() >= sinceStateless {
				gone() // the call outlives this request
				return &sdk.CallToolResult{
					InputRequests: sdk.InputRequestMap{approvalKey: form(q)}, RequestState: d.parked.park(run, q),
				}, nil
			}
			said, err := req.Session.Elicit(ctx, form(q))
			if err != nil {
				said = nil // who cannot be asked has not said yes
			}
			d.settle(ctx, run, q, said)
		}
	}
}

// resume goes on with a call that its client sends again with an answer.
func (d *door) resume(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	call := d.toCall(req.ClientInfo(), req.Params.Name, req.Params.Arguments)
	s := d.parked.take(req.Params.RequestState, &call)
	if s == nil {
		return nil, &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Message: short(req.Params.Name, 80) + ": no question of this call waits under that requestState: it was answered, is older than ten minutes, or was asked of another call. Send the call again without requestState.",
		}
	}
	answer, there := req.Params.InputResponses[approvalKey]
	if !there {
		return &sdk.CallToolResult{
			InputRequests: sdk.InputRequestMap{approvalKey: form(s.asked)}, RequestState: d.parked.park(s.run, s.asked),
		}, nil
	}
	said, _ := answer.(*sdk.ElicitResult)
	d.settle(ctx, s.run, s.asked, said)
	return d.follow(ctx, req, s.run)
}

// settle tells the Desk what a client's person said; whatever is not a clear yes means no.
func (d *door) settle(ctx context.Context, run *running, q event.Approval, said *sdk.ElicitResult) {
	answer, reason := event.AnswerDeny, ""
	if said != nil && said.Action == "accept" && said.Content[approvalField] == string(event.AnswerOnce) {
		answer = event.AnswerOnce
	}
	if said == nil {
		reason = "The client did not put the question to a person."
	}
	d.reply(ctx, run, q, answer, reason)
}

// reply tells the Desk an answer to q. A question that was answered in a window meanwhile keeps
// that answer; a call whose answer cannot be taken ends.
func (d *door) reply(ctx context.Context, run *running, q event.Approval, answer event.Answer, reason string) {
	if err := d.cfg.Answer(context.WithoutCancel(ctx), q.ID, answer, reason, q.Hash); err != nil && !errors.Is(err, approval.ErrAnswered) {
		d.cfg.Log.Warn("a client's answer was not taken", "question", q.ID, "error", err)
		run.cancel()
	}
}

// windowOnly says why a client's person may not answer q, "" when they may.
func windowOnly(q event.Approval) string {
	const there = " It can be answered in Sextant's window only: open it and make the call again."
	switch long := utf8.RuneCountInString(message(q)) - maxAsked; {
	case q.InWindow:
		return "What a yes begins would last longer than this call, or show on the person's screen." + there
	case len(q.Form) > 0:
		return "The question has fields to fill in." + there
	case long > 0:
		return fmt.Sprintf("The question is too long for a form; %d characters of it would not be shown.", long) + there
	}
	return ""
}

// message is q in words. Values may be anybody's: none can look like a line of ours.
func message(q event.Approval) string {
	text := []string{accepted.Shown(q.Question)}
	for _, fact := range []struct{ name, value string }{{"What it does", q.Does}, {"Where", q.Target}, {"Why it is asked", q.Why}, {"With", q.Data}} {
		lines := strings.Split(fact.value, "\n")
		for i, line := range lines {
			lines[i] = accepted.Shown(line)
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

// form is q as a client puts it to its person. It offers this one time and no: what holds for
// longer is said in a window, where a person sees what they allowed and can take it back.
func form(q event.Approval) *sdk.ElicitParams {
	return &sdk.ElicitParams{
		Mode: "form", Message: message(q),
		RequestedSchema: json.RawMessage(`{"type":"object","properties":{"` + approvalField + `":{"type":"string","title":"Your answer",` +
			`"oneOf":[{"const":"` + string(event.AnswerOnce) + `","title":"Allow this time"},{"const":"` + string(event.AnswerDeny) + `","title":"Don't allow"}]}},` +
			`"required":["` + approvalField + `"]}`),
	}
}
