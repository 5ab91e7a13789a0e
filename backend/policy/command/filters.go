package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/backend/policy/command/scripts"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (c *simpleCommand) grep() {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.OptionsOf(c.name)}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	roles := "t r*"
	if args.Has("regexp", "file", "files") {
		roles = "r*"
	}
	c.judgeOperands(roles, args.Operands)
}

func (c *simpleCommand) jq() {
	if c.asksVersionOrHelp() {
		return
	}
	var rest []bash.Word
	words := c.words[1:]
	filter := true
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.IsLiteral():
			rest = append(rest, w)
		case w.Text == "--arg" || w.Text == "--argjson":
			i += 2
		case w.Text == "--slurpfile" || w.Text == "--rawfile":
			if i+2 < len(words) {
				c.useFile(words[i+2], toolspec.UseRead)
			}
			i += 2
		case w.Text == "-f" || w.Text == "--from-file" || w.Text == "-L":
			filter = filter && w.Text == "-L"
			if i++; i < len(words) {
				c.useFile(words[i], toolspec.UseRead)
			}
		case w.Text == "--indent":
			i++
		case w.Text == "--args" || w.Text == "--jsonargs":
			words = words[:min(i+2, len(words))]
		case strings.HasPrefix(w.Text, "-") && w.Text != "-":
		default:
			rest = append(rest, w)
		}
	}
	if filter && len(rest) > 0 {
		rest = rest[1:]
	}
	for _, w := range rest {
		c.useFile(w, toolspec.UseRead)
	}
}

// awk judges awk. Its program can write files, start commands and open sockets.
func (c *simpleCommand) awk() {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.OptionsOf("awk"), StopAtOperand: true}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	rest := args.Operands
	texts := args.Values("source")
	if len(texts) == 0 && !args.Has("file", "exec") && len(rest) > 0 {
		texts, rest = rest[:1], rest[1:]
	}
	for _, text := range texts {
		switch {
		case text.Unknown || len(text.Alternatives) > 0:
			c.warn("What " + c.name + " does is in text that is known only when it runs.")
		case scripts.AwkHasEffects(text.Text):
			c.warn(c.name + "'s program writes files or starts commands: " + excerpt.Line(text.Text, 80) + ".")
		}
	}
	for _, w := range rest {
		if name, _, ok := strings.Cut(w.Text, "="); ok && syntax.ValidName(name) {
			continue
		}
		c.useFile(w, toolspec.UseRead)
	}
}

// sed judges sed. Its script can read and write files and start commands.
func (c *simpleCommand) sed() {
	if c.asksVersionOrHelp() {
		return
	}
	warned := c.reader.warnings
	parser := programs.OptionParser{Options: programs.OptionsOf("sed")}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, programs.Arguments{Options: args.Options})
	rest, texts := args.Operands, args.Values("expression")
	if len(texts) == 0 && !args.Has("file") && len(rest) > 0 {
		texts, rest = rest[:1], rest[1:]
	}
	if args.AmbiguousWord != "" || len(args.UnknownOptions) > 0 {
		c.warn("sed has options that are unknown, or known only when it runs.")
	}
	use := toolspec.UseRead
	if args.Has("in-place") {
		use = toolspec.UseWrite
	}
	for _, script := range texts {
		if script.Unknown || len(script.Alternatives) > 0 {
			c.warn("What sed does is in text that is known only when it runs: " +
				excerpt.Line(script.Display, 80) + ".")
			continue
		}
		actions, understood := scripts.ReadSed(script.Text)
		c.judgeSedActions(actions)
		if !understood {
			c.warn("The script of sed cannot be read: " + excerpt.Line(script.Text, 80) + ".")
		}
	}
	for _, w := range rest {
		c.useFile(w, use)
	}
	if use == toolspec.UseWrite && c.reader.warnings == warned {
		c.grantName = "sed -i" // only without warnings: the name does not cover what a script runs
	}
}

func (c *simpleCommand) judgeSedActions(actions []scripts.Action) {
	for _, a := range actions {
		switch a.Kind {
		case scripts.ActionReadFile:
			c.useFile(bash.LiteralWord(a.Text), toolspec.UseRead)
		case scripts.ActionWriteFile:
			c.useFile(bash.LiteralWord(a.Text), toolspec.UseWrite)
		case scripts.ActionRunCommand:
			if a.Text != "" {
				c.runShellText(bash.LiteralWord(a.Text))
			}
			c.warn("sed runs commands.")
		case scripts.ActionRunResult:
			c.warn("sed runs the lines it reads as commands.")
		}
	}
}
