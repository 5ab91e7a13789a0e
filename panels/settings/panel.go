// Package settings is the backend of the settings panel. The assistant can read settings and their descriptions, but no
// secret values. It can change settings that do not affect what it may do; the user changes the others, such as the
// mode, limits, hosts, keys and models.
package settings

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"sextant/panels/reply"
	"sextant/shared/event"
)

// Services contains the functions that the panel needs from other packages.
type Services struct {
	// Settings returns the settings with their sources. The values of secret settings are omitted.
	Settings func() []event.Setting
	Set      func(ctx context.Context, key, value string) (event.Setting, error)
}

// changeable returns the settings that every caller may change. They affect only the appearance and the filter for
// explicit results. No setting that lets the assistant do, spend or remember more belongs here.
func changeable() []string { return []string{"theme", "marks", "search_safe"} }

// Handler returns the handler of the panel's endpoints.
func Handler(services Services) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/settings/values", services.list)
	mux.HandleFunc("GET /api/settings/values/{key}", services.explain)
	mux.HandleFunc("POST /api/settings/values/{key}", services.set)
	return mux
}

func shownValue(s event.Setting) string {
	if s.Description != nil && s.Description.Secret {
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
	for _, s := range services.Settings() {
		if s.Description == nil ||
			words != "" && !strings.Contains(strings.ToLower(s.Key+" "+s.Description.Doc), words) {
			continue
		}
		out = append(out, map[string]string{"key": s.Key, "value": shownValue(s), "source": s.Source})
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"settings": out})
}

func (services Services) find(key string) (event.Setting, bool) {
	for _, s := range services.Settings() {
		if s.Key == key && s.Description != nil {
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
	if slices.Contains(changeable(), s.Key) {
		changedBy = "the user or settings_set"
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{
		"key": s.Key, "value": shownValue(s), "source": s.Source, "meaning": s.Description.Doc,
		"default":  s.Description.Default,
		"one_of":   s.Description.OneOf,
		"variable": "SEXTANT_" + strings.ToUpper(s.Key), "in_window": s.Description.Window, "changed_by": changedBy,
	})
}

func (services Services) set(w http.ResponseWriter, r *http.Request) {
	key := r.PathValue("key")
	s, ok := services.find(key)
	if !ok {
		unknown(w, key)
		return
	}
	if !slices.Contains(changeable(), key) && !reply.RequireUser(w, r, "only the user can set "+key,
		"Tell the user what to change and why. A call may set "+strings.Join(changeable(), ", ")+".") {
		return
	}
	var in struct {
		Value string `json:"value"`
	}
	reply.DecodeBody(r, &in)
	now, err := services.Set(r.Context(), key, in.Value)
	if err != nil {
		reply.Refuse(w, http.StatusBadRequest, "not set: "+err.Error(),
			"See settings_explain for the values of "+key+".")
		return
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"key": key, "before": shownValue(s), "value": now.Value})
}
