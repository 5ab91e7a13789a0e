package command

import (
	"slices"
	"strings"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (c *simpleCommand) developerTool() {
	if c.asksVersionOrHelp() {
		return
	}
	words := c.words[1:]
	for _, w := range words {
		if !w.IsLiteral() {
			c.warn(c.name + " has words that are known only when it runs: " + excerpt.Line(w.Display, 80) + ".")
			return
		}
	}
	if slices.Contains([]string{"npx", "bunx", "pipx", "uvx", "gh", "glab"}, c.name) {
		c.useNetwork()
	}
	if c.name == "make" || c.name == "gmake" {
		c.makeTargets(words)
		return
	}
	if len(words) > 0 {
		c.subcommand = words[0].Text
	}
	risky := programs.HasRiskyOption(words)
	t, known, hasTable := programs.LookupTask(c.name, c.subcommand)
	switch {
	case known && t.ReadOnly && !risky:
		return
	case known && t.Network:
		c.useNetwork()
		c.warn(c.name + " " + c.subcommand + " downloads code from the network.")
	case c.name == "go" && c.subcommand == "env" && !slices.ContainsFunc(words,
		func(w bash.Word) bool { return w.Text == "-w" || w.Text == "-u" }):
		return
	default:
		c.warn(c.name + " " + c.subcommand + " " + programs.RunsCodeWarning + ".")
	}
	c.useGoOutput(words)
	if !strings.HasPrefix(c.subcommand, "-") && c.subcommand != "" && (known || !hasTable) && !risky {
		c.grantName = c.name + " " + programs.TaskName(c.subcommand, words[1:])
	}
}

func (c *simpleCommand) useGoOutput(words []bash.Word) {
	for i, w := range words {
		if w.Text == "-o" && i+1 < len(words) {
			c.useFile(words[i+1], toolspec.UseWrite)
		}
	}
}

// makeTargets treats the targets of make as its subcommand.
func (c *simpleCommand) makeTargets(words []bash.Word) {
	c.warn(c.name + " " + programs.RunsCodeWarning + ".")
	var targets []string
	for _, w := range words {
		if strings.HasPrefix(w.Text, "-") && strings.Trim(w.Text, "-jkBs0123456789") != "" ||
			strings.Contains(w.Text, "=") {
			return // with other files, folders or variables, the targets say too little for a grant
		}
		if !strings.HasPrefix(w.Text, "-") {
			targets = append(targets, w.Text)
		}
	}
	c.subcommand = strings.Join(targets, " ")
	c.grantName = strings.TrimSpace(c.name + " " + c.subcommand)
}
