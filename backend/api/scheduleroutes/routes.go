// Package scheduleroutes contains the routes of schedules and their runs.
package scheduleroutes

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/schedule"
	"sextant/shared/excerpt"
	data "sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// ListedSchedule is a schedule with what a person reads about it.
type ListedSchedule struct {
	Schedule data.Schedule `json:"schedule"`
	// Plan says what runs now. Problem says why nothing can run, "" if it can.
	Plan    schedule.Plan `json:"plan"`
	Problem string        `json:"problem,omitempty"`
	// When says in words when it runs. Next is its next time, zero if there is none or it does not run.
	When string    `json:"when"`
	Next time.Time `json:"next,omitzero"`
	// Last is its newest run or missed times, nil for none. Running is the run that has not ended, nil for none.
	Last    *data.Run `json:"last,omitempty"`
	Running *data.Run `json:"running,omitempty"`
	// Proposal is the card that a person can sign: what the task needs, added to the card that was signed for it. It is
	// nil if only a watched run can show what the task needs.
	Proposal *toolspec.Card `json:"proposal,omitempty"`
}

// ScheduleList is the answer of the list.
type ScheduleList struct {
	Schedules []ListedSchedule `json:"schedules"`
}

// ScheduledRuns is the runs of a schedule, newest first.
type ScheduledRuns struct {
	Runs []data.Run `json:"runs"`
}

// Routes are the routes with what they call.
type Routes struct {
	API       huma.API
	Schedules *schedule.Schedules
}

// Register adds the routes to the API.
func (r Routes) Register() {
	const path = "/api/schedules"
	route.Add(r.API, http.MethodGet, path, "The schedules", http.StatusOK, r.list)
	route.Add(r.API, http.MethodPut, path, "Save a schedule: a new one without an id", http.StatusOK, r.save)
	route.Add(r.API, http.MethodPost, path+"/times", "The next times of a schedule that is not saved", http.StatusOK,
		r.times)
	route.Add(r.API, http.MethodGet, path+"/{id}/runs", "The runs of a schedule, newest first", http.StatusOK, r.runs)
	route.Add(r.API, http.MethodPost, path+"/{id}/sign", "Sign the permission card and let the schedule run",
		http.StatusOK, r.sign)
	route.Add(r.API, http.MethodPost, path+"/{id}/run", "Run it now", http.StatusOK, r.run)
	route.Add(r.API, http.MethodPost, path+"/{id}/pause", "Pause a schedule", http.StatusOK, r.pause)
	route.Add(r.API, http.MethodPost, path+"/{id}/resume", "Let a paused schedule run again", http.StatusOK, r.resume)
	route.Add(r.API, http.MethodDelete, path+"/{id}", "Delete a schedule with its runs", http.StatusOK, r.remove)
	route.Add(r.API, http.MethodPost, path+"/{id}/token", "Make a new token for the webhook of a schedule",
		http.StatusOK, r.token)
	route.Add(r.API, http.MethodPost, HooksPath+"{id}",
		"Run a schedule by its webhook. The token is the schedule's own, sent as Authorization: Bearer",
		http.StatusAccepted, r.hook)
	route.Add(r.API, http.MethodPost, path+"/runs/{id}/stop", "Stop a run", http.StatusOK, r.stop)
}

const listedRuns = 100

func (r Routes) list(ctx context.Context, _ *route.Empty) (*route.Body[ScheduleList], error) {
	answer := ScheduleList{Schedules: []ListedSchedule{}}
	open, err := r.Schedules.OpenRuns(ctx)
	if err != nil {
		return nil, unreadable(err)
	}
	for _, one := range r.Schedules.Schedules() {
		l := ListedSchedule{Schedule: one}
		if l.Plan, err = r.Schedules.Plan(ctx, one); err != nil {
			l.Problem = sentence(err)
		}
		l.When, l.Next = r.Schedules.Next(one)
		if i := slices.IndexFunc(open, func(run data.Run) bool { return run.Schedule == one.ID }); i >= 0 {
			l.Running = &open[i]
		}
		if l.Last, err = r.Schedules.LastRun(ctx, one.ID); err != nil {
			return nil, unreadable(err)
		}
		if l.Proposal, err = r.proposal(ctx, l); err != nil {
			return nil, unreadable(err)
		}
		answer.Schedules = append(answer.Schedules, l)
	}
	return route.Answer(answer), nil
}

func unreadable(err error) error {
	return route.InternalError("The runs could not be read. Nothing was changed.", err)
}

// proposal returns the card that a person can sign.
func (r Routes) proposal(ctx context.Context, l ListedSchedule) (*toolspec.Card, error) {
	signed := l.Schedule.Card
	if l.Schedule.Digest != l.Plan.Digest {
		signed = nil
	}
	if signed != nil && l.Schedule.Paused != "" && l.Last != nil && l.Last.Wanted != nil {
		// The call that parked the run came after all that the card allows.
		sum := signed.Plus(*l.Last.Wanted)
		return &sum, nil
	}
	needed := l.Plan.Card
	if needed == nil {
		runs, err := r.Schedules.Runs(ctx, l.Schedule.ID, listedRuns)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(runs, func(run data.Run) bool {
			return run.Watched && run.Status == data.StatusDone && run.Digest == l.Plan.Digest
		})
		if i >= 0 {
			needed = &runs[i].Used
		}
	}
	if signed == nil || needed == nil {
		return cmp.Or(needed, signed), nil
	}
	sum := signed.Plus(*needed)
	sum.Acts = max(signed.Acts, needed.Acts)
	return &sum, nil
}

// sentence returns an error as a sentence.
func sentence(err error) string {
	text := excerpt.Sentence(err.Error())
	return strings.ToUpper(text[:1]) + text[1:]
}

// refusal returns the answer for an error of the schedules.
func refusal(err error) error {
	switch {
	case errors.Is(err, schedule.ErrNotFound):
		return route.NotFound("There is no such schedule. It may have been deleted.")
	case errors.Is(err, schedule.ErrUnsigned), errors.Is(err, schedule.ErrChanged), errors.Is(err, schedule.ErrPaused):
		return huma.NewError(http.StatusConflict, sentence(err)+" Nothing was changed.")
	}
	return route.BadRequest(sentence(err) + " Nothing was changed.")
}

func (r Routes) save(ctx context.Context, in *struct {
	Body struct {
		ID     string      `json:"id,omitempty" maxLength:"64" doc:"Empty for a new schedule"`
		Name   string      `json:"name" minLength:"1" maxLength:"100"`
		Task   data.Task   `json:"task"`
		When   data.When   `json:"when"`
		Missed data.Missed `json:"missed"`
	}
},
) (*route.Body[data.Schedule], error) {
	b := in.Body
	if old, err := r.Schedules.Get(b.ID); err == nil && old.Card != nil {
		// A program must not make a schedule that the person allowed run more often.
		if err := access.RequireWindow(ctx); err != nil {
			return nil, err
		}
	}
	one, err := r.Schedules.Save(ctx, data.Schedule{
		ID: b.ID, Name: b.Name, Task: b.Task, When: b.When, Missed: b.Missed,
	})
	if err != nil {
		return nil, refusal(err)
	}
	return route.Answer(one), nil
}

func (r Routes) times(_ context.Context, in *struct {
	Body struct {
		ID   string    `json:"id,omitempty" maxLength:"64" doc:"Empty for a new schedule"`
		When data.When `json:"when"`
	}
},
) (*route.Body[schedule.Upcoming], error) {
	const shown = 5
	up, err := r.Schedules.Upcoming(in.Body.ID, in.Body.When, shown)
	if err != nil {
		return nil, refusal(err)
	}
	return route.Answer(up), nil
}

func (r Routes) runs(ctx context.Context, in *route.ByID) (*route.Body[ScheduledRuns], error) {
	runs, err := r.Schedules.Runs(ctx, in.ID, listedRuns)
	if err != nil {
		return nil, unreadable(err)
	}
	return route.Answer(ScheduledRuns{Runs: runs}), nil
}

func (r Routes) sign(ctx context.Context, in *struct {
	route.ByID
	Body struct {
		Digest string        `json:"digest" maxLength:"64" doc:"The digest of the plan that the person saw"`
		Card   toolspec.Card `json:"card"`
	}
},
) (*route.Empty, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	return done(r.Schedules.Sign(ctx, in.ID, in.Body.Digest, in.Body.Card))
}

func done(err error) (*route.Empty, error) {
	if err != nil {
		return nil, refusal(err)
	}
	return &route.Empty{}, nil
}

func (r Routes) run(ctx context.Context, in *struct {
	route.ByID
	Body struct {
		Watched bool `json:"watched,omitempty" doc:"A person watches and answers questions; needs no signed card"`
	}
},
) (*route.Body[data.Run], error) {
	if in.Body.Watched && !access.IsWindow(ctx) {
		return nil, huma.NewError(http.StatusForbidden,
			"Only the window can start a run that somebody watches. Nothing ran.")
	}
	if one, err := r.Schedules.Get(in.ID); err == nil && one.Paused != "" {
		// Only the person decides about a schedule that is paused.
		if err := access.RequireWindow(ctx); err != nil {
			return nil, err
		}
	}
	run, err := r.Schedules.RunNow(ctx, in.ID, in.Body.Watched)
	if err != nil {
		return nil, refusal(err)
	}
	return route.Answer(run), nil
}

func (r Routes) pause(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	return done(r.Schedules.Pause(ctx, in.ID, "You paused it."))
}

func (r Routes) resume(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	return done(r.Schedules.Resume(ctx, in.ID))
}

func (r Routes) remove(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	return done(r.Schedules.Delete(ctx, in.ID))
}

// Webhook is how a program runs a schedule.
type Webhook struct {
	// Path is the path of its address, and Token is sent as Authorization: Bearer. It is not shown again.
	Path  string `json:"path"`
	Token string `json:"token"`
}

func (r Routes) token(ctx context.Context, in *route.ByID) (*route.Body[Webhook], error) {
	// It outlasts the keys of programs, which are valid until Sextant ends.
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	token, err := r.Schedules.NewToken(ctx, in.ID)
	if err != nil {
		return nil, refusal(err)
	}
	return route.Answer(Webhook{Path: HooksPath + in.ID, Token: token}), nil
}

// HooksPath is the path of webhooks, below which each has its own token. The key of programs is not needed.
const HooksPath = "/api/hooks/"

// HookAnswer is the answer to a call of a webhook.
type HookAnswer struct {
	Run    string      `json:"run"`
	Status data.Status `json:"status"`
}

func (r Routes) hook(ctx context.Context, in *struct {
	route.ByID
	Authorization string `header:"Authorization"`
},
) (*route.Body[HookAnswer], error) {
	token, _ := strings.CutPrefix(in.Authorization, "Bearer ")
	run, err := r.Schedules.Call(ctx, in.ID, token)
	if errors.Is(err, schedule.ErrToken) {
		return nil, huma.NewError(http.StatusUnauthorized, sentence(err)+" Nothing ran.")
	}
	if err != nil {
		return nil, refusal(err)
	}
	return route.Answer(HookAnswer{Run: run.ID, Status: run.Status}), nil
}

func (r Routes) stop(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	stopped, err := r.Schedules.Stop(ctx, in.ID)
	switch {
	case err != nil:
		return nil, route.InternalError("The run was not stopped.", err)
	case !stopped:
		return nil, route.NotFound("This run has ended.")
	}
	return &route.Empty{}, nil
}
