package app

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sextant/app/config"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/browser"
	"sextant/backend/sandbox/secrets"
	"sextant/shared/toolspec"
)

// artefacts are the bytes of all that was printed, sent or stored, by place.
type artefacts struct {
	mu  sync.Mutex
	all map[string]*bytes.Buffer
}

func (a *artefacts) add(where string, b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[string]*bytes.Buffer{}
	}
	if a.all[where] == nil {
		a.all[where] = &bytes.Buffer{}
	}
	a.all[where].Write(b)
	a.all[where].WriteByte('\n')
}

// Write makes it a log.
func (a *artefacts) Write(b []byte) (int, error) {
	a.add("log", b)
	return len(b), nil
}

// result adds all that a caller, a model and a person read of a result.
func (a *artefacts) result(t *testing.T, r toolspec.Result) {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	a.add("results", b)
	a.add("results", fmt.Appendf(nil, "%s\n%s\n%s\n%s\n%v", r.ModelText(), r.Text, r.Sentence,
		strings.Join(r.Preview, "\n"), r.Sources))
	for _, image := range r.Images {
		a.add("pictures", image.Data)
	}
}

// folder adds the files below dir, but for what skip names.
func (a *artefacts) folder(t *testing.T, where, dir string, skip ...string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(skip, d.Name()) {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		a.add(where+" "+strings.Split(rel, string(filepath.Separator))[0], b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// written are the forms that a value is searched in.
func written(value string) []string {
	b, _ := json.Marshal(value)
	var plain bytes.Buffer
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value)
	forms := []string{
		value, strings.Trim(string(b), `"`), strings.Trim(strings.TrimSpace(plain.String()), `"`),
		url.QueryEscape(value), url.PathEscape(value), html.EscapeString(value),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
		base64.StdEncoding.EncodeToString([]byte(value)), base64.RawStdEncoding.EncodeToString([]byte(value)),
		base64.URLEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)),
	}
	// A line of a key is a secret too.
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); line != value && len(line) >= 30 && !strings.HasPrefix(line, "-----") {
			forms = append(forms, line)
		}
	}
	slices.Sort(forms)
	return slices.Compact(forms)
}

// find says which of the values stand where, byte for byte.
func (a *artefacts) find(values map[string]string) []string {
	type form struct{ name, text string }
	const window = 6
	begins := map[string][]form{}
	for name, value := range values {
		for _, text := range written(value) {
			begins[text[:window]] = append(begins[text[:window]], form{name, text})
		}
	}
	var first [256]bool
	for b := range begins {
		first[b[0]] = true
	}
	var found []string
	for _, where := range slices.Sorted(maps.Keys(a.all)) {
		b := a.all[where].Bytes()
		seen := map[string]bool{}
		for i := 0; i+window <= len(b); i++ {
			if !first[b[i]] {
				continue
			}
			for _, f := range begins[string(b[i:i+window])] {
				if bytes.HasPrefix(b[i:], []byte(f.text)) && !seen[f.name] {
					seen[f.name] = true
					found = append(found, fmt.Sprintf("%s in %s, within %q", f.name, where,
						b[max(0, i-60):min(len(b), i+len(f.text)+20)]))
				}
			}
		}
	}
	return found
}

func (a *artefacts) size() (n int) {
	for _, b := range a.all {
		n += b.Len()
	}
	return n
}

// echo tells again what it is asked, wrapped in every way, and keeps what it got.
func echo(got *artefacts) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		raw := r.Header.Get("X-Key") + "\n" + r.URL.Query().Get("k") + "\n" + string(body) + "\n" +
			r.Header.Get("Authorization")
		got.add("site", []byte(raw+"\n"+r.URL.Path))
		w.Header().Set("X-Echo", url.QueryEscape(raw))
		if key := r.Header.Get("X-Key"); key != "" {
			w.Header().Set("X-Key-Again", key)
		}
		if strings.HasPrefix(r.URL.Path, "/fail") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = fmt.Fprintf(w,
				"<title>Failed</title><p>You sent <b>%s</b> to <a href=\"?again=%s\">here</a></p><pre>%s</pre>",
				html.EscapeString(raw), url.QueryEscape(raw), html.EscapeString(fmt.Sprintf("%q", raw)))
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"raw": raw, "url": r.URL.String(), "base64": base64.StdEncoding.EncodeToString([]byte(raw)),
			"hex": hex.EncodeToString([]byte(raw)),
			"all": r.Header, "nested": fmt.Sprintf(`{"again":%q}`, raw),
		})
	})
	mux.HandleFunc("/form", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(
			w,
			`<!doctype html><title>Form</title><textarea aria-label=Key rows=3></textarea><p id=out></p><script>
const field = document.querySelector('textarea')
field.addEventListener('input', () => {
  const v = field.value
  document.title = 'Got ' + v; out.textContent = 'You typed ' + v; console.log('typed', v, btoa(unescape(encodeURIComponent(v))))
  history.replaceState(null, '', '?typed=' + encodeURIComponent(v.slice(0, 500)))
  window.last = fetch('/echo?k=' + encodeURIComponent(v), {method: 'POST', body: JSON.stringify({v})}).then((r) => r.text())
})</script>`,
		)
	})
	return mux
}

// caller does calls as a program that may do all, and keeps what they tell.
type caller struct {
	t   *testing.T
	sys *System
	out *artefacts
}

func (c caller) do(tool string, args map[string]any) toolspec.Result {
	c.t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		c.t.Fatal(err)
	}
	r := c.sys.Pipeline.Do(c.t.Context(), toolspec.Call{
		Tool: tool, Args: b,
		From: toolspec.Provenance{Caller: toolspec.CallerRun, YesTo: "all"},
	})
	c.out.result(c.t, r)
	return r
}

func (c caller) fails(kind toolspec.ErrorType, tool string, args map[string]any) {
	c.t.Helper()
	if r := c.do(tool, args); r.Success || r.ErrorType != kind {
		c.t.Errorf("%s: %v %s %s, want %s", tool, r.Success, r.ErrorType, r.Error, kind)
	}
}

// TestSecretsAppearInNoArtefact uses secrets in real requests, in a real page and in a conversation with a model,
// and searches everything that is sent, shown and stored.
func TestSecretsAppearInNoArtefact(t *testing.T) {
	got, out := &artefacts{}, &artefacts{}
	site := httptest.NewServer(echo(got))
	defer site.Close()
	host := strings.TrimPrefix(site.URL, "http://")
	stranger := httptest.NewServer(echo(&artefacts{}))
	defer stranger.Close()
	flags := testFlags(t)
	flags["allow_hosts"], flags["profile"], flags["web_per_minute"] = "127.0.0.1", config.TemporaryProfile, "9999"
	config, err := config.Load(flags)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := OpenSystem(t.Context(), config, OpenOptions{Serve: true},
		slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sys.Close)
	n := 30 // each kind at least once
	if os.Getenv("SEXTANT_WHOLE") != "" {
		n = 100
	}
	values := makeSecrets(t, n)
	for name, value := range values {
		if _, err := sys.Secrets.Put(secrets.Secret{Name: name, Host: host}, value); err != nil {
			t.Fatal(err)
		}
	}
	c := caller{t, sys, out}
	names := slices.Sorted(maps.Keys(values))
	askAll(c, site.URL, stranger.URL, names, values)
	typeAll(c, site.URL, names)
	_, state := clientOf(t, sys).do(http.MethodGet, "/api/state", nil)
	_, listed := clientOf(t, sys).do(http.MethodGet, "/api/secrets", nil)
	out.add("state", append(state, listed...))
	uses := 0
	for _, s := range sys.Secrets.List() {
		uses += s.Uses
	}
	out.folder(t, "data while it ran", flags["data"], "secrets")
	sys.Close()
	talk(t, flags, host, out, names)
	for _, line := range [][]string{{"audit", "export"}, {"secrets", "list", "--json"}, {"audit", "verify"}} {
		code, stdout, errs := verb(t, flags, line...)
		if code != exitDone {
			t.Errorf("%v: exit %d, %s", line, code, errs)
		}
		out.add(strings.Join(line, " "), []byte(stdout+errs))
	}
	out.folder(t, "data", flags["data"], "secrets")
	// What the search finds where it must be is what makes it worth something.
	if there := got.find(values); len(there) != len(values) {
		t.Errorf("only %d of %d secrets reached the site they are for", len(there), len(values))
	}
	found := out.find(values)
	for _, f := range found[:min(len(found), 12)] {
		t.Errorf("found %s", f)
	}
	t.Logf("%d secrets, put in %d times; %d kinds of artefacts (%d KB) searched: %d found", len(values), uses,
		len(out.all), out.size()>>10, len(found))
}

// askAll sends every secret in a header, an address and a body, to a server that fails, and to
// where it must not go.
func askAll(c caller, site, stranger string, names []string, values map[string]string) {
	c.t.Helper()
	for _, name := range names {
		ref := secrets.Reference(name)
		args := map[string]any{"url": site + "/echo?k=" + ref, "method": "POST", "body": map[string]any{"v": ref}}
		if !strings.Contains(values[name], "\n") {
			args["headers"] = map[string]string{"X-Key": ref, "Authorization": "Basic ana:" + ref}
		}
		if r := c.do("http_request", args); !r.Success {
			c.t.Errorf("%s: %s", name, r.Error)
		}
		if r := c.do("http_request", map[string]any{
			"url": site + "/fail/" + ref, "method": "POST", "body": "v=" + ref,
			"headers": map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		}); !r.Success {
			c.t.Errorf("%s: %s", name, r.Error)
		}
		c.fails(toolspec.SecurityError, "http_request", map[string]any{"url": stranger + "/?k=" + ref})
		c.fails(toolspec.SecurityError, "bash", map[string]any{"command": "echo " + ref, "description": "tell"})
		c.fails(toolspec.SecurityError, "write_file", map[string]any{"path": "x.txt", "content": ref})
		// Somebody who knows the value writes it out.
		c.do("http_request", map[string]any{"url": site + "/echo", "method": "POST", "body": values[name]})
		c.fails(toolspec.ValidationError, "http_request", map[string]any{"url": values[name], "method": 7})
	}
	c.fails(toolspec.UserError, "http_request", map[string]any{"url": site + "/?k={{secret:nobody}}"})
}

// typeAll types every secret into a page that tells it everywhere, and asks for all of it.
func typeAll(c caller, site string, names []string) {
	c.t.Helper()
	if r := c.do("navigate_page", map[string]any{"url": site + "/form"}); !r.Success {
		c.t.Fatal(r.Error)
	}
	for i, name := range names {
		id := 0
		for _, e := range c.sys.Browser.Session("").Annotations() {
			if e.Role == "textbox" {
				id = e.ID
			}
		}
		if r := c.do("type_text", map[string]any{"annotationId": id, "text": secrets.Reference(name)}); !r.Success {
			c.t.Fatalf("typing %s: %s", name, r.Error)
		}
		c.do("evaluate_script",
			map[string]any{"script": "window.last.then((told) => ({v: document.querySelector('textarea').value, " +
				"told, b: btoa(unescape(encodeURIComponent(out.textContent)))}))"})
		c.do("get_page_content", map[string]any{"format": "text"})
		if i%10 != 0 {
			continue
		}
		for tool, args := range map[string]map[string]any{
			"annotate_page": {"scope": "page"}, "get_annotations": {}, "console_messages": {}, "network_requests": {},
			"browser_tabs":    {},
			"take_screenshot": {"annotated": true}, "wait_for": {"text": "never there", "seconds": 0.1},
			"click_element": {"annotationId": 999999},
		} {
			c.do(tool, args)
		}
		if requests, _ := c.sys.Browser.Session("").Requests(browser.RequestFilter{URL: "/echo"}); len(requests) > 0 {
			c.do("network_requests", map[string]any{"id": requests[len(requests)-1].ID})
		}
		c.fails(toolspec.UserError, "save_pdf", map[string]any{})
		c.out.add("pictures of the page", c.do("take_screenshot", map[string]any{"full_page": true}).Images[0].Data)
	}
}

// talk lets a model use some of them.
func talk(t *testing.T, flags map[string]string, host string, out *artefacts, names []string) {
	t.Helper()
	var turns []openaitest.Answer
	for _, name := range names[:30] {
		args, _ := json.Marshal(map[string]any{
			"url":    "http://" + host + "/fail?k=" + secrets.Reference(name),
			"method": "POST", "body": "my key is " + secrets.Reference(name),
		})
		turns = append(turns, openaitest.Answer{Calls: []openaitest.Call{{Name: "http_request", Args: string(args)}}})
	}
	done := openaitest.Answer{Text: "Done with " + secrets.Reference(names[0])}
	model, err := openaitest.Start(append(turns, done)...)
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	t.Setenv("SEXTANT_OPENAI_BASE_URL", model.URL())
	t.Setenv("SEXTANT_OPENAI_API_KEY", "test-of-a-key")
	t.Setenv("SEXTANT_ROUNDS", "40")
	t.Setenv("SEXTANT_CALLS_PER_TURN", "40")
	t.Setenv("SEXTANT_ALLOW_HOSTS", "127.0.0.1")
	code, stdout, errs := verb(t, flags, "run", "use my secrets", "--model", "openai/test", "--yes-to", "all", "--json",
		"--log-level", "debug")
	if code != exitDone || strings.Count(stdout, `"http_request"`) < 30 {
		t.Errorf("the conversation ended with %d: %s %s", code, stdout[:min(len(stdout), 2000)],
			errs[:min(len(errs), 2000)])
	}
	out.add("run", []byte(stdout+errs))
	for _, r := range model.Requests() {
		out.add("prompts", r.Body)
	}
}
