// Package reply is how the handlers of built-in panels answer, so that a refusal looks the same
// from each: JSON with "error" and "suggestion", which the caller is told word for word.
package reply

import (
	"encoding/json"
	"net/http"

	"sextant/shared/toolspec"
)

// JSON answers with v, which always marshals.
func JSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // who left does not read it
}

// Refuse answers with what went wrong and what to do instead.
func Refuse(w http.ResponseWriter, status int, text, suggestion string) {
	JSON(w, status, map[string]string{"error": text, "suggestion": suggestion})
}

// Give answers the call with more than a response holds, where the request is one of a call.
func Give(w http.ResponseWriter, r *http.Request, answer toolspec.Result) {
	if v := toolspec.VisitOf(r.Context()); v != nil {
		v.Answer = &answer
	}
	JSON(w, http.StatusOK, answer.Value)
}

// Outside answers with v, whose words came from sources.
func Outside(w http.ResponseWriter, r *http.Request, v any, sources ...string) {
	answer := toolspec.OK(v)
	answer.Sources = sources
	Give(w, r, answer)
}

// From is whose call the request is; the zero value is nobody's.
func From(r *http.Request) toolspec.Provenance {
	if v := toolspec.VisitOf(r.Context()); v != nil {
		return v.Call.From
	}
	return toolspec.Provenance{}
}

// Person refuses, and returns false, unless a person gave exactly this call.
func Person(w http.ResponseWriter, r *http.Request, text, suggestion string) bool {
	switch From(r).Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot:
		return true
	}
	Refuse(w, http.StatusForbidden, text, suggestion)
	return false
}

// Body reads a JSON object into v; what does not fit was refused by the tool's schema before.
func Body(r *http.Request, v any) { _ = json.NewDecoder(r.Body).Decode(v) }
