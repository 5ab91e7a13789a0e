// Package pilot is the built-in command pilot: an llm.Model without a language model. It turns plain commands ("open
// example.com and annotate", "type hello into 4") into the tool calls that a language model would make, one at a time,
// and describes each result. It needs no network.
//
// If the pilot does not understand a command, it says so and does not guess. A Pilot has no state and is safe for
// concurrent use.
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

// Config configures a Pilot. The zero value works.
type Config struct {
	// DemoURL returns the address of the built-in demo site; nil passes the word "demo" to navigate_page.
	DemoURL func() string
	// Window returns what is in the window while panel is active. It is called on every keystroke and must be fast.
	Window func(panel string) grammar.WindowState
}

// Pilot implements llm.Model.
type Pilot struct {
	cfg   Config
	rules *grammar.Rules
}

// New returns a Pilot.
func New(cfg Config) *Pilot {
	if cfg.DemoURL == nil {
		cfg.DemoURL = func() string { return "demo" }
	}
	if cfg.Window == nil {
		cfg.Window = func(string) grammar.WindowState { return grammar.WindowState{} }
	}
	r, err := grammar.Compile(commandtable.Table())
	if err != nil {
		r = &grammar.Rules{} // cannot fail: the tests compile every form
	}
	return &Pilot{cfg: cfg, rules: r}
}

func (p *Pilot) parser(tools []string, live grammar.WindowState) *grammar.Parser {
	return &grammar.Parser{Rules: p.rules, Tools: tools, DemoURL: p.cfg.DemoURL, Window: live}
}

// Stream answers the last user message of req: with the next call of its commands, or with text.
func (p *Pilot) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	question, results := lastQuestion(req.Messages)
	g := p.parser(toolNames(req.Tools), grammar.WindowState{})
	a := &reply{g: g, first: !introduced(req.Messages)}
	plan, problem := g.Plan(question)
	if problem != nil {
		g.Window = p.window(req.Messages)
		a.explainProblem(problem, question)
		return a.response(onDelta), nil
	}
	for i, s := range plan {
		if s.Builtin != "" {
			a.answerBuiltin(s, req.Tools)
			continue
		}
		if len(results) == 0 {
			if !slices.Contains(g.Tools, s.Tool) {
				a.reportMissingTool(s)
				a.reportSkipped(plan[i+1:])
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
			a.describeFailure(result.Text)
			a.reportSkipped(plan[i+1:])
			return a.response(onDelta), nil
		}
		a.add(a.describeResult(s, result.Text))
	}
	return a.response(onDelta), nil
}

// window returns what is in the window. If no page is there, it uses the last page in the conversation.
func (p *Pilot) window(messages []chat.Message) grammar.WindowState {
	live := p.cfg.Window("")
	if len(live.Elements()) == 0 {
		marks := annotationsIn(messages)
		live.Marks = func() *event.Marks { return marks }
	}
	return live
}

func introduced(messages []chat.Message) bool {
	return slices.ContainsFunc(messages, func(m chat.Message) bool {
		return m.Role == chat.RoleAssistant && strings.Contains(m.Text, introduction())
	})
}

func lastQuestion(messages []chat.Message) (string, []chat.Message) {
	question, results := "", []chat.Message(nil)
	for _, m := range messages {
		switch m.Role {
		case chat.RoleUser:
			question, results = m.Text, nil
		case chat.RoleTool:
			results = append(results, m)
		}
	}
	return question, results
}

func toolNames(tools []toolspec.Function) []string {
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		names = append(names, t.Function.Name)
	}
	return names
}

// Complete returns up to eight completions of the text before the cursor while panel is active, and the missing rest of
// the command.
func (p *Pilot) Complete(text, panel string) wire.Completion {
	live := p.cfg.Window(panel)
	names := make([]string, len(live.Tools))
	for i, d := range live.Tools {
		names[i] = d.Name
	}
	return p.parser(names, live).Complete(text)
}

// Commands lists the commands for people. If tools is not empty, it leaves out commands of other tools.
func (p *Pilot) Commands(tools []string) []wire.PilotCommand {
	return p.parser(tools, grammar.WindowState{}).Commands()
}
