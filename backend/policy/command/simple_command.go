package command

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

type simpleCommand struct {
	reader *reader
	// name is the program, words are the program and its words, and text is the command as it was written.
	name                  string
	words                 []bash.Word
	text                  string
	subcommand, grantName string
}

func (r *reader) readSimpleCommand(x *syntax.CallExpr) {
	r.readNested(x)
	for _, a := range x.Assigns {
		r.readAssignment(a, len(x.Args) > 0)
	}
	if len(x.Args) == 0 {
		return
	}
	words := r.Words(x.Args)
	if len(words) == 0 || len(x.Args) > 0 && words[0].Splittable {
		r.warn("Which program runs is known only when it runs: " + excerpt.Line(r.Source(x), 80) + ".")
		r.reading.Commands = append(r.reading.Commands, Command{Text: r.Source(x), Wrappers: r.wrappers})
		return
	}
	r.judgeWords(words, r.Source(x))
}

func (r *reader) judgeWords(words []bash.Word, text string) {
	if r.remaining--; r.remaining < 0 {
		r.warn("It is too long to be read to its end.")
		return
	}
	if len(words) == 0 {
		return
	}
	findingsBefore, at := r.findings, len(r.reading.Commands)
	c := &simpleCommand{reader: r, words: words, text: text}
	r.reading.Commands = append(r.reading.Commands, Command{Text: text, Wrappers: slices.Clone(r.wrappers)})
	r.judgeDepth++
	if words[0].IsLiteral() {
		c.name = programName(words[0].Text)
		c.judge()
	} else {
		r.warn("“" + excerpt.Line(words[0].Display, 80) + "” decides what runs, which is known only when it runs.")
	}
	r.judgeDepth--
	cmd := &r.reading.Commands[at]
	cmd.Program, cmd.Subcommand, cmd.Harmless = c.name, c.subcommand, r.findings == findingsBefore
	if !cmd.Harmless && len(r.wrappers) == 0 {
		cmd.GrantName = c.grantName
	}
	for _, w := range words[1:] {
		arg := w.Text
		if !w.IsLiteral() {
			arg = w.Display
		}
		cmd.Args = append(cmd.Args, arg)
	}
}

// programName returns the program's name without a system folder before it: "git" for /usr/bin/git.
func programName(s string) string {
	if !strings.Contains(s, "/") {
		return s
	}
	switch path.Dir(path.Clean(s)) {
	case "/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin":
		return path.Base(s)
	}
	return s
}

func (c *simpleCommand) judge() {
	special := specialJudge(c.name)
	p, known := programs.Lookup(c.name)
	if special == nil && !known && c.reader.functions[c.words[0].Text] {
		// The body was judged at its declaration. A known program with the same name is judged instead, since either
		// may run.
		return
	}
	if special != nil {
		special(c)
		if c.reader.shadowed[c.name] && slices.Contains([]string{"cd", "pushd", "popd"}, c.name) {
			c.reader.Folders = nil
		}
		return
	}
	if !known {
		c.grantName = c.name
		c.warn("“" + excerpt.Line(c.name, 80) +
			"” is not a program that Sextant knows, so what it does is unknown.")
		return
	}
	c.judgeByTable(p)
}

func (c *simpleCommand) judgeByTable(p programs.Program) {
	if c.asksVersionOrHelp() {
		return
	}
	warned := c.reader.warnings
	parser := programs.OptionParser{Options: programs.ParseOptions(p.Options)}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	c.judgeOperands(p.Operands, args.Operands)
	unwarned := c.reader.warnings == warned
	if p.Warning != "" {
		c.warn(c.name + " " + p.Warning + ".")
	}
	if p.Grantable && unwarned && !slices.ContainsFunc(args.Options,
		func(o programs.ParsedOption) bool {
			return o.Role == programs.RoleWarn || o.Role == programs.RoleProgram
		}) {
		c.grantName = c.name
	}
}

func (c *simpleCommand) asksVersionOrHelp() bool {
	return len(c.words) == 2 && c.words[1].IsLiteral() &&
		(c.words[1].Text == "--version" || c.words[1].Text == "--help")
}

func (c *simpleCommand) judgeOptions(parser programs.OptionParser, args programs.Arguments) {
	if args.AmbiguousWord != "" && parser.HasEffects() {
		c.warn("“" + excerpt.Line(args.AmbiguousWord, 80) + "” could be any option of " + c.name + " when it runs.")
	}
	for _, o := range args.Options {
		c.judgeOption(o.Role, o.Name, o.Value, o.HasValue)
	}
}

func (c *simpleCommand) judgeOption(role programs.Role, name string, v bash.Word, has bool) {
	if role == programs.RoleWarn {
		c.warn(c.name + " with the option " + dashed(name) + " does more than read.")
		return
	}
	if role == programs.RoleNetwork {
		c.useNetwork()
	}
	if has {
		c.judgeWord(role, v)
	}
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func (c *simpleCommand) judgeWord(role programs.Role, v bash.Word) {
	switch role {
	case programs.RoleRead:
		c.useFile(v, toolspec.UseRead)
	case programs.RoleWrite:
		if v.Text != "-" {
			c.useFile(v, toolspec.UseWrite)
		}
	case programs.RoleDelete:
		c.useFile(v, toolspec.UseDelete)
	case programs.RoleFolder:
		c.useFile(v, toolspec.UseRead)
		c.reader.changeFolder(v)
	case programs.RoleProgram:
		c.runShellText(v)
	case programs.RoleHost:
		c.useHost(v)
	}
}

// judgeOperands judges operands by their roles: "t r*" means one text and then paths to read.
func (c *simpleCommand) judgeOperands(roles string, words []bash.Word) {
	fields := strings.Fields(roles)
	c.judgeShiftedOperands(fields, words)
	for i, field := range fields {
		if len(words) == 0 {
			return
		}
		if !strings.HasSuffix(field, "*") {
			c.judgeWord(programs.Role(field[0]), words[0])
			words = words[1:]
			continue
		}
		after := len(fields) - i - 1
		for len(words) > after {
			c.judgeWord(programs.Role(field[0]), words[0])
			words = words[1:]
		}
	}
}

// judgeShiftedOperands handles an operand that may expand to several words: it and all operands after it may have any
// of the roles that follow.
func (c *simpleCommand) judgeShiftedOperands(fields []string, words []bash.Word) {
	at := slices.IndexFunc(words, bash.Word.MayBeMultipleWords)
	if at < 0 || len(fields) < 2 {
		return
	}
	for _, field := range fields[min(at, len(fields)-1):] {
		for _, w := range words[at:] {
			if role := programs.Role(field[0]); role.HasEffects() || role == programs.RoleRead && w.HasGlob {
				c.judgeWord(role, w)
			}
		}
	}
}

func (c *simpleCommand) warn(sentence string) { c.reader.warn(sentence) }

func (c *simpleCommand) useNetwork() {
	c.reader.reading.Network = true
	c.reader.findings++
}

func (c *simpleCommand) runShellText(v bash.Word) {
	if !v.IsLiteral() {
		c.warn(c.name + " runs a command that is known only when it runs: " + excerpt.Line(v.Display, 80) + ".")
		return
	}
	c.reader.isolate(func() { c.reader.readInnerShell(v.Text, c.name) })
}

func (c *simpleCommand) runWrapped(words []bash.Word) {
	if len(words) == 0 {
		return
	}
	in := *c.reader
	in.wrappers = append(slices.Clone(c.reader.wrappers), c.name)
	in.functions = nil
	in.depth++
	if in.depth > maxDepth {
		c.warn("Its commands are nested too deep to be read.")
		return
	}
	in.judgeWords(words, joinDisplay(words))
}

func (c *simpleCommand) runInPlace(words []bash.Word) {
	wrappers, functions := c.reader.wrappers, c.reader.functions
	// The command is never a function.
	c.reader.wrappers, c.reader.functions = append(slices.Clone(wrappers), c.name), nil
	c.reader.depth++
	if c.reader.depth > maxDepth {
		c.warn("Its commands are nested too deep to be read.")
	} else {
		c.reader.judgeWords(words, joinDisplay(words))
	}
	c.reader.depth--
	c.reader.wrappers, c.reader.functions = wrappers, functions
}

func joinDisplay(words []bash.Word) string {
	all := make([]string, 0, len(words))
	for _, w := range words {
		all = append(all, w.Display)
	}
	return strings.Join(all, " ")
}
