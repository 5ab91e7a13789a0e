package command

import (
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (c *simpleCommand) copyOrMove() {
	if c.asksVersionOrHelp() {
		return
	}
	warned := c.reader.warnings
	parser := programs.OptionParser{Options: programs.OptionsOf("cp")}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	if args.Has("owner", "group", "exchange") || len(args.UnknownOptions) > 0 {
		c.warn(c.name + " has options that are unknown or change more than files.")
	}
	files := args.Operands
	if c.name == "install" && args.Has("directory") {
		for _, v := range files {
			c.useFile(v, toolspec.UseWrite)
		}
		return
	}
	var target bash.Word
	if !args.Has("target-directory") && len(files) > 0 {
		target = files[len(files)-1]
		files = files[:len(files)-1]
		if len(files) == 0 && c.name == "ln" {
			files, target = []bash.Word{target}, bash.LiteralWord(".")
		}
	}
	use := toolspec.UseRead
	if strings.HasSuffix(c.name, "mv") {
		use = toolspec.UseDelete
	}
	for _, v := range files {
		if c.name == "ln" && args.Has("symbolic") {
			// Creating a link reads nothing. A command that follows the link is judged by itself.
			if v.Unknown || strings.HasPrefix(v.Text, "/") || strings.Contains(v.Text, "..") {
				c.warn("ln makes a link to " + excerpt.Line(v.Display, 80) + ", which may lead out of the folder.")
			}
			continue
		}
		c.useFile(v, use)
	}
	if !args.Has("target-directory") {
		c.useFile(target, toolspec.UseWrite)
	}
	if c.name != "mv" && c.reader.warnings == warned {
		c.grantName = c.name
	}
}

func (c *simpleCommand) remove() {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.OptionsOf("rm")}
	args := parser.Parse(c.words[1:])
	if len(args.UnknownOptions) > 0 {
		c.warn(c.name + " has the unknown option " + excerpt.Line(args.UnknownOptions[0], 80) + ".")
	}
	c.judgeOptions(parser, args)
	if args.Has("r", "recursive") {
		for _, v := range args.Operands {
			if !v.Unknown {
				c.warn(c.name + " -r deletes " + excerpt.Line(v.Display, 80) + " with everything in it.")
			}
		}
	}
	for _, v := range args.Operands {
		c.useFile(v, toolspec.UseDelete)
	}
}

func (c *simpleCommand) dd() {
	for _, w := range c.words[1:] {
		name, text, _ := strings.Cut(w.Text, "=")
		v := bash.Word{Text: text, Display: w.Display, Unknown: w.Unknown, HasGlob: w.HasGlob}
		switch {
		case len(w.Alternatives) > 0, !w.IsLiteral() && (name == w.Text || strings.ContainsAny(name, "*?[")):
			c.warn("dd has words that are known only when it runs.")
		case name == "if":
			c.useFile(v, toolspec.UseRead)
		case name == "of":
			c.useFile(v, toolspec.UseWrite)
		}
	}
}
