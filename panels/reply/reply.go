// Package reply writes the responses of built-in panels, so that all refusals look the same: JSON with "error" and
// "suggestion", which become those of the call's Result.
package reply

import (
	"encoding/json"
	"net/http"

	"sextant/shared/toolspec"
)

// WriteJSON writes v as the response. v must be encodable.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}

// Refuse writes an error response. text says what is wrong, and suggestion says what to do instead.
func Refuse(w http.ResponseWriter, status int, text, suggestion string) {
	WriteJSON(w, status, map[string]string{"error": text, "suggestion": suggestion})
}

// WriteResult sets the Result of the tool call that made the request, if any, and writes its value as the response.
func WriteResult(w http.ResponseWriter, r *http.Request, answer toolspec.Result) {
	if v := toolspec.CallContextOf(r.Context()); v != nil {
		v.Answer = &answer
	}
	WriteJSON(w, http.StatusOK, answer.Value)
}

// WriteJSONWithSources writes v as a response of status 200. v contains outside text from sources, which the Result of
// the tool call that made the request names.
func WriteJSONWithSources(w http.ResponseWriter, r *http.Request, v any, sources ...string) {
	answer := toolspec.OK(v)
	answer.Sources = sources
	WriteResult(w, r, answer)
}

// Provenance returns the provenance of the call that made the request, the zero value for none.
func Provenance(r *http.Request) toolspec.Provenance {
	if v := toolspec.CallContextOf(r.Context()); v != nil {
		return v.Call.From
	}
	return toolspec.Provenance{}
}

// RequireUser reports whether the user made this call, in the window or by a command to the pilot. If not, it refuses
// the request with text and suggestion.
func RequireUser(w http.ResponseWriter, r *http.Request, text, suggestion string) bool {
	switch Provenance(r).Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot:
		return true
	}
	Refuse(w, http.StatusForbidden, text, suggestion)
	return false
}

// DecodeBody decodes the request's JSON object into v. It ignores errors, because the schema was checked before.
func DecodeBody(r *http.Request, v any) { _ = json.NewDecoder(r.Body).Decode(v) }
