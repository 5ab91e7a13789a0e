package schedule_test

import (
	"context"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"sextant/backend/schedule"
	data "sextant/shared/schedule"
)

// slots counts what became of the times of schedules.
type slots struct {
	rows map[string]data.Run
	want map[string]map[time.Time]bool // by schedule
}

func (all *slots) read(t *testing.T, s *schedule.Schedules) {
	for id := range all.want {
		runs, err := s.Runs(t.Context(), id, 500)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			all.rows[r.ID] = r
		}
	}
}

// pause pauses all schedules.
func (all *slots) pause(t *testing.T, s *schedule.Schedules) {
	for id := range all.want {
		if err := s.Pause(t.Context(), id, "the test ends"); err != nil {
			t.Fatal(err)
		}
	}
}

// count returns how many times have a row, and how many of them ran to their end.
func (all *slots) count() (seen, ran int) {
	for _, r := range all.rows {
		seen += max(1, r.Count)
		if r.Status == data.StatusDone {
			ran++
		}
	}
	return seen, ran
}

func (all *slots) check(t *testing.T) (counts map[data.Status]int) {
	counts = map[data.Status]int{}
	for _, r := range all.rows {
		n := max(1, r.Count)
		counts[r.Status] += n
		if !r.Status.Ended() {
			t.Errorf("the run for %v is still %s", r.Slot, r.Status)
		}
		for at := range all.want[r.Schedule] {
			if at.Equal(r.Slot) || r.Count > 0 && !at.Before(r.Slot) && !at.After(r.Until) {
				delete(all.want[r.Schedule], at)
			}
		}
	}
	for id, left := range all.want {
		for at := range left {
			t.Errorf("schedule %s: nothing says what became of %v", id, at)
			break
		}
	}
	return counts
}

// TestTimesSurviveKillsSleepsAndClockChanges runs schedules for days of simulated time. Now and then the process is
// killed, the computer sleeps, or somebody sets the clock. Every time must run at most once, and every time must have a
// row. With SEXTANT_WHOLE it covers 100,000 times.
func TestTimesSurviveKillsSleepsAndClockChanges(t *testing.T) {
	total := 800
	if os.Getenv("SEXTANT_WHOLE") != "" {
		total = 100_000
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test
	p := newProgram(t)
	p.work = func(ctx context.Context, _ data.Run) schedule.Outcome {
		select {
		case <-time.After(7 * time.Second):
			return schedule.Outcome{Status: data.StatusDone}
		case <-ctx.Done():
			return schedule.Outcome{Status: data.StatusStopped}
		}
	}
	all, kills, seen, ran := &slots{rows: map[string]data.Run{}, want: map[string]map[time.Time]bool{}}, 0, 0, 0
	synctest.Test(t, func(t *testing.T) {
		p.t = t
		// The clocks of Berlin change in the first night.
		time.Sleep(time.Until(time.Date(2027, 3, 27, 20, 0, 0, 0, time.UTC)))
		s, store, end := p.open()
		begin := p.now()
		for _, when := range []data.When{
			{EveryMinutes: 1},
			{EveryMinutes: 1},
			{EveryMinutes: 3},
			{Cron: "*/2 * * * *", Zone: "Europe/Berlin"},
			{Cron: "30 2 * * *", Zone: "Europe/Berlin"},
		} {
			one := p.add(s, data.Schedule{When: when, Missed: data.Missed{
				Do: []data.MissedPolicy{data.MissedSkip, data.MissedOnce, data.MissedAll}[random.IntN(3)], Limit: 5,
			}})
			all.want[one.ID] = map[time.Time]bool{}
		}
		newest := begin
		for seen < total || ran < total/8 || kills < 3 {
			if now := p.now(); now.After(newest) {
				newest = now
			}
			time.Sleep(time.Duration(random.IntN(5000)) * time.Second / 3)
			synctest.Wait()
			all.read(t, s)
			seen, ran = all.count()
			switch random.IntN(5) {
			case 0:
				end()
			case 1:
				p.set(time.Duration(random.IntN(72)-36) * time.Hour)
				continue
			case 2:
				p.set(time.Duration(random.IntN(200)) * time.Minute)
				continue
			default:
				p.kill(store, end)
				kills++
			}
			time.Sleep(time.Duration(random.IntN(7200)) * time.Second)
			s, store, end = p.open()
			p.openTwice()
		}
		p.set(newest.Sub(p.now()) + time.Hour)
		time.Sleep(5 * time.Minute)
		last := p.now()
		all.pause(t, s)
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		all.read(t, s)
		end()
		for id, want := range all.want {
			one, err := s.Get(id)
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range schedule.TimesBetween(one, begin, last.Add(-3*time.Minute)) {
				want[at] = true
			}
		}
	})
	counts := all.check(t)
	t.Logf("%d times, %d kills: %v", seen, kills, counts)
	for slot, n := range p.runs {
		if n > 1 {
			t.Errorf("%v ran %d times", slot, n)
		}
	}
}
