package grammar

import (
	"slices"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar/slash"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/shared/wire"
)

const (
	maxCompleted = 2_000
	maxItems     = 8
)

// Complete returns up to eight completions of the text before the cursor, and the missing rest of the command.
func (parser *Parser) Complete(text string) wire.Completion {
	none := wire.Completion{Items: []wire.CompletionItem{}}
	if len(text) > maxCompleted || strings.TrimSpace(text) == "" {
		return none
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	c := &completer{g: parser}
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

// Commands lists the commands that are not hidden. If Tools is not empty, it leaves out commands of other tools, but
// not those that open a panel, name any tool, or are answered by the pilot itself.
func (parser *Parser) Commands() []wire.PilotCommand {
	list := []wire.PilotCommand{}
	c := &completer{g: parser}
	for _, f := range parser.Forms {
		if f.Hidden || len(parser.Tools) > 0 && !c.offered(f) {
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
			Form: f.Usage(), Example: f.Example, Effect: f.Description, Insert: insert, Group: f.command.Group,
			Tool: f.command.Tool, Featured: f.Featured,
		})
	}
	return list
}

type completer struct {
	g          *Parser
	head, line string
	// done are the complete words of the command being written; base is the text before its unfinished last
	// word, partial.
	done          []token.Token
	base, partial string
	// values are the values already offered, with the text before each.
	values []string
	out    wire.Completion
}

func (c *completer) slash() {
	name := strings.TrimPrefix(strings.TrimSpace(c.line), "/")
	if slash.NameLength(name) != len(name) || strings.HasSuffix(c.line, " ") {
		return
	}
	name = strings.ToLower(name)
	for _, begins := range []bool{true, false} {
		for _, d := range c.g.Window.Tools {
			low := strings.ToLower(d.Name)
			if strings.HasPrefix(low, name) != begins || !strings.Contains(low, name) {
				continue
			}
			args, back := slash.Template(d.Parameters)
			c.out.Items = append(c.out.Items, wire.CompletionItem{
				Insert: c.head + "/" + d.Name + " " + args, Back: back, Label: "/" + d.Name,
				Detail: token.FirstSentence(d.Description),
			})
		}
	}
}

func (c *completer) words() {
	ts := token.Skip(c.current(token.Split(c.line)), leadingFiller)
	c.done, c.base = ts, c.line
	if n := len(ts); n > 0 && ts[n-1].End == len(c.line) && !ts[n-1].Quoted {
		c.done, c.base, c.partial = ts[:n-1], c.line[:ts[n-1].Start], ts[n-1].Text
	}
	if len(c.done) == 0 && c.partial == "" || len(c.done) > 40 {
		return
	}
	// Continuations of an unquoted text are offered only if nothing else fits.
	for _, open := range []bool{false, true} {
		for _, f := range c.g.Forms {
			if f.Hidden || !c.offered(f) {
				continue
			}
			for _, s := range c.positions(f, 0, 0, false, nil) {
				if s.open == open {
					c.suggestAt(f, s)
				}
			}
		}
		if len(c.out.Items) > 0 {
			return
		}
	}
}

func (c *completer) offered(f *compiledForm) bool {
	tool := f.command.Tool
	return tool == "" || tool == commandtable.NamedTool || tool == commandtable.PanelTool ||
		slices.Contains(c.g.Tools, tool)
}

// current returns the words of the last command in a line: those after the last separator that follows complete
// commands.
func (c *completer) current(ts []token.Token) []token.Token {
	s := splitter{Parser: c.g, src: c.line, ts: ts}
	for i := len(ts) - 1; i > max(0, len(ts)-20); i-- {
		next := s.separator(i)
		if next == 0 || next == i && token.IsOneOf(ts[i], "and then & && afterwards") {
			continue
		}
		if next == len(ts) && !strings.HasSuffix(c.line, " ") {
			continue // the separator itself is still being typed
		}
		if steps, problem := c.g.line(c.line[:ts[i-1].End]); problem == nil && len(steps) > 0 {
			if steps[len(steps)-1].verbatim {
				return nil
			}
			return ts[next:]
		}
	}
	return ts
}

// formPosition is the position in a form at which the words end, after k words of part e. from is the token where
// an element's name starts in place of a number, -1 for none. open means that unquoted text precedes the position
// and may continue.
type formPosition struct {
	e, k, from int
	open       bool
}

func (c *completer) positions(f *compiledForm, e, t int, open bool, found []formPosition) []formPosition {
	if e == len(f.parts) || len(found) > 16 {
		return found
	}
	p, rest := f.parts[e], c.done[t:]
	if p.kind == nil {
		if p.optional {
			found = c.positions(f, e+1, t, open, found)
		}
		for _, words := range p.words {
			if n := matchWords(rest, words); n > 0 {
				found = c.positions(f, e+1, t+n, false, found)
			} else if k := prefixLength(rest, words); k >= 0 && !(p.optional && k == 0) {
				found = append(found, formPosition{e, k, -1, open})
				break
			}
		}
		return found
	}
	if len(rest) == 0 {
		return append(found, formPosition{e, 0, -1, open})
	}
	if p.kind.freeText {
		for n := 1; n <= len(rest); n++ {
			found = c.positions(f, e+1, t+n, !(n == 1 && rest[0].Quoted), found)
		}
		return found
	}
	if p.kind.restOfLine {
		return found
	}
	readings, _ := p.kind.read(c.g, rest)
	for _, r := range readings {
		found = c.positions(f, e+1, t+r.N, false, found)
	}
	if p.kind.family() == "mark" && len(readings) == 0 {
		found = append(found, formPosition{e, 0, t, open})
	}
	return found
}

func prefixLength(rest []token.Token, words []string) int {
	if len(rest) >= len(words) {
		return -1
	}
	for i, t := range rest {
		if t.Quoted || t.Word != words[i] {
			return -1
		}
	}
	return len(rest)
}

func (c *completer) suggestAt(f *compiledForm, s formPosition) {
	p := f.parts[s.e]
	if c.partial == "" && c.out.Ghost == "" && strings.HasSuffix(c.line, " ") && s.from < 0 {
		c.out.Ghost = remaining(f, s)
	}
	if p.kind != nil {
		c.suggestValues(f, s)
		return
	}
	typed := strings.ToLower(c.partial)
	for _, words := range p.words {
		if s.k >= len(words) || !strings.HasPrefix(words[s.k], typed) ||
			s.k > 0 && !slices.Equal(words[:s.k], p.words[0][:min(s.k, len(p.words[0]))]) {
			continue
		}
		c.add(c.base+strings.Join(words[s.k:], " ")+upToSlot(f, s.e+1), f.Usage(), f.Description)
		return
	}
}

func (c *completer) suggestValues(f *compiledForm, s formPosition) {
	p := f.parts[s.e]
	if p.kind.values == nil {
		return
	}
	base, wanted := c.base, strings.ToLower(c.partial)
	if s.from >= 0 {
		base = c.line[:c.done[s.from].Start]
		wanted = strings.ToLower(strings.TrimSpace(c.line[c.done[s.from].Start:]))
	}
	c.g.partial = strings.Trim(c.partial, `"`)
	for _, v := range p.kind.values(c.g) {
		low := strings.ToLower(v.text)
		named := p.kind.family() == "mark" && containsWords(v.description, wanted)
		if !strings.HasPrefix(low, wanted) && !strings.HasPrefix(low, `"`+strings.Trim(wanted, `"`)) && !named {
			continue
		}
		if text := base + v.text; slices.Contains(c.values, text) {
			continue // another form already offered it
		} else {
			c.values = append(c.values, text)
		}
		means := v.description
		if means == "" {
			means = f.Description
		}
		c.add(base+v.text+upToSlot(f, s.e+1), v.text, means)
	}
}

func upToSlot(f *compiledForm, e int) string {
	text := ""
	for ; e < len(f.parts) && f.parts[e].kind == nil; e++ {
		if !f.parts[e].optional {
			text += " " + strings.Join(f.parts[e].words[0], " ")
		}
	}
	if e < len(f.parts) {
		text += " "
	}
	return text
}

// containsWords reports whether every word of wanted, which is lower case, is an article or the start of a word of
// name.
func containsWords(name, wanted string) bool {
	name = " " + strings.ToLower(strings.ReplaceAll(name, "“", " "))
	for w := range strings.FieldsSeq(wanted) {
		if !slices.Contains(strings.Fields(token.Articles), w) && !strings.Contains(name, " "+w) {
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
	c.out.Items = append(c.out.Items, wire.CompletionItem{Insert: insert, Label: show, Detail: means})
}

func remaining(f *compiledForm, s formPosition) string {
	var out []string
	for i, p := range f.parts[s.e:] {
		switch {
		case p.kind != nil:
			out = append(out, p.kind.placeholder)
		case i == 0:
			out = append(out, p.words[0][min(s.k, len(p.words[0])):]...)
		case !p.optional:
			out = append(out, p.words[0]...)
		}
	}
	return strings.Join(out, " ")
}
