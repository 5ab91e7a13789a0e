package eventlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"sextant/shared/event"
)

func delta(message, text string) event.Event {
	return event.New(event.TextDelta, event.Delta{Message: message, Text: text}).InTurn("c", "t")
}

func textOf(t *testing.T, e event.Event) event.Delta {
	t.Helper()
	var d event.Delta
	if err := json.Unmarshal(e.Data, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestReplayContinuesLiveWithoutGapsOrDuplicates(t *testing.T) {
	r, _ := openRecorder(t)
	const total = 1500 // several pages of replay, while more arrives
	for range 700 / 50 {
		var batch []event.Event
		for range 50 {
			batch = append(batch, panel("before"))
		}
		publish(t, r, batch...)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for range (total - 700) / 4 {
			if _, err := r.Publish(context.Background(), panel("a"), panel("b"), panel("c"), panel("d")); err != nil {
				t.Error(err)
				return
			}
		}
	})
	var readers sync.WaitGroup
	for i := range 6 {
		after := int64(i * 130)
		sub := r.Subscribe(Filter{}, after)
		readers.Go(func() {
			defer sub.Close()
			want := after + 1
			for e := range sub.C() {
				if e.Seq != want {
					t.Errorf("reader %d got number %d, want %d", i, e.Seq, want)
					return
				}
				if want++; want > total {
					return
				}
			}
			t.Errorf("reader %d ended early: %v", i, sub.Err())
		})
	}
	wg.Wait()
	readers.Wait()
}

// delayedStorage is a Storage whose events can be read before AppendEvents returns.
type delayedStorage struct {
	Storage
	stored, goOn chan struct{}
}

func (d delayedStorage) AppendEvents(ctx context.Context, events []event.Event) ([]event.Event, error) {
	stored, err := d.Storage.AppendEvents(ctx, events)
	d.stored <- struct{}{}
	<-d.goOn
	return stored, err
}

func TestReplayDeliversEventOnce(t *testing.T) {
	first, s := openRecorder(t)
	publish(t, first, panel("old"))
	log := delayedStorage{Storage: s, stored: make(chan struct{}), goOn: make(chan struct{})}
	r, err := New(context.Background(), log, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var done sync.WaitGroup
	done.Go(func() {
		for range 2 {
			if _, err := r.Publish(context.Background(), panel("new")); err != nil {
				t.Error(err)
			}
		}
	})
	<-log.stored
	sub := r.Subscribe(Filter{}, 0) // its page has 1 and 2, although 2 is not delivered yet
	defer sub.Close()
	for want := int64(1); want <= 2; want++ {
		if got := next(t, sub); got.Seq != want {
			t.Fatalf("got %d, want %d", got.Seq, want)
		}
	}
	for level := false; !level; { // until it waits for what comes live
		sub.mu.Lock()
		level = !sub.behind
		sub.mu.Unlock()
	}
	log.goOn <- struct{}{}
	<-log.stored
	log.goOn <- struct{}{}
	if got := next(t, sub); got.Seq != 3 {
		t.Fatalf("got %d, want 3", got.Seq)
	}
	done.Wait()
}

func TestFromNowSkipsTheReplay(t *testing.T) {
	r, _ := openRecorder(t)
	publish(t, r, panel("old"))
	sub := r.Subscribe(Filter{}, FromNow)
	defer sub.Close()
	want := publish(t, r, panel("new"))[0]
	if got := next(t, sub); got.Seq != want.Seq {
		t.Fatalf("got %d, want %d", got.Seq, want.Seq)
	}
}

func TestNothingArrivesAfterUnsubscribing(t *testing.T) {
	r, _ := openRecorder(t)
	gone, stays := r.Subscribe(Filter{}, FromNow), r.Subscribe(Filter{}, FromNow)
	defer stays.Close()
	publish(t, r, panel("a"))
	next(t, gone)
	gone.Close()
	publish(t, r, panel("b"))
	next(t, stays)
	next(t, stays)
	if e, open := <-gone.C(); open {
		t.Errorf("event %d arrived", e.Seq)
	}
}

func TestFilterAppliesToReplayAndLiveEvents(t *testing.T) {
	r, _ := openRecorder(t)
	sub1 := r.Subscribe(Filter{Kinds: []event.Kind{event.PanelClosed}}, 0)
	defer sub1.Close()
	closed := event.New(event.PanelClosed, event.PanelRef{Panel: "x"})
	publish(t, r, panel("a"), closed, panel("b").InTurn("talk", ""), closed)
	sub2 := r.Subscribe(Filter{Conversation: "talk"}, 0)
	defer sub2.Close()
	publish(t, r, closed, panel("c").InTurn("talk", ""))
	for _, want := range []int64{2, 4, 5} {
		if e := next(t, sub1); e.Seq != want {
			t.Fatalf("got %d, want %d", e.Seq, want)
		}
	}
	for _, want := range []int64{3, 6} {
		if e := next(t, sub2); e.Seq != want {
			t.Fatalf("got %d, want %d", e.Seq, want)
		}
	}
}

func TestSlowSubscriberGetsTextMerged(t *testing.T) {
	r, _ := openRecorder(t)
	sub := r.Subscribe(Filter{}, FromNow)
	defer sub.Close()
	publish(t, r, panel("start"))
	var want strings.Builder
	for i := range 60 {
		publish(t, r, delta("m", fmt.Sprint(i, " ")))
		fmt.Fprint(&want, i, " ")
	}
	publish(t, r, panel("middle"), delta("m", "end"), delta("n", "other"))
	last := publish(t, r, panel("last"))[0].Seq

	texts, panels, count, seq := map[string]string{}, 0, 0, int64(0)
	for {
		e := next(t, sub)
		if e.Seq <= seq {
			t.Fatalf("number %d after %d", e.Seq, seq)
		}
		seq = e.Seq
		count++
		if e.Kind == event.TextDelta {
			d := textOf(t, e)
			texts[d.Message] += d.Text
		} else {
			panels++
		}
		if e.Seq == last {
			break
		}
	}
	if texts["m"] != want.String()+"end" || texts["n"] != "other" || panels != 3 {
		t.Fatalf("%d panels, texts %q", panels, texts)
	}
	if count > 20 {
		t.Fatalf("%d events came one by one to a reader that slept", count)
	}
}

func TestSlowSubscriberReadsFromStore(t *testing.T) {
	r, _ := openRecorder(t)
	sub := r.Subscribe(Filter{}, FromNow)
	defer sub.Close()
	const total = 3*queueLimit + 17
	var batch []event.Event
	for i := range total {
		batch = append(batch, panel(fmt.Sprint(i)))
	}
	publish(t, r, batch[:total/2]...)
	first := next(t, sub)
	publish(t, r, batch[total/2:]...)
	if first.Seq != 1 {
		t.Fatalf("first is %d", first.Seq)
	}
	for want := int64(2); want <= total; want++ {
		if e := next(t, sub); e.Seq != want {
			t.Fatalf("got %d, want %d", e.Seq, want)
		}
		sub.mu.Lock()
		held := len(sub.queue)
		sub.mu.Unlock()
		if held > queueLimit {
			t.Fatalf("%d events are held", held)
		}
	}
}

// Events that are only shown must not come before events that were stored earlier, nor be lost when the queue is
// full.
func TestBroadcastComesAfterEarlierStoredEvents(t *testing.T) {
	for _, stored := range []int{5, queueLimit - 1, queueLimit, queueLimit + 1, 2*queueLimit + 7} {
		t.Run(fmt.Sprint(stored), func(t *testing.T) {
			r, _ := openRecorder(t)
			sub := r.Subscribe(Filter{}, FromNow)
			t.Cleanup(sub.Close)
			var batch []event.Event
			for i := range stored {
				batch = append(batch, panel(fmt.Sprint(i)))
			}
			publish(t, r, batch...)
			r.Broadcast(event.New(event.TurnEnded, event.Turn{ID: "shown"}).InTurn("c", "shown"))
			after := publish(t, r, panel("after"))[0].Seq
			before := 0
			for e := next(t, sub); e.Turn != "shown"; e = next(t, sub) {
				if e.Seq == after {
					continue // read again from the store, it may come first
				}
				before++
			}
			if before != stored {
				t.Errorf("%d of %d stored events came before the one that was shown after them", before, stored)
			}
		})
	}
}

func TestSlowSubscriberGetsNewestLiveEvent(t *testing.T) {
	r, _ := openRecorder(t)
	sub := r.Subscribe(Filter{}, FromNow)
	defer sub.Close()
	publish(t, r, panel("first")) // the pump holds this one until it is read
	for i := range 100 {
		publish(t, r, event.New(event.PointerMoved, event.Pointer{X: float64(i)}))
	}
	publish(t, r, panel("last"))
	moves, newest := 0, 0.0
	for seen := 0; seen < 2 || newest != 99; {
		e := next(t, sub)
		if e.Kind != event.PointerMoved {
			seen++
			continue
		}
		var p event.Pointer
		if err := json.Unmarshal(e.Data, &p); err != nil {
			t.Fatal(err)
		}
		moves, newest = moves+1, p.X
	}
	if moves > 3 {
		t.Fatalf("%d of 100 positions reached a reader that slept", moves)
	}
}

func TestReplaySkipsDeletedEvents(t *testing.T) {
	r, _ := openRecorder(t)
	publish(t, r, panel("a").InTurn("c", ""), panel("b").InTurn("c", ""))
	publish(t, r, event.New(event.ConversationDeleted, event.Removal{ID: "c"}))
	publish(t, r, panel("x").InTurn("d", ""), event.New(event.ConversationDeleted, event.Removal{ID: "d"}))
	sub := r.Subscribe(Filter{}, 0)
	defer sub.Close()
	for _, want := range []int64{3, 5} {
		if e := next(t, sub); e.Seq != want {
			t.Fatalf("got %d, want %d", e.Seq, want)
		}
	}
	publish(t, r, panel("live"))
	if e := next(t, sub); e.Seq != 6 {
		t.Fatalf("got %d", e.Seq)
	}
}

func TestErrReportsFailedReplay(t *testing.T) {
	r, s := openRecorder(t)
	publish(t, r, panel("a"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sub := r.Subscribe(Filter{}, 0)
	defer sub.Close()
	if _, ok := <-sub.C(); ok || sub.Err() == nil || errors.Is(sub.Err(), context.Canceled) {
		t.Fatalf("open %v, error %v", ok, sub.Err())
	}
}
