package pilot

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/shared/toolspec"
)

// who says what answers here, and how a model comes to answer instead.
func who() string {
	return "This is Sextant's built-in command pilot: it does plain commands and plans nothing. A model can be connected: " + llm.HowToConnect()
}

// help lists all commands, or explains those that hold the words about.
func (g *grammar) help(about string) string {
	if about != "" {
		return g.explain(about)
	}
	lines := []string{who(), "", `Commands, one or several joined by "and", "then" or a new line; "help click" explains one with an example:`}
	group := ""
	for _, f := range g.forms {
		c := f.command
		if c.group != group {
			group = c.group
			lines = append(lines, "", "**"+group+"**", "")
		}
		if f != g.firstOf(c) {
			continue
		}
		var forms []string
		for _, other := range g.forms {
			if other.command == c && !other.quiet {
				forms = append(forms, other.shown())
			}
		}
		lines = append(lines, "- "+strings.Join(forms, ", "))
	}
	return strings.Join(append(lines, "", endOfHelp), "\n")
}

const endOfHelp = `Any tool can be called by its name too: /click_element {"annotationId": 3}.

Capitals do not matter. Quotes keep words together; in "…" stand \" for a quote, \\ for a backslash and \n for a new line. ` +
	`run and js take the rest of their line as it is. A chain stops at the first command that fails.`

func (g *grammar) firstOf(c *command) *compiled {
	i := slices.IndexFunc(g.forms, func(f *compiled) bool { return f.command == c })
	return g.forms[i]
}

// explain tells of the commands whose words or tool hold all of about.
func (g *grammar) explain(about string) string {
	wanted := strings.Fields(strings.ToLower(strings.Trim(about, "/")))
	var lines []string
	for _, f := range g.forms {
		has := strings.Fields(strings.ToLower(f.shown() + " " + f.command.tool + " " + f.command.group))
		for _, p := range f.parts {
			has = append(has, slices.Concat(p.words...)...)
		}
		if f.quiet || slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(has, w) }) {
			continue
		}
		lines = append(lines, fmt.Sprintf("- %s: %s. Example: %s", f.shown(), f.means, f.example))
	}
	if len(lines) == 0 {
		return fmt.Sprintf("There is no command with %q. Say \"help\" for all commands.", short(about))
	}
	return strings.Join(lines, "\n")
}

// toolList is what can be called now.
func toolList(tools []toolspec.Function) string {
	if len(tools) == 0 {
		return "No tool can be called now."
	}
	lines := []string{fmt.Sprintf("%d tools can be called now:", len(tools)), ""}
	for _, t := range tools {
		lines = append(lines, "- "+t.Function.Name+": "+firstSentence(t.Function.Description))
	}
	return strings.Join(lines, "\n")
}
