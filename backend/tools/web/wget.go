package web

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed wget.md
var wgetDoc string

const maxErrorText = 600

type wgetParams struct {
	URI       string `json:"uri"`
	TimeoutMS int    `json:"timeoutMs"`
}

func wget() tool {
	const name = "wget"
	return tool{
		def: define(name, wgetDoc,
			`{"type":"object","properties":{`+
				`"uri":{"type":"string","minLength":1,"maxLength":8192,"description":"Whole address, http or https."},`+
				`"timeoutMs":{"type":"integer","minimum":1,"maximum":300000,"default":30000,"description":"Time limit."}},`+
				`"required":["uri"],"additionalProperties":false}`,
			toolspec.Hints{ReadOnly: true, OpenWorld: true}, `{"uri":"https://example.com/notes.txt"}`,
			`{"uri":"https://example.com/","timeoutMs":5000}`, `{"uri":"http://localhost:8080/lamps?page=2"}`),
		describe: func(_ *Tools, call toolspec.Call) toolspec.Description {
			var p wgetParams
			_ = json.Unmarshal(call.Args, &p)
			u, bad := parse(p.URI)
			if bad != nil {
				return toolspec.Description{Sentence: "Reading an address", Target: p.URI}
			}
			timeout, _ := timeoutOf(p.TimeoutMS)
			return toolspec.Description{
				Sentence: "Reading " + shortAddress(u), Target: u.Redacted(), Hosts: hosts(u),
				LimitMS: int(timeout.Milliseconds()),
			}
		},
		run: func(ctx context.Context, t *Tools, call toolspec.Call, out progress) toolspec.Result {
			var p wgetParams
			if bad := toolkit.Decode(call.Args, &p); bad != nil {
				return *bad
			}
			return t.wget(ctx, call, p, out)
		},
	}
}

func (t *Tools) wget(ctx context.Context, call toolspec.Call, p wgetParams, out progress) toolspec.Result {
	u, bad := parse(p.URI)
	if bad != nil {
		return *bad
	}
	timeout, bad := timeoutOf(p.TimeoutMS)
	if bad != nil {
		return *bad
	}
	if bad := t.limited(t.requests, "web_per_minute", requestsPerMinute); bad != nil {
		return *bad
	}
	r, bad := t.fetch(ctx, exchange{method: http.MethodGet, url: u, call: call, argument: "uri", timeout: timeout}, out)
	if bad != nil {
		return *bad
	}
	result := r.result(false)
	if r.status >= 400 {
		return r.httpError()
	}
	result.Sentence = "Read " + shortAddress(r.url)
	return result
}

// requestsPerMinute is the default of the setting web_per_minute.
const requestsPerMinute = 60

func timeoutOf(ms int) (time.Duration, *toolspec.Result) {
	switch {
	case ms == 0:
		ms = toolspec.DefaultTimeoutMS
	case ms < 0 || ms > toolspec.MaxTimeoutMS:
		r := toolspec.Fail(toolspec.ValidationError, fmt.Sprintf("timeoutMs is %d", ms),
			fmt.Sprintf("Send 1 to %d milliseconds.", toolspec.MaxTimeoutMS))
		return 0, &r
	}
	return time.Duration(ms) * time.Millisecond, nil
}

func (r *response) httpError() toolspec.Result {
	kind, next := toolspec.UserError, "Check the address."
	switch {
	case r.status == http.StatusTooManyRequests:
		next = "Wait before calling this server again."
	case r.status >= 500:
		kind, next = toolspec.SystemError, "The server has a problem. Try again later."
	case r.status == http.StatusUnauthorized, r.status == http.StatusForbidden:
		next = "It requires a log-in or refuses programs; open it in the browser."
	}
	text := r.url.Redacted() + " answered " + r.statusLine()
	if c := r.decode(); c.text != "" {
		text += ": " + excerpt.TruncateRunes(c.text, maxErrorText)
	}
	failed := toolspec.Fail(kind, text, next)
	failed.Sources = []string{origin(r.url)}
	return failed
}
