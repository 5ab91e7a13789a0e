package app

import (
	"context"
	"database/sql"

	"sextant/app/notify"
	"sextant/backend/schedule"
	"sextant/backend/schedule/tasks"
	"sextant/shared/event"
	data "sextant/shared/schedule"
)

// openSchedules opens the schedules. They run only in a program that goes on, which is one that serves.
func (s *System) openSchedules(ctx context.Context, options OpenOptions) (err error) {
	s.Desktop = notify.New(notify.Config{
		Enabled:      func() bool { return s.Settings.Get("notifications") == "on" },
		InFront:      func() bool { return s.hub.InFront() },
		Conversation: s.Store.Conversation, Answer: s.Approvals.Answer, Log: s.Log,
		Show: func(id string) { s.raiseWindow(&event.Link{Kind: event.LinkConversation, Name: id}) },
	})
	s.OnClose("notifications", s.Desktop.Close)
	var db *sql.DB
	if options.Serve {
		if db, err = s.Store.OpenQueue(); err != nil {
			return err
		}
	}
	s.Schedules, err = schedule.Open(ctx, schedule.Config{
		Store: s.Store.Scheduled, DB: db, Log: s.Log, Changed: s.scheduleChanged,
		Unattended: s.unattended,
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
		s.Desktop.ShowRun(one, *run)
	}
	s.Events.Broadcast(event.New(event.SchedulesChanged, notice))
}
