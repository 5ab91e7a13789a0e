package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"go.opentelemetry.io/otel/attribute"

	"sextant/backend/unattended"
	"sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// activeRun is a run that has begun and not ended.
type activeRun struct {
	run    schedule.Run
	cancel context.CancelCauseFunc
}

// work runs a queued run to its end.
func (s *Schedules) work(ctx context.Context, id string) {
	defer s.wakeClock()
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return // it waits for the next start
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	one, r, err := s.begin(ctx, id, cancel)
	if err != nil {
		s.cfg.Log.Error("a run of a schedule did not begin", "run", id, "err", err)
		s.mu.Lock()
		delete(s.queued, id) // the clock hands it over again
		s.mu.Unlock()
		return
	}
	if r == nil {
		return // another worker has begun it
	}
	limited, done := context.WithTimeoutCause(ctx, s.cfg.TimeLimit, limitError(s.cfg.TimeLimit))
	defer done()
	limited, observed := unattended.Observe(limited, "schedule", attribute.String("sextant.schedule", one.ID),
		attribute.String("sextant.run", id), attribute.String("sextant.recipe", one.Task.Recipe))
	var outcome Outcome
	if problem := s.checkSigned(limited, one, r); problem != "" {
		s.cfg.Unattended.Park(id, problem, "", toolspec.Card{})
	} else {
		one.Task = withFile(one.Task, r.run.File)
		outcome = s.cfg.Tasks.Run(limited, one, r.run, func(conversation string) { s.began(one, r, conversation) })
	}
	ended := s.end(limited, one, r, outcome)
	observed(string(ended), ended == schedule.StatusDone)
}

// begin stores that a run has begun. It returns nil if it is not queued any more.
func (s *Schedules) begin(
	ctx context.Context, id string, cancel context.CancelCauseFunc,
) (schedule.Schedule, *activeRun, error) {
	open, err := s.cfg.Store.OpenRuns(ctx)
	if err != nil {
		return schedule.Schedule{}, nil, err
	}
	i := slices.IndexFunc(open, func(r schedule.Run) bool { return r.ID == id && r.Status == schedule.StatusQueued })
	if i < 0 {
		return schedule.Schedule{}, nil, nil
	}
	run := open[i]
	one, err := s.Get(run.Schedule)
	if err != nil {
		return one, nil, nil // it was deleted meanwhile
	}
	if !run.Watched && (one.Card == nil || one.Paused != "" && !run.Slot.IsZero()) {
		run.Status, run.Ended = schedule.StatusStopped, s.cfg.Now().UTC()
		run.Reason = "The schedule was paused before it began."
		_, err := s.cfg.Store.UpdateRun(ctx, run, schedule.StatusQueued)
		return one, nil, err
	}
	run.Status, run.Started = schedule.StatusRunning, s.cfg.Now().UTC()
	if ok, err := s.cfg.Store.UpdateRun(ctx, run, schedule.StatusQueued); err != nil || !ok {
		return one, nil, err
	}
	r := &activeRun{run: run, cancel: cancel}
	limits := unattended.Run{Cancel: cancel}
	if !run.Watched {
		limits.Card = one.Card
	}
	s.cfg.Unattended.Begin(id, limits)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		cancel(errClosing)
	}
	s.active[id] = r
	s.changed(one, &run)
	return one, r, nil
}

// checkSigned notes what runs. It returns why that is not what the person signed, "" if it is.
func (s *Schedules) checkSigned(ctx context.Context, one schedule.Schedule, r *activeRun) string {
	plan, err := s.Plan(ctx, one)
	if err != nil {
		return fmt.Sprintf("It cannot run: %v.", err)
	}
	s.mu.Lock()
	r.run.Digest = plan.Digest
	s.mu.Unlock()
	if !r.run.Watched && plan.Digest != one.Digest {
		return "What it runs has changed since you signed its permission card."
	}
	return ""
}

func (s *Schedules) began(one schedule.Schedule, r *activeRun, conversation string) {
	s.mu.Lock()
	r.run.Conversation = conversation
	run := r.run
	s.mu.Unlock()
	if _, err := s.cfg.Store.UpdateRun(context.Background(), run, schedule.StatusRunning); err != nil {
		s.cfg.Log.Error("the conversation of a run is not stored", "run", run.ID, "err", err)
	}
	s.changed(one, &run)
}

// end stores how a run ended, and returns that. It pauses the schedule of a run that was parked, and after two failures
// in a row.
func (s *Schedules) end(ctx context.Context, one schedule.Schedule, r *activeRun, o Outcome) schedule.Status {
	s.mu.Lock()
	run := r.run
	delete(s.active, run.ID)
	s.mu.Unlock()
	usage := s.cfg.Unattended.End(run.ID) // from now on, no call of the run is allowed
	run.Used, run.Question = withFolder(usage.Used, run.File), usage.Question
	if usage.Wanted != nil {
		wanted := withFolder(*usage.Wanted, run.File)
		run.Wanted = &wanted
	}
	run.Ended, run.Text, run.Result, run.Bill = s.cfg.Now().UTC(), o.Text, o.Result, o.Bill
	switch {
	case usage.Parked:
		run.Status, run.Reason = schedule.StatusParked, usage.Reason
	case o.Status == schedule.StatusDone:
		run.Status = schedule.StatusDone
	case ctx.Err() != nil:
		run.Status, run.Reason = schedule.StatusStopped, context.Cause(ctx).Error()
	default:
		run.Status, run.Reason = cmp.Or(o.Status, schedule.StatusFailed), o.Reason
	}
	s.store(run.ID, func(keep context.Context) error {
		if err := s.markOwn(keep, run); err != nil {
			return err
		}
		if run.Status == schedule.StatusDone {
			last, err := s.cfg.Store.LastRun(keep, one.ID, true, schedule.StatusDone)
			if err != nil {
				return err
			}
			run.Changed = last != nil && last.Result != run.Result
		}
		if why := s.pauseReason(keep, run); why != "" && !run.Watched {
			if err := s.Pause(keep, one.ID, why); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		_, err := s.cfg.Store.UpdateRun(keep, run, schedule.StatusRunning)
		return err
	})
	if now, err := s.Get(one.ID); err == nil {
		s.changed(now, &run)
		s.runFollowing(run)
	}
	return run.Status
}

// runFollowing adds runs of the schedules that follow the one of a run.
func (s *Schedules) runFollowing(run schedule.Run) {
	if run.Status != schedule.StatusDone || run.Watched {
		return
	}
	for _, one := range s.Schedules() {
		if one.When.After != run.Schedule || one.When.IfChanged && !run.Changed || one.Card == nil || one.Paused != "" {
			continue
		}
		s.store(run.ID, func(ctx context.Context) error {
			open, err := s.isOpen(ctx, one.ID)
			if err != nil {
				return err
			}
			next := s.newRun(one)
			next.Slot = run.Ended
			if open {
				next.Status, next.Reason, next.Count = schedule.StatusMissed, stillRuns, 1
				next.Until, next.Ended = next.Slot, next.Queued
			}
			return s.cfg.Store.AddRun(ctx, next)
		})
	}
}

func (s *Schedules) store(run string, do func(context.Context) error) {
	unattended.Store(s.closing, s.cfg.Log, run, do)
}

func (s *Schedules) pauseReason(ctx context.Context, run schedule.Run) string {
	switch run.Status {
	case schedule.StatusParked:
		return run.Reason
	case schedule.StatusFailed:
		last, err := s.cfg.Store.LastRun(ctx, run.Schedule, false,
			schedule.StatusDone, schedule.StatusFailed, schedule.StatusStopped, schedule.StatusParked)
		if err == nil && last != nil && last.Status == schedule.StatusFailed {
			return "It failed twice in a row."
		}
	}
	return ""
}
