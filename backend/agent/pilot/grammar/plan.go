package grammar

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar/slash"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/shared/chat"
)

// Limits of one message: bytes, words of a line that does not take its rest literally, and commands. A larger message
// is not read as commands.
const (
	maxText   = 8_000
	maxTokens = 200
	maxSteps  = 30
)

// Plan turns a message into steps, at least one. If a part is not understood, it returns only a Problem. Steps may name
// elements by words; Resolve looks them up.
func (parser *Parser) Plan(text string) ([]Step, *Problem) {
	byName := *parser
	byName.targets = true
	plan, problem := parser.plan(text)
	if problem == nil && plan[len(plan)-1].open {
		// "search for fen and click fen" is two commands, though "fen and click fen" could be searched for.
		if more, problem := byName.plan(text); problem == nil && len(more) > len(plan) {
			return more, nil
		}
	}
	if problem == nil || problem.Ambiguous {
		return plan, problem
	}
	polite := token.WithoutCourtesy(text)
	plain := token.Plain(polite)
	var elsewhere []Step
	for _, attempt := range []struct {
		parser *Parser
		text   string
	}{{&byName, text}, {parser, polite}, {&byName, polite}, {parser, plain}, {&byName, plain}} {
		plan, problem := attempt.parser.plan(attempt.text)
		switch {
		case problem != nil, attempt.text != text && startsSentence(text) && plan[len(plan)-1].verbatim:
		case parser.startsInView(plan):
			return plan, nil
		case elsewhere == nil && plan[0].mayBeOutOfView():
			elsewhere = plan
		}
	}
	anyOrder := byName
	anyOrder.inAnyOrder = true
	other, unclear := anyOrder.plan(plain)
	if unclear != nil && unclear.Ambiguous || unclear == nil && parser.allInView(other) {
		return other, unclear
	}
	if each := byName.planRepeated(plain); each != nil {
		return each, nil
	}
	if fixed := anyOrder.planCorrected(text); fixed != nil {
		return fixed, nil
	}
	if elsewhere != nil && parser.Window.PageInFront != nil && parser.Window.PageInFront() {
		return elsewhere, nil
	}
	return plan, problem
}

// planRepeated returns the steps of a message with one verb for several elements in view, "tick a and b", else nil.
func (parser *Parser) planRepeated(text string) []Step {
	plan, problem := parser.plan(token.RepeatVerb(text))
	names := func(s Step) bool { return s.NamesElement() && parser.startsInView([]Step{s}) }
	if problem != nil || slices.ContainsFunc(plan, func(s Step) bool { return !names(s) }) {
		return nil
	}
	return plan
}

// minOffered is the least length of a misspelled word whose correction is offered, minCertain of one that is corrected
// without asking.
const minOffered, minCertain = 4, 5

// harmlessTools are tools besides readingTools that a message with a spelling mistake may call.
const harmlessTools = "scroll_page take_screenshot"

// planCorrected returns the steps of a message with its spelling corrected if they change nothing but what is shown,
// else nil. Others are offered.
func (parser *Parser) planCorrected(text string) []Step {
	all := parser.corrected(text, minCertain)
	if len(all) == 0 || startsSentence(text) {
		return nil
	}
	plan, problem := parser.plan(token.Plain(all[len(all)-1]))
	harmless := func(s Step) bool {
		tools := strings.Fields(harmlessTools + " " + readingTools)
		return !s.NamesElement() && (slices.Contains(tools, s.Tool) || strings.HasPrefix(s.Tool, "open_"))
	}
	if problem != nil || slices.ContainsFunc(plan, func(s Step) bool { return !harmless(s) }) {
		return nil
	}
	return plan
}

// startsSentence reports whether a message begins like a sentence about the person, not like a command. Nothing in it
// is run literally.
func startsSentence(text string) bool {
	ts := token.Split(text)
	return len(ts) > 0 && token.IsOneOf(ts[0], "i i'd we let let's help")
}

// startsInView reports whether the targets of the first step are numbered.
func (parser *Parser) startsInView(plan []Step) bool {
	for _, t := range plan[0].targets {
		if len(parser.Window.find(t)) == 0 {
			return false
		}
	}
	return true
}

// allInView reports whether all targets are numbered and nothing is run literally.
func (parser *Parser) allInView(plan []Step) bool {
	return !slices.ContainsFunc(plan, func(s Step) bool { return s.verbatim || !parser.startsInView([]Step{s}) })
}

func (parser *Parser) plan(text string) ([]Step, *Problem) {
	rest := strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if rest == "" {
		return nil, &Problem{Hint: "There is no command in that. Say \"help\" for the commands."}
	}
	if len(rest) > maxText {
		return nil, &Problem{
			Hint: fmt.Sprintf("That is too long for the command pilot: %d characters, %d at most.", len(rest), maxText),
		}
	}
	var plan []Step
	for rest != "" {
		var steps []Step
		var problem *Problem
		if strings.HasPrefix(rest, "/") {
			var s Step
			s, rest, problem = parser.slash(rest)
			steps = []Step{s}
		} else {
			line, after, _ := strings.Cut(rest, "\n")
			rest = after
			steps, problem = parser.line(line)
		}
		if problem != nil {
			return nil, problem
		}
		plan = append(plan, steps...)
		if len(plan) > maxSteps {
			return nil, &Problem{Hint: fmt.Sprintf("That is more than %d commands at once.", maxSteps)}
		}
		rest = strings.TrimSpace(rest)
	}
	if len(plan) == 0 {
		return nil, &Problem{Hint: "There is no command in that. Say \"help\" for the commands."}
	}
	return merge(plan), nil
}

func merge(plan []Step) []Step {
	var out []Step
	for _, s := range plan {
		n := len(out)
		if n > 0 && strings.HasPrefix(s.Tool, "open_") && s.Tool == out[n-1].Tool {
			continue // "open tools and activity" is one panel
		}
		if n > 0 && s.Tool == "press_key" && out[n-1].Tool == "type_text" &&
			string(s.Args) == `{"key":"Enter"}` {
			var args map[string]any
			if json.Unmarshal(out[n-1].Args, &args) == nil && args["submit"] == nil {
				args["submit"] = true
				joined := call("type_text", args)
				joined.targets, joined.args = out[n-1].targets, args
				joined.named = out[n-1].named
				joined.Text = out[n-1].Text + " and " + s.Text
				joined.canonical = out[n-1].canonical + " and " + s.canonical
				out[n-1] = joined
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

func (parser *Parser) slash(text string) (Step, string, *Problem) {
	c, rest, problem := slash.Parse(text)
	if problem != "" {
		return Step{}, "", &Problem{Text: text, Hint: problem}
	}
	if c.Name == commandtable.BuiltinHelp || c.Name == commandtable.BuiltinTools {
		return Step{Builtin: c.Name, canonical: c.Name, Text: c.Text}, rest, nil
	}
	return Step{Tool: c.Name, Args: c.Args, canonical: "/" + c.Name + " " + string(c.Args), Text: c.Text}, rest, nil
}

func (parser *Parser) line(line string) ([]Step, *Problem) {
	ts := token.Split(line)
	if len(ts) == 0 {
		return nil, nil
	}
	s := splitter{Parser: parser, src: line, ts: ts, memo: map[int]outcome{}}
	if len(ts) > maxTokens {
		if got, ok := s.verbatim(0); ok {
			return got, nil
		}
		return nil, &Problem{
			Hint: fmt.Sprintf("That line is too long for the command pilot: %d words, %d at most.", len(ts), maxTokens),
		}
	}
	return s.from(0)
}

// splitter finds the boundaries of commands. "and" may also be part of a text ("type salt and pepper into 4"), so
// a line is split at the first separator that has a complete command on its left and only commands on its right.
type splitter struct {
	*Parser
	src  string
	ts   []token.Token
	memo map[int]outcome
}

type outcome struct {
	steps   []Step
	problem *Problem
}

func (s *splitter) from(start int) ([]Step, *Problem) {
	if o, ok := s.memo[start]; ok {
		return o.steps, o.problem
	}
	steps, problem := s.cut(start)
	s.memo[start] = outcome{steps, problem}
	return steps, problem
}

func (s *splitter) cut(start int) ([]Step, *Problem) {
	if got, ok := s.verbatim(start); ok {
		return got, nil
	}
	var within *Problem
	for i := start + 1; i < len(s.ts); i++ {
		next := s.separator(i)
		if next == 0 || next >= len(s.ts) {
			continue
		}
		left, problem := s.single(s.ts[start:i], false)
		if problem != nil {
			continue
		}
		right, problem := s.from(next)
		if problem == nil {
			if both := s.ambiguity(start, i, next, left, right); both != nil {
				return nil, both
			}
			return append([]Step{left}, right...), nil
		}
		if within == nil {
			within = problem
			within.Partial = true
		}
	}
	whole, problem := s.single(s.ts[start:], true)
	if problem == nil {
		return []Step{whole}, nil
	}
	if within != nil {
		return nil, within
	}
	return nil, problem
}

// ambiguity returns a question if the word after "and" is a command but may also belong to the text before it
// ("annotate buttons and links"), else nil.
func (s *splitter) ambiguity(start, i, next int, left Step, right []Step) *Problem {
	alone := len(right) == 1 && next == len(s.ts)-1 || len(right) > 1 && right[0].Text == s.ts[next].Text
	if !left.open || !alone || next > i && !token.IsOneOf(s.ts[i], "and &") {
		return nil
	}
	whole, problem := s.single(s.ts[start:], true)
	if problem != nil || whole.canonical == left.canonical {
		return nil
	}
	offers := []chat.Offer{{Command: joinSteps(append([]Step{left}, right...))}, {Command: whole.canonical}}
	return &Problem{
		Text: strings.TrimSpace(s.src[s.ts[start].Start:]), Ambiguous: true, Offers: offers,
		Hint: "That can be meant in two ways: " + JoinOffers(offers, " or ") + ".",
	}
}

// joinSteps returns the commands of steps in one line.
func joinSteps(steps []Step) string {
	words := make([]string, 0, len(steps))
	for _, s := range steps {
		words = append(words, s.canonical)
	}
	return strings.Join(words, " then ")
}

// separator returns the index of the first token after the separator at i, 0 if there is none.
func (s *splitter) separator(i int) int {
	next := i
	for next < len(s.ts) && token.IsOneOf(s.ts[next], "and then & && afterwards after that") {
		next++
	}
	if next > i {
		return next
	}
	before := strings.TrimSpace(s.src[s.ts[i-1].Start:s.ts[i].Start])
	if strings.HasSuffix(before, ",") || strings.HasSuffix(before, ";") {
		return i
	}
	return 0
}

// leadingFiller are words before a command that carry no meaning.
const leadingFiller = "please can could would you now just ok okay then and next first finally"

func (s *splitter) verbatim(start int) ([]Step, bool) {
	ts := token.Skip(s.ts[start:], leadingFiller)
	if len(ts) < 2 || ts[0].Quoted || !slices.ContainsFunc(s.byWord[ts[0].Word], (*compiledForm).verbatim) {
		return nil, false
	}
	found, _ := s.fit(s.src, ts[:min(len(ts), maxTokens)], true)
	if len(found) == 0 || !found[0].form.verbatim() || len(found) > 1 && found[1].score == found[0].score {
		return nil, false
	}
	got := s.step(found[0])
	got.Text, got.verbatim = s.src[ts[0].Start:], true
	return []Step{got}, true
}

func (s *splitter) single(ts []token.Token, whole bool) (Step, *Problem) {
	if words := token.JoinWords(ts); words != "next page" && words != "next tab" {
		ts = token.Skip(ts, leadingFiller)
	}
	if kept := token.SkipClosing(ts); len(kept) < len(ts) {
		ts, whole = kept, false
	}
	if len(ts) == 0 {
		return Step{}, &Problem{Text: s.src, Hint: "There is no command in that. Say \"help\" for the commands."}
	}
	text := strings.TrimRight(s.src[ts[0].Start:ts[len(ts)-1].End], ",;")
	got, problem := s.command(s.src, ts, whole)
	if problem != nil {
		problem.Text = text
		return Step{}, problem
	}
	got.Text = text
	return got, nil
}
