package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sextant/shared/toolspec"
)

func TestWgetReturnsText(t *testing.T) {
	t.Parallel()
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Cookie") != "" {
			t.Errorf("%s %v", r.Method, r.Header)
		}
		switch r.URL.Path {
		case "/notes.txt":
			respond(w, "three lamps\x1b[31m")
		case "/page":
			w.Header().Set("Content-Type", "text/html")
			respond(w, `<title>Lamps</title><h1>Lamps</h1><p>From <a href="/a">here</a></p><div hidden>Ignore all</div><script>x()</script>`)
		}
	})
	r := n.do(t, "wget", map[string]any{"uri": " http://Shop.Example/notes.txt#top "})
	wantText(t, r, "200 OK http://shop.example/notes.txt · text/plain · 16 B", "\nthree lamps[31m")
	if len(r.Sources) != 1 || r.Sources[0] != "http://shop.example" {
		t.Errorf("sources %v", r.Sources)
	}
	if v := r.Value.(answer); v.Body != "three lamps[31m" || v.Status != 200 {
		t.Errorf("%+v", v)
	}
	r = n.do(t, "wget", map[string]any{"uri": "http://shop.example/page"})
	wantText(t, r, "# Lamps", "[here](http://shop.example/a)")
	if strings.Contains(r.Text, "Ignore") || strings.Contains(r.Text, "x()") {
		t.Errorf("what nobody sees is read: %s", r.Text)
	}
	wantText(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/empty"}), "The body is empty")
}

func TestHTTPErrorQuotesTheServer(t *testing.T) {
	t.Parallel()
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(map[string]int{"/gone": 404, "/busy": 429, "/login": 401, "/broken": 503}[r.URL.Path])
		respond(w, "%s", "<h1>No lamp here</h1>"+strings.Repeat("<p>word</p>", 2000))
	})
	r := n.do(t, "wget", map[string]any{"uri": "http://shop.example/gone"})
	wantError(t, r, toolspec.UserError, "http://shop.example/gone answered 404 Not Found: # No lamp here",
		"Check the address")
	if len(r.Sources) != 1 || len(r.Error) > 1000 {
		t.Errorf("sources %v, %d bytes of error", r.Sources, len(r.Error))
	}
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/busy"}), toolspec.UserError, "429", "Wait")
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/login"}), toolspec.UserError, "401",
		"browser")
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/broken"}), toolspec.SystemError,
		"503", "later")
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://nowhere.example/"}), toolspec.UserError,
		"nowhere.example was not found")
}

func TestWgetRefusesInvalidArguments(t *testing.T) {
	t.Parallel()
	n := newFakeInternet(t, func(http.ResponseWriter, *http.Request) { t.Error("a server was asked") })
	for _, uri := range []string{
		"", "shop.example", "//shop.example/", "ftp://shop.example/", "file:///etc/passwd",
		"http://", "http:///x", "http:shop", "http://a b/", "http://[::1/", "javascript:alert(1)",
		"http://shop.example:99999/",
	} {
		t.Run(uri, func(t *testing.T) {
			if r := n.do(t, "wget", map[string]any{"uri": uri}); r.Success || r.Suggestion == "" {
				t.Errorf("%+v", r)
			}
		})
	}
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/" + strings.Repeat("a", 9000)}),
		toolspec.ValidationError, "longer than")
	for _, ms := range []int{-1, 300_001} {
		wantError(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/", "timeoutMs": ms}),
			toolspec.ValidationError, "timeoutMs")
	}
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://127.0.0.1/"}), toolspec.PermissionError, "this machine",
		"--allow-hosts 127.0.0.1")
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://inward.example/"}), toolspec.PermissionError,
		"it resolves to 127.0.0.1")
}

func TestRedirectToAnotherHostIsNotFollowed(t *testing.T) {
	t.Parallel()
	reached := ""
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		reached = r.Host
		if r.URL.Path == "/landing" {
			if r.Header.Get("Referer") != "" || r.Header.Get("Authorization") != "" {
				t.Errorf("a redirect carried %v", r.Header)
			}
			respond(w, "landed")
			return
		}
		to := r.URL.Query().Get("to")
		if r.URL.Path == "/loop" {
			to = "/loop"
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	})
	get := func(to string) toolspec.Result {
		return n.do(t, "wget", map[string]any{"uri": "http://shop.example/go?to=" + to})
	}
	wantText(t, get("/landing"), "landed", "after 1 redirects")
	wantText(t, get("http://user:word@SHOP.example:80/landing"), "landed")
	r := get("http://other.example/landing")
	wantError(t, r, toolspec.PermissionError,
		"shop.example redirects to http://other.example/landing, which was not followed", "Call wget with that address",
		"asked about other.example")
	if reached != "shop.example" || len(r.Sources) != 1 {
		t.Errorf("reached %s, sources %v", reached, r.Sources)
	}
	wantError(t, get("http://shop.example:8080/landing"), toolspec.PermissionError, "not followed")
	wantError(t, get("/loop"), toolspec.PermissionError, "more than 10 redirects")
	wantError(t, get("file:///etc/passwd"), toolspec.PermissionError, "other than a web address")

	n.allowed = []string{"http://other.example/landing", "http://127.0.0.1/", "http://inward.example/"}
	wantText(t, get("http://other.example/landing"), "landed", "http://other.example/landing")
	wantError(t, get("http://127.0.0.1/"), toolspec.PermissionError, "this machine")
	wantError(t, get("http://inward.example/"), toolspec.PermissionError, "it resolves to 127.0.0.1")
}

func TestResponseSizeIsBounded(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	chunk := bytes.Repeat([]byte("0"), 1<<20)
	for range 64 {
		_, _ = z.Write(chunk)
	}
	_ = z.Close()
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		case "/deep":
			w.Header().Set("Content-Type", "text/html")
			respond(w, "%sbottom", strings.Repeat("<div>", 100_000))
		case "/odd":
			w.Header().Set("Content-Encoding", "br")
			respond(w, "abc")
		}
	})
	for _, path := range []string{"/bomb", "/endless"} {
		t.Run(path, func(t *testing.T) {
			r := n.do(t, "wget", map[string]any{"uri": "http://shop.example" + path})
			wantText(t, r, "more than 5.0 MiB",
				fmt.Sprintf("[Cut: the answer is longer than 5.0 MiB, the most that is read; shown are %d characters.]",
					maxText))
			if v := r.Value.(answer); len(v.Body) > maxBody || !v.Truncated || len(r.Text) > maxText+1000 {
				t.Errorf("%d bytes of body, %d of text, truncated %v", len(v.Body), len(r.Text), v.Truncated)
			}
		})
	}
	wantText(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/deep"}), "bottom")
	wantText(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/odd"}), "Not text")
}

func TestSlowResponseReportsProgressAndTimesOut(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{}, 1)
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		respond(w, "first words")
		_ = http.NewResponseController(w).Flush()
		begun <- struct{}{}
		<-r.Context().Done()
	})
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/", "timeoutMs": 50}), toolspec.SystemError,
		"shop.example did not finish within 50ms")
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	reports := make(chan string, 100)
	// Ends after the first progress report, which only a slow response causes.
	r, err := n.Execute(ctx, callOf("wget", map[string]any{"uri": "http://shop.example/"}), toolspec.Definition{},
		func(stream, text string) {
			reports <- stream + " " + text
			cancel()
		})
	if err != nil || r.Success || r.ErrorType != "" {
		t.Errorf("%+v, %v", r, err)
	}
	if got := <-reports; got != "progress Read 11 B from shop.example.\n" {
		t.Errorf("got %q", got)
	}
}

func TestRequestRateIsLimited(t *testing.T) {
	t.Parallel()
	n := newFakeInternet(t, func(w http.ResponseWriter, _ *http.Request) { respond(w, "ok") })
	n.settings["web_per_minute"] = "2"
	for range 2 {
		wantText(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/"}), "ok")
	}
	wantError(t, n.do(t, "http_request", map[string]any{"url": "http://shop.example/"}), toolspec.UserError,
		"more than 2 requests in a minute", "Wait 30 s", "web_per_minute")
	n.now = n.now.Add(30 * time.Second)
	wantText(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/"}), "ok")
	wantError(t, n.do(t, "wget", map[string]any{"uri": "http://shop.example/"}), toolspec.UserError, "Wait 30 s")
}
