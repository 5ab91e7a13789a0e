// Package schedules is the backend of the panel "Schedules": the assistant lists the schedules, adds one that waits for
// the person's signature, and pauses one.
package schedules

import (
	"context"
	"net/http"
	"time"

	"sextant/panels/reply"
	"sextant/shared/schedule"
)

// Schedules is what runs by itself; *schedule.Schedules of the backend implements it.
type Schedules interface {
	Schedules() []schedule.Schedule
	// Next says in words when a schedule runs, and returns its next time, zero for none.
	Next(one schedule.Schedule) (sentence string, next time.Time)
	Runs(ctx context.Context, id string, limit int) ([]schedule.Run, error)
	// Save stores a new schedule. Its error can be read by a person.
	Save(ctx context.Context, one schedule.Schedule) (schedule.Schedule, error)
	Pause(ctx context.Context, id, why string) error
}

// handler gets the schedules when they are needed, because they are opened after the panels.
type handler func() Schedules

// Handler returns the handler of the panel's endpoints.
func Handler(schedules func() Schedules) http.Handler {
	h := handler(schedules)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/schedules/list", h.list)
	mux.HandleFunc("POST /api/schedules/add", h.add)
	mux.HandleFunc("POST /api/schedules/pause", h.pause)
	return mux
}

func (h handler) list(w http.ResponseWriter, r *http.Request) {
	out := []map[string]any{}
	for _, one := range h().Schedules() {
		runs, err := h().Runs(r.Context(), one.ID, 1)
		if err != nil {
			reply.Refuse(w, http.StatusInternalServerError, err.Error(), "Nothing was changed.")
			return
		}
		about := h.summary(one)
		for _, run := range runs {
			about["last_run"] = map[string]any{"status": run.Status, "reason": run.Reason, "text": run.Text}
		}
		out = append(out, about)
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"schedules": out})
}

func (h handler) summary(one schedule.Schedule) map[string]any {
	when, next := h().Next(one)
	about := map[string]any{"id": one.ID, "name": one.Name, "task": one.Task, "when": when}
	switch {
	case one.Card == nil:
		about["state"] = "waits until the person signs its permission card in the panel Schedules"
	case one.Paused != "":
		about["state"] = "paused: " + one.Paused
	case !next.IsZero():
		about["next"] = next
	}
	return about
}

func (h handler) add(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name, Recipe, Prompt, Cron, Zone, At, After, Folder, Pattern string

		Values       map[string]string
		EveryMinutes int  `json:"every_minutes"`
		IfChanged    bool `json:"if_changed"`
	}
	reply.DecodeBody(r, &in)
	one := schedule.Schedule{
		Name: in.Name, Task: schedule.Task{Recipe: in.Recipe, Values: in.Values, Prompt: in.Prompt},
		When: schedule.When{
			Cron: in.Cron, EveryMinutes: in.EveryMinutes, Zone: in.Zone, After: in.After, IfChanged: in.IfChanged,
			Folder: in.Folder, Pattern: in.Pattern,
		},
	}
	var err error
	if in.At != "" {
		if one.When.At, err = time.Parse(time.RFC3339, in.At); err != nil {
			reply.Refuse(w, http.StatusBadRequest, "at is not a time such as 2027-03-01T08:00:00+01:00",
				"No schedule was added.")
			return
		}
	}
	if one, err = h().Save(r.Context(), one); err != nil {
		reply.Refuse(w, http.StatusConflict, err.Error(), "No schedule was added.")
		return
	}
	reply.WriteJSON(w, http.StatusOK, h.summary(one))
}

func (h handler) pause(w http.ResponseWriter, r *http.Request) {
	var in struct{ ID string }
	reply.DecodeBody(r, &in)
	if err := h().Pause(r.Context(), in.ID, "The assistant paused it."); err != nil {
		reply.Refuse(w, http.StatusConflict, err.Error(), "No schedule was changed. List the schedules.")
		return
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"paused": in.ID})
}
