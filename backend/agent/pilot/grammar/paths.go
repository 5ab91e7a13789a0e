package grammar

import (
	"fmt"
	"slices"
	"strings"
)

func readPath(_ *Parser, ts []token) ([]parsedValue, string) {
	rest := skip(ts, "the file")
	if len(rest) == 0 {
		return nil, ""
	}
	path := rest[0].text
	if !rest[0].quoted {
		path = strings.TrimRight(path, ",;")
		if !strings.ContainsAny(path, "./\\~") {
			return nil, "A file is named with its ending or its folder, for example notes.txt. Put other names " +
				"in quotes."
		}
	}
	if path == "" {
		return nil, ""
	}
	return []parsedValue{{len(ts) - len(rest) + 1, path, quoted(path)}}, ""
}

// readFolder reads a path of any form: where a folder is expected, even "src" is one.
func readFolder(_ *Parser, ts []token) ([]parsedValue, string) {
	rest := skip(ts, "the folder directory")
	if len(rest) == 0 {
		return nil, ""
	}
	path := rest[0].text
	if !rest[0].quoted {
		path = strings.TrimRight(path, ",;")
	}
	if path == "" {
		return nil, ""
	}
	return []parsedValue{{len(ts) - len(rest) + 1, path, quoted(path)}}, ""
}

// fileEndings are endings of files that host names hardly ever have, except .md.
const fileEndings = "txt md json csv tsv go js ts html css yaml yml toml xml log sql ini conf diff patch svelte"

// readPlainFile reads a name with a file's ending: "open notes.txt" may mean the file.
func readPlainFile(g *Parser, ts []token) ([]parsedValue, string) {
	if len(ts) == 0 {
		return nil, ""
	}
	name := ts[0].word
	at := strings.LastIndexByte(name, '.')
	if strings.Contains(name, "://") || at <= 0 || !slices.Contains(strings.Fields(fileEndings), name[at+1:]) {
		return nil, ""
	}
	return readPath(g, ts)
}

func (parser *Parser) panelTool(name string) string {
	tool := "open_" + name + "_panel"
	if slices.Contains(parser.Tools, tool) {
		return tool
	}
	return ""
}

func readPanel(g *Parser, ts []token) ([]parsedValue, string) {
	rest := skip(ts, "the me")
	for n := min(4, len(rest)); n > 0; n-- {
		name := strings.ReplaceAll(joinWords(rest[:n]), "-", " ")
		if tool := g.panelTool(strings.ReplaceAll(name, " ", "_")); tool != "" {
			return []parsedValue{{len(ts) - len(rest) + n, tool, name}}, ""
		}
	}
	named := skipEnd(rest, "panel")
	if len(named) == len(rest) || len(named) == 0 {
		return nil, ""
	}
	names := panelNames(g.Tools)
	if len(names) == 0 {
		names = []string{"none"}
	}
	return nil, fmt.Sprintf("There is no panel %q. Panels: %s.", Abbreviate(joinWords(named)),
		strings.Join(names, ", "))
}

func readPanelID(g *Parser, ts []token) ([]parsedValue, string) {
	all, why := readPanel(g, ts)
	for i, r := range all {
		all[i].arg = strings.ReplaceAll(r.text, " ", "-")
	}
	return all, why
}

func readSurface(g *Parser, ts []token) ([]parsedValue, string) {
	rest := skip(ts, "the on")
	if len(rest) == 0 {
		return nil, ""
	}
	if isOneOf(rest[0], "assistant page") {
		return []parsedValue{{len(ts) - len(rest) + 1, rest[0].word, rest[0].word}}, ""
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
func readTool(_ *Parser, ts []token) ([]parsedValue, string) {
	if len(ts) == 0 || ts[0].quoted || toolName(ts[0].text) != len(ts[0].text) {
		return nil, ""
	}
	return []parsedValue{{1, ts[0].text, ts[0].text}}, ""
}

func readCreatedTool(g *Parser, ts []token) ([]parsedValue, string) {
	all, why := readTool(g, ts)
	if len(all) == 0 || !slices.Contains(g.Tools, all[0].text) {
		return nil, why
	}
	return all, ""
}

func toolName(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' &&
			r <= 'Z')
	})
	if end < 0 {
		return len(s)
	}
	return end
}
