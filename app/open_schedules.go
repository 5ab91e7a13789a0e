package app

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"sextant/app/notify"
	"sextant/backend/schedule"
	"sextant/backend/schedule/tasks"
	schedulespanel "sextant/panels/schedules"
	"sextant/shared/event"
	data "sextant/shared/schedule"
)

// openSchedules opens the schedules. They run only in a program that goes on, which is one that serves.
func (s *System) openSchedules(ctx context.Context, options OpenOptions) (err error) {
	var db *sql.DB
	if options.Serve {
		if db, err = s.Store.OpenQueue(); err != nil {
			return err
		}
	}
	s.Schedules, err = schedule.Open(ctx, schedule.Config{
		Store: s.Store.Scheduled, DB: db, Log: s.Log, Changed: s.scheduleChanged,
		Tasks: tasks.New(tasks.Config{
			Loop: s.Loop, Recipes: s.Recipes, CreatedTools: s.Created.All, CardUse: s.Pipeline.CardUse,
			Model: func() string { return s.Settings.Get("model") }, CloseSession: s.Browser.CloseSession,
			CopySignIns: func(session string, hosts []string) { s.Browser.Session(session).CopySignIns(hosts) },
		}),
	})
	if err != nil {
		return err
	}
	s.OnClose("schedules", s.Schedules.Close)
	return nil
}

// scheduleChanged tells windows about a schedule, and about the run that began or ended.
func (s *System) scheduleChanged(one data.Schedule, run *data.Run) {
	notice := event.ScheduleNotice{Schedule: one.ID, Name: one.Name}
	if run != nil {
		notice.Run, notice.Status, notice.Reason = run.ID, string(run.Status), run.Reason
		notice.Changed = run.Changed
		if title := notificationTitle(one, *run); title != "" {
			text := cmp.Or(run.Reason, run.Result)
			s.background.Go(func() { s.notify(title, text) })
		}
	}
	s.Events.Broadcast(event.New(event.SchedulesChanged, notice))
}

// notificationTitle returns the title of the notification about a run that nobody started, "" if a person need not know
// of it.
func notificationTitle(one data.Schedule, run data.Run) string {
	switch {
	case run.Slot.IsZero():
		return ""
	case run.Status == data.StatusParked:
		return "“" + one.Name + "” waits for you"
	case run.Status == data.StatusFailed:
		return "“" + one.Name + "” failed"
	case run.Changed:
		return "“" + one.Name + "” has another result"
	}
	return ""
}

// notify shows a notification of the desktop, if it has any.
func (s *System) notify(title, text string) {
	ctx, cancel := context.WithTimeout(context.Background(), notifyLimit)
	defer cancel()
	if err := notify.Show(ctx, title, text); err != nil {
		s.Log.Debug("no notification on the desktop", "err", err)
	}
}

const notifyLimit = 3 * time.Second

// schedulesPanel gives the panel the schedules, which are opened after it.
func (s *System) schedulesPanel() schedulespanel.Services {
	return schedulespanel.Services{
		List: func() []data.Schedule { return s.Schedules.Schedules() },
		When: func(one data.Schedule) (string, time.Time) { return s.Schedules.Next(one) },
		Runs: func(ctx context.Context, id string, limit int) ([]data.Run, error) {
			return s.Schedules.Runs(ctx, id, limit)
		},
		Save: func(ctx context.Context, one data.Schedule) (data.Schedule, error) { return s.Schedules.Save(ctx, one) },
		Pause: func(ctx context.Context, id, why string) error {
			return s.Schedules.Pause(ctx, id, why)
		},
	}
}
