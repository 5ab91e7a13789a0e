package grammar

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar/token"
)

// Help lists all commands after intro, or explains those that contain the words in about.
func (parser *Parser) Help(about, intro string) string {
	if about != "" {
		return parser.explain(about)
	}
	lines := []string{
		intro,
		"",
		`Commands, one or several joined by "and", "then" or a new line; "help click" explains one with an example:`,
	}
	group := ""
	for _, f := range parser.Forms {
		c := f.command
		if c.Group != group {
			group = c.Group
			lines = append(lines, "", "**"+group+"**", "")
		}
		if f != parser.firstOf(c) {
			continue
		}
		var forms []string
		for _, other := range parser.Forms {
			if other.command == c && !other.Hidden {
				forms = append(forms, other.Usage())
			}
		}
		if len(forms) > 0 {
			lines = append(lines, "- "+strings.Join(forms, ", "))
		}
	}
	return strings.Join(append(lines, "", endOfHelp), "\n")
}

const endOfHelp = `Any tool can be called by its name too: /click_element {"annotationId": 3}.

Capitals do not matter. Quotes keep words together; inside "…", \" is a quote, \\ a backslash and \n a new line. ` +
	`run and js take the rest of their line as it is. A chain stops at the first command that fails.`

func (parser *Parser) firstOf(c *commandtable.Command) *compiledForm {
	i := slices.IndexFunc(parser.Forms, func(f *compiledForm) bool { return f.command == c })
	return parser.Forms[i]
}

func (parser *Parser) explain(about string) string {
	wanted := strings.Fields(strings.ToLower(strings.Trim(about, "/")))
	var lines []string
	for _, f := range parser.Forms {
		has := strings.Fields(strings.ToLower(f.Usage() + " " + f.command.Tool + " " + f.command.Group))
		for _, p := range f.parts {
			has = append(has, slices.Concat(p.words...)...)
		}
		if f.Hidden || slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(has, w) }) {
			continue
		}
		lines = append(lines, fmt.Sprintf("- %s: %s. Example: %s", f.Usage(), f.Description, f.Example))
	}
	if len(lines) == 0 {
		return fmt.Sprintf("There is no command with %q. Say \"help\" for all commands.", token.Abbreviate(about))
	}
	return strings.Join(lines, "\n")
}
