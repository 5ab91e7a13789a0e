package pipeline

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/pipeline/approval"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/policy"
	"sextant/backend/store/audit"
	"sextant/backend/store/blobs"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/pending"
	"sextant/backend/store/results"
	"sextant/backend/store/sqlite"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a Pipeline on a real store, with tools made of functions.
type fixture struct {
	*Pipeline
	t         *testing.T
	store     *sqlite.Store
	events    *eventlog.Recorder
	audit     *audit.Log
	blobs     *blobs.Store
	long      *results.Store
	approvals *approval.Queue

	mu       sync.Mutex
	settings policy.Settings
	tools    map[string]toolFunc
	defs     []toolspec.Definition
	descs    map[string]toolspec.Description
	ran      map[string]int
}

type toolFunc func(ctx context.Context, call toolspec.Call, out func(stream, text string)) (toolspec.Result, error)

func newFixture(t *testing.T) *fixture {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	dir := t.TempDir()
	s, err := sqlite.Open(context.Background(), filepath.Join(dir, "sextant.db"), log)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := eventlog.New(context.Background(), s, log)
	if err != nil {
		t.Fatal(err)
	}
	long, err := results.New(context.Background(), filepath.Join(dir, "results"), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := blobs.New(filepath.Join(dir, "blobs"), 0)
	if err != nil {
		t.Fatal(err)
	}
	h := &fixture{
		t: t, store: s, events: rec, audit: audit.New(s), blobs: pictures, long: long, approvals: approval.New(rec),
		settings: policy.Settings{Mode: policy.ModeAsk, Folder: dir},
		tools:    map[string]toolFunc{}, descs: map[string]toolspec.Description{}, ran: map[string]int{},
	}
	h.Pipeline = New(Config{
		Tools: catalog.NewRegistry(
			h,
		), Approvals: h.approvals, Recorder: rec, Pending: pending.New(rec), Audit: h.audit, Grants: s, Blobs: pictures,
		Results: long,
		Policy:  h.policyNow, Log: log,
	})
	h.Register(toolspec.OriginBaseline, h)
	h.Register(toolspec.OriginPanel, h)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := h.Close(ctx); err != nil {
			t.Error(err)
		}
		rec.Close()
		_ = s.Close()
	})
	return h
}

func (h *fixture) policyNow() policy.Settings {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.settings
}

func (h *fixture) setMode(m policy.Mode) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.settings.Mode = m
}

// add offers a tool. Its schema takes a string x and anything else.
func (h *fixture) add(def toolspec.Definition, run toolFunc) {
	if def.Parameters == nil {
		def.Parameters = json.RawMessage(
			`{"type":"object","properties":{"x":{"type":"string"},"n":{"type":"integer","default":1},"url":{"type":"string"}}}`,
		)
	}
	if def.Origin == "" {
		def.Origin = toolspec.OriginBaseline
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.defs = append(h.defs, def)
	h.tools[def.Name] = run
}

func (h *fixture) Definitions(string) []toolspec.Definition {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]toolspec.Definition{}, h.defs...)
}

func (h *fixture) Describe(call toolspec.Call) toolspec.Description {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.descs[call.Tool]
}

func (h *fixture) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition,
	out func(stream, text string),
) (toolspec.Result, error) {
	h.mu.Lock()
	h.ran[call.Tool]++
	run := h.tools[call.Tool]
	h.mu.Unlock()
	return run(ctx, call, out)
}

func (h *fixture) times(tool string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ran[tool]
}

func echo(_ context.Context, call toolspec.Call, _ func(stream, text string)) (toolspec.Result, error) {
	return toolspec.Result{Success: true, Value: call.Args, Sentence: "Echoed"}, nil
}

func called(tool, args string) toolspec.Call {
	return toolspec.Call{
		Tool: tool, Args: json.RawMessage(args),
		From: toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "talk", Turn: "t1", Interactive: true},
	}
}

func (h *fixture) do(call toolspec.Call) toolspec.Result { return h.Do(context.Background(), call) }

// eventsOf returns the data of the stored events of one kind.
func eventsOf[D any](h *fixture, kind event.Kind) (all []D) {
	h.t.Helper()
	stored, err := h.events.EventsAfter(context.Background(), 0, 10_000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range stored {
		if e.Kind != kind {
			continue
		}
		var d D
		if err := json.Unmarshal(e.Data, &d); err != nil {
			h.t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

func (h *fixture) rows() []wire.CallRow {
	h.t.Helper()
	rows, err := h.audit.List(context.Background(), 100)
	if err != nil {
		h.t.Fatal(err)
	}
	return rows
}

// until waits for something that another goroutine does.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not happen", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// start runs a call in the background.
func (h *fixture) start(call toolspec.Call) chan toolspec.Result {
	done := make(chan toolspec.Result, 1)
	go func() { done <- h.do(call) }()
	return done
}

// question waits for the only waiting question.
func (h *fixture) question() event.Approval {
	h.t.Helper()
	until(h.t, "a question", func() bool { return len(h.approvals.WaitingApprovals()) == 1 })
	return h.approvals.WaitingApprovals()[0]
}

func (h *fixture) answer(answer event.Answer, reason string) {
	h.t.Helper()
	q := h.question()
	if err := h.approvals.Answer(context.Background(), q.ID, answer, reason, q.Hash); err != nil {
		h.t.Fatal(err)
	}
}
