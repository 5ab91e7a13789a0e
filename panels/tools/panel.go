// Package tools is the backend of the panel "Tools and activity". It shows earlier calls and switches tools off. Only
// the user can switch a tool on again.
package tools

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"sextant/panels/reply"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Services contains the functions that the panel needs from other packages.
type Services struct {
	// Calls returns the latest calls, at most limit. Call returns the call with the given id.
	Calls func(ctx context.Context, limit int) ([]wire.CallRow, error)
	Call  func(ctx context.Context, id string) (wire.CallRow, bool, error)
	// Exists reports whether a tool exists. DisabledTools returns the tools that are switched off, and SetDisabledTools
	// replaces them.
	Exists           func(tool string) bool
	DisabledTools    func() []string
	SetDisabledTools func(ctx context.Context, tools []string) error
}

const maxSearchedCalls = 1000

// Handler returns the handler of the panel's endpoints.
func Handler(services Services) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tools/activity", services.list)
	mux.HandleFunc("GET /api/tools/activity/{call}", services.show)
	mux.HandleFunc("POST /api/tools/switch", services.turn)
	return mux
}

func mayRead(from toolspec.Provenance, row wire.CallRow) bool {
	switch from.Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot:
		return true
	}
	return from.Conversation != "" && row.Conversation == from.Conversation
}

func (s Services) list(w http.ResponseWriter, r *http.Request) {
	rows, err := s.Calls(r.Context(), maxSearchedCalls)
	if err != nil {
		reply.Refuse(w, http.StatusInternalServerError, "reading the audit log: "+err.Error(), "Try again.")
		return
	}
	query := r.URL.Query()
	limit := 20
	if n, err := strconv.Atoi(query.Get("limit")); err == nil {
		limit = min(max(n, 1), 100)
	}
	// The list omits arguments and results, which may contain outside text.
	out := []map[string]any{}
	for _, row := range rows {
		if len(out) >= limit {
			break
		}
		if !mayRead(reply.Provenance(r), row) || query.Get("tool") != "" && row.Tool != query.Get("tool") ||
			query.Get("failed") == "true" && (row.Status == "done" || row.Status == "running") {
			continue
		}
		out = append(out, map[string]any{
			"call": row.ID, "tool": row.Tool, "status": row.Status, "caller": row.Caller,
			"started":     row.Started.UTC().Format(time.RFC3339),
			"duration_ms": row.DurationMS, "error_type": row.ErrorType,
		})
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"calls": out})
}

func (s Services) show(w http.ResponseWriter, r *http.Request) {
	row, ok, err := s.Call(r.Context(), r.PathValue("call"))
	if err != nil || !ok || !mayRead(reply.Provenance(r), row) {
		reply.Refuse(w, http.StatusNotFound, "there is no such call in this conversation",
			"List its calls with activity_list.")
		return
	}
	sources := row.Sources
	if len(sources) == 0 {
		sources = []string{"an earlier call"}
	}
	reply.WriteJSONWithSources(w, r, map[string]any{
		"call": row.ID, "tool": row.Tool, "args": row.Args, "status": row.Status, "sentence": row.Sentence,
		"target": row.Target, "error": row.Error,
		"suggestion": row.Suggestion, "decision": row.Decision, "reason": row.Reason, "duration_ms": row.DurationMS,
		"output": row.Output,
	}, sources...)
}

func (s Services) turn(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Tool string `json:"tool"`
		On   bool   `json:"on"`
	}
	reply.DecodeBody(r, &in)
	if !s.Exists(in.Tool) {
		reply.Refuse(w, http.StatusNotFound, "there is no tool "+in.Tool, "List the tools with find_tools.")
		return
	}
	if in.On && !reply.RequireUser(w, r, "only the user can switch on "+in.Tool,
		"Ask the user to switch it on in Tools and activity.") {
		return
	}
	off := slices.DeleteFunc(s.DisabledTools(), func(name string) bool { return name == in.Tool })
	if !in.On {
		off = append(off, in.Tool)
	}
	if err := s.SetDisabledTools(r.Context(), off); err != nil {
		reply.Refuse(w, http.StatusConflict, "not changed: "+err.Error(), "")
		return
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"tool": in.Tool, "on": in.On, "off": strings.Join(off, ", ")})
}
