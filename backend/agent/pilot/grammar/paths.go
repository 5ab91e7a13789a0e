package grammar

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/grammar/slash"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/backend/agent/pilot/grammar/value"
)

// panelTool returns the tool that opens a panel: of that name or title, or the only one with the words in them; "" for
// none.
func (parser *Parser) panelTool(name string) string {
	tool := "open_" + strings.ReplaceAll(name, " ", "_") + "_panel"
	if slices.Contains(parser.Tools, tool) {
		return tool
	}
	words := token.OfName(name)
	if len(words) == 0 || len(words[0]) < 3 {
		return ""
	}
	var found []string
	for _, t := range parser.Tools {
		id, opens := strings.CutPrefix(t, "open_")
		id, ofPanel := strings.CutSuffix(id, "_panel")
		if !opens || !ofPanel {
			continue
		}
		known := token.OfName(id + " " + parser.panelTitle(t))
		if !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(known, w) }) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}

// panelTitle returns the title of a panel, which the description of the tool that opens it contains.
func (parser *Parser) panelTitle(tool string) string {
	for _, d := range parser.Window.Tools {
		if d.Name == tool {
			title, _ := strings.CutPrefix(d.Description, "Opens the ")
			title, _, _ = strings.Cut(title, " panel")
			return title
		}
	}
	return ""
}

func readPanel(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	rest := token.Skip(ts, "the me")
	for n := min(4, len(rest)); n > 0; n-- {
		name := strings.ReplaceAll(token.JoinWords(rest[:n]), "-", " ")
		if tool := g.panelTool(name); tool != "" {
			name = strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(tool, "open_"), "_panel"), "_", " ")
			return []value.Parsed{{N: len(ts) - len(rest) + n, Arg: tool, Text: name}}, ""
		}
	}
	named := token.SkipEnd(rest, "panel")
	if len(named) == len(rest) || len(named) == 0 {
		return nil, ""
	}
	names := panelNames(g.Tools)
	if len(names) == 0 {
		names = []string{"none"}
	}
	return nil, fmt.Sprintf("There is no panel %q. Panels: %s.", token.Abbreviate(token.JoinWords(named)),
		strings.Join(names, ", "))
}

func readPanelID(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	all, why := readPanel(g, ts)
	for i, r := range all {
		all[i].Arg = strings.ReplaceAll(r.Text, " ", "-")
	}
	return all, why
}

func readSurface(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	rest := token.Skip(ts, "the on")
	if len(rest) == 0 {
		return nil, ""
	}
	if token.IsOneOf(rest[0], "assistant page") {
		return []value.Parsed{{N: len(ts) - len(rest) + 1, Arg: rest[0].Word, Text: rest[0].Word}}, ""
	}
	return readPanelID(g, ts)
}

func panelNames(tools []string) []string {
	var names []string
	for _, t := range tools {
		if name, ok := strings.CutPrefix(t, "open_"); ok {
			if name, ok = strings.CutSuffix(name, "_panel"); ok {
				names = append(names, strings.ReplaceAll(name, "_", " "))
			}
		}
	}
	return names
}

// readTool reads the name of a tool. The call itself checks whether the tool exists.
func readTool(_ *Parser, ts []token.Token) ([]value.Parsed, string) {
	if len(ts) == 0 || ts[0].Quoted || slash.NameLength(ts[0].Text) != len(ts[0].Text) {
		return nil, ""
	}
	return []value.Parsed{{N: 1, Arg: ts[0].Text, Text: ts[0].Text}}, ""
}

func readCreatedTool(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	all, why := readTool(g, ts)
	if len(all) == 0 || !slices.Contains(g.Tools, all[0].Text) {
		return nil, why
	}
	return all, ""
}
