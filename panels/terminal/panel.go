package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

const (
	readLines = 100
	mostLines = 2000
)

// Handler returns the handler of the panel's endpoints.
func (t *Terminals) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/terminal/tabs", t.serveList)
	mux.HandleFunc("GET /api/terminal/tabs/{tab}", t.serveRead)
	mux.HandleFunc("POST /api/terminal/tabs/{tab}/stop", t.serveStop)
	mux.HandleFunc("POST /api/terminal/run", t.serveRun)
	return mux
}

func respond(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have disconnected
}

func refuse(w http.ResponseWriter, status int, text, suggestion string) {
	respond(w, status, map[string]string{"error": text, "suggestion": suggestion})
}

// serveList shows of the user's own terminals no command and no output.
func (t *Terminals) serveList(w http.ResponseWriter, _ *http.Request) {
	tabs, _ := t.List()
	out := []map[string]any{}
	for _, tab := range tabs {
		one := map[string]any{"tab": tab.Tab, "whose": "the person's", "state": tab.State, "readable": tab.Shared}
		if tab.Assistant {
			one["whose"], one["readable"], one["command"] = "yours", true, tab.Command
		}
		if tab.State == wire.TerminalEnded {
			one["exit_code"] = tab.ExitCode
		}
		out = append(out, one)
	}
	respond(w, http.StatusOK, map[string]any{"terminals": out})
}

func number(r *http.Request) int {
	n, _ := strconv.Atoi(r.PathValue("tab")) // no tab has the number 0
	return n
}

func (t *Terminals) serveRead(w http.ResponseWriter, r *http.Request) {
	lines := readLines
	if n, err := strconv.Atoi(r.URL.Query().Get("lines")); err == nil {
		lines = min(max(n, 1), mostLines)
	}
	text, state, sources, err := t.read(number(r), lines)
	if err != nil {
		withoutControls(w, err)
		return
	}
	answer := toolspec.OK(map[string]any{
		"tab": state.Tab, "state": state.State, "exit_code": state.ExitCode, "text": text,
	})
	answer.Text = fmt.Sprintf("terminal %d: %s", state.Tab, state.State)
	if state.State == wire.TerminalEnded {
		answer.Text += fmt.Sprintf(", exit code %d", state.ExitCode)
	}
	answer.Text += "\n" + text
	answer.Sources = sources
	setResult(w, r, answer)
}

func setResult(w http.ResponseWriter, r *http.Request, answer toolspec.Result) {
	if v := toolspec.CallContextOf(r.Context()); v != nil {
		v.Answer = &answer
	}
	respond(w, http.StatusOK, answer.Value)
}

func withoutControls(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errNotShared):
		refuse(w, http.StatusForbidden, err.Error(),
			"Ask the user to switch on “The assistant may read this” above that terminal, or use terminal_run.")
	default:
		refuse(w, http.StatusNotFound, err.Error(), "List the terminals with terminal_list.")
	}
}

func (t *Terminals) serveStop(w http.ResponseWriter, r *http.Request) {
	if err := t.stopCommand(number(r)); err != nil {
		withoutControls(w, err)
		return
	}
	respond(w, http.StatusOK, map[string]any{"tab": number(r), "stopped": true})
}

// serveRun requires a call, because the policy judges the command for the call's provenance.
func (t *Terminals) serveRun(w http.ResponseWriter, r *http.Request) {
	v := toolspec.CallContextOf(r.Context())
	if v == nil {
		refuse(w, http.StatusForbidden, "commands run only through a call of terminal_run", "")
		return
	}
	if v.Call.From.Caller == toolspec.CallerPanel {
		refuse(w, http.StatusForbidden, "another panel cannot run commands in the terminal",
			"Use bash instead, named in its call_tools.")
		return
	}
	p := runParams{}
	var wait struct {
		Wait int `json:"wait"`
	}
	if err := errors.Join(json.Unmarshal(v.Call.Args, &p), json.Unmarshal(v.Call.Args, &wait)); err != nil {
		refuse(w, http.StatusBadRequest, "decoding the arguments: "+err.Error(), "")
		return
	}
	p.Wait = wait.Wait
	setResult(w, r, t.run(r.Context(), v.Call, p))
}
