package app

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestWgetAsksTheNetworkUnderThePolicy(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request,
	) {
		t.Error("a closed server was reached")
	}))
	t.Cleanup(other.Close)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://localhost"+other.URL[strings.LastIndexByte(other.URL, ':'):], http.StatusFound)
			return
		}
		_, _ = w.Write([]byte("three lamps"))
	}))
	t.Cleanup(site.Close)
	flags := testFlags(t)
	flags["allow_hosts"] = site.Listener.Addr().String()
	sys := openWith(t, flags, OpenOptions{AllowTemporaryData: true})
	do := func(tool, args string) toolspec.Result {
		return sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: tool, Args: []byte(args),
			From: toolspec.Provenance{Caller: toolspec.CallerRun},
		})
	}
	if r := do("wget", `{"uri":"`+site.URL+`/"}`); !r.Success || !strings.Contains(r.ModelText(), "three lamps") ||
		len(r.Sources) != 1 {
		t.Errorf("%+v", r)
	}
	for tool, args := range map[string]string{
		"wget": `{"uri":"` + other.URL + `/"}`, "http_request": `{"url":"` + other.URL +
			`/","method":"POST","body":"x"}`, "web_search": `{"query":"lamps"}`,
	} {
		if r := do(tool, args); r.Success || r.ErrorType != toolspec.PermissionError || r.Suggestion == "" {
			t.Errorf("%s: %+v", tool, r)
		}
	}
	if r := do("wget", `{"uri":"`+site.URL+`/away"}`); r.Success ||
		!strings.Contains(r.Error, "which was not followed") {
		t.Errorf("%+v", r)
	}
	if r := do("wget", `{"uri":"`+site.URL+`/","timeoutMs":0}`); r.Success || r.ErrorType != toolspec.ValidationError {
		t.Errorf("%+v", r)
	}
}

func TestInspectionToolsAreInTheCatalog(t *testing.T) {
	flags := testFlags(t)
	flags["workspace"] = t.TempDir()
	sys := openWith(t, flags, OpenOptions{AllowTemporaryData: true})
	do := func(tool, args string) toolspec.Result {
		return sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: tool, Args: []byte(args),
			From: toolspec.Provenance{Caller: toolspec.CallerRun},
		})
	}
	if r := do("system_info", `{"what":"resources"}`); !r.Success || !strings.Contains(r.ModelText(), "Memory:") {
		t.Errorf("%+v", r)
	}
	if r := do("git_read", `{"command":"status","path":"."}`); r.Success || r.Suggestion == "" {
		t.Errorf("a folder without a repository: %+v", r)
	}
	if r := do("sql_query", `{"path":"`+filepath.Join(sys.Config.DataDir, DatabaseName)+`"}`); r.Success ||
		r.ErrorType != toolspec.SecurityError {
		t.Errorf("our own data: %+v", r)
	}
}

func TestToolsOfASwitchedOffGroupAreNotInTheCatalog(t *testing.T) {
	sys := openTest(t, OpenOptions{AllowTemporaryData: true})
	if _, there := sys.Catalog.ForPanel("").Get("wget"); !there {
		t.Fatal("wget is not there")
	}
	if _, err := sys.Settings.Set(t.Context(), "groups_off", "web, shell, files"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wget", "http_request", "web_search", "git_read", "sql_query", "system_info"} {
		if _, there := sys.Catalog.ForPanel("").Get(name); there {
			t.Errorf("%s is still there", name)
		}
	}
	if r := sys.Pipeline.Do(t.Context(), toolspec.Call{
		Tool: "wget",
		Args: []byte(`{"uri":"https://example.com/"}`),
	}); r.Success || r.ErrorType != toolspec.ValidationError ||
		!strings.Contains(r.Error, "the group of tools web is switched off") {
		t.Errorf("%+v", r)
	}
	if _, err := sys.Settings.Set(t.Context(), "groups_off", "navigation"); err == nil {
		t.Error("a group that cannot be switched off was taken")
	}
}
