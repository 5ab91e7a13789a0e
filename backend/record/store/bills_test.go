package store

import (
	"log/slog"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
)

func paid(conversation, turn string, requests ...event.Request) event.Event {
	return event.New(event.RoundEnded, event.Round{Number: 1, Model: "openai/m", Requests: requests}).In(conversation, turn)
}

func TestWhatAConversationCameToIsKeptOverARestart(t *testing.T) {
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
		e := event.New(event.TurnStarted, event.Turn{ID: id, Model: "openai/m"}).In("c", id)
		e.Time = now.Add(at)
		return e
	}
	if _, err := s.AppendEvents(t.Context(), []event.Event{
		turn("t1", 0),
		paid("c", "t1", event.Request{Model: "openai/m", Usage: chat.Usage{Input: 10, Output: 1, Cached: 4}, Cost: usd}),
		paid("c", "t1", event.Request{Model: "a/b", Usage: chat.Usage{Input: 20, Output: 2}, Cost: eur}, event.Request{Model: "x/y", Usage: chat.Usage{Input: 30}, Estimated: 30}),
		event.New(event.BudgetRaised, chat.Bill{Usage: chat.Usage{Input: 10}}).In("c", "t2"),
		turn("t2", time.Second),
		paid("c", "t2", event.Request{Model: "openai/m", Usage: chat.Usage{Input: 1}, Cost: usd}, event.Request{Model: "ollama/m", Usage: chat.Usage{Output: 3}, Cost: &chat.Money{}}),
		paid("other", "t3", event.Request{Model: "openai/m", Usage: chat.Usage{Input: 1000}}),
		event.New(event.RoundEnded, event.Round{Number: 1, Model: "pilot", Usage: chat.Usage{Input: 1000}}).In("c", "t2"),
		event.New(event.RoundEnded, event.Round{Number: 1, Model: "of/old", Usage: chat.Usage{Input: 100}}).In("c", "t1"),
	}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = begin()
	defer s.Close()
	all, before, err := s.Spent(t.Context(), "c")
	want := chat.Bill{
		Usage: chat.Usage{Input: 161, Output: 6, Cached: 4}, Requests: 6, Estimated: 30, Unpriced: 130,
		Cost: []chat.Money{*eur, {Nanos: 10, Currency: "USD"}},
	}
	if err != nil || !reflect.DeepEqual(all, want) || before.Input != 10 {
		t.Errorf("%+v, before %+v, %v", all, before, err)
	}
	last, err := s.LastTurn(t.Context(), "c")
	if err != nil || last.Requests != 2 || last.Tokens() != 4 || last.In("USD") != 5 || last.Unpriced != 0 {
		t.Errorf("last turn %+v %v", last, err)
	}
	for _, unknown := range []string{"", "none"} {
		if all, before, err := s.Spent(t.Context(), unknown); err != nil || all.Requests+before.Requests != 0 || all.Cost == nil {
			t.Errorf("%q: %+v %+v %v", unknown, all, before, err)
		}
	}
}
