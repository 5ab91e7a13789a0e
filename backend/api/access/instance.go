package access

import (
	"context"
	"io"
	"net/http"

	"sextant/shared/event"
)

// The paths with which the person's command line finds the running program and opens its window.
const (
	// ProofPath answers the query ?nonce=… with Proof as plain text.
	ProofPath = "/api/proof"
	// LinkPath answers a POST request that has the link key with a new address of the window as plain text. With the
	// query raise=1, it brings the desktop window to the front instead and answers with nothing, if there is one. With
	// the query folder=…, the assistant works in that folder then. With the query link=sextant://…, windows show that.
	LinkPath = "/api/link"
)

// ServeProof proves that this server knows the token of the instance file.
func (k *Keys) ServeProof(w http.ResponseWriter, r *http.Request) {
	nonce := r.URL.Query().Get("nonce")
	if len(nonce) < 16 || len(nonce) > 128 {
		WriteProblem(w, http.StatusBadRequest, "nonce must have 16 to 128 characters.")
		return
	}
	writeText(w, Proof(k.token, nonce))
}

// ServeLink answers with newLink() if the request has the link key. raise shows a link, unless it is nil, and brings
// the desktop window to the front; it returns false if there is none.
func (k *Keys) ServeLink(
	newLink func() string, raise func(*event.Link) bool, openFolder func(context.Context, string) error,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !k.IsLinkKey(BearerToken(r)) {
			WriteProblem(w, http.StatusUnauthorized, "The link key is missing or wrong. Run: sextant open")
			return
		}
		query := r.URL.Query()
		if folder := query.Get("folder"); folder != "" {
			if err := openFolder(r.Context(), folder); err != nil {
				WriteProblem(w, http.StatusBadRequest, err.Error())
				return
			}
		}
		var link *event.Link
		fragment := ""
		if text := query.Get("link"); text != "" {
			parsed, err := event.ParseLink(text)
			if err != nil {
				WriteProblem(w, http.StatusBadRequest, err.Error()+".")
				return
			}
			link, fragment = &parsed, "&"+parsed.Fragment()
		}
		if query.Get("raise") == "1" && raise(link) {
			writeText(w, "")
			return
		}
		writeText(w, newLink()+fragment)
	}
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text) // the client may have disconnected
}
