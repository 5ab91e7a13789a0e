package prompt_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"sextant/backend/agent/prompt"
	"sextant/shared/toolspec"
)

// tools are n definitions of 100 estimated tokens each.
func tools(n int, origin toolspec.Origin) []toolspec.Definition {
	defs := make([]toolspec.Definition, n)
	for i := range defs {
		defs[i] = toolspec.Definition{
			Name:       fmt.Sprintf("t_%s_%03d", origin, i),
			Origin:     origin,
			Parameters: json.RawMessage("{}"),
		}
		defs[i].Description = strings.Repeat("x", 400-defs[i].PromptBytes())
	}
	return defs
}

func TestToolSearchThreshold(t *testing.T) {
	find := toolspec.Definition{Name: toolspec.FindTools, Origin: toolspec.OriginBaseline}
	var box prompt.Toolbox
	for _, step := range []struct {
		n         int
		searching bool
	}{{10, false}, {11, true}, {10, true}, {9, true}, {8, false}, {10, false}, {11, true}} {
		o := box.Select(append(tools(step.n, toolspec.OriginMCP), find), nil, 20_000)
		if o.Searching != step.searching {
			t.Errorf("%d tools of 100 tokens in a window of 20,000: searching is %v", step.n, o.Searching)
		}
		if want := step.n; !step.searching && len(o.Listed) != want || step.searching && len(o.Listed) != 2 {
			t.Errorf("%d tools: %d are listed", step.n, len(o.Listed))
		}
	}
	if o := box.Select(tools(1000, toolspec.OriginMCP), nil, 20_000); o.Searching || len(o.Listed) != 1000 {
		t.Error("without find_tools some are neither listed nor found")
	}
}

func TestPanelNote(t *testing.T) {
	var box prompt.Toolbox
	all := append(tools(15, toolspec.OriginPanel), toolspec.Definition{Name: toolspec.FindTools})
	o := box.Select(all, nil, 2000)
	if strings.Count(o.Note, "t_panel_") != 12 || !strings.Contains(o.Note, "and 3 more: find_tools") {
		t.Errorf("note %s", o.Note)
	}
	if got := prompt.NextNote(o.Note, nil); got != o.Note {
		t.Errorf("first: %q", got)
	}
	for _, c := range []struct {
		want, last string
		note       string
	}{
		{"a", "a", ""},
		{"b", "a", "b"},
		{"", "a", prompt.PanelClosedNote},
		{"", prompt.PanelClosedNote, ""},
		{"a", prompt.PanelClosedNote, "a"},
	} {
		t.Run(c.last+" then "+c.want, func(t *testing.T) {
			if got := prompt.NextNote(c.want, []string{"old", c.last}); got != c.note {
				t.Errorf("last %q, now %q: appended %q", c.last, c.want, got)
			}
		})
	}
	if got := prompt.NextNote("", nil); got != "" {
		t.Errorf("a note about no panel: %q", got)
	}
}

func TestCallToolResolution(t *testing.T) {
	for _, c := range []struct{ name, args, tool, meant, wrong string }{
		{"look", `{"tool":"act"}`, "look", `{"tool":"act"}`, ""},
		{"call_tool", `{"tool":"act","args":{"n":1}}`, "act", `{"n":1}`, ""},
		{"call_tool", `{"tool":"act"}`, "act", `{}`, ""},
		{"call_tool", `{"name":"act","arguments":{"n":1}}`, "act", `{"n":1}`, ""},
		{"call_tool", `{"name":"act","arguments":"{\"n\":1}"}`, "act", `{"n":1}`, ""},
		{"call_tool", `{"name":"call_tool","arguments":{}}`, "", "", "does not name a tool"},
		{"call_tool", `{"tool":"act","args":null}`, "act", `{}`, ""},
		{"call_tool", `{"tool":"act","args":"{\"n\":1}"}`, "act", `{"n":1}`, ""},
		{"call_tool", `{"tool":"act","args":"n=1"}`, "", "", "args for act are not"},
		{"call_tool", `{"tool":"act","args":""}`, "", "", "args for act are not"},
		{"call_tool", `{"tool":"act","args":[1]}`, "", "", "args for act are not"},
		{"call_tool", `{"tool":" "}`, "", "", "does not name a tool"},
		{"call_tool", `{"tool":7}`, "", "", "does not name a tool"},
		{"call_tool", `[]`, "", "", "does not name a tool"},
		{"call_tool", ``, "", "", "does not name a tool"},
		{"call_tool", `{"tool":"call_tool","args":{}}`, "", "", "does not name a tool"},
	} {
		t.Run(c.args, func(t *testing.T) {
			tool, args, wrong := prompt.ResolveCall(c.name, json.RawMessage(c.args))
			if tool != c.tool || string(args) != c.meant || (wrong == nil) != (c.wrong == "") ||
				wrong != nil && !strings.Contains(wrong.Error, c.wrong) {
				t.Errorf("%s %s: %s %s %+v", c.name, c.args, tool, args, wrong)
			}
		})
	}
}

func TestDefaultWindowByModelName(t *testing.T) {
	for name, want := range map[string]int{
		"openai/gpt-5-mini": 400_000, "anthropic/claude-x": 200_000, "openrouter/anthropic/claude-x": 200_000,
		"ollama/qwen3": 32_000, "ollama/gpt-5": 32_000, "openai/unheard-of": 128_000, "": 128_000,
	} {
		t.Run(name, func(t *testing.T) {
			if got := prompt.DefaultContextWindow(name); got != want {
				t.Errorf("%s reads %d tokens", name, got)
			}
		})
	}
}
