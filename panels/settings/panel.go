// Package settings is the Go side of the settings panel. The assistant reads settings and what they
// mean; it proposes a value only for those that change nothing of what it may do. Mode, limits,
// hosts, keys, models and grants are the person's.
package settings

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"sextant/panels/reply"
	"sextant/shared/event"
)

// Rooms are what the panel is handed of other rooms.
type Rooms struct {
	// All are the settings with their sources; secret ones never with their value.
	All func() []event.Setting
	Set func(ctx context.Context, key, value string) (event.Setting, error)
}

// harmless are the settings that a call may change: how things look. One that lets the assistant do,
// reach, spend or remember more does not belong here.
func harmless() []string { return []string{"theme", "marks", "search_safe"} }

// Handler answers the panel's endpoints.
func Handler(rooms Rooms) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/settings/values", rooms.list)
	mux.HandleFunc("GET /api/settings/values/{key}", rooms.explain)
	mux.HandleFunc("POST /api/settings/values/{key}", rooms.set)
	return mux
}

// told is a setting's value, for one of a kind that names no place or key of the person's.
func told(s event.Setting) string {
	if s.About != nil && s.About.Secret {
		if s.Value == "" {
			return "not set"
		}
		return "set, not shown"
	}
	return s.Value
}

func (rooms Rooms) list(w http.ResponseWriter, r *http.Request) {
	words := strings.ToLower(r.URL.Query().Get("query"))
	out := []map[string]string{}
	for _, s := range rooms.All() {
		if s.About == nil || words != "" && !strings.Contains(strings.ToLower(s.Key+" "+s.About.Doc), words) {
			continue
		}
		out = append(out, map[string]string{"key": s.Key, "value": told(s), "source": s.Source})
	}
	reply.JSON(w, http.StatusOK, map[string]any{"settings": out})
}

func (rooms Rooms) find(key string) (event.Setting, bool) {
	for _, s := range rooms.All() {
		if s.Key == key && s.About != nil {
			return s, true
		}
	}
	return event.Setting{}, false
}

func unknown(w http.ResponseWriter, key string) {
	reply.Refuse(w, http.StatusNotFound, "there is no setting "+key, "settings_list names them.")
}

func (rooms Rooms) explain(w http.ResponseWriter, r *http.Request) {
	s, ok := rooms.find(r.PathValue("key"))
	if !ok {
		unknown(w, r.PathValue("key"))
		return
	}
	whose := "the person's, in settings or a file"
	if slices.Contains(harmless(), s.Key) {
		whose = "settings_set may change it"
	}
	reply.JSON(w, http.StatusOK, map[string]any{
		"key": s.Key, "value": told(s), "source": s.Source, "meaning": s.About.Doc, "default": s.About.Default, "one_of": s.About.OneOf,
		"variable": "SEXTANT_" + strings.ToUpper(s.Key), "in_window": s.About.Window, "changed_by": whose,
	})
}

func (rooms Rooms) set(w http.ResponseWriter, r *http.Request) {
	key := r.PathValue("key")
	s, ok := rooms.find(key)
	if !ok {
		unknown(w, key)
		return
	}
	if !slices.Contains(harmless(), key) && !reply.Person(w, r, key+" is the person's to set", "Tell the person what to change and why. A call may set "+strings.Join(harmless(), ", ")+".") {
		return
	}
	var in struct {
		Value string `json:"value"`
	}
	reply.Body(r, &in)
	now, err := rooms.Set(r.Context(), key, in.Value)
	if err != nil {
		reply.Refuse(w, http.StatusBadRequest, "not set: "+err.Error(), "settings_explain tells what "+key+" takes.")
		return
	}
	reply.JSON(w, http.StatusOK, map[string]any{"key": key, "before": told(s), "value": now.Value})
}
