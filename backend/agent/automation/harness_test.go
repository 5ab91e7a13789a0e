package automation_test

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/agent/automation"
	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/toolcalls"
	"sextant/backend/agent/toolcalls/probe"
	"sextant/backend/store/pending"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is what Jobs run in: the real loop and a real service over HTTP, with an in-memory journal and
// scripted tools.
type harness struct {
	*loop.Loop
	service *openaitest.Server
	kind    toolcalls.Format
	limits  loop.Limits
	window  int
	more    []toolspec.Definition
	do      func(toolspec.Call) toolspec.Result

	mu       sync.Mutex
	messages []chat.Message
	made     []string
}

func def(name string, readOnly bool) toolspec.Definition {
	return toolspec.Definition{
		Name: name, Description: "Does " + name + ".", Origin: toolspec.OriginBaseline,
		Parameters: json.RawMessage(`{"type":"object"}`), Hints: toolspec.Hints{ReadOnly: readOnly},
	}
}

func newHarness(t *testing.T, turns ...openaitest.Answer) *harness {
	t.Helper()
	service, err := openaitest.Start(turns...)
	if err != nil {
		t.Fatal(err)
	}
	models := providers.New(providers.Config{OpenAIBaseURL: service.URL(), LocalPorts: map[string]int{}})
	h := &harness{service: service, do: func(c toolspec.Call) toolspec.Result { return toolspec.OK("seen " + c.ID) }}
	h.Loop = loop.New(loop.Config{
		Tools: h, Calls: h, Journal: h, Pending: pending.New(h), History: h, Models: models, Formats: h,
		Limits:    func() loop.Limits { return h.limits },
		CoreTools: []string{"look", "act"}, ContextWindow: func() int { return h.window },
	})
	t.Cleanup(func() {
		h.Close()
		models.Close()
		service.Close()
	})
	return h
}

func (h *harness) Detect(context.Context, string, llm.Model) (probe.Result, chat.Usage, error) {
	return probe.Result{Format: h.kind}, chat.Usage{}, nil
}

func (h *harness) Definitions(string) []toolspec.Definition {
	return append([]toolspec.Definition{def("look", true), def("act", false)}, h.more...)
}

func (h *harness) Do(_ context.Context, c toolspec.Call) toolspec.Result {
	if c.Refused != nil {
		return *c.Refused
	}
	h.mu.Lock()
	h.made = append(h.made, c.Tool)
	h.mu.Unlock()
	return h.do(c)
}

func (h *harness) Publish(_ context.Context, events ...event.Event) ([]event.Event, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		var m chat.Message
		if e.Kind == event.MessageAdded && json.Unmarshal(e.Data, &m) == nil {
			h.messages = append(h.messages, m)
		}
	}
	return events, nil
}

// Broadcast implements pending.Journal; nobody watches.
func (h *harness) Broadcast(...event.Event) {}

func (h *harness) Messages(_ context.Context, conversation string) ([]chat.Message, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(
		slices.Clone(h.messages),
		func(m chat.Message) bool { return m.Conversation != conversation },
	), nil
}

// ran are the tools that ran.
func (h *harness) ran() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.made)
}

const lamp = `{"type":"object","required":["name","price"],"additionalProperties":false,
	"properties":{"name":{"type":"string"},"price":{"type":"number","minimum":0}}}`

func format(t *testing.T, text string) automation.Format {
	t.Helper()
	f, err := automation.NewFormat([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// job asks for a lamp.
func (h *harness) job(t *testing.T) automation.Job {
	return automation.Job{
		TurnRequest: loop.TurnRequest{Conversation: "c1", Text: "which lamp is the cheapest?", Model: "openai/m"},
		Format:      format(t, lamp), MaxRepairs: 3,
	}
}

func call(name, args string) openaitest.Call {
	return openaitest.Call{ID: "c0", Name: name, Args: args}
}

func calls(list ...openaitest.Call) openaitest.Answer { return openaitest.Answer{Calls: list} }

func says(text string) openaitest.Answer { return openaitest.Answer{Text: text} }
