package eventlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
)

func TestMain(m *testing.M) {
	if isVictim() {
		runVictim()
		return
	}
	goleak.VerifyTestMain(m)
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func openRecorder(t *testing.T) (*Recorder, *sqlite.Store) {
	t.Helper()
	s, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "sextant.db"), quiet())
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(context.Background(), s, quiet())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		_ = s.Close()
	})
	return r, s
}

func panel(name string) event.Event { return event.New(event.PanelOpened, event.PanelRef{Panel: name}) }

func publish(t *testing.T, r *Recorder, events ...event.Event) []event.Event {
	t.Helper()
	stored, err := r.Publish(context.Background(), events...)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// next reads one event or fails after a while.
func next(t *testing.T, s *Subscription) event.Event {
	t.Helper()
	select {
	case e, ok := <-s.C():
		if !ok {
			t.Fatalf("the channel was closed: %v", s.Err())
		}
		return e
	case <-time.After(20 * time.Second):
		t.Fatal("no event came")
	}
	return event.Event{}
}

func TestConcurrentPublishersGetConsecutiveNumbers(t *testing.T) {
	r, _ := openRecorder(t)
	const publishers, each = 8, 40
	var wg sync.WaitGroup
	for p := range publishers {
		wg.Go(func() {
			last := int64(0)
			for i := range each {
				stored, err := r.Publish(context.Background(), panel(fmt.Sprint(p)), panel(fmt.Sprint(i)))
				if err != nil || len(stored) != 2 || stored[1].Seq != stored[0].Seq+1 || stored[0].Seq <= last {
					t.Errorf("%+v after %d, %v", stored, last, err)
					return
				}
				last = stored[1].Seq
			}
		})
	}
	wg.Wait()
	all, err := r.EventsAfter(context.Background(), 0, 10_000)
	if err != nil || len(all) != 2*publishers*each || r.LastSeq() != int64(len(all)) {
		t.Fatalf("%d events, last %d, %v", len(all), r.LastSeq(), err)
	}
	for i, e := range all {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has number %d", i, e.Seq)
		}
	}
}

// slowStorage blocks the writer while more events are published.
type slowStorage struct {
	Storage
	gate  chan struct{}
	mu    sync.Mutex
	sizes []int
	fail  func([]event.Event) error
}

func (s *slowStorage) AppendEvents(ctx context.Context, events []event.Event) ([]event.Event, error) {
	<-s.gate
	s.mu.Lock()
	s.sizes = append(s.sizes, len(events))
	s.mu.Unlock()
	if s.fail != nil {
		if err := s.fail(events); err != nil {
			return nil, err
		}
	}
	return s.Storage.AppendEvents(ctx, events)
}

// memoryStorage numbers events without storing them.
type memoryStorage struct {
	Storage
	last int64
}

func (m *memoryStorage) LastSeq(context.Context) (int64, error) { return 0, nil }

func (m *memoryStorage) AppendEvents(_ context.Context, events []event.Event) ([]event.Event, error) {
	for i := range events {
		m.last++
		events[i].Seq = m.last
	}
	return events, nil
}

func TestWaitingPublishesShareTransaction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := &slowStorage{Storage: &memoryStorage{}, gate: make(chan struct{})}
		r, err := New(context.Background(), log, quiet())
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		const waiting = 20
		publish := func() { _, _ = r.Publish(context.Background(), panel("x")) }
		wg.Go(publish)
		synctest.Wait() // the writer is blocked with the first event, and all others wait
		for range waiting {
			wg.Go(publish)
		}
		synctest.Wait()
		close(log.gate)
		wg.Wait()
		r.Close()
		if !slices.Equal(log.sizes, []int{1, waiting}) {
			t.Fatalf("transactions of %v events, want 1 and %d", log.sizes, waiting)
		}
	})
}

func TestInvalidEventDoesNotFailOthers(t *testing.T) {
	r, _ := openRecorder(t)
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			bad := i%5 == 0
			e := panel("good")
			if bad {
				e = event.New(event.MessageAdded, chat.Message{Text: "no id"})
			}
			if _, err := r.Publish(context.Background(), e); (err != nil) != bad {
				t.Errorf("bad %v: %v", bad, err)
			}
		})
	}
	wg.Wait()
	if all, _ := r.EventsAfter(context.Background(), 0, 100); len(all) != 40 {
		t.Fatalf("%d events stored", len(all))
	}
}

func TestEventsAreDeliveredOnlyAfterStorage(t *testing.T) {
	_, s := openRecorder(t)
	full := errors.New("disk full")
	log := &slowStorage{Storage: s, gate: make(chan struct{}), fail: func([]event.Event) error { return full }}
	close(log.gate)
	r, err := New(context.Background(), log, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sub := r.Subscribe(Filter{}, 0)
	defer sub.Close()
	if _, err := r.Publish(context.Background(), panel("x")); !errors.Is(err, full) {
		t.Fatalf("got %v", err)
	}
	publish(t, r, event.New(event.PointerMoved, event.Pointer{X: 1}))
	if e := next(t, sub); e.Kind != event.PointerMoved {
		t.Fatalf("an event that is not on disk was shown: %+v", e)
	}
}

func TestLiveKindsAreNotStored(t *testing.T) {
	r, _ := openRecorder(t)
	stored := publish(t, r, panel("a"), event.New(event.BrowserChanged, event.BrowserState{Status: "ready"}),
		panel("b"))
	if stored[0].Seq != 1 || stored[1].Seq != 0 || stored[2].Seq != 2 || stored[1].Kind != event.BrowserChanged {
		t.Fatalf("%+v", stored)
	}
	if all, _ := r.EventsAfter(context.Background(), 0, 10); len(all) != 2 {
		t.Fatalf("%+v", all)
	}
}

func TestPublishFailsAfterClose(t *testing.T) {
	r, _ := openRecorder(t)
	sub := r.Subscribe(Filter{}, FromNow)
	r.Close()
	if _, ok := <-sub.C(); ok {
		t.Fatal("the channel is still open")
	}
	if _, err := r.Publish(context.Background(), panel("x")); !errors.Is(err, ErrClosed) {
		t.Fatalf("got %v", err)
	}
	if _, ok := <-r.Subscribe(Filter{}, 0).C(); ok {
		t.Fatal("a subscription to a closed log is open")
	}
}

func TestPublishReturnsWhenContextEnds(t *testing.T) {
	_, s := openRecorder(t)
	log := &slowStorage{Storage: s, gate: make(chan struct{})}
	r, err := New(context.Background(), log, quiet())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer close(log.gate)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Publish(ctx, panel("x")); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

func TestBroadcastIsDeliveredAndNotStored(t *testing.T) {
	r, s := openRecorder(t)
	sub := r.Subscribe(Filter{}, FromNow)
	defer sub.Close()
	for _, id := range []string{"one", "two"} { // no kind of it replaces another, as live ones do
		r.Broadcast(event.New(event.TurnEnded, event.Turn{ID: id}).InTurn("c", id))
	}
	for _, id := range []string{"one", "two"} {
		if e := <-sub.C(); e.Turn != id || e.Seq != 0 {
			t.Fatalf("seen was %+v", e)
		}
	}
	if last, err := s.LastSeq(t.Context()); err != nil || last != 0 {
		t.Fatalf("event %d was stored, %v", last, err)
	}
}
