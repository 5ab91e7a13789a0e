// Package pilot is the built-in command pilot: an llm.Model without a language model. It turns plain commands ("open
// example.com and annotate", "type hello into 4") into the tool calls that a language model would make, one at a time,
// and describes each result. It needs no network.
//
// If the pilot does not understand a command, it says so and does not guess. A Pilot has no state and is safe for
// concurrent use.
package pilot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar"
	"sextant/shared/annotation"
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
	return &grammar.Parser{Rules: p.rules, Tools: tools, DemoURL: p.cfg.DemoURL, Window: live.Remembering()}
}

// Stream answers the last user message of req: with the next call of its commands, or with text.
func (p *Pilot) Stream(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	question, calls, results := lastQuestion(req.Messages)
	g := p.parser(toolNames(req.Tools), p.window(req.Messages))
	a := &reply{g: g, first: !introduced(req.Messages)}
	plan, problem := g.Plan(question)
	if problem != nil && len(calls) == 0 {
		a.explainProblem(problem, question)
		return a.response(onDelta), nil
	}
	plan = continued(plan, calls)
	for i, s := range plan {
		if s.Builtin != "" {
			a.answerBuiltin(s, req.Tools)
			continue
		}
		if len(results) == 0 {
			open := openTool(s)
			if !slices.Contains(g.Tools, s.Tool) && slices.Contains(g.Tools, open) && !called(calls, open) {
				s = grammar.Step{Tool: open, Args: json.RawMessage("{}")}
			}
			if !slices.Contains(g.Tools, s.Tool) {
				a.reportMissingTool(s)
				a.reportSkipped(plan[i+1:])
				return a.response(onDelta), nil
			}
			if look, ok := g.Lookup(s); ok && slices.Contains(g.Tools, look.Tool) && !called(calls, look.Tool) {
				s = look
			}
			s, problem := g.Resolve(s)
			if problem != nil {
				a.explainProblem(problem, question)
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
		if s.Text != "" {
			a.add(a.describeResult(s, result.Text))
		}
	}
	return a.response(onDelta), nil
}

// window returns what is in the window, with what the last listing in the conversation adds to the numbers in view.
func (p *Pilot) window(messages []chat.Message) grammar.WindowState {
	live := p.cfg.Window("")
	listed := annotationsIn(messages)
	inView := live.Elements()
	if listed == nil || len(inView) > 0 && live.Marks().Page.URL != listed.Page.URL ||
		showsOther(live, listed.Page.URL) {
		return live
	}
	if len(inView) > 0 {
		listed.Page = live.Marks().Page
	}
	known := func(e annotation.Element) bool {
		return slices.ContainsFunc(inView, func(seen annotation.Element) bool { return seen.ID == e.ID })
	}
	listed.Elements = append(slices.Clone(inView), slices.DeleteFunc(listed.Elements, known)...)
	live.Marks = func() *event.Marks { return listed }
	return live
}

// showsOther reports whether the active tab shows another page than that of url, for example an error.
func showsOther(w grammar.WindowState, url string) bool {
	return w.Tabs != nil && slices.ContainsFunc(w.Tabs(), func(t event.Tab) bool {
		return t.ID == w.ActiveTab() && t.URL != url
	})
}

func introduced(messages []chat.Message) bool {
	return slices.ContainsFunc(messages, func(m chat.Message) bool {
		return m.Role == chat.RoleAssistant && strings.Contains(m.Text, introduction())
	})
}

// openTool returns the tool that opens the panel of a step, "" for none.
func openTool(s grammar.Step) string {
	if s.Panel == "" {
		return ""
	}
	return "open_" + strings.ReplaceAll(s.Panel, "-", "_") + "_panel"
}

func called(calls []chat.ToolCall, tool string) bool {
	return slices.ContainsFunc(calls, func(c chat.ToolCall) bool { return c.Name == tool })
}

// continued returns the plan with the calls that were made for it. The page may have changed since, so that the message
// would be read in another way now.
func continued(plan []grammar.Step, calls []chat.ToolCall) []grammar.Step {
	at := 0
	for _, c := range calls {
		for at < len(plan) && plan[at].Builtin != "" {
			at++
		}
		if at < len(plan) && plan[at].Tool != c.Name &&
			(openTool(plan[at]) == c.Name || plan[at].NamesElement() && c.Name == grammar.LookupTool) {
			plan = slices.Insert(plan, at, grammar.Step{Tool: c.Name}) // a call that the step needed first
		}
		if at == len(plan) || plan[at].Tool != c.Name {
			plan = append(plan[:at:at], grammar.Step{Text: c.Name, Tool: c.Name, Args: c.Args})
		}
		plan[at].Args = c.Args
		at++
	}
	return plan
}

// lastQuestion returns the last message of the person, and the calls that were made for it with their results.
func lastQuestion(messages []chat.Message) (question string, calls []chat.ToolCall, results []chat.Message) {
	for _, m := range messages {
		switch m.Role {
		case chat.RoleAssistant:
			calls = append(calls, m.Calls...)
		case chat.RoleUser:
			question, calls, results = m.Text, nil, nil
		case chat.RoleTool:
			results = append(results, m)
		}
	}
	return question, calls, results
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
