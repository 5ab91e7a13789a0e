// Package pilot is the built-in command pilot: a Model without a model. It turns plain
// commands ("open example.com and annotate", "type hello into 4") into the same tool calls
// a language model would make, one at a time, and reads the results back in a sentence.
// It works with no network, and its calls pass the same Pipeline as everybody's.
//
// Its grammar is small on purpose and written down in help.md, which the command help
// prints. What it does not understand it says so; it never guesses. Answers depend on the
// request alone, so a Pilot has no state and may be used concurrently.
package pilot

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

//go:embed help.md
var help string

// Config adapts the pilot to the house it runs in; the zero value works.
type Config struct {
	// DemoURL gives the address of the built-in demo site; nil leaves the word "demo" to
	// navigate_page.
	DemoURL func() string
}

// Pilot implements llm.Model.
type Pilot struct {
	demo func() string
}

// New makes a Pilot.
func New(cfg Config) *Pilot {
	if cfg.DemoURL == nil {
		cfg.DemoURL = func() string { return "demo" }
	}
	return &Pilot{demo: cfg.DemoURL}
}

// Stream answers the last user message of req: with the next call of its chain of
// commands, or, when all have results or one failed, with a text.
func (p *Pilot) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	asked, results := lastAsk(req.Messages)
	tools := offered(req.Tools)
	plan, problem := p.plan(asked, tools)
	if problem != nil {
		return say(onDelta, problem.sentence(tools)), nil
	}
	var parts []string
	for i, s := range plan {
		if s.local != "" {
			parts = append(parts, local(s.local, req.Tools))
			continue
		}
		if len(results) == 0 {
			if !slices.Contains(tools, s.tool) {
				parts = append(parts, missing(s, tools), notDone(plan[i+1:]))
				return say(onDelta, parts...), nil
			}
			return llm.Response{
				Calls: []chat.ToolCall{{ID: fmt.Sprintf("pilot-%d", i+1), Name: s.tool, Args: s.args}},
				Stop:  llm.StopCalls,
			}, nil
		}
		result := results[0]
		results = results[1:]
		if result.Status != chat.StatusDone {
			parts = append(parts, failure(result.Text), notDone(plan[i+1:]))
			return say(onDelta, parts...), nil
		}
		parts = append(parts, report(s, result.Text))
	}
	return say(onDelta, parts...), nil
}

// lastAsk is the text of the newest user message and the results that follow it.
func lastAsk(messages []chat.Message) (string, []chat.Message) {
	asked, results := "", []chat.Message(nil)
	for _, m := range messages {
		switch m.Role {
		case chat.RoleUser:
			asked, results = m.Text, nil
		case chat.RoleTool:
			results = append(results, m)
		}
	}
	return asked, results
}

func offered(tools []toolspec.Function) []string {
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		names = append(names, t.Function.Name)
	}
	return names
}

func say(onDelta func(llm.Delta), parts ...string) llm.Response {
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
	text := strings.Join(parts, "\n\n")
	onDelta(llm.Delta{Text: text})
	return llm.Response{Text: text, Stop: llm.StopDone}
}

// step is one command: a call, or something the pilot answers itself.
type step struct {
	// said is the command in the person's words.
	said  string
	tool  string
	args  json.RawMessage
	local string
}

func call(tool string, args map[string]any) step {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // addresses are shown to people as they are
	if err := enc.Encode(args); err != nil {
		return step{tool: tool, args: json.RawMessage("{}")} // strings, numbers and lists of strings always encode
	}
	return step{tool: tool, args: bytes.TrimSpace(b.Bytes())}
}

// trouble is why a sentence became no plan. Nothing of it runs.
type trouble struct {
	// said is what was not understood.
	said string
	// part is true when it is one command of several.
	part bool
	// hint says what the command needs; empty when there is no such command.
	hint string
}

func (t *trouble) sentence(tools []string) string {
	if t.hint != "" {
		return t.hint + " Nothing was done."
	}
	if near := nearest(t.said, tools); near != "" {
		return fmt.Sprintf("There is no command %q. Did you mean %q? Nothing was done. Say \"help\" for all commands.", short(t.said), near)
	}
	what := "that"
	if t.part {
		what = fmt.Sprintf("%q", short(t.said))
	}
	return "The command pilot has no command for " + what + ". It needs a model to plan. Nothing was done.\n\n" +
		"To connect one: start Ollama, LM Studio or llama.cpp on this machine, or add an OpenAI-compatible service by its " +
		"address on Home (or with SEXTANT_OPENAI_BASE_URL and SEXTANT_OPENAI_API_KEY). Then choose the model in the assistant.\n\n" +
		"Say \"help\" for the commands that work without a model."
}

// short bounds what is quoted back.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
