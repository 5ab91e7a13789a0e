package web

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/toolspec"
)

func TestRequestIsSentAsGiven(t *testing.T) {
	t.Parallel()
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Lamp", "on")
		w.Header().Add("Set-Cookie", "session=secret-cookie")
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusNotFound)
		}
		respond(w, "%s %s %s %s %s", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), r.Header.Get("X-Wish"),
			b)
	})
	r := n.do(t, "http_request", map[string]any{
		"url": "http://api.example/items?a=1", "method": "POST",
		"headers": map[string]string{"X-Wish": "two"}, "body": map[string]any{"name": "lamp"},
	})
	wantText(t, r, `POST /items?a=1 application/json two {"name":"lamp"}`, "X-Lamp: on", "Set-Cookie: (1, not shown)")
	if r.Sentence != "Sent 15 characters to api.example (POST): 200 OK" {
		t.Errorf("sentence %q", r.Sentence)
	}
	wantText(t, n.do(t, "http_request", map[string]any{
		"url": "http://api.example/", "method": "PUT",
		"body": "plain words",
	}), "PUT / text/plain; charset=utf-8  plain words")
	wantText(t, n.do(t, "http_request", map[string]any{"url": "http://api.example/"}), "GET / ")
	wantText(t, n.do(t, "http_request", map[string]any{"url": "http://api.example/gone"}), "404 Not Found", "GET /gone")
	wantText(t, n.do(t, "http_request", map[string]any{"url": "http://api.example/", "method": "HEAD"}), "200 OK",
		"The body is empty")
}

func TestConnectionHeadersCannotBeSet(t *testing.T) {
	t.Parallel()
	n := newFakeInternet(t, func(http.ResponseWriter, *http.Request) { t.Error("a server was asked") })
	for _, name := range []string{
		"Host", "host", "Connection", "Proxy-Authorization", "Proxy-Connection", "Transfer-Encoding", "Content-Length",
		"Upgrade", "TE", "Trailer",
		"Expect", "X-Forwarded-For", "Forwarded", "X-Real-IP", "Metadata-Flavor", "Sec-Fetch-Site", ":authority",
		"Accept-Encoding", "", "a b", "X\r\nHost",
	} {
		t.Run(name, func(t *testing.T) {
			r := n.do(t, "http_request", map[string]any{
				"url":     "http://api.example/",
				"headers": map[string]string{name: "x"},
			})
			wantError(t, r, toolspec.ValidationError, "cannot be")
		})
	}
	r := n.do(t, "http_request", map[string]any{
		"url":     "http://api.example/",
		"headers": map[string]string{"X-A": "one\r\nHost: two"},
	})
	wantError(t, r, toolspec.ValidationError, "cannot be written")
	wantError(t, n.do(t, "http_request", map[string]any{"url": "http://api.example/", "method": "CONNECT"}),
		toolspec.ValidationError, "CONNECT")
}

func TestRedirectToOtherHostDropsDataAndHeaders(t *testing.T) {
	t.Parallel()
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "api.example" {
			t.Errorf("%s was asked", r.Host)
		}
		http.Redirect(w, r, "http://other.example/", http.StatusTemporaryRedirect)
	})
	n.allowed = []string{"other.example"}
	for _, args := range []map[string]any{
		{"url": "http://api.example/", "method": "POST", "body": "words"},
		{"url": "http://api.example/", "method": "DELETE"},
		{"url": "http://api.example/", "headers": map[string]string{"X-Api-Key": "k"}},
	} {
		wantError(t, n.do(t, "http_request", args), toolspec.PermissionError,
			"your headers and data are not for that host",
			"Call http_request")
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	n := newFakeInternet(t, nil)
	cases := []struct {
		tool string
		args map[string]any
		want toolspec.Description
	}{
		{
			"http_request",
			map[string]any{"url": "https://API.example/items", "method": "POST", "body": "ten chars!"},
			toolspec.Description{
				Sentence: "Sending 10 characters to api.example (POST)", Target: "POST https://api.example/items",
				Data: "ten chars!", Hosts: []string{"api.example"}, LimitMS: 30_000,
			},
		},
		{"http_request", map[string]any{
			"url":     "https://api.example:8443/items",
			"headers": map[string]string{"X-B": "2", "X-A": "1"},
		}, toolspec.Description{
			Sentence: "Requesting api.example:8443/items (GET)", Target: "GET https://api.example:8443/items",
			Data: "X-A: 1\nX-B: 2", Hosts: []string{"api.example:8443"}, LimitMS: 30_000,
		}},
		{"wget", map[string]any{"uri": "http://user:word@2130706433/x?y"}, toolspec.Description{
			Sentence: "Reading 127.0.0.1/x", Target: "http://user:xxxxx@127.0.0.1/x?y", Hosts: []string{"127.0.0.1"},
			LimitMS: 30_000,
		}},
		{"wget", map[string]any{"uri": "http://[::ffff:7f00:1]:80/", "timeoutMs": 5000}, toolspec.Description{
			Sentence: "Reading 127.0.0.1:80", Target: "http://127.0.0.1:80/", Hosts: []string{"127.0.0.1:80"},
			LimitMS: 5000,
		}},
		{
			"wget",
			map[string]any{"uri": "nonsense"},
			toolspec.Description{Sentence: "Reading an address", Target: "nonsense"},
		},
		{"web_search", map[string]any{"query": "desk lamp"}, toolspec.Description{
			Sentence: `Searching the web for "desk lamp"`,
			Question: "Search the web for “desk lamp” with html.duckduckgo.com?",
			Target:   "html.duckduckgo.com", Data: "desk lamp",
			Hosts: []string{"html.duckduckgo.com"}, LimitMS: 20_000,
		}},
	}
	for _, c := range cases {
		t.Run(c.tool, func(t *testing.T) {
			if diff := cmp.Diff(c.want, n.Describe(callOf(c.tool, c.args))); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.args, diff)
			}
		})
	}
}
