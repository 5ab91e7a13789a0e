package command

import (
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// shellProgram judges sh and its variants, which run the text after -c, a script file or standard input.
func (c *simpleCommand) shellProgram() {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.OptionsOf("sh"), StopAtOperand: true}
	words := c.words[1:]
	for len(words) > 0 && words[0].IsLiteral() && len(words[0].Text) > 1 && words[0].Text[0] == '+' {
		words = words[1:] // an option such as +x
	}
	args := parser.Parse(words)
	if len(args.UnknownOptions) > 0 || args.AmbiguousWord != "" {
		c.warn(c.name + " has options that Sextant does not know, so what it runs is unknown.")
	}
	c.judgeOptions(parser, programs.Arguments{Options: args.Options})
	switch {
	case args.Has("rcfile", "init-file", "i", "login"):
		c.warn(c.name + " reads start-up files before it runs anything.")
		fallthrough
	case args.Has("c"):
		if len(args.Operands) > 0 {
			c.runShellText(args.Operands[0])
			return
		}
		if args.Has("c") {
			return
		}
		fallthrough
	case len(args.Operands) == 0, args.Has("s"):
		c.runInput()
	default:
		c.useFile(args.Operands[0], toolspec.UseRead)
		c.warn(c.name + " runs the script " + excerpt.Line(args.Operands[0].Display, 80) +
			", which Sextant does not read.")
	}
}

func (c *simpleCommand) runInput() {
	switch {
	case c.reader.stdin.text != nil:
		input := *c.reader.stdin.text
		c.reader.isolate(func() { c.reader.readInnerShell(input, c.name) })
	case c.reader.stdin.piped:
		c.warn(c.name + " runs what comes from another command or a file, which is known only when it runs.")
	default:
		c.warn(c.name + " waits for commands.")
	}
}

func (c *simpleCommand) textRunner() {
	parser := programs.OptionParser{Options: programs.OptionsOf("su"), StopAtOperand: true}
	args := parser.Parse(c.words[1:])
	switch c.name {
	case "su", "runuser":
		c.warn(c.name + " " + programs.RunsAsOtherUserWarning + ".")
	}
	c.judgeOptions(parser, args)
	rest := args.Operands
	switch {
	case len(args.UnknownOptions) > 0:
		c.warn(c.name + " has options that Sextant does not know.")
	case c.name == "flock" && len(rest) > 0:
		c.useFile(rest[0], toolspec.UseWrite)
		rest = rest[1:]
		if len(rest) > 1 && rest[0].Text == "-c" {
			c.runShellText(rest[1])
		} else {
			c.runWrapped(rest)
		}
	case c.name == "script":
		if len(rest) == 0 {
			rest = []bash.Word{bash.LiteralWord("typescript")}
		}
		c.useFile(rest[0], toolspec.UseWrite)
		// script accepts options after operands: the command may follow the file.
		more := parser.Parse(rest[1:])
		c.judgeOptions(parser, more)
		if !args.Has("command") && !more.Has("command") {
			c.warn("script starts a shell that waits for commands.")
		}
	case c.name == "runuser" && args.Has("user"):
		c.runWrapped(rest)
	default:
		for i, w := range rest {
			if w.Text == "-c" && i+1 < len(rest) {
				c.runShellText(rest[i+1])
			}
		}
	}
}

func (c *simpleCommand) watch() {
	parser := programs.OptionParser{Options: programs.OptionsOf("watch"), StopAtOperand: true}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, programs.Arguments{Options: args.Options})
	if len(args.UnknownOptions) > 0 || args.AmbiguousWord != "" {
		c.warn("watch has options that Sextant does not know.")
	}
	if args.Has("exec") {
		c.runWrapped(args.Operands)
		return
	}
	c.runJoined(args.Operands)
}

func (c *simpleCommand) runJoined(words []bash.Word) {
	texts := make([]string, 0, len(words))
	for _, w := range words {
		if !w.IsLiteral() {
			c.warn(c.name + " runs a command that is known only when it runs: " + excerpt.Line(w.Display, 80) + ".")
			return
		}
		texts = append(texts, w.Text)
	}
	if len(texts) > 0 {
		c.runShellText(bash.LiteralWord(strings.Join(texts, " ")))
	}
}
