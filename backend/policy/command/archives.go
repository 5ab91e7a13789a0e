package command

import (
	"path"
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (c *simpleCommand) tar() {
	if c.asksVersionOrHelp() {
		return
	}
	words := append([]bash.Word{}, c.words[1:]...)
	if len(words) > 0 && words[0].IsLiteral() && !strings.HasPrefix(words[0].Text, "-") {
		words[0] = bash.Word{Text: "-" + words[0].Text, Display: words[0].Display} // tar xzf
	}
	parser := programs.OptionParser{Options: programs.OptionsOf("tar")}
	args := parser.Parse(words)
	if len(args.UnknownOptions) > 0 || args.AmbiguousWord != "" {
		c.warn("tar has options that are unknown, or known only when it runs.")
	}
	archives := args.Values("file")
	for _, v := range archives {
		if strings.Contains(v.Text, ":") && !strings.HasPrefix(v.Text, "/") && !strings.HasPrefix(v.Text, ".") {
			c.useNetwork()
			c.warn("tar reads or writes on another machine: " + excerpt.Line(v.Display, 80) + ".")
		}
	}
	c.reader.isolate(func() {
		// The path of the archive is relative to the working directory before -C changes it.
		for _, v := range archives {
			use := toolspec.UseRead
			if args.Has("create", "r", "append", "update", "concatenate", "delete") {
				use = toolspec.UseWrite
			}
			if v.Text != "-" {
				c.useFile(v, use)
			}
		}
		c.judgeOptions(parser, programs.Arguments{Options: args.Options})
		switch {
		case args.Has("list", "compare"), args.Has("to-stdout"):
		case args.Has("get"):
			c.useFile(bash.LiteralWord("."), toolspec.UseWrite)
		default:
			c.judgeOperands("r*", args.Operands)
		}
	})
}

func (c *simpleCommand) archive() {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.OptionsOf("unzip")}
	if c.name != "unzip" {
		parser = programs.OptionParser{Options: programs.OptionsOf("zip")}
	}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	switch {
	case len(args.Operands) == 0:
		c.warn(c.name + " packs or unpacks what is known only when it runs.")
	case c.name == "unzip":
		c.useFile(args.Operands[0], toolspec.UseRead)
		if !args.Has("l", "p", "t", "v", "d") {
			c.useFile(bash.LiteralWord("."), toolspec.UseWrite)
		}
	case c.name == "zip":
		c.useFile(args.Operands[0], toolspec.UseWrite)
		c.judgeOperands("r*", args.Operands[1:])
	default:
		c.warn(c.name + " packs or unpacks, and which files that takes is unknown.")
	}
}

func (c *simpleCommand) compress() {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.OptionsOf("gzip")}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, args)
	for _, v := range args.Operands {
		folder := bash.Word{Text: path.Dir(v.Text), Display: v.Display, Unknown: v.Unknown, HasGlob: v.HasGlob}
		switch {
		case args.Has("to-stdout", "list", "test"):
			c.useFile(v, toolspec.UseRead)
		case args.Has("keep") || strings.HasSuffix(c.name, "zstd"):
			c.useFile(v, toolspec.UseRead)
			c.useFile(folder, toolspec.UseWrite)
		default:
			c.useFile(v, toolspec.UseDelete)
			c.useFile(folder, toolspec.UseWrite)
		}
	}
}
