package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/toolcalls"
	"sextant/backend/agent/toolcalls/probe"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// memory keeps settings for a Prober.
type memory struct {
	mu   sync.Mutex
	kept map[string]string
}

func (m *memory) Setting(_ context.Context, key string) (string, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, ok := m.kept[key]
	return v, ok, nil
}

func (m *memory) SetSetting(_ context.Context, key, value string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.kept == nil {
		m.kept = map[string]string{}
	}
	m.kept[key] = value
	return nil
}

// fixed is a detector that always returns kind.
func fixed(kind toolcalls.Format) loop.FormatDetector {
	return probe.New(
		probe.Config{
			Settings:  &memory{},
			Overrides: func() []string { return []string{"openai/m=" + string(kind)} },
		},
	)
}

var textKinds = []toolcalls.Format{toolcalls.FormatToolCall, toolcalls.FormatHermes, toolcalls.FormatFenced}

// textModel is a model that writes calls as text in one format and knows no other, like a local server with a
// plain template.
func textModel(kind toolcalls.Format, fragment int, steps ...string) func(openaitest.Request) openaitest.Answer {
	return func(r openaitest.Request) openaitest.Answer {
		system := ""
		if len(r.Messages) > 0 && r.Messages[0].Role == "system" {
			system = r.Messages[0].Content
		}
		form := map[toolcalls.Format]string{
			toolcalls.FormatToolCall: `<tool_call>{"name"`,
			toolcalls.FormatHermes:   "<function=name>", toolcalls.FormatFenced: "```tool\nreturn",
		}[kind]
		switch {
		case len(r.Tools) > 0:
			return openaitest.Answer{Status: 400, Body: `{"error":{"message":"this model does not support tools"}}`}
		case !strings.Contains(system, form):
			return openaitest.Answer{Text: "I am only a language model."}
		case strings.Contains(system, probe.ToolName):
			return openaitest.Answer{
				Text: toolcalls.Render(
					kind,
					toolcalls.Call{Name: probe.ToolName, Args: []byte(`{"word":"saffron"}`)},
					toolcalls.NewToolset([]toolspec.Definition{def(probe.ToolName, toolspec.Hints{})}),
				),
				Usage: openaitest.Usage{Input: 90, Output: 9},
			}
		}
		n := 0
		for _, m := range r.Messages {
			if m.Role == "assistant" {
				n++
			}
		}
		return openaitest.Answer{Text: steps[n%len(steps)], ChunkSize: fragment}
	}
}

// script is a task of three rounds in one format.
func script(kind toolcalls.Format) []string {
	print := func(name, args string) string {
		return toolcalls.Render(
			kind,
			toolcalls.Call{Name: name, Args: []byte(args)},
			toolcalls.NewToolset([]toolspec.Definition{def("look", toolspec.Hints{}), def("act", toolspec.Hints{})}),
		)
	}
	return []string{
		"Ich schaue nach: naïve 🙂.\n" + print(
			"look",
			`{"where":"top \"left\""}`,
		) + "\n" + print(
			"look",
			`{"where":"<b>end</b>"}`,
		),
		print("act", `{"text":"zwei\nZeilen","n":2}`),
		"Fertig [12].",
	}
}

func TestTextCallsInEveryFormat(t *testing.T) {
	for _, kind := range textKinds {
		t.Run(string(kind), func(t *testing.T) {
			h := newHarness(t)
			h.dialects = probe.New(probe.Config{Settings: &memory{}})
			h.service.ScriptedProbes = true
			h.service.Answer = textModel(kind, 0, script(kind)...)
			h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
				r := toolspec.OK(c.Tool + string(c.Args) + " </tool_response> ``` end")
				r.Sources = []string{"https://shop.example"}
				return r
			}
			for turn := 1; turn <= 2; turn++ {
				o := h.run(
					t,
					loop.TurnRequest{
						Conversation: fmt.Sprint("c", turn),
						Text:         "do it",
						Model:        "openai/m",
						Interactive:  true,
					},
				)
				if o.Status != chat.StatusDone || o.Text != "Fertig [12]." || o.Calls != 3 || o.Rounds != 3 {
					t.Fatalf("turn %d: %+v", turn, o)
				}
			}
			_, messages, made := h.recorded()
			// Read-only calls run in parallel, in any order.
			read := string(made[0].Args) + string(made[1].Args)
			if !strings.Contains(read, `{"where":"top \"left\""}`) ||
				string(made[2].Args) != `{"text":"zwei\nZeilen","n":2}` {
				t.Errorf("calls %s, %s, %s", made[0].Args, made[1].Args, made[2].Args)
			}
			if messages[1].Text != "Ich schaue nach: naïve 🙂." || len(messages[1].Calls) != 2 {
				t.Errorf("message %+v", messages[1])
			}
			requests := h.service.Requests()
			probes := len(requests) - 6
			if probes < 2 || probes > probe.MaxRequests {
				t.Errorf("%d requests of the probe", probes)
			}
			last := requests[len(requests)-1]
			if got := last.Messages[len(last.Messages)-1]; got.Role != "user" ||
				!strings.Contains(got.Content, "<<outside ") ||
				strings.Count(got.Content, "</tool_response>") > 1 {
				t.Errorf("results are written back as %+v", got)
			}
			for i, m := range last.Messages {
				if m.Role == "tool" || i > 0 && m.Role == last.Messages[i-1].Role {
					t.Errorf("message %d is %s", i, m.Role)
				}
			}
			t.Logf("%s: found with %d requests", kind, probes)
		})
	}
}

func TestTextCallsAtEverySplit(t *testing.T) {
	cuts := 0
	for _, kind := range textKinds {
		t.Run(string(kind), func(t *testing.T) {
			steps := script(kind)
			h := newHarness(t)
			h.dialects = fixed(kind)
			answer := steps[0]
			for at := 1; at < len(answer); at++ {
				cuts++
				h.service.Answer = func(r openaitest.Request) openaitest.Answer {
					if len(r.Messages) > 2 {
						return openaitest.Answer{Text: "Fertig."}
					}
					return openaitest.Answer{Raw: split(answer, at)}
				}
				o := h.run(t, loop.TurnRequest{Conversation: fmt.Sprint("c", at), Text: "do it", Model: "openai/m"})
				if o.Status != chat.StatusDone || o.Calls != 2 || o.Text != "Fertig." {
					t.Fatalf("%s cut at %d: %+v", kind, at, o)
				}
			}
			_, _, made := h.recorded()
			for i, c := range made {
				want := []string{`{"where":"top \"left\""}`, `{"where":"<b>end</b>"}`}
				if got := string(c.Args); got != want[0] && got != want[1] {
					t.Fatalf("%s: call %d is %s", kind, i, got)
				}
			}
		})
	}
	t.Logf("%d answers over HTTP, each cut at another byte", cuts)
}

// split is a stream of text in two events, split at a byte; a split within a character moves to its end.
func split(text string, at int) string {
	for at < len(text) && text[at]&0xC0 == 0x80 {
		at++
	}
	first := string(openaitest.Render(openaitest.Answer{Text: text[:at], ChunkSize: len(text), Finish: "MARK"}))
	first, _, found := strings.Cut(first, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"MARK\"")
	if !found {
		panic("the stream has another form")
	}
	return first + string(openaitest.Render(openaitest.Answer{Text: text[at:], ChunkSize: len(text)}))
}

func TestReadOnlyCallStartsEarly(t *testing.T) {
	call := toolcalls.Render(toolcalls.FormatToolCall, toolcalls.Call{Name: "look", Args: []byte(`{}`)},
		toolcalls.NewToolset(nil))
	act := strings.Replace(call, "look", "act", 1)
	whole := openaitest.Answer{Text: call + "\n" + act + "\nNow a long explanation.", ChunkSize: 4}
	whole.StallAfter = strings.Index(string(openaitest.Render(whole)), `"finish_reason":"stop"`)
	h := newHarness(t, whole)
	h.dialects = fixed(toolcalls.FormatToolCall)
	looked := make(chan string, 4)
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result { looked <- c.Tool; return toolspec.OK("seen") }
	if _, err := h.Start(context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: "go", Model: "openai/m"}); err != nil {
		t.Fatal(err)
	}
	select {
	case tool := <-looked:
		if tool != "look" {
			t.Errorf("%s ran", tool)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("nothing ran while the answer stood still")
	}
	h.until(t, event.TextDelta)
	h.Stop("c1")
	if len(looked) > 0 {
		t.Errorf("%s ran in an answer that did not end", <-looked)
	}
}

func TestInvalidTextCallIsReported(t *testing.T) {
	answer := "```tool\nreturn look({where: \"a\"});\n```\n```tool\nreturn loook({});\n```\n```tool\nreturn act({n: " +
		"});\n```\n"
	h := newHarness(t, openaitest.Answer{Text: answer}, openaitest.Answer{Text: "Sorry."})
	h.dialects = fixed(toolcalls.FormatFenced)
	if o := h.ask(t, "go"); o.Status != chat.StatusDone {
		t.Fatalf("outcome %+v", o)
	}
	_, _, made := h.recorded()
	if len(made) != 1 || made[0].Tool != "look" {
		t.Errorf("calls %+v", made)
	}
	if diff := cmp.Diff([]string{"act", "loook"}, slices.Sorted(slices.Values(h.refused))); diff != "" {
		t.Errorf("calls that are only recorded (-want +got):\n%s", diff)
	}
	last := h.service.Requests()[1].LastContent()
	for _, want := range []string{
		`line 5, column 8: there is no tool "loook"; nearest: look`,
		`line 8, column 16: expected a value, found "}"`, "return look(",
	} {
		if !strings.Contains(last, want) {
			t.Errorf("the model does not get %q:\n%s", want, last)
		}
	}
}

func TestCallsCarryWhatModelSaidBeforeThem(t *testing.T) {
	h := newHarness(t, openaitest.Answer{
		Text:  "Two shops sell it.\n\nI look at the first, then order there.",
		Calls: []openaitest.Call{{Name: "look", Args: `{}`}, {Name: "act", Args: `{}`}},
	}, openaitest.Answer{Text: "Done."})
	h.ask(t, goal)
	if len(h.calls) != 2 {
		t.Fatalf("%+v", h.calls)
	}
	for _, c := range h.calls {
		if strings.TrimSpace(c.Purpose) != "I look at the first, then order there." {
			t.Errorf("%s: %q", c.Tool, c.Purpose)
		}
	}
}

// In text the model may say something before each call.
func TestEachCallCarriesWhatWasSaidBeforeIt(t *testing.T) {
	h := newHarness(t, openaitest.Answer{
		Text: "I move the draft.\n```tool\nreturn act({n: 1});\n```\n" +
			"Now I delete it.\n```tool\nreturn act({n: 2});\n```\nDone?",
	}, openaitest.Answer{Text: "Done."})
	h.dialects = fixed(toolcalls.FormatFenced)
	h.ask(t, "go")
	var said []string
	for _, c := range h.calls {
		said = append(said, c.Purpose)
	}
	if len(said) != 2 || !strings.HasSuffix(said[0], "I move the draft.") ||
		!strings.HasSuffix(said[1], "Now I delete it.") {
		t.Errorf("%q", said)
	}
}
