package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sextant/shared/toolspec"
)

// Bounds of one exchange.
const (
	maxRead      = 5 << 20 // bytes of an answer's body, after decompression
	maxRedirects = 10
	tellEvery    = time.Second
)

// userAgent names us: a server may want to know who asks.
const userAgent = "Mozilla/5.0 (compatible; Sextant/1)"

// exchange is one request with what may be followed from it.
type exchange struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte
	// call is the call it belongs to, and argument the name of its argument that holds the
	// address: a redirect elsewhere is judged as the same call with another address.
	call     toolspec.Call
	argument string
	timeout  time.Duration
	// bound is the only origin that the request may go to, as a secret is in it; "" for none.
	bound string
}

// reply is a whole answer.
type reply struct {
	status int
	text   string // of the status: "Not Found"
	header http.Header
	url    *url.URL // where it came from in the end
	body   []byte
	// more is true when there was more than maxRead.
	more bool
	hops int
}

// strayed is the error of a redirect that is not followed.
type strayed struct {
	to   *url.URL
	host string
	why  string
}

func (s *strayed) Error() string { return "redirect to " + s.to.Redacted() + " not followed" }

// fetch does e and reads its answer. While it takes longer than a second, out is told how far
// it has come.
func (t *Tools) fetch(ctx context.Context, e exchange, out progress) (*reply, *toolspec.Result) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.timeout, errTooLong)
	defer cancel()
	var read atomic.Int64
	stop := tell(out, e.url, &read)
	defer stop()
	req, err := http.NewRequestWithContext(ctx, e.method, e.url.String(), bytes.NewReader(e.body))
	if err != nil {
		r := toolspec.Fail(toolspec.ValidationError, "the request cannot be made: "+err.Error(), "Look at the method and the address.")
		return nil, &r
	}
	req.Header = e.header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", userAgent)
	}
	hops := 0
	way := t.cfg.Transport
	if e.bound != "" {
		way = boundTransport{way, e.bound}
	}
	client := &http.Client{Transport: way, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		hops = len(via)
		next.URL.User = nil
		next.Header.Del("Referer")
		return t.follow(ctx, e, next, via)
	}}
	res, err := client.Do(req)
	if err != nil {
		r := t.failure(ctx, e, err)
		return nil, &r
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(&counted{res.Body, &read}, maxRead+1))
	if err != nil {
		r := t.failure(ctx, e, fmt.Errorf("reading the answer: %w", err))
		return nil, &r
	}
	more := len(body) > maxRead
	return &reply{
		status: res.StatusCode, text: http.StatusText(res.StatusCode), header: res.Header, url: res.Request.URL,
		body: body[:min(len(body), maxRead)], more: more, hops: hops,
	}, nil
}

// follow judges one redirect.
func (t *Tools) follow(ctx context.Context, e exchange, next *http.Request, via []*http.Request) error {
	before := via[len(via)-1].URL
	to, bad := parse(next.URL.String())
	if bad != nil {
		return &strayed{next.URL, next.URL.Host, "it leads to what is no web address"}
	}
	next.URL = to
	stray := func(why string) error { return &strayed{to, to.Host, why} }
	switch {
	case len(via) > maxRedirects:
		return stray(fmt.Sprintf("there were more than %d redirects", maxRedirects))
	case before.Scheme == "https" && to.Scheme == "http":
		return stray("it leads from https to http, where others can read along")
	case e.bound != "" && origin(to) != e.bound:
		return stray("a secret is in the request, which is bound to " + e.url.Host)
	case sameHost(e.url, to):
		return nil
	case len(e.header) > 0 || len(e.body) > 0 || e.method != http.MethodGet && e.method != http.MethodHead:
		return stray("it leads to another host, which your headers and data were not meant for")
	}
	call := e.call
	call.ID = ""
	args := map[string]any{}
	if json.Unmarshal(call.Args, &args) != nil || e.argument == "" {
		return stray("it leads to another host")
	}
	args[e.argument] = to.String()
	var err error
	if call.Args, err = json.Marshal(args); err != nil || !t.cfg.Allowed(ctx, call) {
		return stray("it leads to a host that has to be asked about first")
	}
	return nil
}

// counted counts what is read through it.
type counted struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

// tell says once a second how much was read, until stop.
func tell(out progress, u *url.URL, read *atomic.Int64) (stop func()) {
	done := make(chan struct{})
	var teller sync.WaitGroup
	teller.Go(func() {
		ticker := time.NewTicker(tellEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			if n := read.Load(); n > 0 {
				out("progress", "Read "+size(n)+" from "+u.Host+".\n")
			} else {
				out("progress", "Waiting for "+u.Host+".\n")
			}
		}
	})
	return func() {
		close(done)
		teller.Wait()
	}
}

var errTooLong = errors.New("too long")

// size is a number of bytes for people.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1_000_000)
}

// span is a duration for people.
func span(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", d.Seconds()), ".0") + " s"
}
