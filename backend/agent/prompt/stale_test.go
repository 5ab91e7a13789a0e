package prompt_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
)

var snapshotTools = []string{"annotate_page"}

// conversation builds rounds of one call each: tool, arguments and result.
type conversation []chat.Message

func (c *conversation) round(tool, args, text string) string {
	n := len(*c)
	id := fmt.Sprintf("m_%09d", n+1)
	*c = append(
		*c,
		chat.Message{
			ID:    fmt.Sprintf("m_%09d", n),
			Role:  chat.RoleAssistant,
			Calls: []chat.ToolCall{{ID: fmt.Sprint("c", n), Name: tool, Args: json.RawMessage(args)}},
		},
		chat.Message{ID: id, Role: chat.RoleTool, CallID: fmt.Sprint("c", n), Text: text, Status: chat.StatusDone},
	)
	return id
}

// pageResult is a page's answer with n more bytes.
func pageResult(url, tab string, n int) string {
	return "Page: A | b | tab 7 | " + url + " | v3 | tab " + tab + "\n[1] button \"Go\"\n" + strings.Repeat("x", n)
}

func staleIDs(m conversation) []string {
	return slices.Sorted(maps.Keys(prompt.StaleResults(m, snapshotTools)))
}

func TestOlderSnapshotIsLeftOut(t *testing.T) {
	var m conversation
	first := m.round("annotate_page", `{}`, pageResult("https://a.example/", "1", 13_000))
	for _, part := range []string{`{"query":"save"}`, `{"changes_only":true}`} {
		m.round("annotate_page", part, pageResult("https://a.example/", "1", 700))
	}
	m.round("click_element", `{}`, pageResult("https://a.example/", "1", 700))
	m.round("annotate_page", `{}`, pageResult("https://a.example/", "2", 13_000))
	if got := staleIDs(m); len(got) != 0 {
		t.Fatalf("%v is left out though nothing shows all of it", got)
	}
	m.round("call_tool", `{"tool":"annotate_page","args":{}}`, pageResult("https://a.example/", "1", 700))
	got := staleIDs(m)
	if len(got) != 4 || got[0] != first {
		t.Errorf("left out is %v", got)
	}
	if s := prompt.StaleResults(m,
		snapshotTools)[first]; s.Head != "Page: A | b | tab 7 | https://a.example/ | v3 | tab 1\n[1] button \"Go\"" ||
		!strings.Contains(s.Note, `read_result {"handle":"`+first+`"}`) ||
		!strings.Contains(s.Note, "3 lines") {
		t.Errorf("%+v", s)
	}
}

func TestSnapshotOfLeftPageStaysForSomeRounds(t *testing.T) {
	var m conversation
	m.round("annotate_page", `{}`, pageResult("https://a.example/", "1", 13_000))
	m.round("annotate_page", `{}`, pageResult("https://b.example/", "1", 700))
	for rounds := 1; rounds <= 2; rounds++ {
		if got := staleIDs(m); len(got) != 0 {
			t.Fatalf("%d rounds later %v is left out", rounds, got)
		}
		m.round("act", `{}`, "done")
	}
	if got := staleIDs(m); len(got) != 0 {
		t.Fatalf("%v is left out before its time", got)
	}
	m.round("act", `{}`, "done")
	if got := staleIDs(m); len(got) != 1 {
		t.Errorf("left out is %v", got)
	}
}

func TestLongResultIsLeftOutAfterManyRounds(t *testing.T) {
	var m conversation
	m.round("bash", `{}`, strings.Repeat("line\n", 3000))
	m.round("bash", `{}`, "short")
	for range 8 {
		m.round("act", `{}`, "done")
	}
	if got := staleIDs(m); len(got) != 0 {
		t.Fatalf("%v is left out", got)
	}
	m.round("act", `{}`, "done")
	m.round("act", `{}`, "done")
	if got := staleIDs(m); len(got) != 1 || got[0] != m[1].ID {
		t.Errorf("left out is %v", got)
	}
}

func TestLeftOutResultsStayLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m conversation
		var before map[string]prompt.ShortenedResult
		for range rapid.IntRange(1, 40).Draw(t, "rounds") {
			tool := rapid.SampledFrom([]string{"annotate_page", "click_element", "bash"}).Draw(t, "tool")
			size := rapid.IntRange(700, 9000).Draw(t, "size")
			text := strings.Repeat("x", size)
			if tool != "bash" {
				text = pageResult(
					rapid.SampledFrom([]string{"https://a.example/", "https://b.example/"}).Draw(t, "url"),
					rapid.SampledFrom([]string{"1", "2"}).Draw(t, "tab"),
					size,
				)
			}
			m.round(tool, `{}`, text)
			after := prompt.StaleResults(m, snapshotTools)
			freed := 0
			for id, s := range before {
				if after[id] != s {
					t.Fatalf("%s was %+v and is %+v", id, s, after[id])
				}
			}
			for id, s := range after {
				if _, known := before[id]; !known {
					i := slices.IndexFunc(m, func(x chat.Message) bool { return x.ID == id })
					freed += len(m[i].Text)
					if len(s.Head) >= len(m[i].Text) && len(m[i].Text) > 600 {
						t.Fatalf("%d bytes are replaced by %d", len(m[i].Text), len(s.Head))
					}
				}
			}
			if len(after) > len(before) && freed < 12_000 {
				t.Fatalf("%d bytes were left out alone", freed)
			}
			before = after
		}
	})
}
