package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/schedule"
	"sextant/backend/store/sqlite"
	"sextant/backend/unattended"
	data "sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// program is what survives a restart: a data folder, and what its runs did.
type program struct {
	t     testing.TB
	file  string
	cards *unattended.Runs

	mu sync.Mutex
	// ahead is how far the clock has been set.
	ahead   time.Duration
	runs    map[string]int
	running int
	most    int
	// work is what a run does; nil takes a minute and ends as done.
	work func(ctx context.Context, r data.Run) schedule.Outcome
	// first is the schedule that others follow.
	first string
	// digest is the digest of every task.
	digest string
}

func newProgram(t testing.TB) *program {
	dir := t.TempDir()
	if shm, err := os.MkdirTemp("/dev/shm", "schedules"); err == nil {
		t.Cleanup(func() { os.RemoveAll(shm) })
		dir = shm
	}
	return &program{
		t: t, file: filepath.Join(dir, "sextant.db"), runs: map[string]int{}, digest: "d", cards: unattended.New(),
	}
}

// Plan implements schedule.Tasks.
func (p *program) Plan(context.Context, data.Task) (schedule.Plan, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return schedule.Plan{Digest: p.digest, Card: &toolspec.Card{Tools: []string{"press"}, Acts: 3}}, nil
}

// Run implements schedule.Tasks.
func (p *program) Run(
	ctx context.Context, _ data.Schedule, r data.Run, began func(string),
) schedule.Outcome {
	p.mu.Lock()
	p.runs[r.Schedule+r.Slot.String()]++
	p.running++
	p.most = max(p.most, p.running)
	work := p.work
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.running--
		p.mu.Unlock()
	}()
	began("c_" + r.ID)
	if work != nil {
		return work(ctx, r)
	}
	select {
	case <-time.After(time.Minute):
		return schedule.Outcome{Status: data.StatusDone, Text: "ok"}
	case <-ctx.Done():
		return schedule.Outcome{Status: data.StatusStopped}
	}
}

// open starts the program. The returned function ends it.
func (p *program) open() (*schedule.Schedules, *sqlite.Store, func()) {
	p.t.Helper()
	ctx := p.t.Context()
	log := slog.New(slog.NewTextHandler(p.t.Output(), nil))
	store, err := sqlite.Open(ctx, p.file, log)
	if err != nil {
		p.t.Fatal(err)
	}
	db, err := store.OpenQueue()
	if err != nil {
		p.t.Fatal(err)
	}
	s, err := schedule.Open(ctx, schedule.Config{
		Store: store.Scheduled, DB: db, Tasks: p, Unattended: p.cards, Log: log, Now: p.now,
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return s, store, func() {
		if err := s.Close(); err != nil {
			p.t.Error(err)
		}
		if err := store.Close(); err != nil {
			p.t.Error(err)
		}
	}
}

// openTwice checks that a second process cannot open the schedules of one that runs.
func (p *program) openTwice() {
	p.t.Helper()
	_, err := sqlite.Open(p.t.Context(), p.file, slog.New(slog.DiscardHandler))
	if !errors.Is(err, sqlite.ErrLocked) {
		p.t.Fatalf("a second process opened the schedules: %v", err)
	}
}

func (p *program) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Add(p.ahead)
}

// set sets the clock.
func (p *program) set(ahead time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ahead += ahead
}

// kill ends the program as a crash would: what it writes from now on is lost.
func (p *program) kill(store *sqlite.Store, end func()) {
	p.t.Helper()
	files := map[string][]byte{}
	for _, file := range []string{store.Path(), store.Path() + "-wal"} {
		text, err := os.ReadFile(file)
		if err != nil {
			p.t.Fatal(err)
		}
		files[file] = text
	}
	end()
	for file, text := range files {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *program) add(s *schedule.Schedules, one data.Schedule) data.Schedule {
	p.t.Helper()
	one.Name, one.Task = "prices", data.Task{Recipe: "prices"}
	one, err := s.Save(p.t.Context(), one)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := s.Sign(p.t.Context(), one.ID, p.digest, toolspec.Card{Tools: []string{"press"}, Acts: 3}); err != nil {
		p.t.Fatal(err)
	}
	one, err = s.Get(one.ID)
	if err != nil {
		p.t.Fatal(err)
	}
	return one
}

// lines returns the runs of a schedule, oldest first, as "status reason".
func lines(t *testing.T, s *schedule.Schedules, id string) []string {
	t.Helper()
	runs, err := s.Runs(t.Context(), id, 1000)
	if err != nil {
		t.Fatal(err)
	}
	all := []string{}
	for _, r := range runs {
		line := string(r.Status)
		if r.Count > 0 {
			line += fmt.Sprint(" ", r.Count)
		}
		if r.Reason != "" {
			line += ": " + r.Reason
		}
		all = append([]string{line}, all...)
	}
	return all
}

func TestEachTimeRunsOnceOverRestarts(t *testing.T) {
	p := newProgram(t)
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}})
		time.Sleep(35 * time.Minute)
		end()
		time.Sleep(time.Hour)
		s, _, end = p.open()
		defer end()
		time.Sleep(14 * time.Minute)
		want := []string{"done", "done", "done", "missed 6: Sextant or the computer was not running.", "done"}
		if diff := cmp.Diff(want, lines(t, s, one.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for at, n := range p.runs {
			if n != 1 {
				t.Errorf("%v ran %d times", at, n)
			}
		}
	})
}

func TestMissedTimes(t *testing.T) {
	for _, c := range []struct {
		name   string
		missed data.Missed
		want   []string
	}{
		{"skip", data.Missed{Do: data.MissedSkip}, []string{"missed 5: Sextant or the computer was not running."}},
		{
			"once",
			data.Missed{Do: data.MissedOnce},
			[]string{"missed 4: Sextant or the computer was not running.", "done"},
		},
		{
			"all up to three",
			data.Missed{Do: data.MissedAll, Limit: 3},
			[]string{"missed 2: Sextant or the computer was not running.", "done", "done", "done"},
		},
		{
			"not too old",
			data.Missed{Do: data.MissedAll, Limit: 9, MaxAgeMinutes: 12},
			[]string{"missed 3: Sextant or the computer was not running.", "done", "done"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProgram(t)
			synctest.Test(t, func(t *testing.T) {
				p.t = t
				s, _, end := p.open()
				one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}, Missed: c.missed})
				end()
				time.Sleep(52 * time.Minute)
				s, _, end = p.open()
				defer end()
				time.Sleep(7 * time.Minute)
				if diff := cmp.Diff(c.want, lines(t, s, one.ID)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if p.most > 1 {
					t.Errorf("%d runs of one schedule at once", p.most)
				}
			})
		})
	}
}

func TestRunThatIsNotOverWhenTheNextIsDue(t *testing.T) {
	p := newProgram(t)
	p.work = func(context.Context, data.Run) schedule.Outcome {
		time.Sleep(25 * time.Minute)
		return schedule.Outcome{Status: data.StatusDone}
	}
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}})
		time.Sleep(38 * time.Minute)
		const missed = "missed 1: The run before it had not ended."
		want := []string{"done", missed, missed}
		if diff := cmp.Diff(want, lines(t, s, one.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestRunThatWasInterruptedIsNotRepeated(t *testing.T) {
	p := newProgram(t)
	s, store, end := p.open()
	one := p.add(s, data.Schedule{
		When: data.When{EveryMinutes: 10}, Missed: data.Missed{Do: data.MissedAll, Limit: 9},
	})
	killed := data.Run{ID: "r_1", Schedule: one.ID, Slot: time.Now(), Status: data.StatusRunning}
	if err := store.Scheduled.AddRun(t.Context(), killed); err != nil {
		t.Fatal(err)
	}
	end()
	s, _, end = p.open()
	defer end()
	got := lines(t, s, one.ID)
	if len(got) != 1 || !strings.HasPrefix(got[0], "stopped: Sextant ended while it ran.") {
		t.Errorf("%q", got)
	}
	if len(p.runs) > 0 {
		t.Errorf("it ran again")
	}
}

func TestParkedRunPausesItsSchedule(t *testing.T) {
	p := newProgram(t)
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		p.mu.Lock()
		p.work = func(ctx context.Context, r data.Run) schedule.Outcome {
			if card, ok := p.cards.Card(r.ID); !ok || card.Acts != 3 {
				t.Errorf("the card is %+v %v", card, ok)
			}
			for range 3 {
				if err := p.cards.Use(r.ID, toolspec.Card{Tools: []string{"press"}, Acts: 1}); err != nil {
					t.Error("an act on the card was refused:", err)
				}
			}
			p.cards.Park(r.ID, "It would use the host evil.example.", "Open evil.example?",
				toolspec.Card{Hosts: []string{"evil.example"}})
			if err := p.cards.Use(r.ID, toolspec.Card{Acts: 1}); err == nil {
				t.Error("a fourth act was allowed")
			}
			<-ctx.Done()
			return schedule.Outcome{Status: data.StatusStopped}
		}
		p.mu.Unlock()
		one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}})
		time.Sleep(time.Hour)
		if diff := cmp.Diff([]string{"parked: It would use the host evil.example."}, lines(t, s, one.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		now, err := s.Get(one.ID)
		if err != nil || now.Paused != "It would use the host evil.example." {
			t.Errorf("%+v %v", now, err)
		}
		if _, ok := p.cards.Card(p.lastRun(s, one.ID)); ok {
			t.Error("a run that ended has a card")
		}
	})
}

func (p *program) lastRun(s *schedule.Schedules, id string) string {
	runs, err := s.Runs(p.t.Context(), id, 1)
	if err != nil || len(runs) == 0 {
		p.t.Fatal("no run", err)
	}
	return runs[0].ID
}

func TestTwoFailuresInARowPause(t *testing.T) {
	p := newProgram(t)
	results := []data.Status{data.StatusFailed, data.StatusDone, data.StatusFailed, data.StatusFailed, data.StatusDone}
	p.work = func(context.Context, data.Run) schedule.Outcome {
		p.mu.Lock()
		defer p.mu.Unlock()
		status := results[0]
		results = results[1:]
		return schedule.Outcome{Status: status, Reason: "no button"}
	}
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}})
		time.Sleep(2 * time.Hour)
		want := []string{"failed: no button", "done", "failed: no button", "failed: no button"}
		if diff := cmp.Diff(want, lines(t, s, one.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if now, _ := s.Get(one.ID); now.Paused != "It failed twice in a row." {
			t.Errorf("paused: %q", now.Paused)
		}
	})
}

func TestChangedTaskIsNotRun(t *testing.T) {
	p := newProgram(t)
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}})
		p.mu.Lock()
		p.digest = "another"
		p.mu.Unlock()
		time.Sleep(15 * time.Minute)
		want := []string{"parked: What it runs has changed since you signed its permission card."}
		if diff := cmp.Diff(want, lines(t, s, one.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if len(p.runs) > 0 {
			t.Error("it ran")
		}
		if err := s.Sign(t.Context(), one.ID, "d", toolspec.Card{}); !errors.Is(err, schedule.ErrChanged) {
			t.Errorf("signing what was shown before: %v", err)
		}
		again, err := s.Save(t.Context(), one)
		if err != nil || again.Card != nil {
			t.Errorf("saving a changed task keeps the card %+v, %v", again.Card, err)
		}
	})
}

func TestParkedRunStopsThoseThatWait(t *testing.T) {
	p := newProgram(t)
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		one := p.add(s, data.Schedule{
			When: data.When{EveryMinutes: 10}, Missed: data.Missed{Do: data.MissedAll, Limit: 9},
		})
		end()
		time.Sleep(32 * time.Minute)
		p.mu.Lock()
		p.work = func(ctx context.Context, r data.Run) schedule.Outcome {
			p.cards.Park(r.ID, "It would use the host evil.example.", "", toolspec.Card{})
			<-ctx.Done()
			return schedule.Outcome{Status: data.StatusStopped}
		}
		p.mu.Unlock()
		s, _, end = p.open()
		defer end()
		time.Sleep(5 * time.Minute)
		const waits = "stopped: The schedule was paused before it began."
		want := []string{"parked: It would use the host evil.example.", waits, waits}
		if diff := cmp.Diff(want, lines(t, s, one.ID)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestTimesWaitForTheRunBeforeThem(t *testing.T) {
	p := newProgram(t)
	p.work = func(context.Context, data.Run) schedule.Outcome {
		time.Sleep(25 * time.Minute)
		return schedule.Outcome{Status: data.StatusDone}
	}
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}, Missed: data.Missed{Do: data.MissedOnce}})
		time.Sleep(62 * time.Minute)
		got := strings.Join(lines(t, s, one.ID), "\n")
		if !strings.HasPrefix(got, "done\nmissed 1: ") || !strings.Contains(got, "\ndone") || p.most > 1 {
			t.Errorf("%s", got)
		}
	})
}

func TestWaitingRunIsStopped(t *testing.T) {
	p := newProgram(t)
	s, store, end := p.open()
	defer end()
	one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}})
	running := data.Run{ID: "r_1", Schedule: one.ID, Slot: time.Now(), Status: data.StatusRunning}
	waits := data.Run{ID: "r_2", Schedule: one.ID, Slot: time.Now().Add(1), Status: data.StatusQueued}
	for _, r := range []data.Run{running, waits} {
		if err := store.Scheduled.AddRun(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if stopped, err := s.Stop(t.Context(), "r_2"); err != nil || !stopped {
		t.Fatal(stopped, err)
	}
	if got := strings.Join(lines(t, s, one.ID), "\n"); !strings.Contains(got, "stopped: You stopped it.") {
		t.Errorf("%s", got)
	}
	if stopped, err := s.Stop(t.Context(), "r_2"); err != nil || stopped {
		t.Error("a run that has ended was stopped", err)
	}
}

func TestScheduleFollowsAnotherWithAnotherResult(t *testing.T) {
	p := newProgram(t)
	results := []string{"64", "64", "60", "60"}
	p.work = func(_ context.Context, r data.Run) schedule.Outcome {
		p.mu.Lock()
		defer p.mu.Unlock()
		result := "told"
		if r.Schedule == p.first {
			result, results = results[0], append(results[1:], "60")
		}
		return schedule.Outcome{Status: data.StatusDone, Result: result}
	}
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		s, _, end := p.open()
		defer end()
		one := p.add(s, data.Schedule{When: data.When{EveryMinutes: 10}})
		p.mu.Lock()
		p.first = one.ID
		p.mu.Unlock()
		always := p.add(s, data.Schedule{When: data.When{After: one.ID}})
		changed := p.add(s, data.Schedule{When: data.When{After: one.ID, IfChanged: true}})
		time.Sleep(45 * time.Minute)
		for id, want := range map[string][]string{
			one.ID: {"done", "done", "done", "done"}, always.ID: {"done", "done", "done", "done"}, changed.ID: {"done"},
		} {
			if diff := cmp.Diff(want, lines(t, s, id)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		one.When = data.When{After: changed.ID}
		if _, err := s.Save(t.Context(), one); err == nil || err.Error() != "it would follow itself" {
			t.Errorf("schedules in a circle: %v", err)
		}
		if err := s.Delete(t.Context(), one.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Save(t.Context(), always); err == nil {
			t.Error("a schedule follows one that does not exist")
		}
	})
}
