package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/pipeline/approval"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// textCaller answers every call with a text.
type textCaller string

func (t textCaller) Do(context.Context, toolspec.Call) toolspec.Result {
	r := toolspec.OK(map[string]any{"page": map[string]any{"title": "Shop"}})
	r.Text = string(t)
	return r
}

// askingCaller is a pipeline that asks about each call first, as often as asks says, if somebody can be asked.
type askingCaller struct {
	asks int
	// template has additional fields of each question.
	template event.Approval

	mu      sync.Mutex
	sink    map[string]func(event.Approval)
	waiting map[string]chan event.Answer
	heard   []event.Answer
	reasons []string
	ran     int
}

func (a *askingCaller) config(cfg *Config) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sink == nil {
		a.sink, a.waiting = map[string]func(event.Approval){}, map[string]chan event.Answer{}
	}
	cfg.Caller, cfg.FollowQuestions, cfg.Answer = a, a.questions, a.answer
}

func (a *askingCaller) questions(id string, sink func(event.Approval)) func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sink[id] = sink
	return func() {}
}

func (a *askingCaller) answer(_ context.Context, id string, answer event.Answer, reason, hash string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	waits := a.waiting[id]
	if waits == nil || hash != "hash of "+id {
		return approval.ErrNotFound
	}
	delete(a.waiting, id)
	a.heard, a.reasons = append(a.heard, answer), append(a.reasons, reason)
	waits <- answer
	return nil
}

// Do asks and runs.
func (a *askingCaller) Do(ctx context.Context, call toolspec.Call) toolspec.Result {
	if !call.From.Interactive {
		return toolspec.Fail(toolspec.PermissionError, "there is nobody to ask", "")
	}
	for n := range a.asks {
		id := call.ID + string(rune('a'+n))
		waits := make(chan event.Answer, 1)
		a.mu.Lock()
		a.waiting[id] = waits
		sink := a.sink[call.ID]
		a.mu.Unlock()
		q := a.template
		q.ID, q.Call, q.Question, q.Reason, q.Hash = id, call.ID, "Run it?", "It has not run before.", "hash of "+id
		sink(q)
		select {
		case answer := <-waits:
			if answer != event.AnswerOnce {
				return toolspec.Fail(toolspec.PermissionError, "declined by the person", "")
			}
		case <-ctx.Done():
			return toolspec.Fail(toolspec.SystemError, "stopped", "")
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ran++
	r := toolspec.OK("it ran")
	r.ApprovedQuestion = "Run it?"
	return r
}

// userAnswers answers the forms of a client in turn.
func userAnswers(t *testing.T, answers ...*sdk.ElicitResult) *sdk.ClientOptions {
	var mu sync.Mutex
	return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult,
		error,
	) {
		mu.Lock()
		defer mu.Unlock()
		if !strings.Contains(r.Params.Message, "Run it?") || !strings.Contains(r.Params.Message,
			"It has not run before.") {
			t.Errorf("asked %q", r.Params.Message)
		}
		if len(answers) == 0 {
			return nil, errors.New("asked too often")
		}
		answer := answers[0]
		answers = answers[1:]
		return answer, nil
	}}
}

func allowOnce() *sdk.ElicitResult {
	return &sdk.ElicitResult{Action: "accept", Content: map[string]any{approvalField: "once"}}
}

func TestClientUserIsAskedWithoutWindow(t *testing.T) {
	deny := &sdk.ElicitResult{Action: "accept", Content: map[string]any{approvalField: "deny"}}
	for _, c := range []struct {
		name    string
		asks    int
		answers []*sdk.ElicitResult
		runs    int
	}{
		{"allowed", 1, []*sdk.ElicitResult{allowOnce()}, 1},
		{"denied", 1, []*sdk.ElicitResult{deny}, 0},
		{"declined", 1, []*sdk.ElicitResult{{Action: "decline"}}, 0},
		{"allowed twice", 2, []*sdk.ElicitResult{allowOnce(), allowOnce()}, 1},
		{"allowed, then denied", 2, []*sdk.ElicitResult{allowOnce(), deny}, 0},
	} {
		for _, revision := range revisions {
			t.Run(c.name+"/"+revision, func(t *testing.T) {
				a := &askingCaller{asks: c.asks}
				h := startHost(t, a.config)
				r, err := h.connect(t, "editor", "", revision, userAnswers(t, c.answers...)).CallTool(t.Context(),
					&sdk.CallToolParams{Name: "bash", Arguments: map[string]any{"command": "ls"}})
				if err != nil || r.IsError != (c.runs == 0) || a.ran != c.runs || len(a.heard) != c.asks {
					t.Errorf("%+v %v; it ran %d times after %v", r, err, a.ran, a.heard)
					return
				}
				if c.runs == 1 && !strings.Contains(r.Content[1].(*sdk.TextContent).Text, "asked by the program that "+
					"called") {
					t.Errorf("%+v", r.Content)
				}
			})
		}
	}
}

func TestClientUserIsAskedOverStream(t *testing.T) {
	a := &askingCaller{asks: 2}
	cfg := Config{Tools: &toolList{defs: offeredTools()}}
	a.config(&cfg)
	r, err := connect(t, cfg, userAnswers(t, allowOnce(), allowOnce())).CallTool(t.Context(),
		&sdk.CallToolParams{Name: "bash"})
	if err != nil || r.IsError || a.ran != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestUnaskableQuestionRefusesCall(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			a := &askingCaller{asks: 1}
			h := startHost(t, a.config)
			r, err := h.connect(t, "cannot ask", "", revision, nil).CallTool(t.Context(),
				&sdk.CallToolParams{Name: "bash"})
			if err != nil || !r.IsError || a.ran != 0 || !strings.Contains(r.Content[0].(*sdk.TextContent).Text,
				"nobody to ask") {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
	a := &askingCaller{asks: 1}
	h := startHost(t, a.config)
	r, err := h.connect(t, "breaks", "", "2025-11-25", userAnswers(t)).CallTool(t.Context(),
		&sdk.CallToolParams{Name: "bash"})
	if err != nil || !r.IsError || a.ran != 0 || a.reasons[0] == "" {
		t.Errorf("a client that fails to ask: %+v %v", r, err)
	}
}

// rawClient is a client that answers questions itself.
func rawClient(t *testing.T, h *testHost, name string) *sdk.ClientSession {
	options := userAnswers(t)
	options.MultiRoundTrip = &sdk.MultiRoundTripOptions{Disabled: true}
	return h.connect(t, name, "", "2026-07-28", options)
}

func TestAnswerIsForOneCallOnce(t *testing.T) {
	a := &askingCaller{asks: 1}
	h := startHost(t, a.config)
	c := rawClient(t, h, "editor")
	params := func(state, command string) *sdk.CallToolParams {
		return &sdk.CallToolParams{
			Name: "bash", Arguments: map[string]any{"command": command}, RequestState: state,
			InputResponses: sdk.InputResponseMap{approvalKey: allowOnce()},
		}
	}
	first, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "bash", Arguments: map[string]any{"command": "ls"}})
	if err != nil || !first.NeedsInput() || first.RequestState == "" {
		t.Fatalf("%+v %v", first, err)
	}
	refused := func(what string, who *sdk.ClientSession, p *sdk.CallToolParams) {
		t.Helper()
		r, err := who.CallTool(t.Context(), p)
		var said *jsonrpc.Error
		if !errors.As(err, &said) || said.Code != jsonrpc.CodeInvalidParams || a.ran != 0 {
			t.Errorf("%s: %+v %v", what, r, err)
		}
	}
	refused("another command", c, params(first.RequestState, "rm -r ."))
	refused("a made-up state", c, params(first.RequestState+"x", "ls"))
	refused("another client", rawClient(t, h, "other"), params(first.RequestState, "ls"))

	without := params(first.RequestState, "ls")
	without.InputResponses = nil
	again, err := c.CallTool(t.Context(), without)
	if err != nil || !again.NeedsInput() || again.RequestState == first.RequestState || a.ran != 0 {
		t.Fatalf("without an answer: %+v %v", again, err)
	}
	done, err := c.CallTool(t.Context(), params(again.RequestState, "ls"))
	if err != nil || done.IsError || a.ran != 1 {
		t.Fatalf("%+v %v", done, err)
	}
	a.ran = 0
	refused("the same answer twice", c, params(again.RequestState, "ls"))
}

func TestParkedCallEndsWithHost(t *testing.T) {
	a := &askingCaller{asks: 1}
	h := startHost(t, a.config)
	r, err := rawClient(t, h, "editor").CallTool(t.Context(), &sdk.CallToolParams{Name: "bash"})
	if err != nil || !r.NeedsInput() {
		t.Fatal(r, err)
	}
	h.host.Close() // it waits for what runs
	if a.ran != 0 {
		t.Error("it ran without an answer")
	}
}

func TestRejectedAnswerEndsCall(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			a := &askingCaller{asks: 1}
			h := startHost(t, func(cfg *Config) {
				a.config(cfg)
				cfg.Answer = func(context.Context, string, event.Answer, string, string) error {
					return errors.New("the disk is full")
				}
			})
			r, err := h.connect(t, "editor", "", revision, userAnswers(t, allowOnce())).CallTool(t.Context(),
				&sdk.CallToolParams{Name: "bash"})
			if err != nil || !r.IsError || a.ran != 0 {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
}

func TestQuestionFormChoices(t *testing.T) {
	f := questionForm(event.Approval{
		Question: "Send it?", Effect: "Sends a letter",
		Choices: []event.Choice{{Answer: event.AnswerAlways}},
	})
	b, _ := json.Marshal(f.RequestedSchema)
	if text := string(b); !strings.Contains(text, `"once"`) || !strings.Contains(text, `"deny"`) ||
		strings.Contains(text, "always") {
		t.Errorf("offered %s", text)
	}
	if f.Message != "Send it?\nWhat it does: Sends a letter" {
		t.Errorf("asked %q", f.Message)
	}
}

func TestWindowOnlyQuestionIsNotAskedOfClient(t *testing.T) {
	for _, c := range []struct {
		reason   string
		template event.Approval
	}{
		{"outlasts this call", event.Approval{WindowOnly: true}},
		{"fields to fill in", event.Approval{Form: []event.FormField{{Name: "city"}}}},
		{"characters would not be shown", event.Approval{Data: strings.Repeat("x", maxAsked)}},
	} {
		for _, revision := range revisions {
			t.Run(c.reason+"/"+revision, func(t *testing.T) {
				a := &askingCaller{asks: 1, template: c.template}
				h := startHost(t, a.config)
				options := &sdk.ClientOptions{ElicitationHandler: func(
					_ context.Context, r *sdk.ElicitRequest,
				) (*sdk.ElicitResult, error) {
					t.Errorf("asked %.200q", r.Params.Message)
					return allowOnce(), nil
				}}
				r, err := h.connect(t, "editor", "", revision, options).CallTool(t.Context(),
					&sdk.CallToolParams{Name: "bash"})
				if err != nil || !r.IsError || a.ran != 0 || len(a.reasons) != 1 ||
					!strings.Contains(a.reasons[0], c.reason) || !strings.Contains(a.reasons[0], "only in Sextant") {
					t.Errorf("%+v %v; reasons %q", r, err, a.reasons)
				}
			})
		}
	}
}

func TestQuestionTextEscapesValues(t *testing.T) {
	got := questionText(event.Approval{
		Question: "Run it?\nWhy: no reason", Target: "a\u202eb", Reason: "It has not run before.",
		Data: "one\nWhy: the " +
			"person wants it\rtwo",
	})
	want := `Run it?\u000aWhy: no reason
Where: a\u202eb
Why: It has not run before.
With:
    one
    Why: the person wants it\u000dtwo`
	if got != want {
		t.Errorf("asked %s", got)
	}
}
