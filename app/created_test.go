package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestCreatedToolAndItsStepsPassThePipeline(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	made, err := sys.Store.SaveCreatedTool(t.Context(), toolspec.CreatedTool{
		Name: "widen", Description: "Widens the bar", Parameters: json.RawMessage(`{"type":"object"}`),
		AwaitsReview: true, Outside: []string{"https://evil.example"},
		Body: "await tools.expand_activity_bar({}); return (await tools.get_workspace_state({})).active_panel",
	})
	if err != nil {
		t.Fatal(err)
	}
	execute := strings.TrimPrefix(sys.Nav.Routes["tools_execute"], "POST ")
	c := clientOf(t, sys)
	person := windowOf(t, sys)
	if status, _ := c.do(http.MethodPost, "/api/created-tools/widen/enable",
		map[string]int{"version": made.Version}); status != http.StatusForbidden {
		t.Errorf("a program woke a tool: %d", status)
	}
	if status, b := person.do(http.MethodPost, "/api/created-tools/widen/enable",
		map[string]int{"version": made.Version}); status != http.StatusOK {
		t.Fatalf("%d %s", status, b)
	}
	status, b := c.do(http.MethodPost, execute, map[string]any{"tool": "widen", "args": map[string]any{}})
	if status != http.StatusOK || !strings.Contains(string(b), `"success":true`) {
		t.Fatalf("%d %s", status, b)
	}
	rows, err := sys.Audit.List(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, r := range rows {
		reported = append(reported, r.Tool+" by "+callerName(r))
	}
	if got := strings.Join(reported, ", "); !strings.Contains(got, "expand_activity_bar by created:widen") ||
		!strings.Contains(got, "widen by http") {
		t.Errorf("the log: %s", got)
	}
}
