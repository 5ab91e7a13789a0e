package tasks

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestHoist(t *testing.T) {
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"a"}}}`:                                    `{"id":1,"jsonrpc":"2.0","result":{"_meta":{"sextant/task":{"taskId":"a"}},"task":{"taskId":"a"}}}`,
		`{"id":1,"result":{"resultType":"task","taskId":"a","_meta":{"x":1}}}`:                         `{"id":1,"result":{"_meta":{"sextant/task":{"resultType":"task","taskId":"a"},"x":1},"resultType":"task","taskId":"a"}}`,
		`{"id":1,"result":{"content":[],"structuredContent":{"taskId":"a"},"task":{"taskId":"a"}}}`:    "",
		`{"id":1,"result":{"taskId":"a","status":"working"}}`:                                          "",
		`{"id":1,"result":{"tools":[{"name":"a","execution":{"taskSupport":"required"}},{"name":1}]}}`: `{"id":1,"result":{"tools":[{"_meta":{"sextant/execution":{"taskSupport":"required"}},"execution":{"taskSupport":"required"},"name":"a"},{"name":1}]}}`,
		`{"id":1,"result":{"capabilities":{"tasks":{}}}}`:                                              `{"id":1,"result":{"capabilities":{"experimental":{"sextant/tasks":{}},"tasks":{}}}}`,
		`{"id": 1, "result": "the \"taskId\" and the \"tasks\""}`:                                      "",
		`no JSON at all, "taskId" or not`:                                                              "",
		`[{"id":1,"result":{"task":{"taskId":"a"}}}]`:                                                  "",
		`{"id":1,"result":{"task":{"taskId":"a"},"_meta":7}}`:                                          "",
		`{"id":1,"result":null,"x":"taskId"}`:                                                          "",
	} {
		t.Run(text, func(t *testing.T) {
			if want == "" {
				want = text
			}
			for _, events := range []bool{false, true} {
				line, expected := text+"\n", want+"\n"
				if events {
					line, expected = "event: message\ndata: "+text+"\n\n", "event: message\ndata: "+want+"\n\n"
				}
				got, err := io.ReadAll(
					Hoist(io.NopCloser(iotest.OneByteReader(strings.NewReader(line))), 1<<20, events),
				)
				if err != nil || strings.ReplaceAll(string(got), "data:{", "data: {") != expected {
					t.Errorf("%v: got %q, %v, want %q", events, got, err, expected)
				}
			}
		})
	}
}

func TestHoistPassesLongLines(t *testing.T) {
	long := `{"id":1,"result":{"task":{"taskId":"` + strings.Repeat("a", 1<<20) + `"}}}` + "\n"
	short := `{"id":2,"result":{"task":{"taskId":"b"}}}` + "\n"
	got, err := io.ReadAll(Hoist(io.NopCloser(strings.NewReader(long+short+"rest")), 1<<17, false))
	if err != nil || !strings.HasPrefix(string(got), long) || !strings.Contains(string(got[len(long):]),
		"sextant/task") || !strings.HasSuffix(string(got), "\nrest") {
		t.Errorf("got %d bytes, %v, ending in %q", len(got), err, got[max(0, len(got)-200):])
	}
}

func TestPollInterval(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "1s", `{"pollInterval":5000}`: "5s",
		`{"pollIntervalMs":1}`: "250ms", `{"pollInterval":1e300}`: "30s", `{"pollInterval":-1}`: "1s",
	} {
		t.Run(text, func(t *testing.T) {
			var s State
			if err := json.Unmarshal([]byte(text), &s); err != nil || s.pause().String() != want {
				t.Errorf("%s: %v, %v", text, s.pause(), err)
			}
		})
	}
}
