package testsites

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func open(t *testing.T) (*http.Client, string) {
	t.Helper()
	s := httptest.NewServer(Handler())
	t.Cleanup(s.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}, s.URL
}

func read(t *testing.T, res *http.Response, err error) (int, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestPagesAreDeterministic(t *testing.T) {
	client, base := open(t)
	res, err := client.Get(base + "/")
	_, index := read(t, res, err)
	pages := regexp.MustCompile(`href="([^"]+)"`).FindAllStringSubmatch(index, -1)
	if len(pages) < 20 {
		t.Fatalf("only %d pages are listed", len(pages))
	}
	for _, m := range pages {
		if m[1] == "/never" || strings.HasPrefix(m[1], "/status") {
			continue
		}
		t.Run(m[1], func(t *testing.T) {
			res, err := client.Get(base + m[1])
			status, first := read(t, res, err)
			if status != http.StatusOK {
				t.Errorf("status %d", status)
			}
			res, err = client.Get(base + m[1])
			if _, second := read(t, res, err); first != second {
				t.Error("the second load differs")
			}
		})
	}
}

func TestLongPagesHaveTheirElements(t *testing.T) {
	client, base := open(t)
	res, err := client.Get(base + "/links")
	_, body := read(t, res, err)
	if n := strings.Count(body, `data-truth="link:`); n != 300 {
		t.Errorf("%d links", n)
	}
	res, err = client.Get(base + "/big")
	_, body = read(t, res, err)
	if n := strings.Count(body, `data-truth="button:`); n != 200 {
		t.Errorf("%d buttons", n)
	}
	if n := strings.Count(body, "<span>") + strings.Count(body, "<div>") + strings.Count(body, "<button"); n != 16_000 {
		t.Errorf("%d nodes", n)
	}
}

func TestFramesAreCrossOrigin(t *testing.T) {
	client, base := open(t)
	res, err := client.Get(base + "/frames")
	_, body := read(t, res, err)
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	if want := "http://localhost:" + u.Port() + "/inner?name=Other"; !strings.Contains(body, want) {
		t.Errorf("no frame from %s", want)
	}
	res, err = client.Get(base + "/frames?other=http://b.test/")
	if _, body = read(t, res, err); !strings.Contains(body, "http://b.test/inner?name=Other") {
		t.Error("the origin in ?other is not used")
	}
}

func TestLoginNeedsTheRightPassword(t *testing.T) {
	client, base := open(t)
	res, err := client.PostForm(base+"/login", url.Values{"user": {User}, "password": {"x"}})
	if status, body := read(t, res, err); status != http.StatusUnauthorized || !strings.Contains(body, "Wrong name") {
		t.Errorf("a wrong password answers %d", status)
	}
	res, err = client.PostForm(base+"/login", url.Values{"user": {User}, "password": {Password}})
	if _, body := read(t, res, err); !strings.Contains(body, "Welcome, ana") {
		t.Error("the right password is rejected")
	}
}

func TestFormIsEchoed(t *testing.T) {
	client, base := open(t)
	res, err := client.PostForm(base+"/form", url.Values{"name": {"<b>Ana"}, "colour": {"red"}})
	if _, body := read(t, res, err); !strings.Contains(body, "colour=red\nname=&lt;b&gt;Ana") {
		t.Errorf("got %s", body)
	}
}

func TestNeverEndingPageEndsWithItsReader(t *testing.T) {
	client, base := open(t)
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/never", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b := make([]byte, 15)
	if _, err := io.ReadFull(res.Body, b); err != nil || string(b) != "<!doctype html>" {
		t.Errorf("the beginning did not arrive: %q, %v", b, err)
	}
	leave()
}
