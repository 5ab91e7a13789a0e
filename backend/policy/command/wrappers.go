package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
)

func wrapperJudge(name string) func(*simpleCommand) {
	if w, ok := programs.LookupWrapper(name); ok {
		return func(c *simpleCommand) { c.plainWrapper(w) }
	}
	switch name {
	case "env", "genv":
		return (*simpleCommand).env
	case "xargs", "gxargs":
		return (*simpleCommand).xargs
	case "sh", "bash", "dash", "ash", "rbash":
		return (*simpleCommand).shellProgram
	case "su", "runuser", "script", "flock":
		return (*simpleCommand).textRunner
	case "watch":
		return (*simpleCommand).watch
	case "parallel", "sem":
		return (*simpleCommand).parallel
	case "command", "builtin", "exec":
		return (*simpleCommand).commandPrefix
	}
	return nil
}

func (c *simpleCommand) plainWrapper(w programs.Wrapper) {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.ParseOptions(w.Options), StopAtOperand: true}
	args := parser.Parse(c.words[1:])
	if w.Warning != "" {
		c.warn(c.name + " " + w.Warning + ".")
	}
	if len(args.UnknownOptions) > 0 {
		c.warn(c.name + " has the unknown option " + excerpt.Line(args.UnknownOptions[0], 80) +
			", so what it starts is unknown.")
	}
	if args.AmbiguousWord != "" {
		c.warn("“" + excerpt.Line(args.AmbiguousWord, 80) + "” could be any option of " + c.name + " when it runs.")
	}
	c.reader.isolate(func() {
		c.judgeOptions(parser, programs.Arguments{Options: args.Options})
		if rest := args.Operands; len(rest) > w.Skip {
			if w.Skip > 0 && !rest[0].IsLiteral() && rest[0].Splittable {
				c.warn("What " + c.name + " starts is known only when it runs.")
			}
			c.runWrapped(skipAssignments(rest[w.Skip:], c.reader))
		} else if w.Warning == "" && args.Has("p") && c.name != "time" {
			c.warn(c.name + " changes a running program.")
		}
	})
}

// skipAssignments judges the words NAME=value before a command, and returns the other words.
func skipAssignments(words []bash.Word, r *reader) []bash.Word {
	for len(words) > 0 {
		name, _, ok := strings.Cut(words[0].Text, "=")
		other := func(text string) bool { return !strings.HasPrefix(text, name+"=") }
		if !ok || words[0].HasGlob || !syntax.ValidName(name) || slices.ContainsFunc(words[0].Alternatives, other) {
			return words
		}
		r.judgeVariable(name, true)
		words = words[1:]
	}
	return words
}

func (c *simpleCommand) env() {
	if c.asksVersionOrHelp() {
		return
	}
	parser := programs.OptionParser{Options: programs.OptionsOf("env"), StopAtOperand: true}
	args := parser.Parse(c.words[1:])
	if len(args.UnknownOptions) > 0 || args.AmbiguousWord != "" {
		c.warn("env has options that Sextant does not know, so what it starts is unknown.")
	}
	c.reader.isolate(func() {
		c.judgeOptions(parser, programs.Arguments{Options: args.Options})
		rest := args.Operands
		for _, v := range args.Values("split-string") {
			if !v.IsLiteral() || strings.ContainsAny(v.Text, "\\$\"'#") {
				c.warn("env splits text into a command that is known only when it runs: " +
					excerpt.Line(v.Display, 80) + ".")
				continue
			}
			var front []bash.Word
			for _, word := range strings.Fields(v.Text) {
				front = append(front, bash.LiteralWord(word))
			}
			inner := programs.OptionParser{Options: parser.Options, StopAtOperand: true}.Parse(front)
			rest = append(inner.Operands, rest...)
			if len(inner.Options)+len(inner.UnknownOptions) > 0 {
				c.warn("env splits text that contains options of env: " + excerpt.Line(v.Text, 80) + ".")
			}
		}
		c.runWrapped(skipAssignments(rest, c.reader))
	})
}

func (c *simpleCommand) xargs() {
	parser := programs.OptionParser{Options: programs.OptionsOf("xargs"), StopAtOperand: true}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, programs.Arguments{Options: args.Options})
	if len(args.UnknownOptions) > 0 || args.AmbiguousWord != "" {
		c.warn("xargs has options that Sextant does not know, so what it starts is unknown.")
	}
	if len(args.Operands) == 0 {
		return // without operands, xargs runs echo
	}
	added := c.reader.stdin.files
	if added == nil || args.Has("arg-file") {
		added = []bash.Word{{Display: "what xargs reads", Unknown: true, Splittable: true}}
	}
	words := slices.Clone(args.Operands)
	if placeholders := append(args.Values("replace"), args.Values("J")...); len(placeholders) > 0 {
		if !placeholders[0].IsLiteral() {
			c.warn("Which words xargs replaces is known only when it runs: " +
				excerpt.Line(placeholders[0].Display, 80) + ".")
		}
		words = c.replaceWords(words, placeholders[0].Text, added)
	} else if args.Has("i") {
		words = c.replaceWords(words, "{}", added)
	} else {
		words = append(words, added...)
	}
	c.reader.isolate(func() {
		c.reader.stdin = stdin{piped: true}
		c.runWrapped(words)
	})
}

// replaceWords puts files in place of the placeholder. A word becomes unknown if that is not possible.
func (c *simpleCommand) replaceWords(words []bash.Word, placeholder string, files []bash.Word) []bash.Word {
	hasPlaceholder := func(s string) bool { return strings.Contains(s, placeholder) }
	var all []bash.Word
	for i, w := range words {
		switch {
		case placeholder != "" && slices.ContainsFunc(w.Alternatives, hasPlaceholder):
			all = append(all, bash.Word{Display: w.Display, Unknown: true})
		case placeholder == "" || !strings.Contains(w.Text, placeholder):
			all = append(all, w)
		case w.Text == placeholder && i > 0 && !files[0].Unknown:
			all = append(all, files...)
		default:
			all = append(all, bash.Word{Display: w.Display, Unknown: true})
		}
	}
	return all
}

func (c *simpleCommand) parallel() {
	c.warn(c.name + " makes commands out of what it reads, which are known only when it runs.")
	parser := programs.OptionParser{Options: programs.OptionsOf("parallel"), StopAtOperand: true}
	args := parser.Parse(c.words[1:])
	c.judgeOptions(parser, programs.Arguments{Options: args.Options})
	var words []bash.Word
	for _, w := range args.Operands {
		if strings.HasPrefix(w.Text, ":::") {
			break
		}
		words = append(words, w)
	}
	c.runWrapped(append(words, bash.UnknownWord("what parallel reads")))
}

func (c *simpleCommand) commandPrefix() {
	parser := programs.OptionParser{Options: programs.OptionsOf("command"), StopAtOperand: true}
	if c.name == "builtin" {
		parser.Options = nil
	}
	args := parser.Parse(c.words[1:])
	if c.name == "command" && args.Has("v", "V") {
		return
	}
	if len(args.UnknownOptions) > 0 || args.AmbiguousWord != "" {
		c.warn(c.name + " has options that Sextant does not know, so what it starts is unknown.")
	}
	c.runInPlace(args.Operands)
}
