package pilot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Bounds of one sentence. More is not a command.
const (
	maxText   = 8_000
	maxTokens = 200
	maxSteps  = 30
)

// grammar holds what the parsing of one sentence depends on.
type grammar struct {
	tools []string
	demo  func() string
}

// plan turns a whole message into steps.
func (p *Pilot) plan(text string, tools []string) ([]step, *trouble) {
	g := grammar{tools: tools, demo: p.demo}
	rest := strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if rest == "" {
		return nil, &trouble{hint: "There is no command in that. Say \"help\" for the commands."}
	}
	if len(rest) > maxText {
		return nil, &trouble{hint: fmt.Sprintf("That is too long for the command pilot: %d characters, %d at most.", len(rest), maxText)}
	}
	var plan []step
	for rest != "" {
		var steps []step
		var problem *trouble
		if strings.HasPrefix(rest, "/") {
			var s step
			s, rest, problem = g.slash(rest)
			steps = []step{s}
		} else {
			line, after, _ := strings.Cut(rest, "\n")
			rest = after
			steps, problem = g.line(line)
		}
		if problem != nil {
			return nil, problem
		}
		plan = append(plan, steps...)
		if len(plan) > maxSteps {
			return nil, &trouble{hint: fmt.Sprintf("That is more than %d commands at once.", maxSteps)}
		}
		rest = strings.TrimSpace(rest)
	}
	if len(plan) == 0 {
		return nil, &trouble{hint: "There is no command in that. Say \"help\" for the commands."}
	}
	return merge(plan), nil
}

// merge makes "type … into 4" followed by Enter one call.
func merge(plan []step) []step {
	var out []step
	for _, s := range plan {
		if n := len(out); n > 0 && s.tool == "press_key" && out[n-1].tool == "type_text" && string(s.args) == `{"key":"Enter"}` {
			var args map[string]any
			if json.Unmarshal(out[n-1].args, &args) == nil && args["submit"] == nil {
				args["submit"] = true
				joined := call("type_text", args)
				joined.said = out[n-1].said + " and " + s.said
				out[n-1] = joined
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// slash reads "/NAME {json}" from the start of text and gives back what follows it.
func (g grammar) slash(text string) (step, string, *trouble) {
	end := strings.IndexFunc(text[1:], func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	}) + 1
	if end == 0 {
		end = len(text)
	}
	name, rest := text[1:end], strings.TrimLeft(text[end:], " \t")
	args := json.RawMessage("{}")
	if strings.HasPrefix(rest, "{") {
		dec := json.NewDecoder(strings.NewReader(rest))
		if err := dec.Decode(&args); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return step{}, "", &trouble{said: text, hint: fmt.Sprintf("The arguments of /%s are not complete: a closing brace is missing.", name)}
			}
			return step{}, "", &trouble{said: text, hint: fmt.Sprintf("The arguments of /%s are not valid JSON: %v.", name, err)}
		}
		rest = strings.TrimLeft(rest[dec.InputOffset():], " \t")
	}
	s, problem := g.named(name, args)
	if problem != nil {
		return s, "", problem
	}
	s.said = strings.TrimSpace(text[:len(text)-len(rest)])
	for _, joint := range []string{"and then ", "and ", "then ", "; ", ", "} {
		if len(rest) >= len(joint) && strings.EqualFold(rest[:len(joint)], joint) {
			return s, strings.TrimLeft(rest[len(joint):], " \t"), nil
		}
	}
	if rest != "" && rest[0] != '\n' && rest[0] != '\r' {
		return s, "", &trouble{said: text, hint: fmt.Sprintf("After /%s a JSON object is needed, for example /click_element {\"annotationId\": 3}.", name)}
	}
	return s, rest, nil
}

// named is the call of a tool by name. "/tool" holds name and arguments in its object.
func (g grammar) named(name string, args json.RawMessage) (step, *trouble) {
	switch name {
	case "help", "tools":
		return step{local: name}, nil
	case "tool":
		var form struct {
			Name      string          `json:"name"`
			Tool      string          `json:"tool"`
			Args      json.RawMessage `json:"args"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal(args, &form); err != nil || form.Name+form.Tool == "" {
			return step{}, &trouble{hint: `/tool needs a name, for example /tool {"name": "click_element", "args": {"annotationId": 3}}.`}
		}
		name, args = form.Name, form.Args
		if name == "" {
			name = form.Tool
		}
		if len(args) == 0 {
			args = form.Arguments
		}
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		if args[0] != '{' {
			return step{}, &trouble{hint: "The args of /tool are a JSON object."}
		}
	}
	if name == "" {
		return step{}, &trouble{hint: `After the slash comes a tool's name, for example /annotate_page {}. Say "tools" for the names.`}
	}
	var flat bytes.Buffer
	if err := json.Compact(&flat, args); err != nil {
		return step{}, &trouble{hint: "The arguments are not valid JSON."}
	}
	return step{tool: name, args: flat.Bytes()}, nil
}

// line reads the commands of one line.
func (g grammar) line(line string) ([]step, *trouble) {
	ts := tokens(line)
	if len(ts) > maxTokens {
		return nil, &trouble{hint: fmt.Sprintf("That line is too long for the command pilot: %d words, %d at most.", len(ts), maxTokens)}
	}
	if len(ts) == 0 {
		return nil, nil
	}
	s := splitter{grammar: g, src: line, ts: ts, memo: map[int]outcome{}}
	return s.from(0)
}

// splitter finds where one command ends and the next begins. "and" may also belong to a
// text ("type salt and pepper into 4"), so a line is cut at the first joint where the left
// side is a whole command and all of the right side is commands too.
type splitter struct {
	grammar
	src  string
	ts   []token
	memo map[int]outcome
}

type outcome struct {
	steps   []step
	problem *trouble
}

func (s *splitter) from(start int) ([]step, *trouble) {
	if o, ok := s.memo[start]; ok {
		return o.steps, o.problem
	}
	steps, problem := s.cut(start)
	s.memo[start] = outcome{steps, problem}
	return steps, problem
}

func (s *splitter) cut(start int) ([]step, *trouble) {
	var within *trouble
	for i := start + 1; i < len(s.ts); i++ {
		next := s.joint(i)
		if next == 0 || next >= len(s.ts) {
			continue
		}
		left, problem := s.one(s.ts[start:i])
		if problem != nil {
			continue
		}
		right, problem := s.from(next)
		if problem == nil {
			return append([]step{left}, right...), nil
		}
		if within == nil {
			within = problem
			within.part = true
		}
	}
	whole, problem := s.one(s.ts[start:])
	if problem == nil {
		return []step{whole}, nil
	}
	if within != nil {
		return nil, within
	}
	return nil, problem
}

// joint is the index of the first token after the joint at i, 0 when there is none.
func (s *splitter) joint(i int) int {
	next := i
	for next < len(s.ts) && isOneOf(s.ts[next], "and then & && afterwards after that") {
		next++
	}
	if next > i {
		return next
	}
	before := strings.TrimSpace(s.src[s.ts[i-1].start:s.ts[i].start])
	if strings.HasSuffix(before, ",") || strings.HasSuffix(before, ";") {
		return i
	}
	return 0
}

// one reads exactly one command.
func (s *splitter) one(ts []token) (step, *trouble) {
	ts = skip(ts, "please can could would you now just ok okay then and next first finally")
	ts = skipEnd(ts, "please now thanks")
	if len(ts) == 0 {
		return step{}, &trouble{said: s.src, hint: "There is no command in that. Say \"help\" for the commands."}
	}
	said := strings.TrimRight(s.src[ts[0].start:ts[len(ts)-1].end], ",;")
	got, problem := s.command(said, ts)
	if problem != nil {
		problem.said = said
		return step{}, problem
	}
	got.said = said
	return got, nil
}
