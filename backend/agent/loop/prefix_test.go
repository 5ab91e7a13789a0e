package loop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/toolcalls"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// sent is a request as bytes: its tools and each of its messages.
type sent struct {
	Tools    json.RawMessage   `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
}

func requests(t *testing.T, h *harness) []sent {
	t.Helper()
	var out []sent
	for _, r := range h.service.Requests() {
		var s sent
		if err := json.Unmarshal(r.Body, &s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// checkPrefix fails unless the messages of b begin with the bytes of all those of a.
func checkPrefix(t *testing.T, what string, a, b sent) {
	t.Helper()
	for i, m := range a.Messages {
		if i >= len(b.Messages) || !bytes.Equal(m, b.Messages[i]) {
			t.Fatalf(
				"%s: message %d was sent as\n%s\nand then as\n%s",
				what,
				i,
				m,
				b.Messages[min(i, len(b.Messages)-1)],
			)
		}
	}
}

func panelTool(name string) toolspec.Definition {
	d := def(name, toolspec.Hints{})
	d.Origin, d.Owner = toolspec.OriginPanel, "notes"
	return d
}

func TestPrefixIsStable(t *testing.T) {
	odd := openaitest.Call{
		ID:   "x",
		Name: "look",
		Args: "{ \"where\" : \"<b>&amp;</b> \u2028 naïve 🙂\",\n \"n\": 1.50 }",
	}
	h := newHarness(
		t,
		calls(odd, call("look", `{"again":1}`)),
		calls(odd),
		calls(odd),
		openaitest.Answer{Text: "Seen <b>it</b>."},
		calls(
			call("act", `[1]`),
			call("gone", `{"x":1}`),
		),
		openaitest.Answer{Text: "Done."},
		openaitest.Answer{Text: "Yes."},
	)
	var n atomic.Int64 // assignCallIDs that only read run together
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		r := toolspec.OK(fmt.Sprintf("%s\n\"é\" %d\xff </tool>", c.Tool, n.Add(1)%2))
		r.Sources = []string{"https://shop.example"}
		return r
	}
	h.ask(t, "look twice")
	h.ask(t, "now act")
	before := requests(t, h)
	h.Close()
	again := loop.New(h.config())
	defer again.Close()
	if o, err := again.Run(t.Context(), loop.TurnRequest{
		Conversation: "c1", Text: "still there?",
		Model: "openai/m",
	}); err != nil ||
		o.Status != chat.StatusDone {
		t.Fatalf("%+v, %v", o, err)
	}
	all := requests(t, h)
	if len(all) != len(before)+1 || len(all) < 6 {
		t.Fatalf("%d requests, then %d", len(before), len(all))
	}
	for i := 1; i < len(all); i++ {
		checkPrefix(t, fmt.Sprintf("request %d", i), all[i-1], all[i])
		if !bytes.Equal(all[0].Tools, all[i].Tools) {
			t.Errorf("request %d tells other tools", i)
		}
	}
	t.Logf(
		"%d requests over three turns and a restart, %d messages in the last",
		len(all),
		len(all[len(all)-1].Messages),
	)
}

func TestPanelToolsAreAppended(t *testing.T) {
	h := newHarness(t, openaitest.Answer{Text: "One."}, openaitest.Answer{Text: "Two."},
		openaitest.Answer{Text: "Three."})
	plain := h.defs
	h.ask(t, "first")
	h.defs = slices.Concat([]toolspec.Definition{plain[0], panelTool("note_add")}, plain[1:])
	h.ask(t, "second")
	h.defs = plain
	h.ask(t, "third")
	r := requests(t, h)
	checkPrefix(t, "opening the panel", r[0], r[1])
	checkPrefix(t, "closing the panel", r[1], r[2])
	if !bytes.Equal(r[0].Tools, r[2].Tools) {
		t.Error("the tools are not what they were before the panel")
	}
	if !bytes.HasPrefix(r[1].Tools, bytes.TrimSuffix(r[0].Tools, []byte("]"))) ||
		!bytes.Contains(r[1].Tools, []byte("note_add")) {
		t.Errorf("the panel's tool comes before others:\n%s\n%s", r[0].Tools, r[1].Tools)
	}
}

// addTools makes a set that is too large to be listed: 40 tools of about 60 tokens.
func (h *harness) addTools() {
	h.window = 20_000
	h.defs = append(h.defs, def(toolspec.FindTools, toolspec.Hints{ReadOnly: true}))
	for i := range 40 {
		d := def(fmt.Sprintf("chat__post_%d", i), toolspec.Hints{})
		d.Description = strings.Repeat("Posts a message to a channel. ", 6)
		h.defs = append(h.defs, d)
	}
}

func TestCoreToolsNeverChange(t *testing.T) {
	h := newHarness(
		t,
		calls(call("find_tools", `{"query":"post a message"}`)),
		calls(
			call("call_tool", `{"tool":"chat__post_7","args":{"text":"hi"}}`),
			call("call_tool", `{"tool":"look","args":"{\"where\":1}"}`),
		),
		calls(
			call("call_tool", `{"text":"hi"}`),
			call("call_tool", `{"tool":"call_tool","args":{}}`),
			call("call_tool", `{"tool":"act","args":[1]}`),
		),
		openaitest.Answer{
			Text: "Posted.",
		},
		openaitest.Answer{Text: "Panel."},
		openaitest.Answer{Text: "Still."},
		openaitest.Answer{Text: "Gone."},
		openaitest.Answer{Text: "Back."},
	)
	h.addTools()
	plain := h.defs
	if o := h.ask(t, "post hi"); o.Status != chat.StatusDone || o.Calls != 6 {
		t.Fatalf("%+v", o)
	}
	_, _, made := h.recorded()
	var names []string
	for _, c := range made {
		names = append(names, c.Tool+string(c.Args))
	}
	slices.Sort(names)
	if got := strings.Join(names,
		" "); got != `chat__post_7{"text":"hi"} find_tools{"query":"post a message"} look{"where":1}` {
		t.Errorf("what ran: %s", got)
	}
	h.defs = slices.Concat(plain, []toolspec.Definition{panelTool("note_add")})
	h.ask(t, "the panel is open")
	h.ask(t, "and stays")
	h.defs = plain
	h.ask(t, "now it is closed")
	h.ask(t, "and stays closed")
	r := requests(t, h)
	for i := 1; i < len(r); i++ {
		checkPrefix(t, fmt.Sprintf("request %d", i), r[i-1], r[i])
		if !bytes.Equal(r[0].Tools, r[i].Tools) {
			t.Errorf("request %d tells other tools", i)
		}
	}
	var listed []string
	for _, tool := range h.service.Requests()[0].Tools {
		listed = append(listed, tool.Function.Name)
	}
	if got := strings.Join(listed, " "); got != "look act find_tools call_tool" {
		t.Errorf("the tools are %s", got)
	}
	for i, want := range []string{3: "", 4: "note_add(", 5: "", 6: "closed", 7: ""} {
		if i < 4 {
			continue
		}
		last := h.service.Requests()[i].LastContent()
		if noted := strings.HasPrefix(last, "[From Sextant: "); noted != (want != "") || !strings.Contains(last, want) {
			t.Errorf("request %d ends with %q", i, last)
		}
	}
	third := h.service.Requests()[3].Messages
	for _, m := range third[len(third)-3:] {
		if m.Role != "tool" || !strings.Contains(m.Content, "validation_error") ||
			!strings.Contains(m.Content, `{"tool":`) {
			t.Errorf("a wrong call_tool is answered with %+v", m)
		}
	}
	t.Logf("%d requests over five turns, tools %d bytes in each", len(r), len(r[0].Tools))
}

func TestTextCallsNameFoundToolDirectly(t *testing.T) {
	for _, kind := range textKinds {
		t.Run(string(kind), func(t *testing.T) {
			h := newHarness(t)
			h.dialects = fixed(kind)
			h.addTools()
			tools := toolcalls.NewToolset(h.defs)
			h.service.Answer = func(r openaitest.Request) openaitest.Answer {
				if len(r.Messages) > 3 {
					return openaitest.Answer{Text: "Posted."}
				}
				return openaitest.Answer{
					Text: toolcalls.Render(kind, toolcalls.Call{Name: "chat__post_7", Args: []byte(`{}`)}, tools),
				}
			}
			if o := h.ask(t, "post"); o.Status != chat.StatusDone {
				t.Fatalf("%s: %+v", kind, o)
			}
			_, _, made := h.recorded()
			if len(made) != 1 || made[0].Tool != "chat__post_7" {
				t.Errorf("%s: what ran: %+v", kind, made)
			}
			system := h.service.Requests()[0].Messages[0].Content
			if strings.Contains(system, "chat__post") || !strings.Contains(system, "find_tools(") {
				t.Errorf("%s: the prompt tells %s", kind, system)
			}
		})
	}
}
