package process

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// Request is a request to an endpoint of a panel's program.
type Request struct {
	Method string
	// Path is escaped and begins with "/". Query has no "?". Body may be nil.
	Path, Query string
	Body        []byte
}

// Do sends a request to the program and returns its response. It starts the program if necessary. Unless Do returns an
// error, the caller must close the body. sent is false if the program cannot have received the request. output gets
// messages about the start and the program's progress messages; it must not be nil.
func (r *Runner) Do(ctx context.Context, q Request, output func(stream, text string)) (res *http.Response, sent bool,
	err error,
) {
	up, done, err := r.acquire(ctx, output)
	if err != nil {
		return nil, false, err
	}
	if up.lines != nil {
		res, err = up.lines.ask(ctx, q, output)
	} else {
		res, err = up.ask(ctx, q)
	}
	if err != nil {
		done()
		return nil, true, err
	}
	res.Body = &trackedBody{res.Body, done}
	return res, true, nil
}

type trackedBody struct {
	io.ReadCloser
	done func()
}

func (u *trackedBody) Close() error {
	defer u.done()
	return u.ReadCloser.Close()
}

func (r *running) ask(ctx context.Context, q Request) (*http.Response, error) {
	address := "http://127.0.0.1" + q.Path
	if q.Query != "" {
		address += "?" + q.Query
	}
	var body io.Reader = http.NoBody
	if q.Body != nil {
		body = bytes.NewReader(q.Body)
	}
	req, err := http.NewRequestWithContext(ctx, q.Method, address, body)
	if err != nil {
		return nil, fmt.Errorf("making the request: %w", err)
	}
	SetHeaders(req, q.Body != nil, r.token)
	return r.client.Do(req)
}

// SetHeaders sets the headers of a request to an endpoint. token is the secret for a panel's program, "" for others.
func SetHeaders(req *http.Request, hasBody bool, token string) {
	req.Header.Set("Accept", "application/json, application/x-ndjson, text/event-stream;q=0.9, */*;q=0.5")
	req.Header.Set("User-Agent", "sextant")
	if hasBody {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set(tokenHeader, token)
	}
}

func (r *Runner) httpClient(up *running) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return up.Dial(ctx, up.port) },
		},
	}
}

// healthy reports whether the program answers: at its health path, or else at its port. A program without a port counts
// as healthy while it runs.
func (r *Runner) healthy(ctx context.Context, up *running) bool {
	if up.lines != nil || up.server != nil {
		return !hasEnded(up)
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if r.panel.Backend.Health == "" {
		conn, err := up.Dial(ctx, up.port)
		if err != nil {
			return false
		}
		_ = conn.Close()
		return true
	}
	res, err := up.ask(ctx, Request{Method: http.MethodGet, Path: r.panel.Backend.Health})
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode >= 200 && res.StatusCode < 300
}
