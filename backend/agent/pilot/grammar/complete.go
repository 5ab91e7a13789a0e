package grammar

import (
	"slices"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/shared/wire"
)

// Bounds of one completion.
const (
	maxCompleted = 2_000
	maxItems     = 8
)

// Complete says how the text before the cursor may go on: at most eight ways, and what is still
// missing after it.
func (g *Parser) Complete(text string) wire.Completion {
	none := wire.Completion{Items: []wire.CompletionItem{}}
	if len(text) > maxCompleted || strings.TrimSpace(text) == "" {
		return none
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	c := &completer{g: g}
	at := strings.LastIndexByte(text, '\n') + 1
	c.head, c.line = text[:at], text[at:]
	if strings.HasPrefix(strings.TrimSpace(c.line), "/") {
		c.slash()
	} else {
		c.words()
	}
	c.out.Items = slices.DeleteFunc(c.out.Items, func(i wire.CompletionItem) bool { return i.Insert == text })
	c.out.Items = c.out.Items[:min(maxItems, len(c.out.Items))]
	if c.out.Items == nil {
		return wire.Completion{Items: none.Items, Ghost: c.out.Ghost}
	}
	return c.out
}

// Commands lists the table for people, with the tools that can be called now; none means all.
func (g *Parser) Commands() []wire.PilotCommand {
	list := []wire.PilotCommand{}
	c := &completer{g: g}
	for _, f := range g.Forms {
		if f.Hidden || len(g.Tools) > 0 && !c.offered(f) {
			continue
		}
		insert := f.Example
		if slots := f.Slots(); len(slots) > 0 {
			var words []string
			for _, e := range f.parts {
				if e.kind != nil {
					break
				}
				if !e.optional {
					words = append(words, e.words[0]...)
				}
			}
			insert = strings.Join(words, " ") + " "
		}
		list = append(list, wire.PilotCommand{
			Say: f.Usage(), Example: f.Example, Means: f.Means, Insert: insert, Group: f.command.Group, Tool: f.command.Tool, First: f.Featured,
		})
	}
	return list
}

// completer goes on with one line; head is what stands before it.
type completer struct {
	g          *Parser
	head, line string
	// done are the whole words of the command that is being written, base what stands before its
	// last, half word, partial.
	done          []token
	base, partial string
	// values are those offered already, with what stands before them.
	values []string
	out    wire.Completion
}

// slash completes the name of a tool, with its arguments as they are to be filled in.
func (c *completer) slash() {
	name := strings.TrimPrefix(strings.TrimSpace(c.line), "/")
	if toolName(name) != len(name) || strings.HasSuffix(c.line, " ") {
		return
	}
	name = strings.ToLower(name)
	for _, begins := range []bool{true, false} {
		for _, d := range c.g.Live.Tools {
			low := strings.ToLower(d.Name)
			if strings.HasPrefix(low, name) != begins || !strings.Contains(low, name) {
				continue
			}
			args, back := skeleton(d.Parameters)
			c.out.Items = append(c.out.Items, wire.CompletionItem{
				Insert: c.head + "/" + d.Name + " " + args, Back: back, Show: "/" + d.Name, Means: FirstSentence(d.Description),
			})
		}
	}
}

// words completes a command.
func (c *completer) words() {
	ts := skip(c.current(tokens(c.line)), before)
	c.done, c.base = ts, c.line
	if n := len(ts); n > 0 && ts[n-1].end == len(c.line) && !ts[n-1].quoted {
		c.done, c.base, c.partial = ts[:n-1], c.line[:ts[n-1].start], ts[n-1].text
	}
	if len(c.done) == 0 && c.partial == "" || len(c.done) > 40 {
		return
	}
	// What goes on behind a text without quotes is offered where nothing else fits.
	for _, open := range []bool{false, true} {
		for _, f := range c.g.Forms {
			if f.Hidden || !c.offered(f) {
				continue
			}
			for _, s := range c.reach(f, 0, 0, false, nil) {
				if s.open == open {
					c.goOn(f, s)
				}
			}
		}
		if len(c.out.Items) > 0 {
			return
		}
	}
}

// offered reports whether the form's tool can be called.
func (c *completer) offered(f *compiled) bool {
	tool := f.command.Tool
	return tool == "" || tool == commandtable.AnyTool || tool == commandtable.PanelTool ||
		slices.Contains(c.g.Tools, tool)
}

// current are the words of the last command of a line: those after the last joint before which
// all is commands.
func (c *completer) current(ts []token) []token {
	s := splitter{Parser: c.g, src: c.line, ts: ts}
	for i := len(ts) - 1; i > max(0, len(ts)-20); i-- {
		next := s.joint(i)
		if next == 0 || next == i && isOneOf(ts[i], "and then & && afterwards") {
			continue
		}
		if next == len(ts) && !strings.HasSuffix(c.line, " ") {
			continue // the joint itself is still being written
		}
		if steps, problem := c.g.line(c.line[:ts[i-1].end]); problem == nil && len(steps) > 0 {
			if steps[len(steps)-1].verbatim {
				return nil
			}
			return ts[next:]
		}
	}
	return ts
}

// spot is a place in a form at which its words run out: at element e, of whose words k are said.
// from is where the name begins that is being said for a number, -1 for none; open tells that a
// text without quotes stands before it, which may go on as well.
type spot struct {
	e, k, from int
	open       bool
}

// reach finds the spots of f after all whole words.
func (c *completer) reach(f *compiled, e, t int, open bool, found []spot) []spot {
	if e == len(f.parts) || len(found) > 16 {
		return found
	}
	p, rest := f.parts[e], c.done[t:]
	if p.kind == nil {
		if p.optional {
			found = c.reach(f, e+1, t, open, found)
		}
		for _, words := range p.words {
			if n := follows(rest, words); n > 0 {
				found = c.reach(f, e+1, t+n, false, found)
			} else if k := begun(rest, words); k >= 0 && !(p.optional && k == 0) {
				found = append(found, spot{e, k, -1, open})
				break
			}
		}
		return found
	}
	if len(rest) == 0 {
		return append(found, spot{e, 0, -1, open})
	}
	if p.kind.free {
		for n := 1; n <= len(rest); n++ {
			found = c.reach(f, e+1, t+n, !(n == 1 && rest[0].quoted), found)
		}
		return found
	}
	if p.kind.rest {
		return found
	}
	readings, _ := p.kind.read(c.g, rest)
	for _, r := range readings {
		found = c.reach(f, e+1, t+r.n, false, found)
	}
	if p.kind.arg() == "mark" && len(readings) == 0 {
		found = append(found, spot{e, 0, t, open})
	}
	return found
}

// begun is how many of words rest says, all of it, without saying them all; -1 when it does not.
func begun(rest []token, words []string) int {
	if len(rest) >= len(words) {
		return -1
	}
	for i, t := range rest {
		if t.quoted || t.word != words[i] {
			return -1
		}
	}
	return len(rest)
}

// goOn offers what may stand at the spot.
func (c *completer) goOn(f *compiled, s spot) {
	p := f.parts[s.e]
	if c.partial == "" && c.out.Ghost == "" && strings.HasSuffix(c.line, " ") && s.from < 0 {
		c.out.Ghost = rest(f, s)
	}
	if p.kind != nil {
		c.fill(f, s)
		return
	}
	typed := strings.ToLower(c.partial)
	for _, words := range p.words {
		if s.k >= len(words) || !strings.HasPrefix(words[s.k], typed) ||
			s.k > 0 && !slices.Equal(words[:s.k], p.words[0][:min(s.k, len(p.words[0]))]) {
			continue
		}
		c.add(c.base+strings.Join(words[s.k:], " ")+upToSlot(f, s.e+1), f.Usage(), f.Means)
		return
	}
}

// fill offers what a slot may hold.
func (c *completer) fill(f *compiled, s spot) {
	p := f.parts[s.e]
	if p.kind.values == nil {
		return
	}
	base, wanted := c.base, strings.ToLower(c.partial)
	if s.from >= 0 {
		base = c.line[:c.done[s.from].start]
		wanted = strings.ToLower(strings.TrimSpace(c.line[c.done[s.from].start:]))
	}
	c.g.partial = strings.Trim(c.partial, `"`)
	for _, v := range p.kind.values(c.g) {
		low := strings.ToLower(v.said)
		named := p.kind.arg() == "mark" && holds(v.means, wanted)
		if !strings.HasPrefix(low, wanted) && !strings.HasPrefix(low, `"`+strings.Trim(wanted, `"`)) && !named {
			continue
		}
		if said := base + v.said; slices.Contains(c.values, said) {
			continue // another form takes it too; this one shows when it is there
		} else {
			c.values = append(c.values, said)
		}
		means := v.means
		if means == "" {
			means = f.Means
		}
		c.add(base+v.said+upToSlot(f, s.e+1), v.said, means)
	}
}

// upToSlot is what f says from element e on until a value stands there.
func upToSlot(f *compiled, e int) string {
	said := ""
	for ; e < len(f.parts) && f.parts[e].kind == nil; e++ {
		if !f.parts[e].optional {
			said += " " + strings.Join(f.parts[e].words[0], " ")
		}
	}
	if e < len(f.parts) {
		said += " "
	}
	return said
}

// holds reports whether every word begins one of the name.
func holds(name, wanted string) bool {
	name = " " + strings.ToLower(strings.ReplaceAll(name, "“", " "))
	for w := range strings.FieldsSeq(wanted) {
		if !slices.Contains(strings.Fields(articles), w) && !strings.Contains(name, " "+w) {
			return false
		}
	}
	return true
}

func (c *completer) add(line, show, means string) {
	insert := c.head + line
	if len(c.out.Items) > 2*maxItems ||
		slices.ContainsFunc(c.out.Items, func(i wire.CompletionItem) bool { return i.Insert == insert }) {
		return
	}
	c.out.Items = append(c.out.Items, wire.CompletionItem{Insert: insert, Show: show, Means: means})
}

// rest is what of a form is missing at a spot, as it is shown.
func rest(f *compiled, s spot) string {
	var out []string
	for i, p := range f.parts[s.e:] {
		switch {
		case p.kind != nil:
			out = append(out, p.kind.shown)
		case i == 0:
			out = append(out, p.words[0][min(s.k, len(p.words[0])):]...)
		case !p.optional:
			out = append(out, p.words[0]...)
		}
	}
	return strings.Join(out, " ")
}
