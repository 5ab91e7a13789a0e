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
	"context"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Config adapts the pilot to the house it runs in; the zero value works.
type Config struct {
	// DemoURL gives the address of the built-in demo site; nil leaves the word "demo" to
	// navigate_page.
	DemoURL func() string
	// Live tells what stands in the window while panel is active; nil when there is none. It is
	// asked with every letter that is typed, and must be quick.
	Live func(panel string) grammar.Live
}

// Pilot implements llm.Model.
type Pilot struct {
	cfg   Config
	rules *grammar.Rules
}

// New makes a Pilot.
func New(cfg Config) *Pilot {
	if cfg.DemoURL == nil {
		cfg.DemoURL = func() string { return "demo" }
	}
	if cfg.Live == nil {
		cfg.Live = func(string) grammar.Live { return grammar.Live{} }
	}
	r, err := grammar.Compile(commandtable.Table())
	if err != nil {
		r = &grammar.Rules{} // the tests read every form, so none is wrong here
	}
	return &Pilot{cfg: cfg, rules: r}
}

func (p *Pilot) parser(tools []string, live grammar.Live) *grammar.Parser {
	return &grammar.Parser{Rules: p.rules, Tools: tools, Demo: p.cfg.DemoURL, Live: live}
}

// Stream answers the last user message of req: with the next call of its chain of
// commands, or, when all have results or one failed, with a text.
func (p *Pilot) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	asked, results := lastAsk(req.Messages)
	g := p.parser(offered(req.Tools), grammar.Live{})
	a := &answer{g: g, first: !introduced(req.Messages)}
	plan, problem := g.Plan(asked)
	if problem != nil {
		g.Live = p.live(req.Messages)
		a.trouble(problem, asked)
		return a.response(onDelta), nil
	}
	for i, s := range plan {
		if s.Builtin != "" {
			a.local(s, req.Tools)
			continue
		}
		if len(results) == 0 {
			if !slices.Contains(g.Tools, s.Tool) {
				a.missing(s)
				a.notDone(plan[i+1:])
				return a.response(onDelta), nil
			}
			return llm.Response{
				Calls: []chat.ToolCall{{ID: fmt.Sprintf("pilot-%d", i+1), Name: s.Tool, Args: s.Args}},
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
func (p *Pilot) live(messages []chat.Message) grammar.Live {
	live := p.cfg.Live("")
	if len(live.Elements()) == 0 {
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

// Complete says how the text before the cursor may go on while panel is active: at most eight ways,
// and what is still missing after it. It reads nothing but what Live gives and takes a millisecond,
// and some ten where a number is sought by name among thousands.
func (p *Pilot) Complete(text, panel string) wire.Completion {
	live := p.cfg.Live(panel)
	names := make([]string, len(live.Tools))
	for i, d := range live.Tools {
		names[i] = d.Name
	}
	return p.parser(names, live).Complete(text)
}

// Commands lists the table for people, with the tools that can be called now; none means all.
func (p *Pilot) Commands(tools []string) []wire.PilotCommand {
	return p.parser(tools, grammar.Live{}).Commands()
}
