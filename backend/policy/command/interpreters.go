package command

import (
	"slices"
	"strings"

	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (c *simpleCommand) interpreter() {
	words := c.words[1:]
	if c.asksInterpreterVersion() {
		return
	}
	if len(words) == 0 && c.reader.stdin.text != nil {
		c.warn(c.name + " runs the code on its standard input.")
		return
	}
	for i, w := range words {
		switch {
		case !w.IsLiteral():
			c.warn(c.name + " runs code that is known only when it runs.")
			return
		case w.Text == "-c" || w.Text == "-e" || w.Text == "-E" || w.Text == "-p" || w.Text == "--eval" ||
			w.Text == "--print":
			code := ""
			if i+1 < len(words) {
				code = ": " + excerpt.Line(words[i+1].Display, 80)
			}
			c.warn(c.name + " runs code" + code + ".")
			return
		case w.Text == "-m" && i+1 < len(words) && words[i+1].IsLiteral() && strings.HasPrefix(c.name, "python"):
			c.subcommand = "-m " + words[i+1].Text
			if slices.Contains([]string{"pytest", "unittest", "mypy", "ruff", "black", "flake8", "compileall"},
				words[i+1].Text) {
				c.grantName = c.name + " " + c.subcommand
			}
			if words[i+1].Text == "pip" || words[i+1].Text == "http.server" {
				c.useNetwork()
			}
			c.warn(c.name + " runs the module " + words[i+1].Text + ".")
			return
		case !strings.HasPrefix(w.Text, "-"):
			c.useFile(w, toolspec.UseRead)
			c.warn(c.name + " runs " + excerpt.Line(w.Text, 80) + ", which Sextant does not read.")
			return
		}
	}
	c.warn(c.name + " " + programs.RunsCodeWarning + ".")
}

// For python, -v means verbose; for the others, it means version.
func (c *simpleCommand) asksInterpreterVersion() bool {
	words := c.words[1:]
	if len(words) != 1 || !words[0].IsLiteral() {
		return false
	}
	if words[0].Text == "-v" {
		return !strings.HasPrefix(c.name, "python")
	}
	return slices.Contains([]string{"--version", "-V", "--help", "-h"}, words[0].Text)
}
