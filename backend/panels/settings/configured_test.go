package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/panels/manifest"
	"sextant/backend/store/sqlite"
)

// memoryKeys is a key store in memory.
type memoryKeys map[string]string

func (m memoryKeys) Key(name string) (string, bool) { value, ok := m[name]; return value, ok }

func (m memoryKeys) SetKey(name, value string) error {
	if delete(m, name); value != "" {
		m[name] = value
	}
	return nil
}

func fields() map[string]manifest.ConfigField {
	return map[string]manifest.ConfigField{
		"size": {Type: "integer", Default: json.RawMessage("20")}, "place": {Type: "string"},
		"loud": {Type: "boolean"}, "rate": {Type: "number"}, "key": {Type: "string", Sensitive: true},
	}
}

func TestSettingsRoundTrip(t *testing.T) {
	kept, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sextant.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = kept.Close() })
	keys := memoryKeys{}
	s := New(kept, keys)
	text := func(panel string) string {
		t.Helper()
		all, err := s.JSON(t.Context(), panel, fields())
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if got := text("notes"); got != `{"size":20}` {
		t.Error(got)
	}
	set := func(values string) error {
		t.Helper()
		var all map[string]json.RawMessage
		if err := json.Unmarshal([]byte(values), &all); err != nil {
			t.Fatal(err)
		}
		return s.Set(t.Context(), "notes", fields(), all)
	}
	if err := set(`{"size":3,"place":"Bonn","loud":true,"rate":0.5,"key":"s3cret"}`); err != nil {
		t.Fatal(err)
	}
	if got := text("notes"); got != `{"key":"s3cret","loud":true,"place":"Bonn","rate":0.5,"size":3}` {
		t.Error(got)
	}
	if got := text("other"); got != `{"size":20}` {
		t.Errorf("another panel got %s", got)
	}
	list, err := s.List(t.Context(), "notes", fields())
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(list)
	if err != nil || strings.Contains(string(shown), "s3cret") ||
		!strings.Contains(string(shown), `"name":"key","type":"string","sensitive":true,"set":true`) {
		t.Errorf("%s %v", shown, err)
	}
	inTable, err := kept.PanelConfig(t.Context(), "notes")
	if err != nil || inTable["key"] != nil {
		t.Errorf("the database holds a sensitive value: %v %v", inTable, err)
	}
	if err := set(`{"size":null,"key":null}`); err != nil {
		t.Fatal(err)
	}
	if got := text("notes"); got != `{"loud":true,"place":"Bonn","rate":0.5,"size":20}` || len(keys) != 0 {
		t.Error(got, keys)
	}
	for _, bad := range []string{
		`{"size":"3"}`, `{"size":1.5}`, `{"place":1}`, `{"loud":"yes"}`, `{"rate":"1"}`,
		`{"none":1}`, `{"place":"` + strings.Repeat("x", maxText+1) + `"}`,
	} {
		t.Run(fmt.Sprintf("%.40s", bad), func(t *testing.T) {
			var wrong *InvalidError
			if err := set(bad); !errors.As(err, &wrong) || len(wrong.Fields) != 1 {
				t.Errorf("%.40s: %v", bad, err)
			}
		})
	}
}
