package egress

import (
	"context"
	"errors"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"strings"
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
		// The browser does not show what a proxy says about a connection.
		p.guard.recordFailure(r.Host, page)
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

// FailureText explains why a host could not be reached: Head is a title, the others are sentences without and with a
// full stop.
type FailureText struct{ Head, Reason, Next string }

const maxFailures = 64

func (g *Guard) recordFailure(hostport string, text FailureText) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.failures) >= maxFailures {
		clear(g.failures)
	}
	g.failures[strings.ToLower(hostport)] = text
}

// LastFailure explains why the browser's proxy could not connect to an https address last.
func (g *Guard) LastFailure(address string) (text FailureText, known bool) {
	u, err := url.Parse(address)
	if err != nil {
		return FailureText{}, false
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	g.mu.RLock()
	defer g.mu.RUnlock()
	text, known = g.failures[net.JoinHostPort(strings.ToLower(u.Hostname()), port)]
	return text, known
}

func explainFailure(host string, err error) (int, FailureText) {
	host = strings.TrimSuffix(host, ":443")
	var blocked *BlockedError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &blocked):
		return http.StatusForbidden, FailureText{
			blocked.Host + " is blocked",
			capitalize(blocked.Reason),
			blocked.Suggestion,
		}
	case errors.As(err, &dns):
		return http.StatusBadGateway, FailureText{
			host + " was not found", "The name has no address",
			"Check the spelling or your connection.",
		}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return http.StatusGatewayTimeout, FailureText{
			host + " did not answer", "It took longer than 30 s",
			"Try again later.",
		}
	}
	return http.StatusBadGateway, FailureText{
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
