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
	"sync"
	"sync/atomic"
	"time"

	"github.com/dustin/go-humanize"

	"sextant/shared/toolspec"
)

const (
	maxRead      = 5 << 20 // bytes of a response body, after decompression
	maxRedirects = 10
	reportEvery  = time.Second
)

const userAgent = "Mozilla/5.0 (compatible; Sextant/1)"

type exchange struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte
	// argument names the argument of call with the address. A redirect to another host is judged as call with the new
	// address.
	call     toolspec.Call
	argument string
	timeout  time.Duration
	// bound is the only origin to which a request with a secret may go, or "" for any.
	bound string
}

type response struct {
	status int
	text   string // the status text, such as "Not Found"
	header http.Header
	url    *url.URL // after redirects
	body   []byte
	// more is true if the body is longer than maxRead.
	more bool
	hops int
}

type redirectError struct {
	to     *url.URL
	host   string
	reason string
}

func (r *redirectError) Error() string { return "redirect to " + r.to.Redacted() + " not followed" }

func (t *Tools) fetch(ctx context.Context, e exchange, out progress) (*response, *toolspec.Result) {
	ctx, cancel := context.WithTimeoutCause(ctx, e.timeout, errTooLong)
	defer cancel()
	var read atomic.Int64
	defer reportProgress(out, e.url, &read)()
	req, err := http.NewRequestWithContext(ctx, e.method, e.url.String(), bytes.NewReader(e.body))
	if err != nil {
		r := toolspec.Fail(toolspec.ValidationError, "the request cannot be made: "+err.Error(),
			"Check the method and the address.")
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
	transport := t.cfg.Transport
	if e.bound != "" {
		transport = boundTransport{transport, e.bound}
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
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
	body, err := io.ReadAll(io.LimitReader(&countingReader{res.Body, &read}, maxRead+1))
	if err != nil {
		r := t.failure(ctx, e, fmt.Errorf("reading the answer: %w", err))
		return nil, &r
	}
	more := len(body) > maxRead
	return &response{
		status: res.StatusCode, text: http.StatusText(res.StatusCode), header: res.Header, url: res.Request.URL,
		body: body[:min(len(body), maxRead)], more: more, hops: hops,
	}, nil
}

func (t *Tools) follow(ctx context.Context, e exchange, next *http.Request, via []*http.Request) error {
	before := via[len(via)-1].URL
	to, bad := parse(next.URL.String())
	if bad != nil {
		return &redirectError{next.URL, next.URL.Host, "it leads to something other than a web address"}
	}
	next.URL = to
	refuse := func(why string) error { return &redirectError{to, to.Host, why} }
	switch {
	case len(via) > maxRedirects:
		return refuse(fmt.Sprintf("there were more than %d redirects", maxRedirects))
	case before.Scheme == "https" && to.Scheme == "http":
		return refuse("it leads from https to http, which others can read")
	case e.bound != "" && origin(to) != e.bound:
		return refuse("the request contains a secret, which may only go to " + e.url.Host)
	case sameHost(e.url, to):
		return nil
	case len(e.header) > 0 || len(e.body) > 0 || e.method != http.MethodGet && e.method != http.MethodHead:
		return refuse("it leads to another host, and your headers and data are not for that host")
	}
	call := e.call
	call.ID = ""
	args := map[string]any{}
	if json.Unmarshal(call.Args, &args) != nil || e.argument == "" {
		return refuse("it leads to another host")
	}
	args[e.argument] = to.String()
	var err error
	if call.Args, err = json.Marshal(args); err != nil || !t.cfg.IsAllowed(ctx, call) {
		return refuse("it leads to a host that has to be asked about first")
	}
	return nil
}

type countingReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}

func reportProgress(out progress, u *url.URL, read *atomic.Int64) (stop func()) {
	done := make(chan struct{})
	var reporting sync.WaitGroup
	reporting.Go(func() {
		ticker := time.NewTicker(reportEvery)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			if n := read.Load(); n > 0 {
				out("progress", "Read "+humanize.Bytes(uint64(n))+" from "+u.Host+".\n")
			} else {
				out("progress", "Waiting for "+u.Host+".\n")
			}
		}
	})
	return func() {
		close(done)
		reporting.Wait()
	}
}

var errTooLong = errors.New("too long")
