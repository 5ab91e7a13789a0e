package approval

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"sextant/shared/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recordedEvents records what was published, and can refuse it.
type recordedEvents struct {
	mu     sync.Mutex
	events []event.Event
	fail   error
	hold   chan struct{}
}

func (r *recordedEvents) Publish(_ context.Context, events ...event.Event) ([]event.Event, error) {
	r.mu.Lock()
	hold, fail := r.hold, r.fail
	r.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if fail != nil {
		return nil, fail
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, events...)
	return events, nil
}

func (r *recordedEvents) set(fail error, hold chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fail, r.hold = fail, hold
}

func (r *recordedEvents) answers() (all []event.ApprovalAnswer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.events {
		if e.Kind == event.ApprovalAnswered {
			var a event.ApprovalAnswer
			if json.Unmarshal(e.Data, &a) == nil {
				all = append(all, a)
			}
		}
	}
	return all
}

func lampQuestion() event.Approval {
	return event.Approval{
		ID: "q", Call: "c", Tool: "bash", Hash: "right", Conversation: "talk", Turn: "t1",
		Choices: []event.Choice{{Answer: event.AnswerOnce}, {Answer: event.AnswerDeny}},
	}
}

type asked struct {
	answer event.ApprovalAnswer
	err    error
}

// asking asks the question in the background and returns the channel of its answer.
func asking(ctx context.Context, d *Queue, a event.Approval) chan asked {
	done := make(chan asked, 1)
	go func() {
		answer, err := d.Ask(ctx, a)
		done <- asked{answer, err}
	}()
	synctest.Wait()
	return done
}

func TestFirstValidAnswerCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, out := context.Background(), &recordedEvents{}
		d := New(out)
		done := asking(ctx, d, lampQuestion())
		if w := d.WaitingApprovals(); len(w) != 1 || w[0].ID != "q" || w[0].Asked.IsZero() {
			t.Fatalf("%+v", w)
		}
		for want, err := range map[error]error{
			ErrNotFound:   d.Answer(ctx, "other", event.AnswerOnce, "", "right"),
			ErrStale:      d.Answer(ctx, "q", event.AnswerOnce, "", "wrong"),
			ErrNotOffered: d.Answer(ctx, "q", event.AnswerAlways, "", "right"),
		} {
			if !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		if err := d.Answer(ctx, "q", event.AnswerDeny, "use 10115", "right"); err != nil {
			t.Fatal(err)
		}
		if err := d.Answer(ctx, "q", event.AnswerOnce, "", "right"); !errors.Is(err, ErrAnswered) {
			t.Fatalf("got %v", err)
		}
		got := <-done
		if got.err != nil || got.answer.Answer != event.AnswerDeny || got.answer.Reason != "use 10115" {
			t.Fatalf("%+v", got)
		}
		if len(d.WaitingApprovals()) != 0 || len(out.answers()) != 1 {
			t.Fatalf("%+v", out.answers())
		}
		if e := out.events[0]; e.Kind != event.ApprovalAsked || e.Conversation != "talk" || e.Turn != "t1" ||
			e.Call != "c" {
			t.Fatalf("%+v", e)
		}
	})
}

func TestConcurrentAnswersCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, out := context.Background(), &recordedEvents{}
		d := New(out)
		done := asking(ctx, d, lampQuestion())
		var wg sync.WaitGroup
		var mu sync.Mutex
		taken := 0
		for range 20 {
			wg.Go(func() {
				if err := d.Answer(ctx, "q", event.AnswerOnce, "", "right"); err == nil {
					mu.Lock()
					taken++
					mu.Unlock()
				} else if !errors.Is(err, ErrAnswered) {
					t.Errorf("got %v", err)
				}
			})
		}
		wg.Wait()
		if got := <-done; taken != 1 || got.err != nil || len(out.answers()) != 1 {
			t.Fatalf("%d answers taken, %+v", taken, got)
		}
	})
}

func TestQuestionOfStoppedCallLapses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		out := &recordedEvents{}
		d := New(out)
		done := asking(ctx, d, lampQuestion())
		stop()
		if got := <-done; !errors.Is(got.err, context.Canceled) {
			t.Fatalf("%+v", got)
		}
		if a := out.answers(); len(a) != 1 || a[0].Answer != "" || len(d.WaitingApprovals()) != 0 {
			t.Fatalf("%+v", a)
		}
		if err := d.Answer(context.Background(), "q", event.AnswerOnce, "", "right"); !errors.Is(err, ErrAnswered) {
			t.Fatalf("got %v", err)
		}
	})
}

func TestFailedAnswerKeepsQuestionWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, full := context.Background(), errors.New("disk full")
		out := &recordedEvents{}
		d := New(out)
		done := asking(ctx, d, lampQuestion())
		out.set(full, nil)
		if err := d.Answer(ctx, "q", event.AnswerOnce, "", "right"); !errors.Is(err, full) {
			t.Fatalf("got %v", err)
		}
		if len(d.WaitingApprovals()) != 1 {
			t.Fatal("the question is gone")
		}
		out.set(nil, nil)
		if err := d.Answer(ctx, "q", event.AnswerOnce, "", "right"); err != nil {
			t.Fatal(err)
		}
		<-done
	})
}

func TestCancelWhileAnswerIsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		out := &recordedEvents{}
		d := New(out)
		done := asking(ctx, d, lampQuestion())
		hold := make(chan struct{})
		out.set(errors.New("disk full"), hold)
		answered := make(chan error, 1)
		go func() { answered <- d.Answer(context.Background(), "q", event.AnswerOnce, "", "right") }()
		synctest.Wait()
		stop()
		if got := <-done; got.err == nil {
			t.Fatalf("%+v", got)
		}
		close(hold)
		if err := <-answered; err == nil || len(d.WaitingApprovals()) != 0 {
			t.Fatalf("%v, waiting %v", err, d.WaitingApprovals())
		}
	})
}

func TestEditIsAcceptedOnlyWhereTheQuestionOffersIt(t *testing.T) {
	t.Parallel()
	text := "two"
	reply := Reply{Answer: event.AnswerOnce, Hash: "right", EditedText: &text}
	for name, c := range map[string]struct {
		editArg string
		want    error
	}{"offered": {"content", nil}, "not offered": {"", ErrNotOffered}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				d := New(&recordedEvents{})
				q := lampQuestion()
				q.EditArg = c.editArg
				done := asking(ctx, d, q)
				synctest.Wait()
				if err := d.AnswerWith(ctx, "q", reply); !errors.Is(err, c.want) {
					t.Fatalf("%v", err)
				}
				if c.want != nil {
					cancel()
				}
				if got := <-done; got.answer.EditedText != map[bool]string{true: text}[c.want == nil] {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}
