package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"sextant/backend/policy"
)

const (
	maxFetched = 2 << 20
	maxHeaders = 64 << 10
)

type request struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    *string           `json:"body"`
}

type fetched struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Text    string            `json:"text"`
}

// fetch sends a request to a host of permissions.net. It does not follow redirects, because they may lead to a
// different host.
func (h *host) fetch(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var q request
	if err := json.Unmarshal(args, &q); err != nil {
		return nil, errors.New("fetch(url, {method, headers, body}): headers is an object of strings")
	}
	u, err := url.Parse(q.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("%q is not an http or https address", q.URL)
	}
	net := h.s.panel.Permissions.Net
	if !net.Any && !policy.HostMatches(u.Host, net.List) {
		return nil, fmt.Errorf("%s is not allowed: add it to permissions.net in the panel's manifest", u.Host)
	}
	if h.s.cfg.Egress == nil {
		return nil, errors.New("scripts cannot fetch here")
	}
	method := strings.ToUpper(q.Method)
	if method == "" {
		method = http.MethodGet
	}
	if !slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}, method) {
		return nil, fmt.Errorf("the method %q is not one of GET, HEAD, POST, PUT, PATCH and DELETE", q.Method)
	}
	var body io.Reader = http.NoBody
	if q.Body != nil {
		body = strings.NewReader(*q.Body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, err
	}
	if err := setHeaders(req, q.Headers); err != nil {
		return nil, err
	}
	client := http.Client{Transport: h.s.cfg.Egress, CheckRedirect: func(*http.Request,
		[]*http.Request,
	) error {
		return http.ErrUseLastResponse
	}}
	h.addSources(u.Scheme + "://" + u.Host)
	res, err := client.Do(req)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, fmt.Errorf("%s cannot be reached: %w", u.Host, err)
	}
	defer res.Body.Close()
	return answered(res)
}

func setHeaders(req *http.Request, headers map[string]string) error {
	req.Header.Set("User-Agent", "sextant")
	size := 0
	for name, value := range headers {
		size += len(name) + len(value)
		switch strings.ToLower(name) {
		case "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer":
			return fmt.Errorf("the header %s cannot be set", name)
		}
		if strings.HasPrefix(strings.ToLower(name), "proxy-") {
			return fmt.Errorf("the header %s cannot be set", name)
		}
		req.Header.Set(name, value)
	}
	if size > maxHeaders {
		return errors.New("the headers are larger than 64 KB")
	}
	return nil
}

func answered(res *http.Response) (json.RawMessage, error) {
	text, err := io.ReadAll(io.LimitReader(res.Body, maxFetched+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer ended early: %w", err)
	case len(text) > maxFetched:
		return nil, fmt.Errorf("the answer is larger than %d MB", maxFetched>>20)
	case !utf8.Valid(text):
		return nil, errors.New("the answer is not text")
	}
	f := fetched{Status: res.StatusCode, Headers: map[string]string{}, Text: string(text)}
	for name := range res.Header {
		f.Headers[strings.ToLower(name)] = res.Header.Get(name)
	}
	return json.Marshal(f)
}
