// Package pilot is the built-in command pilot: a Model without a model. It turns plain
// commands ("open example.com and annotate", "type hello into 4") into the same tool calls
// a language model would make, one at a time, and reads the results back in a sentence.
// It works with no network, and its calls pass the same Pipeline as everybody's.
//
// Its grammar is one table (table*.go): reading, the help, what is offered on a near miss and what
// completes a message all come from it. What it does not understand it says so; it never guesses.
// Answers depend on the request and on what stands in the window, so a Pilot has no state of its
// own and may be used concurrently.
package pilot

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Offer is a command that is offered; see chat.Offer.
type Offer = chat.Offer

// Config adapts the pilot to the house it runs in; the zero value works.
type Config struct {
	// DemoURL gives the address of the built-in demo site; nil leaves the word "demo" to
	// navigate_page.
	DemoURL func() string
	// Live tells what stands in the window while panel is active; nil when there is none. It is
	// asked with every letter that is typed, and must be quick.
	Live func(panel string) Live
}

// Pilot implements llm.Model.
type Pilot struct {
	cfg Config
	*rules
}

// New makes a Pilot.
func New(cfg Config) *Pilot {
	if cfg.DemoURL == nil {
		cfg.DemoURL = func() string { return "demo" }
	}
	if cfg.Live == nil {
		cfg.Live = func(string) Live { return Live{} }
	}
	r, err := compile(table())
	if err != nil {
		r = &rules{} // the tests read every form, so none is wrong here
	}
	return &Pilot{cfg: cfg, rules: r}
}

// grammar is what one message is read with.
func (p *Pilot) grammar(tools []string, live Live) *grammar {
	return &grammar{rules: p.rules, tools: tools, demo: p.cfg.DemoURL, live: live}
}

// Stream answers the last user message of req: with the next call of its chain of
// commands, or, when all have results or one failed, with a text.
func (p *Pilot) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	asked, results := lastAsk(req.Messages)
	g := p.grammar(offered(req.Tools), Live{})
	a := &answer{g: g, first: !introduced(req.Messages)}
	plan, problem := g.plan(asked)
	if problem != nil {
		g.live = p.live(req.Messages)
		a.trouble(problem, asked)
		return a.response(onDelta), nil
	}
	for i, s := range plan {
		if s.local != "" {
			a.local(s, req.Tools)
			continue
		}
		if len(results) == 0 {
			if !slices.Contains(g.tools, s.tool) {
				a.missing(s)
				a.notDone(plan[i+1:])
				return a.response(onDelta), nil
			}
			return llm.Response{
				Calls: []chat.ToolCall{{ID: fmt.Sprintf("pilot-%d", i+1), Name: s.tool, Args: s.args}},
				Stop:  llm.StopCalls,
			}, nil
		}
		result := results[0]
		results = results[1:]
		a.outside = append(a.outside, result.Outside...)
		if result.Status != chat.StatusDone {
			a.failure(result.Text)
			a.notDone(plan[i+1:])
			return a.response(onDelta), nil
		}
		a.add(a.report(s, result.Text))
	}
	return a.response(onDelta), nil
}

// live is what stands in the window; where it shows no page, what the conversation last saw of one.
func (p *Pilot) live(messages []chat.Message) Live {
	live := p.cfg.Live("")
	if len(live.marks()) == 0 {
		marks := seen(messages)
		live.Marks = func() *event.Marks { return marks }
	}
	return live
}

// introduced reports whether the conversation has heard who answers.
func introduced(messages []chat.Message) bool {
	return slices.ContainsFunc(messages, func(m chat.Message) bool {
		return m.Role == chat.RoleAssistant && strings.Contains(m.Text, who())
	})
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

// step is one command: a call, or something the pilot answers itself.
type step struct {
	// said is the command in the person's words, canon in the plainest ones that read the same.
	said, canon string
	tool        string
	args        json.RawMessage
	// local is help or tools, about what.
	local, about string
	// open is true when it ends with a text that has no quotes, which may go on.
	open bool
	// verbatim is true when it took the rest of its line as it stood.
	verbatim bool
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
	// asks is true when what was meant is asked back, offers are what it may have been.
	asks   bool
	offers []Offer
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
