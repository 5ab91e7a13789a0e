package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
)

// TestRunFollowsLinksButNoInventedAddress drives two origins with nobody there to ask:
// what the page itself leads to is open, an address that could carry something is not, and a
// password appears nowhere.
func TestRunFollowsLinksButNoInventedAddress(t *testing.T) {
	serve := func(body string) string {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<!doctype html>" + body))
		}))
		t.Cleanup(site.Close)
		return site.URL
	}
	away := serve(`<title>Away</title>`)
	door := serve(`<title>Door</title><input type=password aria-label=Word>`)
	first := serve(`<title>First</title><p>Read on.</p><a href="` + door + `/in?from=first">Door</a>`)
	open := func(url string) openaitest.Answer {
		args, err := json.Marshal(map[string]string{"url": url})
		if err != nil {
			t.Fatal(err)
		}
		return openaitest.Answer{Calls: []openaitest.Call{{Name: "navigate_page", Args: string(args)}}}
	}
	model, err := openaitest.Start(
		open(first), open(away+"/?q=made-up"), open(door+"/in?from=first"),
		openaitest.Answer{Calls: []openaitest.Call{{Name: "type_text", Args: `{"annotationId":2,"text":"hunter2"}`}}},
		openaitest.Answer{Text: "Done."},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	t.Setenv("SEXTANT_OPENAI_BASE_URL", model.URL())
	t.Setenv("SEXTANT_OPENAI_API_KEY", "test")
	_, out, errs := verb(t, testFlags(t), "run", "go through the door", "--model", "openai/test", "--json",
		"--allow-hosts", "127.0.0.1")
	var report runReport
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v: %s, stderr %q", err, out, errs)
	}
	var reported []string
	for _, c := range report.Calls {
		reported = append(reported, c.Tool+" "+string(c.Status))
	}
	if got := strings.Join(reported,
		", "); got != "navigate_page done, navigate_page refused, navigate_page done, type_text done" {
		t.Errorf("the calls: %s\n%s\n%s", got, out, errs)
	}
	if strings.Contains(out+errs, "hunter2") {
		t.Errorf("the password is shown:\n%s\n%s", out, errs)
	}
}
