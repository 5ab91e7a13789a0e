package schedule

import (
	"context"
	"slices"
	"time"

	"sextant/shared/schedule"
)

const (
	// onTime is how late a time may be without counting as missed.
	onTime = time.Minute
	// lookEvery is how often the clock is read at least. It can be set, and computers sleep.
	lookEvery = 20 * time.Second
)

// runClock claims times and queues their runs until ctx ends. again are runs that were queued before the start.
func (s *Schedules) runClock(ctx context.Context, again []schedule.Run) {
	for _, r := range again {
		s.queueAgain(ctx, r)
	}
	for ctx.Err() == nil {
		now := s.cfg.Now()
		next := now.Add(lookEvery)
		for _, one := range s.Schedules() {
			if due := s.claim(ctx, one.ID, now); !due.IsZero() && due.Before(next) {
				next = due
			}
		}
		s.queueOpen(ctx)
		select {
		case <-ctx.Done():
		case <-s.wake:
		case <-time.After(next.Sub(s.cfg.Now())):
		}
	}
	if err := s.queue.rest(context.WithoutCancel(ctx)); err != nil {
		s.cfg.Log.Warn("the job queue did not stop", "err", err)
	}
}

// queueOpen hands queued runs to the workers.
func (s *Schedules) queueOpen(ctx context.Context) {
	open, err := s.cfg.Store.OpenRuns(ctx)
	if err == nil && len(open) == 0 {
		s.mu.Lock()
		idle := len(s.active) == 0
		if idle {
			clear(s.queued)
		}
		s.mu.Unlock()
		if idle {
			err = s.queue.rest(ctx)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	busy := map[string]bool{} // the runs of a schedule come one after the other
	for _, r := range open {
		if r.Status == schedule.StatusRunning || s.queued[r.ID] {
			busy[r.Schedule] = true
		}
	}
	for _, r := range open {
		if busy[r.Schedule] {
			continue
		}
		if err = s.queue.add(ctx, r.ID); err != nil {
			break
		}
		s.queued[r.ID], busy[r.Schedule] = true, true
	}
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Error("runs of schedules wait", "err", err)
	}
}

// queueAgain decides what happens with a run that was queued when the last process ended: it has not begun, so its time
// may count as missed.
func (s *Schedules) queueAgain(ctx context.Context, r schedule.Run) {
	now := s.cfg.Now()
	one, err := s.Get(r.Schedule)
	switch {
	case err != nil:
		return
	case r.Slot.IsZero():
		r.Status, r.Reason = schedule.StatusStopped, "Sextant ended before it began."
	case !one.When.Timed() || now.Sub(r.Slot) <= onTime || runsLate(one, r.Slot, now):
		return // it is queued with all others
	default:
		r.Status, r.Reason, r.Count, r.Until = schedule.StatusMissed, notRunning, 1, r.Slot
	}
	r.Ended = now.UTC()
	if _, err := s.cfg.Store.UpdateRun(ctx, r, schedule.StatusQueued); err != nil {
		s.cfg.Log.Error("a missed time is not stored", "err", err)
	}
}

const (
	notRunning = "Sextant or the computer was not running."
	stillRuns  = "The run before it had not ended."
)

func runsLate(one schedule.Schedule, slot, now time.Time) bool {
	limit := time.Duration(one.Missed.MaxAgeMinutes) * time.Minute
	return one.Missed.Do != schedule.MissedSkip && (limit == 0 || now.Sub(slot) <= limit)
}

// claim stores what happens with the times of a schedule up to now. It returns the next time, zero for none or if times
// are still due. After the clock was set back, a schedule waits until its newest time is over again, so that none runs
// twice.
func (s *Schedules) claim(ctx context.Context, id string, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.index(id)
	if i < 0 || s.all[i].Card == nil || s.all[i].Paused != "" {
		return time.Time{}
	}
	one := s.all[i]
	t, err := newTimes(one.When, one.Created)
	if err != nil {
		s.cfg.Log.Error("the times of a schedule are not valid", "schedule", one.ID, "err", err)
		return time.Time{}
	}
	due := t.between(one.LastSlot, now)
	if len(due) == 0 {
		return s.next(t, one, now)
	}
	runs, busy, err := s.runsFor(ctx, one, due, now)
	if err == nil && busy && one.Missed.Do != schedule.MissedSkip {
		return time.Time{} // they are due until the run before them has ended
	}
	if err == nil {
		err = s.cfg.Store.ClaimSlots(ctx, one, due[len(due)-1], runs)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.cfg.Log.Error("the times of a schedule wait", "schedule", one.ID, "err", err)
		}
		return time.Time{}
	}
	s.all[i].LastSlot = due[len(due)-1]
	s.changed(one, nil)
	return t.next(now)
}

func (s *Schedules) next(t *times, one schedule.Schedule, now time.Time) time.Time {
	if one.LastSlot.After(now) {
		now = one.LastSlot
	}
	return t.next(now)
}

// runsFor returns what is stored for due times: runs, and one row for the times that were missed. busy is true if a run
// of the schedule has not ended.
func (s *Schedules) runsFor(
	ctx context.Context, one schedule.Schedule, due []time.Time, now time.Time,
) (runs []schedule.Run, busy bool, err error) {
	open, err := s.cfg.Store.OpenRuns(ctx)
	if err != nil {
		return nil, false, err
	}
	busy = slices.ContainsFunc(open, func(r schedule.Run) bool { return r.Schedule == one.ID })
	limit := 1
	if one.Missed.Do == schedule.MissedAll {
		limit = max(1, one.Missed.Limit)
	}
	first := len(due) // the first time that runs
	for first > 0 && len(due)-first < limit && !busy {
		slot := due[first-1]
		if now.Sub(slot) > onTime && !runsLate(one, slot, now) {
			break
		}
		first--
	}
	if missed := due[:first]; len(missed) > 0 {
		r := s.newRun(one)
		r.Status, r.Slot, r.Until, r.Count = schedule.StatusMissed, missed[0], missed[len(missed)-1], len(missed)
		r.Ended, r.Reason = r.Queued, notRunning
		if busy {
			r.Reason = stillRuns
		}
		runs = append(runs, r)
	}
	for _, slot := range due[first:] {
		r := s.newRun(one)
		r.Slot = slot
		runs = append(runs, r)
	}
	return runs, busy, nil
}
