package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func builtinJudge(name string) func(*simpleCommand) {
	switch name {
	case "cd", "pushd", "popd":
		return (*simpleCommand).cd
	case "eval":
		return (*simpleCommand).eval
	case "source", ".":
		return func(c *simpleCommand) {
			if len(c.words) > 1 {
				c.useFile(c.words[1], toolspec.UseRead)
			}
			c.warn(c.name + " runs a file in this shell, which Sextant does not read.")
			c.reader.Folders = nil
		}
	case "trap":
		return (*simpleCommand).trap
	case "alias":
		return (*simpleCommand).alias
	case "unalias":
		return func(*simpleCommand) {}
	case "set", "shopt":
		return (*simpleCommand).shellOptions
	case "test", "[":
		return (*simpleCommand).testCondition
	case "printf":
		return (*simpleCommand).printf
	case "read", "mapfile", "readarray", "unset":
		return (*simpleCommand).assignNames
	case "export", "declare", "typeset", "local", "readonly", "let":
		return func(c *simpleCommand) { c.warn(c.name + " sets variables where Sextant does not read it.") }
	}
	return nil
}

func (c *simpleCommand) cd() {
	words := c.words[1:]
	options := []string{"-P", "-L", "-e", "-@", "--"}
	for len(words) > 0 && words[0].IsLiteral() && slices.Contains(options, words[0].Text) {
		words = words[1:]
	}
	switch {
	case c.name == "popd", c.name == "pushd" && len(words) == 0:
		c.reader.Folders = nil
	case len(words) == 0:
		c.reader.changeFolder(bash.LiteralWord(c.reader.place.Home))
	case words[0].Text == "-" && words[0].IsLiteral(), c.reader.place.Home == "" && words[0].Text == "":
		c.reader.Folders = nil
	case !c.reader.changeFolder(words[0]):
		c.warn("Which folder it goes to with “" + excerpt.Line(words[0].Display, 80) + "” is known only when it runs.")
	}
}

func (c *simpleCommand) eval() {
	texts := make([]string, 0, len(c.words))
	for _, w := range c.words[1:] {
		if !w.IsLiteral() {
			c.warn("eval runs text that is known only when it runs: " + excerpt.Line(c.text, 80) + ".")
			c.reader.Folders = nil
			return
		}
		texts = append(texts, w.Text)
	}
	c.readInSameShell(strings.Join(texts, " "))
}

func (c *simpleCommand) readInSameShell(text string) {
	in := *c.reader
	in.depth++
	in.wrappers = append(slices.Clone(in.wrappers), c.name)
	in.readScript(text)
	c.reader.Folders = in.Folders
	if len(in.shadowed) > len(c.reader.shadowed) {
		c.warn(c.name + " declares functions, which can change what later words mean.")
	}
}

func (c *simpleCommand) trap() {
	words := c.words[1:]
	if len(words) > 0 && words[0].Text == "--" {
		words = words[1:]
	}
	if len(words) < 2 || words[0].IsLiteral() && slices.Contains([]string{"-", "", "-p", "-l"}, words[0].Text) {
		return
	}
	if !words[0].IsLiteral() {
		c.warn("trap runs a command later that is known only when it runs.")
		return
	}
	dirs := c.reader.Folders
	c.reader.Folders = nil // the trap may run in any folder
	if !strings.Contains(c.reader.Text, "cd") && !strings.Contains(c.reader.Text, "push") {
		c.reader.Folders = dirs
	}
	c.readInSameShell(words[0].Text)
	c.reader.Folders = dirs
}

func (c *simpleCommand) alias() {
	for _, w := range c.words[1:] {
		_, text, ok := strings.Cut(w.Text, "=")
		switch {
		case !w.IsLiteral():
			c.warn("alias gives a name to a command that is known only when it runs.")
		case ok:
			c.runShellText(bash.LiteralWord(text))
		}
	}
}

func (c *simpleCommand) shellOptions() {
	plain := []string{
		"nullglob", "failglob", "globstar", "nocaseglob", "nocasematch", "extglob", "pipefail", "errexit",
		"nounset", "noglob", "lastpipe", "inherit_errexit", "xtrace", "errtrace", "noclobber",
	}
	for _, w := range c.words[1:] {
		switch {
		case !w.IsLiteral():
			c.warn(c.name + " has an option that is known only when it runs.")
		case c.name == "set" && w.Text == "--":
			return
		case strings.HasPrefix(w.Text, "-") || strings.HasPrefix(w.Text, "+"):
			if c.name == "set" && strings.Trim(w.Text[1:], "euxofvEnCTbh") != "" {
				c.warn("set " + excerpt.Line(w.Text, 80) + " changes how commands are read.")
			}
		case !slices.Contains(plain, w.Text):
			c.warn(c.name + " " + excerpt.Line(w.Text, 80) + " changes how commands are read.")
		}
	}
}

func (c *simpleCommand) testCondition() {
	for i, w := range c.words[1:] {
		if w.IsLiteral() && (w.Text == "-v" || w.Text == "-R") && i+2 < len(c.words) {
			if name := c.words[i+2]; !name.IsLiteral() || !syntax.ValidName(name.Text) {
				c.warn(c.name + " " + w.Text + " evaluates a name that could contain a command.")
			}
		}
	}
}

func (c *simpleCommand) printf() {
	words := c.words[1:]
	if len(words) == 0 {
		return
	}
	if words[0].Unknown && words[0].Text == "" || !words[0].IsLiteral() && words[0].MayBeOption() {
		// Of the options, only -v has an effect: it assigns to a variable.
		c.warn("printf is given a format that could be an option when it runs.")
		return
	}
	if strings.HasPrefix(words[0].Text, "-v") {
		c.assignTo(bash.Word{Text: strings.TrimPrefix(words[0].Text, "-v"), Display: words[0].Display}, words[1:])
	}
}

// assignTo judges an assignment to the variable that v names, or rest[0] if v is empty.
func (c *simpleCommand) assignTo(v bash.Word, rest []bash.Word) {
	if v.Text == "" && len(rest) > 0 {
		v = rest[0]
	}
	if !v.IsLiteral() || !syntax.ValidName(v.Text) {
		c.warn(c.name + " puts its text into a variable whose name could contain a command.")
		return
	}
	c.reader.judgeVariable(v.Text, false)
}

func (c *simpleCommand) assignNames() {
	parser := programs.OptionParser{Options: programs.OptionsOf("read")}
	args := parser.Parse(c.words[1:])
	for _, o := range args.Options {
		if o.Name == "a" && o.HasValue && c.name == "read" {
			c.assignTo(o.Value, nil)
		}
		if o.Name == "f" && c.name == "unset" {
			c.warn("unset removes a function.")
		}
	}
	if c.name == "unset" {
		// unset removes a function if there is no variable with that name.
		for _, w := range args.Operands {
			delete(c.reader.functions, w.Text)
		}
		args.Options = nil
	}
	c.judgeOptions(parser, args)
	for _, w := range args.Operands {
		c.assignTo(w, nil)
	}
}
