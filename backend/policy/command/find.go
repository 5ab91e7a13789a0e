package command

import (
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (c *simpleCommand) find() {
	words := c.words[1:]
	var roots []bash.Word
	i := 0
	for ; i < len(words); i++ {
		w := words[i]
		if w.IsLiteral() && (strings.HasPrefix(w.Text, "-") || w.Text == "(" || w.Text == "!" || w.Text == ",") {
			if slices.Contains([]string{"-L", "-P", "-H"}, w.Text) {
				continue
			}
			break
		}
		if !w.IsLiteral() && w.MayBeOption() {
			c.warn("“" + excerpt.Line(w.Display, 80) + "” could be any action of find when it runs.")
		}
		roots = append(roots, w)
	}
	if len(roots) == 0 {
		roots = []bash.Word{bash.LiteralWord(".")}
	}
	for _, root := range roots {
		c.useFile(root, toolspec.UseRead)
	}
	for i < len(words) {
		i += c.findAction(words[i:], roots)
	}
}

// findAction returns how many words belong to the action.
func (c *simpleCommand) findAction(words []bash.Word, roots []bash.Word) int {
	w := words[0]
	if !w.IsLiteral() {
		c.warn("“" + excerpt.Line(w.Display, 80) + "” could be any action of find when it runs.")
		return 1
	}
	next := bash.Word{}
	if len(words) > 1 {
		next = words[1]
	}
	switch {
	case w.Text == "-exec" || w.Text == "-execdir" || w.Text == "-ok" || w.Text == "-okdir":
		return c.findExec(words, roots)
	case w.Text == "-delete":
		c.warn("find deletes everything that matches below " + c.displayRoots(roots) + ".")
		for _, root := range roots {
			c.useFile(root, toolspec.UseDelete)
		}
	case w.Text == "-fprint" || w.Text == "-fprint0" || w.Text == "-fls":
		c.useFile(next, toolspec.UseWrite)
		return 2
	case w.Text == "-fprintf":
		c.useFile(next, toolspec.UseWrite)
		return 3
	case w.Text == "-newer" || w.Text == "-anewer" || w.Text == "-cnewer" || w.Text == "-samefile" ||
		w.Text == "-files0-from":
		c.useFile(next, toolspec.UseRead)
		return 2
	case programs.IsReadOnlyFindTest(w.Text):
		return 2
	case programs.IsReadOnlyFindFlag(w.Text):
	default:
		c.warn("find has the unknown option " + excerpt.Line(w.Text, 80) + ".")
	}
	return 1
}

func (c *simpleCommand) displayRoots(roots []bash.Word) string {
	displays := make([]string, 0, len(roots))
	for _, root := range roots {
		displays = append(displays, excerpt.Line(root.Display, 80))
	}
	return strings.Join(displays, ", ")
}

// findExec returns how many words belong to -exec, including -exec itself and the end.
func (c *simpleCommand) findExec(words []bash.Word, roots []bash.Word) int {
	end := 1
	for end < len(words) && words[end].Text != ";" && words[end].Text != "+" {
		end++
	}
	for _, w := range words[:min(end+1, len(words))] {
		if len(w.Alternatives) > 0 && (w.HasKnownText(";") || w.HasKnownText("+")) {
			c.warn("Where the command of find ends is known only when it runs: " + excerpt.Line(w.Display, 80) + ".")
		}
	}
	var files []bash.Word
	for _, root := range roots {
		if !root.IsLiteral() {
			files = []bash.Word{bash.UnknownWord(root.Display)}
			break
		}
		files = append(files, bash.Word{Text: strings.TrimSuffix(root.Text, "/") + "/*", Display: "every match in " +
			root.Display, HasGlob: true})
	}
	if strings.HasSuffix(words[0].Text, "dir") {
		files = []bash.Word{bash.UnknownWord("what find found")}
	}
	inner := c.replaceWords(words[1:end], "{}", files)
	c.reader.isolate(func() { c.runWrapped(inner) })
	return end + 1
}

func (c *simpleCommand) fd() {
	parser := programs.OptionParser{Options: programs.OptionsOf("fd")}
	for i, w := range c.words {
		if w.IsLiteral() && slices.Contains([]string{"-x", "--exec", "-X", "--exec-batch"}, w.Text) {
			rest := c.replaceWords(c.words[i+1:], "{}", []bash.Word{bash.UnknownWord("what fd found")})
			c.reader.isolate(func() { c.runWrapped(append(rest, bash.UnknownWord("what fd found"))) })
			parser = programs.OptionParser{Options: parser.Options}
			args := parser.Parse(c.words[1:i])
			c.judgeOptions(parser, args)
			c.judgeOperands("t r*", args.Operands)
			return
		}
	}
	args := parser.Parse(c.words[1:])
	if args.AmbiguousWord != "" || args.Has("exec", "exec-batch") {
		c.warn("fd has options that are known only when it runs.")
	}
	c.judgeOptions(parser, args)
	c.judgeOperands("t r*", args.Operands)
}
