package app

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

func TestOnlyThePersonChangesAToolsPermission(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	person := windowOf(t, sys)
	route := "/api/tools/list_directory/permission"
	if status, _ := clientOf(t, sys).do(http.MethodPut, route,
		map[string]any{"permission": "allow"}); status != http.StatusForbidden {
		t.Errorf("a program gave leave: %d", status)
	}
	if status, _ := person.do(http.MethodPut, "/api/tools/no_such_tool/permission",
		map[string]any{"permission": "allow"}); status != http.StatusNotFound {
		t.Errorf("a tool that is not there: %d", status)
	}
	if status, _ := person.do(http.MethodPut, route,
		map[string]any{"permission": "perhaps"}); status != http.StatusBadRequest {
		t.Errorf("a word that means nothing: %d", status)
	}
	setPermission := func(want string) (permission, rule string) {
		t.Helper()
		status, b := person.do(http.MethodPut, route, map[string]any{"permission": want})
		var list struct {
			Tools []struct {
				Name      string `json:"name"`
				Effective struct{ Permission, Rule string }
			} `json:"tools"`
		}
		if err := json.Unmarshal(b, &list); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %v %.300s", want, status, err, b)
		}
		for _, tool := range list.Tools {
			if tool.Name == "list_directory" {
				return tool.Effective.Permission, tool.Effective.Rule
			}
		}
		t.Fatalf("%s: the tool is not listed", want)
		return "", ""
	}
	call := func() toolspec.Result {
		return sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: "list_directory", Args: json.RawMessage(`{}`),
			From: toolspec.Provenance{Caller: toolspec.CallerRun},
		})
	}
	for _, step := range []struct{ want, rule, refusal string }{
		{"never", "A rule forbids it: list_directory, never.", "a rule forbids it"},
		{"ask", "You want to be asked", "to ask every time"},
		{"allow", "You allowed it.", ""},
		{"never", "A rule forbids it", "a rule forbids it"},
		{"", "It reads in the folder", ""},
	} {
		t.Run(cmp.Or(step.want, "by rules"), func(t *testing.T) {
			permission, rule := setPermission(step.want)
			if permission != step.want || !strings.HasPrefix(rule, step.rule) {
				t.Errorf("%q %q", permission, rule)
			}
			if r := call(); r.Success != (step.refusal == "") || !strings.Contains(r.Error, step.refusal) {
				t.Errorf("%+v", r)
			}
		})
	}
	// Nothing is left behind.
	grants, err := sys.Store.Grants(t.Context())
	if err != nil || len(grants) != 0 || sys.Settings.Get("tools_ask")+sys.Settings.Get("tools_allow") != "" {
		t.Errorf("%v %v %q %q", grants, err, sys.Settings.Get("tools_ask"), sys.Settings.Get("tools_allow"))
	}
}
