// Package settings is the Go side of the settings panel. The assistant reads settings and their
// meaning, and may change only those that do not affect what it may do. Mode, limits, hosts, keys,
// models and grants are for the user alone.
package settings

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"sextant/panels/reply"
	"sextant/shared/event"
)

// Services are what the panel needs of other packages.
type Services struct {
	// All returns the settings with their sources, without the values of secret ones.
	All func() []event.Setting
	Set func(ctx context.Context, key, value string) (event.Setting, error)
}

// harmless are the settings that a call may change: those of appearance. A setting that lets the
// assistant do, reach, spend or remember more does not belong here.
func harmless() []string { return []string{"theme", "marks", "search_safe"} }

// Handler answers the panel's endpoints.
func Handler(rooms Services) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/settings/values", rooms.list)
	mux.HandleFunc("GET /api/settings/values/{key}", rooms.explain)
	mux.HandleFunc("POST /api/settings/values/{key}", rooms.set)
	return mux
}

// shownValue is a setting's value, hidden if it is a path or a key.
func shownValue(s event.Setting) string {
	if s.About != nil && s.About.Secret {
		if s.Value == "" {
			return "not set"
		}
		return "set, not shown"
	}
	return s.Value
}

func (services Services) list(w http.ResponseWriter, r *http.Request) {
	words := strings.ToLower(r.URL.Query().Get("query"))
	out := []map[string]string{}
	for _, s := range services.All() {
		if s.About == nil || words != "" && !strings.Contains(strings.ToLower(s.Key+" "+s.About.Doc), words) {
			continue
		}
		out = append(out, map[string]string{"key": s.Key, "value": shownValue(s), "source": s.Source})
	}
	reply.JSON(w, http.StatusOK, map[string]any{"settings": out})
}

func (services Services) find(key string) (event.Setting, bool) {
	for _, s := range services.All() {
		if s.Key == key && s.About != nil {
			return s, true
		}
	}
	return event.Setting{}, false
}

func unknown(w http.ResponseWriter, key string) {
	reply.Refuse(w, http.StatusNotFound, "there is no setting "+key, "List them with settings_list.")
}

func (services Services) explain(w http.ResponseWriter, r *http.Request) {
	s, ok := services.find(r.PathValue("key"))
	if !ok {
		unknown(w, r.PathValue("key"))
		return
	}
	changedBy := "the user, in the settings or a file"
	if slices.Contains(harmless(), s.Key) {
		changedBy = "the user or settings_set"
	}
	reply.JSON(w, http.StatusOK, map[string]any{
		"key": s.Key, "value": shownValue(s), "source": s.Source, "meaning": s.About.Doc, "default": s.About.Default,
		"one_of":   s.About.OneOf,
		"variable": "SEXTANT_" + strings.ToUpper(s.Key), "in_window": s.About.Window, "changed_by": changedBy,
	})
}

func (services Services) set(w http.ResponseWriter, r *http.Request) {
	key := r.PathValue("key")
	s, ok := services.find(key)
	if !ok {
		unknown(w, key)
		return
	}
	if !slices.Contains(harmless(), key) && !reply.RequireUser(w, r, "only the user can set "+key,
		"Tell the user what to change and why. A call may set "+strings.Join(harmless(), ", ")+".") {
		return
	}
	var in struct {
		Value string `json:"value"`
	}
	reply.Body(r, &in)
	now, err := services.Set(r.Context(), key, in.Value)
	if err != nil {
		reply.Refuse(w, http.StatusBadRequest, "not set: "+err.Error(),
			"See settings_explain for the values of "+key+".")
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"key": key, "before": shownValue(s), "value": now.Value})
}
