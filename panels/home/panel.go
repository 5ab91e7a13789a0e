// Package home is the backend of the home panel: an overview of the program's state, and a list of and a search in
// earlier conversations, which only the user and the assistant in the window may use. Their results count as outside
// text, because conversations may quote pages.
package home

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"sextant/panels/reply"
	"sextant/shared/chat"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Services contains the functions that the panel needs from other packages.
type Services struct {
	// Snapshot returns the state with which the window starts.
	Snapshot func(ctx context.Context) (wire.Snapshot, error)
	// Conversations returns all conversations, the latest first. Messages returns the messages of one.
	Conversations func(ctx context.Context) ([]chat.Conversation, error)
	Messages      func(ctx context.Context, conversation string) ([]chat.Message, error)
}

const (
	most   = 300
	hits   = 20
	around = 80
)

// Handler returns the handler of the panel's endpoints.
func Handler(services Services) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/home/overview", services.overview)
	mux.HandleFunc("GET /api/home/recent", services.recent)
	mux.HandleFunc("GET /api/home/search", services.search)
	return mux
}

func (services Services) overview(w http.ResponseWriter, r *http.Request) {
	state, err := services.Snapshot(r.Context())
	if err != nil {
		reply.Refuse(w, http.StatusInternalServerError, "reading the state: "+err.Error(), "Try again.")
		return
	}
	var models []map[string]string
	for _, m := range state.Models {
		models = append(models, map[string]string{"model": m.Name, "state": m.State})
	}
	var panels, servers []map[string]any
	for _, p := range state.Panels {
		panels = append(panels, map[string]any{
			"panel": p.ID, "builtin": p.Builtin, "usable": p.Usable,
			"tools": len(p.Tools), "pinned": p.Pinned,
		})
	}
	for _, s := range state.MCP {
		servers = append(servers, map[string]any{"server": s.Name, "state": s.State, "tools": len(s.Tools)})
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{
		"version": state.Version, "mode": state.Mode, "workspace": state.Workspace, "active_panel": state.ActivePanel,
		"models": models, "panels": panels,
		"mcp_servers": servers, "browser": state.Browser.Status, "tabs": len(state.Browser.Tabs),
		"conversations":     len(state.Conversations),
		"questions_waiting": len(state.Approvals),
	})
}

func requireWindow(w http.ResponseWriter, r *http.Request) bool {
	switch reply.Provenance(r).Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot, toolspec.CallerModel:
		return true
	}
	reply.Refuse(w, http.StatusForbidden, "only the assistant in the window can read earlier conversations", "")
	return false
}

func (services Services) recent(w http.ResponseWriter, r *http.Request) {
	if !requireWindow(w, r) {
		return
	}
	all, err := services.Conversations(r.Context())
	if err != nil {
		reply.Refuse(w, http.StatusInternalServerError, "reading conversations: "+err.Error(), "Try again.")
		return
	}
	limit := 10
	if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil {
		limit = min(max(n, 1), 50)
	}
	out := []map[string]string{}
	for _, c := range all[:min(len(all), limit)] {
		out = append(out, entry(c))
	}
	reply.WriteJSONWithSources(w, r, map[string]any{"conversations": out}, "titles of earlier conversations")
}

func entry(c chat.Conversation) map[string]string {
	return map[string]string{
		"id": c.ID, "title": excerpt.Line(c.Title, 120),
		"updated": c.Updated.UTC().Format(time.RFC3339),
	}
}

func (services Services) search(w http.ResponseWriter, r *http.Request) {
	if !requireWindow(w, r) {
		return
	}
	words := strings.Fields(strings.ToLower(r.URL.Query().Get("words")))
	if len(words) == 0 {
		reply.Refuse(w, http.StatusBadRequest, "words is empty",
			`A correct call: home_search_conversations {"words": "postcode"}`)
		return
	}
	all, err := services.Conversations(r.Context())
	if err != nil {
		reply.Refuse(w, http.StatusInternalServerError, "reading conversations: "+err.Error(), "Try again.")
		return
	}
	found := []map[string]string{}
	for _, c := range all[:min(len(all), most)] {
		if len(found) >= hits || r.Context().Err() != nil {
			break
		}
		messages, err := services.Messages(r.Context(), c.ID)
		if err != nil {
			continue // it was deleted in the meantime
		}
		where, ok := excerptAround(c.Title, words)
		for i := 0; i < len(messages) && !ok; i++ {
			where, ok = excerptAround(messages[i].Text, words)
		}
		if ok {
			one := entry(c)
			one["where"] = where
			found = append(found, one)
		}
	}
	reply.WriteJSONWithSources(w, r, map[string]any{"found": found}, "earlier conversations")
}

func excerptAround(text string, words []string) (where string, ok bool) {
	lower := strings.ToLower(text)
	for _, word := range words {
		if !strings.Contains(lower, word) {
			return "", false
		}
	}
	if len(lower) != len(text) {
		text = lower // lower case can change the length, which would shift the offset
	}
	at := strings.Index(lower, words[0])
	from, to := max(0, at-around), min(len(text), at+around)
	return strings.ToValidUTF8(strings.Join(strings.Fields(text[from:to]), " "), ""), true
}
