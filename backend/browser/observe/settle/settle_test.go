package settle_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"sextant/backend/browser/observe/settle"
)

func quiet(context.Context, bool) (settle.Activity, error) { return settle.Activity{}, nil }

// wait runs one watch in synthetic time while play tells the tracker what happens.
func wait(t *testing.T, play func(*settle.Tracker),
	rest func(context.Context, bool) (settle.Activity, error),
) settle.Result {
	t.Helper()
	var got settle.Result
	synctest.Test(t, func(t *testing.T) {
		tr := settle.NewTracker("main")
		tr.RecordRequestStart("long before", "")
		w := tr.Begin(settle.DefaultLimits())
		done := make(chan struct{})
		go func() { defer close(done); play(tr) }()
		synctest.Wait()
		got = w.Wait(t.Context(), rest)
		<-done
	})
	return got
}

func TestQuietPageSettlesAtOnce(t *testing.T) {
	t.Parallel()
	if r := wait(t, func(*settle.Tracker) {}, quiet); r.Took != 0 || r.TimedOut || r.WaitedFor != "quiet" {
		t.Errorf("got %+v", r)
	}
}

func TestWaitsForRequestsOfAction(t *testing.T) {
	t.Parallel()
	r := wait(t, func(tr *settle.Tracker) {
		tr.RecordRequestStart("a", "GET /a")
		time.Sleep(200 * time.Millisecond)
		tr.RecordRequestEnd("a")
	}, quiet)
	if r.WaitedFor != "requests" || r.TimedOut || r.Took < 200*time.Millisecond || r.Took > 300*time.Millisecond {
		t.Errorf("got %+v", r)
	}
}

func TestUnreadResponseBodyDoesNotReachCap(t *testing.T) {
	t.Parallel()
	r := wait(t, func(tr *settle.Tracker) {
		tr.RecordRequestStart("a", "GET /a")
		time.Sleep(200 * time.Millisecond)
		tr.RecordResponse("a", true)
		time.Sleep(100 * time.Millisecond)
		tr.RecordResponse("a", false)
	}, quiet)
	if r.WaitedFor != "requests" || r.TimedOut || r.Took < 400*time.Millisecond || r.Took > 600*time.Millisecond {
		t.Errorf("got %+v", r)
	}
}

func TestPollingIsIgnored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		late   time.Duration
		waited bool
	}{"when it is due": {0, false}, "between two": {250 * time.Millisecond, true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := settle.NewTracker("main")
				ask := func() {
					tr.RecordRequestStart("poll", "GET /poll")
					time.Sleep(400 * time.Millisecond)
					tr.RecordRequestEnd("poll")
				}
				for range 4 {
					ask()
					time.Sleep(600 * time.Millisecond)
				}
				time.Sleep(c.late)
				w := tr.Begin(settle.DefaultLimits())
				done := make(chan struct{})
				go func() { defer close(done); ask() }()
				synctest.Wait()
				if r := w.Wait(t.Context(), quiet); (r.Took >= 400*time.Millisecond) != c.waited || r.TimedOut {
					t.Errorf("%+v", r)
				}
				<-done
			})
		})
	}
}

func TestWaitsForRequiredResponseBody(t *testing.T) {
	t.Parallel()
	r := wait(t, func(tr *settle.Tracker) {
		tr.RecordRequestStart("script", "GET /a.js")
		tr.RecordResponse("script", false)
		time.Sleep(time.Second)
		tr.RecordRequestEnd("script")
	}, quiet)
	if r.TimedOut || r.Took < time.Second {
		t.Errorf("got %+v", r)
	}
}

func TestEndlessRequestIsCapped(t *testing.T) {
	t.Parallel()
	r := wait(t, func(tr *settle.Tracker) { tr.RecordRequestStart("poll", "GET /poll") }, quiet)
	if !r.TimedOut || r.Took < 3*time.Second || r.Took > 3100*time.Millisecond ||
		r.WaitedFor != "still waiting for requests" {
		t.Errorf("got %+v", r)
	}
}

func TestWaitsForNavigationToLoad(t *testing.T) {
	t.Parallel()
	r := wait(t, func(tr *settle.Tracker) {
		tr.RecordNavigationRequest("main")
		time.Sleep(100 * time.Millisecond)
		tr.RecordLoadStart("main")
		time.Sleep(4 * time.Second)
		tr.RecordNavigationCommit("main")
		tr.RecordDOMContentLoaded("main")
		time.Sleep(time.Second)
		tr.RecordLoadStop("main")
	}, quiet)
	if r.WaitedFor != "navigation" || r.TimedOut || r.Took < 5100*time.Millisecond || r.Took > 5300*time.Millisecond {
		t.Errorf("got %+v", r)
	}
}

func TestMissingImagesDoNotReachCap(t *testing.T) {
	t.Parallel()
	r := wait(t, func(tr *settle.Tracker) {
		tr.RecordLoadStart("main")
		tr.RecordNavigationCommit("main")
		tr.RecordDOMContentLoaded("main")
	}, quiet)
	if !r.TimedOut || r.WaitedFor != "still loading" || r.Took < 3*time.Second || r.Took > 3100*time.Millisecond {
		t.Errorf("got %+v", r)
	}
}

func TestNavigationThatNeverStartsTimesOut(t *testing.T) {
	t.Parallel()
	r := wait(t, func(tr *settle.Tracker) { tr.RecordNavigationRequest("main") }, quiet)
	if r.Took > 600*time.Millisecond {
		t.Errorf("got %+v", r)
	}
}

func TestWaitsForMutationsUpToCap(t *testing.T) {
	t.Parallel()
	asked := 0
	r := wait(t, func(*settle.Tracker) {}, func(context.Context, bool) (settle.Activity, error) {
		asked++
		if asked < 4 {
			time.Sleep(20 * time.Millisecond)
			return settle.Activity{Changing: true, Mutations: asked}, nil
		}
		return settle.Activity{Mutations: 4}, nil
	})
	if r.WaitedFor != "changes" || r.Took < 60*time.Millisecond || r.Took > 150*time.Millisecond {
		t.Errorf("three changes: %+v", r)
	}
	r = wait(t, func(*settle.Tracker) {}, func(context.Context, bool) (settle.Activity, error) {
		time.Sleep(100 * time.Millisecond)
		return settle.Activity{Changing: true, Mutations: 1}, nil
	})
	if r.Took > 2*time.Second {
		t.Errorf("a page that never stops changing: %+v", r)
	}
}

func TestUnansweredProbeIsRepeated(t *testing.T) {
	t.Parallel()
	asked := 0
	r := wait(t, func(*settle.Tracker) {}, func(context.Context, bool) (settle.Activity, error) {
		if asked++; asked < 3 {
			return settle.Activity{}, errors.New("between two documents")
		}
		return settle.Activity{}, nil
	})
	if r.TimedOut || asked != 3 {
		t.Errorf("asked %d times: %+v", asked, r)
	}
}
