package sqlite

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/wire"
)

func roundWithRequests(conversation, turn string, requests ...event.Request) event.Event {
	round := event.Round{Number: 1, Model: "openai/m", Requests: requests}
	return event.New(event.RoundEnded, round).InTurn(conversation, turn)
}

func TestSpendingSurvivesRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	begin := func() *Store {
		s, err := Open(t.Context(), path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := begin()
	usd, eur := &chat.Money{Nanos: 5, Currency: "USD"}, &chat.Money{Nanos: 7, Currency: "EUR"}
	now := time.Now()
	turn := func(id string, at time.Duration) event.Event {
		e := event.New(event.TurnStarted, event.Turn{ID: id, Model: "openai/m"}).InTurn("c", id)
		e.Time = now.Add(at)
		return e
	}
	if _, err := s.AppendEvents(t.Context(), []event.Event{
		turn("t1", 0),
		roundWithRequests("c", "t1", event.Request{
			Model: "openai/m",
			Usage: chat.Usage{Input: 10, Output: 1, Cached: 4}, Cost: usd,
		}),
		roundWithRequests("c", "t1", event.Request{Model: "a/b", Usage: chat.Usage{Input: 20, Output: 2}, Cost: eur},
			event.Request{Model: "x/y", Usage: chat.Usage{Input: 30}, Estimated: 30}),
		event.New(event.BudgetRaised, chat.Bill{Usage: chat.Usage{Input: 10}}).InTurn("c", "t2"),
		turn("t2", time.Second),
		roundWithRequests("c", "t2", event.Request{Model: "openai/m", Usage: chat.Usage{Input: 1}, Cost: usd},
			event.Request{Model: "ollama/m", Usage: chat.Usage{Output: 3}, Cost: &chat.Money{}}),
		roundWithRequests("other", "t3", event.Request{Model: "openai/m", Usage: chat.Usage{Input: 1000}}),
		event.New(event.RoundEnded, event.Round{Number: 1, Model: "pilot", Usage: chat.Usage{Input: 1000}}).InTurn("c",
			"t2"),
		event.New(event.RoundEnded, event.Round{Number: 1, Model: "of/old", Usage: chat.Usage{Input: 100}}).InTurn("c",
			"t1"),
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = begin()
	defer s.Close()
	all, before, err := s.ConversationCost(t.Context(), "c")
	want := chat.Bill{
		Usage: chat.Usage{Input: 161, Output: 6, Cached: 4}, Requests: 6, Estimated: 30, Unpriced: 130,
		Cost: []chat.Money{*eur, {Nanos: 10, Currency: "USD"}},
	}
	if diff := cmp.Diff(want, all); err != nil || diff != "" || before.Input != 10 {
		t.Errorf("before %+v, %v (-want +got):\n%s", before, err, diff)
	}
	last, err := s.LastTurnCost(t.Context(), "c")
	if err != nil || last.Requests != 2 || last.Tokens() != 4 || last.CostIn("USD") != 5 || last.Unpriced != 0 {
		t.Errorf("last turn %+v %v", last, err)
	}
	for _, unknown := range []string{"", "none"} {
		if all, before, err := s.ConversationCost(t.Context(), unknown); err != nil ||
			all.Requests+before.Requests != 0 ||
			all.Cost == nil {
			t.Errorf("%q: %+v %+v %v", unknown, all, before, err)
		}
	}
}

func TestModelMetricsCountRequests(t *testing.T) {
	s := openNew(t)
	s.setZone(time.UTC)
	cents := func(n int64) *chat.Money { return &chat.Money{Nanos: n * 10_000_000, Currency: "USD"} }
	request := func(first int64, more event.Request) event.Request {
		more.Model, more.FirstChunkMS = "openai/x", first
		return more
	}
	var all []event.Request
	for i := range 20 {
		all = append(all, request(int64(100*(i+1)),
			event.Request{Usage: chat.Usage{Input: 100, Cached: 50, CacheWritten: 10, Output: 5}, Cost: cents(1)}))
	}
	all = append(all, request(0, event.Request{Failed: true}),
		request(1, event.Request{Retry: true, Usage: chat.Usage{Input: 100}}))
	mustAppend(t, s,
		turnOf("t1", event.TurnStarted, "openai/x", chat.StatusRunning, 0),
		round("t1", 1, event.Round{
			Model: "openai/x", Requests: all,
			Prompt: event.Prompt{Messages: 50, Definitions: 30, Results: 20},
		}),
		turnOf("t1", event.TurnEnded, "openai/x", chat.StatusDone, 1),
	)
	for _, r := range []wire.MetricsRange{wire.MetricsDay, wire.MetricsAll} {
		m := metricsAt(t, s, r, "", "2026-05-04T10:00:00Z")
		wantEqual(t, "models", m.Models, []wire.ModelMetrics{{
			Model: "openai/x", Turns: 1, Rounds: 1, Requests: 22, Failed: 1, Retries: 1, Input: 2100, Cached: 1000,
			CacheWritten: 200, Output: 100,
			Definitions: 630, Results: 420, Cost: []chat.Money{{Nanos: 200_000_000, Currency: "USD"}}, Unpriced: 100,
			FirstChunkP50MS: 1000, FirstChunkP95MS: 1900,
		}})
	}
	if m := metricsAt(t, s, wire.MetricsDay, "", "2026-05-06T10:00:00Z"); len(m.Models) != 0 {
		t.Errorf("two days later: %+v", m.Models)
	}
	totals, err := s.Totals(t.Context(), []int64{100, 1000})
	if err != nil || len(totals.Models) != 1 {
		t.Fatalf("%+v %v", totals, err)
	}
	m := totals.Models[0]
	if m.Requests != 22 || m.StartedAnswers != 21 || m.StartDelayMS != 21001 ||
		m.StartDelayCounts[0] != 2 || m.StartDelayCounts[1] != 11 ||
		len(totals.Rounds) != 1 {
		t.Errorf("%+v", m)
	}
}

func TestSubagentCostsCountForParent(t *testing.T) {
	s := openNew(t)
	child := roundWithRequests("child", "t9", event.Request{Model: "openai/x", Usage: chat.Usage{Input: 7}})
	mustAppend(t, s, turnOf("t1", event.TurnStarted, "openai/x", chat.StatusRunning, 0),
		roundWithRequests("c", "t1", event.Request{Model: "openai/x", Usage: chat.Usage{Input: 5}}))
	r := event.Round{
		Number: 1, Model: "openai/x", Payer: &event.Payer{Conversation: "c", Turn: "t1"},
		Requests: []event.Request{{Model: "openai/x", Usage: chat.Usage{Input: 30}}},
	}
	mustAppend(t, s, child, event.New(event.RoundEnded, r).InTurn("child", "t9"))
	for conversation, want := range map[string]int{"c": 35, "child": 37} {
		if all, _, err := s.ConversationCost(t.Context(), conversation); err != nil || all.Input != want {
			t.Errorf("%s: %+v %v, want %d", conversation, all, err, want)
		}
	}
	if last, err := s.LastTurnCost(t.Context(), "c"); err != nil || last.Input != 35 || last.Requests != 2 {
		t.Errorf("%+v %v", last, err)
	}
}
