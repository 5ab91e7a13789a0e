package egress

import (
	"context"
	"errors"
	"html/template"
	"net"
	"net/http"
)

// failed answers a request that could not be passed on: 403 with the reason when the host
// is closed, 502 or 504 when it did not answer. A page for people unless it is a CONNECT,
// whose answer no one sees.
func (p *proxy) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		// The browser went away or we are closing: nobody reads an answer.
		panic(http.ErrAbortHandler)
	}
	status, page := describe(r.Host, err)
	p.guard.log.Debug("egress failed", "host", r.Host, "status", status, "error", err)
	if p.run != nil {
		why := page.Head + ". " + page.Reason + ". " + page.Next
		if host, err := runHost(r); err == nil && p.run.failed != nil {
			p.run.failed(host, why)
		}
		refuseRun(w, status, why)
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
	tmpl, err := template.New("refused").Parse(pageHTML)
	if err == nil {
		err = tmpl.Execute(w, page)
	}
	if err != nil {
		p.guard.log.Debug("egress page not written", "error", err)
	}
}

// explanation is the page in three sentences: what happened, why, what next.
type explanation struct{ Head, Reason, Next string }

func describe(host string, err error) (int, explanation) {
	var refused *Refused
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &refused):
		return http.StatusForbidden, explanation{refused.Host + " is closed", upper(refused.Reason), refused.Suggestion}
	case errors.As(err, &dns):
		return http.StatusBadGateway, explanation{
			host + " was not found", "No address is known under this name",
			"Check the spelling, or the connection of this machine.",
		}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout, explanation{
			host + " did not answer", "It took longer than 30 s",
			"Try again later.",
		}
	}
	return http.StatusBadGateway, explanation{
		host + " could not be reached", upper(err.Error()),
		"Check the address, or try again later.",
	}
}

func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

const pageHTML = `<!doctype html>
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
