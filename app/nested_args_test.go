package app

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestDeeplyNestedArgumentsStopNoOtherCall sends arguments that SQLite does not accept as JSON, because they are nested
// more than 1,000 deep. The call is refused and recorded, and the next one runs.
func TestDeeplyNestedArgumentsStopNoOtherCall(t *testing.T) {
	sys := openTest(t, OpenOptions{Serve: true})
	window := windowOf(t, sys)
	deep := json.RawMessage(`{"path": ` + strings.Repeat(`{"a":`, 3000) + `1` + strings.Repeat(`}`, 3000) + `}`)
	if r := window.execute("read_file", deep); r.Success {
		t.Error("the call with nested arguments succeeded")
	}
	if r := window.execute("list_directory", map[string]string{}); !r.Success {
		t.Errorf("the call after it: %v", r.Error)
	}
	row := logged(t, sys, "read_file", "")
	if !strings.Contains(string(row.Args), "nested more than 500 deep") {
		t.Errorf("the refused call is recorded with the arguments %.200s", row.Args)
	}
	logged(t, sys, "list_directory", "")
}
