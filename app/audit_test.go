package app

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3"

	"sextant/backend/store/audit"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

func TestAuditReadsTheLogOfARunningSextantAndFindsAChangedRow(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	status, b := c.do(http.MethodPost, strings.TrimPrefix(sys.Nav.Routes["tools_execute"], "POST "),
		map[string]any{"tool": "expand_activity_bar", "args": map[string]any{}})
	if status != http.StatusOK {
		t.Fatalf("%d %s", status, b)
	}

	code, out, errs := verb(t, flags, "audit", "show")
	if code != exitDone || !strings.Contains(out, "expand_activity_bar") {
		t.Fatalf("show: %d %q %q", code, out, errs)
	}
	rows, err := sys.Audit.List(t.Context(), 1)
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	code, out, errs = verb(t, flags, "audit", "show", rows[0].ID)
	if code != exitDone || !strings.Contains(out, "why") {
		t.Errorf("one call does not say why it was allowed: %d %q %q", code, out, errs)
	}
	if code, out, errs = verb(t, flags, "audit", "verify"); code != exitDone || !strings.Contains(out, "all intact") {
		t.Errorf("verify: %d %q %q", code, out, errs)
	}
	code, out, errs = verb(t, flags, "audit", "export")
	first, _, _ := strings.Cut(out, "\n")
	var entry audit.Entry
	if err := json.Unmarshal([]byte(first), &entry); err != nil || code != exitDone || entry.Seq != 1 {
		t.Errorf("export: %d %q %v %q", code, first, err, errs)
	}

	db, err := sql.Open("sqlite3", filepath.Join(flags["data"], DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(),
		`UPDATE audit SET body = replace(CAST(body AS TEXT), 'expand_activity_bar', 'close_panel') WHERE seq = 1`); err != nil {
		t.Fatal(err)
	}
	if code, _, errs = verb(t, flags, "audit", "verify"); code != exitFailed || !strings.Contains(errs, "entry 1") {
		t.Errorf("a changed row was not reported: %d %q", code, errs)
	}
	var check wire.AuditCheck
	if status, b := c.do(http.MethodPost, "/api/audit/verify", nil); status != http.StatusOK ||
		json.Unmarshal(b, &check) != nil || !strings.Contains(check.Problem, "entry 1") {
		t.Errorf("the HTTP server: %d %s", status, b)
	}
}

func TestGrantIsListedWithItsUsesAndRevoked(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	grant := toolspec.Grant{
		ID: "g1", Scope: toolspec.GrantAlways, Tool: "http_request", Hosts: []string{"api.example"},
		Text: "http_request on api.example only",
	}
	if err := sys.Store.AddGrant(t.Context(), grant); err != nil {
		t.Fatal(err)
	}
	for _, row := range []event.CallRecord{
		{ID: "c1", CallRequest: event.CallRequest{Tool: "http_request"}, Grant: "g1"},
		{ID: "c2", CallRequest: event.CallRequest{Tool: "http_request"}, Grant: "g1"},
		{ID: "c3", CallRequest: event.CallRequest{Tool: "wget"}},
	} {
		if err := sys.Audit.WriteCall(t.Context(), event.CallIntent{CallRecord: row},
			event.CallResult{Status: "done"}); err != nil {
			t.Fatal(err)
		}
	}
	c := clientOf(t, sys)
	var list struct{ Grants []wire.GrantRow }
	status, b := c.do(http.MethodGet, "/api/grants", nil)
	if err := json.Unmarshal(b, &list); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s %v", status, b, err)
	}
	if len(list.Grants) != 1 || list.Grants[0].Uses != 2 || list.Grants[0].LastUsed == nil ||
		list.Grants[0].Text != grant.Text {
		t.Errorf("listed: %s", b)
	}
	// A program may look; only a person at a window takes back what a person gave.
	if status, _ := c.do(http.MethodDelete, "/api/grants/g1", nil); status != http.StatusForbidden {
		t.Errorf("a program revoked a grant: %d", status)
	}
	person := windowOf(t, sys)
	if status, b := person.do(http.MethodDelete, "/api/grants/g1", nil); status != http.StatusOK ||
		!strings.Contains(string(b), `"grants":[]`) {
		t.Errorf("revoke: %d %s", status, b)
	}
	if status, _ := person.do(http.MethodDelete, "/api/grants/g1", nil); status != http.StatusNotFound {
		t.Errorf("revoked twice: %d", status)
	}
}

func TestPersonsForbiddingRuleAppliesImmediately(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	rule := map[string]any{"hosts": []string{"shop.example"}}
	if status, _ := clientOf(t, sys).do(http.MethodPost, "/api/rules", rule); status != http.StatusForbidden {
		t.Errorf("a program made a rule: %d", status)
	}
	person := windowOf(t, sys)
	if status, b := person.do(http.MethodPost, "/api/rules",
		map[string]any{"paths": []string{"relative"}}); status != http.StatusBadRequest ||
		!strings.Contains(string(b), "not an absolute path") {
		t.Errorf("a rule that cannot be read: %d %s", status, b)
	}
	if status, b := person.do(http.MethodPost, "/api/rules",
		map[string]any{"tool": "search_file", "paths": []string{"/srv"}}); status != http.StatusBadRequest ||
		!strings.Contains(string(b), "search_files") {
		t.Errorf("a rule about a tool that is not there: %d %s", status, b)
	}
	if status, b := person.do(http.MethodPost, "/api/rules",
		map[string]any{"tool": "search_files", "paths": []string{"/srv/diary"}}); status != http.StatusOK {
		t.Errorf("a rule about a tool: %d %s", status, b)
	}
	if status, b := person.do(http.MethodPost, "/api/rules",
		map[string]any{"hosts": []string{"shop.example"}}); status != http.StatusOK ||
		!strings.Contains(string(b), `"scope":"never"`) ||
		!strings.Contains(string(b), "Every tool, never the host shop.example.") {
		t.Fatalf("%d %s", status, b)
	}
	call := toolspec.Call{
		ID: "c1", Tool: "navigate_page", Args: json.RawMessage(`{"url":"https://shop.example/"}`),
		From: toolspec.Provenance{Caller: toolspec.CallerHTTP},
	}
	result := sys.Pipeline.Do(t.Context(), call)
	if result.Success || result.ErrorType != toolspec.PermissionError ||
		!strings.Contains(result.Error, "a rule forbids it: Every tool, never the host shop.example.") {
		t.Errorf("%+v", result)
	}
	if err := sys.Pipeline.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := sys.Audit.Page(t.Context(), 0, 10)
	if err != nil || len(page.Calls) != 1 || page.Calls[0].Decision != "refused" ||
		!strings.Contains(page.Calls[0].Reason, "a rule forbids it") {
		t.Errorf("the audit does not say why: %+v %v", page.Calls, err)
	}
}

func TestAuditSearchFindsWords(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	for _, row := range []event.CallRecord{
		{ID: "c1", CallRequest: event.CallRequest{Tool: "read_file", Sentence: "Read NOTES.txt"}},
		{ID: "c2", CallRequest: event.CallRequest{Tool: "wget", Sentence: "Fetch a page"}},
		{ID: "c3", CallRequest: event.CallRequest{Tool: "read_file", Sentence: "Read other.txt"}},
	} {
		out := event.CallResult{Status: "done", CallOutcome: event.CallOutcome{Output: "of " + row.ID}}
		if err := sys.Audit.WriteCall(t.Context(), event.CallIntent{CallRecord: row}, out); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		words string
		limit int
		want  string
	}{{"notes read", 10, "c1"}, {"of c2", 10, "c2"}, {"", 2, "c3 c2"}, {"100%_", 10, ""}} {
		page, err := sys.Audit.Page(t.Context(), 0, c.limit, strings.Fields(c.words)...)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, r := range page.Calls {
			ids = append(ids, r.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%q: %q, want %q", c.words, got, c.want)
		}
		if c.limit == 2 {
			rest, err := sys.Audit.Page(t.Context(), page.Before, 10)
			if err != nil || len(rest.Calls) != 1 || rest.Calls[0].ID != "c1" || rest.Before != 0 {
				t.Errorf("the rest: %+v %v", rest, err)
			}
		}
	}
}
