package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/toolcalls/probe"
	"sextant/backend/store/pending"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// harness is a small environment for a Loop: an in-memory journal that projects messages as the store does,
// scripted tools, and a scripted service.
type harness struct {
	*loop.Loop
	service *openaitest.Server

	mu       sync.Mutex
	log      []event.Event
	messages []chat.Message
	calls    []toolspec.Call
	// refused are the names of calls that are only recorded.
	refused    []string
	waiting    []event.WaitingMessage
	publishErr error
	do         func(ctx context.Context, c toolspec.Call) toolspec.Result
	limits     loop.Limits
	notes      []string
	defs       []toolspec.Definition
	dialects   loop.FormatDetector
	seen       chan event.Event
	window     int
	config     func() loop.Config
	// pending is what the disk did not take.
	pending *pending.Queue
}

func def(name string, hints toolspec.Hints) toolspec.Definition {
	return toolspec.Definition{
		Name: name, Description: "Does " + name + ".", Origin: toolspec.OriginBaseline,
		Parameters: json.RawMessage(`{"type":"object"}`), Hints: hints,
	}
}

func newHarness(t *testing.T, turns ...openaitest.Answer) *harness {
	t.Helper()
	service, err := openaitest.Start(turns...)
	if err != nil {
		t.Fatal(err)
	}
	models := providers.New(
		providers.Config{OpenAIBaseURL: service.URL(), LocalPorts: map[string]int{}, RetryDelay: time.Millisecond},
	)
	h := &harness{service: service, seen: make(chan event.Event, 10_000)}
	h.do = func(context.Context, toolspec.Call) toolspec.Result { return toolspec.OK("done") }
	h.defs = []toolspec.Definition{
		def("look", toolspec.Hints{ReadOnly: true}), def("act", toolspec.Hints{}),
		def("navigate_page", toolspec.Hints{}), def("annotate_page", toolspec.Hints{ReadOnly: true}),
		def("click_element", toolspec.Hints{}),
	}
	h.pending = pending.New(h)
	h.config = func() loop.Config {
		return loop.Config{
			Tools: h, Calls: h, Journal: h, History: h, Queue: h, Models: models, Formats: h,
			Limits: func() loop.Limits { return h.limits }, Notes: func() []string { return h.notes },
			CoreTools: []string{"look", "act"}, SnapshotTools: []string{"annotate_page"},
			ContextWindow: func() int { return h.window }, Pending: h.pending, MarkerSecret: "kept over restarts",
		}
	}
	h.Loop = loop.New(h.config())
	t.Cleanup(func() {
		h.Close()
		models.Close()
		service.Close()
	})
	return h
}

// Detect is that of h.dialects; without one every model supports native calls.
func (h *harness) Detect(ctx context.Context, name string, m llm.Model) (probe.Result, chat.Usage, error) {
	if h.dialects == nil {
		return probe.Result{}, chat.Usage{}, nil
	}
	return h.dialects.Detect(ctx, name, m)
}

// Broadcast implements pending.Journal; nobody watches.
func (h *harness) Broadcast(...event.Event) {}

func (h *harness) Definitions(string) []toolspec.Definition { return h.defs }

func (h *harness) Do(ctx context.Context, c toolspec.Call) toolspec.Result {
	h.mu.Lock()
	do := h.do
	if c.Refused != nil {
		h.refused = append(h.refused, c.Tool)
		do = func(context.Context, toolspec.Call) toolspec.Result { return *c.Refused }
	} else {
		h.calls = append(h.calls, c)
	}
	h.mu.Unlock()
	return do(ctx, c)
}

func (h *harness) Publish(_ context.Context, events ...event.Event) ([]event.Event, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.publishErr != nil {
		return nil, h.publishErr
	}
	for _, e := range events {
		e.Seq = int64(len(h.log) + 1)
		h.log = append(h.log, e)
		h.seen <- e
		switch e.Kind {
		case event.MessageAdded:
			m := data[chat.Message](e)
			if i := slices.IndexFunc(h.messages, func(o chat.Message) bool { return o.ID == m.ID }); i >= 0 {
				h.messages[i] = m
			} else {
				h.messages = append(h.messages, m)
			}
		case event.MessageWaiting:
			w := data[event.WaitingMessage](e)
			if i := slices.IndexFunc(h.waiting, func(o event.WaitingMessage) bool { return o.ID == w.ID }); i >= 0 {
				h.waiting[i] = w
			} else {
				h.waiting = append(h.waiting, w)
			}
		case event.MessageTaken, event.MessageDropped:
			gone := data[event.Removal](e)
			h.waiting = slices.DeleteFunc(h.waiting, func(o event.WaitingMessage) bool { return o.ID == gone.ID })
		case event.TextDelta:
			d := data[event.Delta](e)
			if i := slices.IndexFunc(h.messages, func(o chat.Message) bool { return o.ID == d.Message }); i >= 0 {
				h.messages[i].Text += d.Text
			} else {
				h.messages = append(h.messages,
					chat.Message{
						ID: d.Message, Conversation: e.Conversation, Turn: e.Turn, Role: chat.RoleAssistant,
						Text: d.Text,
					})
			}
		}
	}
	return events, nil
}

func (h *harness) Messages(_ context.Context, conversation string) ([]chat.Message, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(
		slices.Clone(h.messages),
		func(m chat.Message) bool { return m.Conversation != conversation },
	), nil
}

// WaitingMessages returns what waits; the tests use one conversation at a time for it.
func (h *harness) WaitingMessages(context.Context, string) ([]event.WaitingMessage, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.waiting), nil
}

// recorded returns what was recorded so far.
func (h *harness) recorded() (log []event.Event, messages []chat.Message, calls []toolspec.Call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.log), slices.Clone(h.messages), slices.Clone(h.calls)
}

func (h *harness) ask(t *testing.T, text string) loop.Outcome {
	t.Helper()
	return h.run(t, loop.TurnRequest{Conversation: "c1", Text: text, Model: "openai/m", Interactive: true})
}

func (h *harness) run(t *testing.T, a loop.TurnRequest) loop.Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	o, err := h.Run(ctx, a)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// until waits for an event of kind k.
func (h *harness) until(t *testing.T, k event.Kind) event.Event {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case e := <-h.seen:
			if e.Kind == k {
				return e
			}
		case <-limit:
			t.Fatalf("no event %s", k)
		}
	}
}

func data[T any](e event.Event) T {
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		panic(err)
	}
	return v
}

func call(name, args string) openaitest.Call {
	return openaitest.Call{ID: "call_0", Name: name, Args: args}
}

func calls(cs ...openaitest.Call) openaitest.Answer { return openaitest.Answer{Calls: cs} }

var errFull = errors.New("the disk is full")
