// Package reply writes the answers of built-in panels' handlers, so that all refusals have the same
// form: JSON with "error" and "suggestion", which the caller sees word for word.
package reply

import (
	"encoding/json"
	"net/http"

	"sextant/shared/toolspec"
)

// JSON answers with v, which must be encodable.
func JSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// Refuse answers with what is wrong and what to do instead.
func Refuse(w http.ResponseWriter, status int, text, suggestion string) {
	JSON(w, status, map[string]string{"error": text, "suggestion": suggestion})
}

// SetResult sets the Result of the tool call that the request belongs to, if any.
func SetResult(w http.ResponseWriter, r *http.Request, answer toolspec.Result) {
	if v := toolspec.CallContextOf(r.Context()); v != nil {
		v.Answer = &answer
	}
	JSON(w, http.StatusOK, answer.Value)
}

// JSONFrom answers with v, which contains text from sources.
func JSONFrom(w http.ResponseWriter, r *http.Request, v any, sources ...string) {
	answer := toolspec.OK(v)
	answer.Sources = sources
	SetResult(w, r, answer)
}

// Provenance is the provenance of the request's call, the zero value for none.
func Provenance(r *http.Request) toolspec.Provenance {
	if v := toolspec.CallContextOf(r.Context()); v != nil {
		return v.Call.From
	}
	return toolspec.Provenance{}
}

// RequireUser refuses the request, and returns false, unless the user made exactly this call.
func RequireUser(w http.ResponseWriter, r *http.Request, text, suggestion string) bool {
	switch Provenance(r).Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot:
		return true
	}
	Refuse(w, http.StatusForbidden, text, suggestion)
	return false
}

// Body decodes a JSON object into v; the tool's schema was checked before.
func Body(r *http.Request, v any) { _ = json.NewDecoder(r.Body).Decode(v) }
