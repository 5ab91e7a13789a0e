package egress

import (
	"context"
	"errors"
	"html/template"
	"net"
	"net/http"
)

// writeFailure responds to a request that could not be forwarded: with 403 if the host is blocked, and with 502 or 504
// if it did not respond. The browser gets a page; commands and CONNECT requests get plain text.
func (p *proxy) writeFailure(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		// The client has disconnected or the proxy is closing, so nobody would read a response.
		panic(http.ErrAbortHandler)
	}
	status, page := explainFailure(r.Host, err)
	p.guard.log.Debug("request failed", "host", r.Host, "status", status, "err", err)
	if p.command != nil {
		text := page.Head + ". " + page.Reason + ". " + page.Next
		if host, err := requestHost(r); err == nil && p.command.onFailure != nil {
			p.command.onFailure(host, text)
		}
		writeRefusal(w, status, text)
		return
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.Method == http.MethodConnect {
		http.Error(w, page.Head+". "+page.Reason+". "+page.Next, status)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.WriteHeader(status)
	tmpl, err := template.New("failure").Parse(failurePageHTML)
	if err == nil {
		err = tmpl.Execute(w, page)
	}
	if err != nil {
		p.guard.log.Debug("failure page not written", "err", err)
	}
}

type failureText struct{ Head, Reason, Next string }

func explainFailure(host string, err error) (int, failureText) {
	var blocked *BlockedError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &blocked):
		return http.StatusForbidden, failureText{
			blocked.Host + " is blocked",
			capitalize(blocked.Reason),
			blocked.Suggestion,
		}
	case errors.As(err, &dns):
		return http.StatusBadGateway, failureText{
			host + " was not found", "The name has no address",
			"Check the spelling or your connection.",
		}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout, failureText{
			host + " did not answer", "It took longer than 30 s",
			"Try again later.",
		}
	}
	return http.StatusBadGateway, failureText{
		host + " could not be reached", capitalize(err.Error()),
		"Check the address, or try again later.",
	}
}

func capitalize(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

const failurePageHTML = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.Head}}</title>
<style>
:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:#E9ECEF;color:#15191E;font:400 14px/22px system-ui,sans-serif}
main{max-width:52ch;padding:32px}
h1{font-size:20px;line-height:28px;font-weight:600;margin:0 0 8px;overflow-wrap:anywhere}
p{margin:0 0 4px;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{background:#0B0E12;color:#E8ECF1}}
</style>
<main><h1>{{.Head}}</h1><p>{{.Reason}}.</p><p>{{.Next}}</p></main>
</html>
`
