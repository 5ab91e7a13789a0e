package app

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestEveryStepOfRunStepsIsJudgedAsACall(t *testing.T) {
	site := httptest.NewServer(http.NotFoundHandler())
	defer site.Close()
	sys := openTest(t, OpenOptions{Serve: true})
	c := clientOf(t, sys)
	r := c.execute("run_steps", map[string]any{"steps": []map[string]any{
		{"tool": "navigate_page", "url": "demo"}, {"tool": "navigate_page", "url": site.URL}, {"tool": "annotate_page"},
	}})
	var v struct {
		Done    int
		Steps   []struct{ Status, Outcome string }
		Stopped string
	}
	b, err := json.Marshal(r.Value)
	if err != nil || json.Unmarshal(b, &v) != nil {
		t.Fatalf("%s (%v)", b, err)
	}
	if !r.Success || v.Done != 1 || len(v.Steps) != 2 || v.Steps[1].Status != "failed" ||
		!strings.Contains(v.Stopped, "private") {
		t.Errorf("a private address that nobody typed: %+v %s", r, b)
	}
	rows, err := sys.Audit.List(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]int{}
	for _, row := range rows {
		said[row.Tool+" "+row.Decision]++
	}
	if said["run_steps allowed"] != 1 || said["navigate_page allowed"] != 1 || said["navigate_page refused"] != 1 {
		t.Errorf("the audit log holds %v", said)
	}
	bad := c.execute("run_steps", map[string]any{"steps": []map[string]any{{"tool": "navigate_page", "uri": "demo"}}})
	if bad.Success || bad.ErrorType != toolspec.ValidationError || !strings.Contains(bad.Error, "uri") {
		t.Errorf("a step with an argument that its tool does not have: %+v", bad)
	}
}
