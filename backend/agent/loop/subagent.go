package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/allowance"
	"sextant/backend/agent/loop/naming"
	"sextant/backend/pipeline/nearest"
	"sextant/shared/toolspec"
)

const (
	maxDepth = 2
)

// ErrSubagent means that the conversation belongs to a subagent, which has only one task.
var ErrSubagent = errors.New(
	"this is a subagent's conversation, which takes no messages; write in the conversation it works for",
)

// SubagentTask is a task that a call gives to a subagent.
type SubagentTask struct {
	Task string
	// ExpectedAnswer describes the wanted answer in words.
	ExpectedAnswer string
	// Tools names the only tools that the subagent may call; nil means those of the caller.
	Tools    []string
	ReadOnly bool
	// MaxCalls and MaxRounds limit the turn in addition to the caller's limits; 0 sets no limit.
	MaxCalls, MaxRounds int
	// Model is provider/name; "" means the caller's model, or DefaultModel if the caller is not a model.
	Model, DefaultModel string
	// Call is the call that starts the subagent.
	Call toolspec.Call
}

// SubagentResult is the result of a SubagentTask.
type SubagentResult struct {
	Outcome
	Title string
	// Outside contains the sources of outside text that the subagent read, Private the private ones.
	Outside, Private []string
	// Changed contains the files it changed in a way that can be undone.
	Changed []string
}

// RunSubagent does a task in a new conversation and returns the result. If the subagent cannot start, it returns
// a Result instead that says why, in terms the caller can act on. ctx stops the subagent. Its calls pass the
// pipeline with the provenance of Call, and the caller's limits apply to it too.
func (l *Loop) RunSubagent(ctx context.Context, c SubagentTask) (SubagentResult, *toolspec.Result) {
	above, _ := ctx.Value(lineageKey{}).(*lineage)
	if above == nil {
		if !l.outsideSubagents.StartSubagent() {
			return SubagentResult{}, tooMany()
		}
		defer l.outsideSubagents.EndSubagent()
		above = l.outsideLineage(c.Call.From)
		defer l.releaseOutsideLineage(c.Call.From)
	}
	k, bad := l.newLineage(above, c)
	if bad != nil {
		return SubagentResult{}, bad
	}
	if !above.counter.StartSubagent() {
		return SubagentResult{}, tooMany()
	}
	t, err := l.begin(ctx, TurnRequest{
		Text: c.question(), Model: k.model, Panel: c.Call.Panel, Caller: k.from.Caller, Interactive: k.from.Interactive,
		YesTo:   k.from.YesTo,
		Session: k.from.Session, System: k.system, Tools: k.rights.Tools, lineage: k,
	})
	if err != nil {
		above.counter.EndSubagent()
		return SubagentResult{}, refusal(
			toolspec.SystemError,
			"the subagent did not start: "+err.Error(),
			"Nothing was done. Do the task yourself, or try again.",
		)
	}
	defer l.wait.Done()
	o := t.run()
	above.counter.EndSubagent()
	return SubagentResult{
		Outcome: o,
		Title:   k.title,
		Outside: t.effects.outside.List(),
		Private: t.effects.private.List(),
		Changed: t.effects.changed.List(),
	}, nil
}

func tooMany() *toolspec.Result {
	text := fmt.Sprintf("%d subagents are already running, the maximum", allowance.MaxSubagents)
	return refusal(toolspec.UserError, text, "Wait for one to end, then call again.")
}

// newLineage returns the lineage of a subagent whose caller has the lineage above, or why it is refused.
func (l *Loop) newLineage(above *lineage, c SubagentTask) (*lineage, *toolspec.Result) {
	from := c.Call.From
	switch {
	case strings.TrimSpace(c.Task) == "":
		return nil, refusal(
			toolspec.ValidationError,
			"the task is empty",
			"Describe the task with everything needed to do it: a subagent knows nothing else.",
		)
	case above.depth >= maxDepth:
		return nil, refusal(
			toolspec.PermissionError,
			fmt.Sprintf("subagents may be nested at most %d deep", maxDepth),
			"Do the task yourself.",
		)
	case from.Caller == toolspec.CallerPanel:
		return nil, refusal(
			toolspec.PermissionError,
			"a panel's page may not start a subagent",
			"Ask the assistant instead.",
		)
	case from.Caller == toolspec.CallerApp:
		return nil, refusal(
			toolspec.PermissionError,
			"the page of an MCP server may not start a subagent",
			"Ask the assistant instead.",
		)
	case above.counter.CallsLeft() <= 0:
		return nil, refusal(
			toolspec.UserError,
			"this turn has no calls left for a subagent",
			"Say what was found so far, and what is missing.",
		)
	}
	if bad := l.checkTools(above, c); bad != nil {
		return nil, bad
	}
	model, bad := above.chooseModel(c)
	if bad != nil {
		return nil, bad
	}
	parent, _ := from.ShownIn()
	switch from.Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot:
		// A person's own call needs no confirmation, but a call of a model that works for them does.
		from.Caller, from.YesTo = toolspec.CallerModel, ""
	}
	if from.UnattendedRun != "" {
		// The permission card's rules for what a model chooses apply to its calls.
		from.Caller, from.TypedHosts = toolspec.CallerModel, nil
	}
	from.NeedsFullResults = false
	if from.RootCall != "" {
		from.RootCall, from.Interactive = "", false // no window could show its questions
	}
	return &lineage{
		depth: above.depth + 1, model: model, system: above.system,
		rights: above.rights.Narrow(c.Tools, c.ReadOnly, c.MaxCalls, c.MaxRounds), counter: above.counter,
		from: from, parent: parent, call: c.Call.ID, title: naming.Title(naming.PlainTitle(c.Task)),
	}, nil
}

func (l *Loop) checkTools(above *lineage, c SubagentTask) *toolspec.Result {
	if c.Tools == nil {
		return nil
	}
	var known []string
	for _, d := range l.cfg.Tools.Definitions(c.Call.Panel) {
		if above.rights.Allows(d) {
			known = append(known, d.Name)
		}
	}
	if len(c.Tools) == 0 {
		return refusal(
			toolspec.ValidationError,
			"tools is empty, so the subagent could do nothing",
			"Name the tools it may use, or leave tools out for all of yours.",
		)
	}
	for _, name := range c.Tools {
		if slices.Contains(known, name) {
			continue
		}
		next := "Name tools that you can call yourself, or leave tools out for all of them."
		if near := nearest.Names(name, known, 3); len(near) > 0 {
			next = "Did you mean " + strings.Join(near, ", ") + "? " + next
		}
		return refusal(toolspec.ValidationError, fmt.Sprintf("there is no tool %q to give to a subagent", name), next)
	}
	return nil
}

// chooseModel returns the model of a subagent. What a model has read may only be sent to its own service, so a
// model can choose only models of that service; a person or program can choose any.
func (l *lineage) chooseModel(c SubagentTask) (string, *toolspec.Result) {
	caller := l.model
	if caller == llm.PilotName {
		caller = ""
	}
	model := cmp.Or(c.Model, caller, c.DefaultModel)
	if model == "" || model == llm.PilotName {
		return "", refusal(
			toolspec.UserError,
			"a subagent needs a language model; the built-in command pilot is not one",
			`Connect a model, or name one: {"model":"provider/name"}.`,
		)
	}
	service, _, _ := strings.Cut(caller, "/")
	if other, _, _ := strings.Cut(model, "/"); caller != "" && other != service {
		return "", refusal(
			toolspec.PermissionError,
			model+" is a model of another service, which what was read here does not go to",
			"Leave model out, or name one of "+service+".",
		)
	}
	return model, nil
}

func (s SubagentTask) question() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(s.Task))
	if want := strings.TrimSpace(s.ExpectedAnswer); want != "" {
		b.WriteString("\n\nThe answer that is wanted: " + want)
	}
	if s.ReadOnly {
		b.WriteString("\n\nOnly look: you have no tool that changes anything.")
	}
	b.WriteString(
		"\n\n(You work on this for another assistant, which reads your last answer and nothing else. Nobody " +
			"answers questions: decide by yourself, and say what you could not do.)",
	)
	return b.String()
}

// Concurrent calls of one owner outside any turn share a lineage. The caller must call releaseOutsideLineage.
func (l *Loop) outsideLineage(from toolspec.Provenance) *lineage {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.outside[from.Owner()]
	if o == nil {
		o = &sharedLineage{lineage: rootLineage(TurnRequest{}, l.limits().CallsPerTurn)}
		l.outside[from.Owner()] = o
	}
	o.users++
	return o.lineage
}

func (l *Loop) releaseOutsideLineage(from toolspec.Provenance) {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.outside[from.Owner()]
	if o.users--; o.users == 0 {
		delete(l.outside, from.Owner())
	}
}

type sharedLineage struct {
	lineage *lineage
	users   int
}

func (l *Loop) limits() Limits {
	n := l.cfg.Limits()
	if n.CallsPerTurn <= 0 {
		n.CallsPerTurn = 10
	}
	if n.Rounds <= 0 {
		n.Rounds = 10
	}
	return n
}

func refusal(kind toolspec.ErrorType, text, next string) *toolspec.Result {
	r := toolspec.Fail(kind, text, next)
	return &r
}
