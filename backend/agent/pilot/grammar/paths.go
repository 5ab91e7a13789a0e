package grammar

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/grammar/token"
)

func readPath(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	rest := token.Skip(ts, "the file")
	if len(rest) == 0 {
		return nil, ""
	}
	path := rest[0].Text
	if !rest[0].Quoted {
		path = strings.TrimRight(path, ",;")
		if !strings.ContainsAny(path, "./\\~") {
			return nil, "A file is named with its ending or its folder, for example notes.txt. Put other names " +
				"in quotes."
		}
	}
	if path == "" {
		return nil, ""
	}
	text := quoted(path)
	if !strings.ContainsAny(path, "./\\~") {
		text = token.Quote(path)
	}
	return []parsedValue{{len(ts) - len(rest) + 1, path, text}}, ""
}

// readFolder reads a path of any form: where a folder is expected, even "src" is one.
func readFolder(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	rest := token.Skip(ts, "the folder directory")
	if len(rest) == 0 {
		return nil, ""
	}
	path := rest[0].Text
	if !rest[0].Quoted {
		path = strings.TrimRight(path, ",;")
	}
	if path == "" {
		return nil, ""
	}
	return []parsedValue{{len(ts) - len(rest) + 1, path, quoted(path)}}, ""
}

// fileEndings are endings of files that host names hardly ever have, except .md.
const fileEndings = "txt md json csv tsv go js ts html css yaml yml toml xml log sql ini conf diff patch svelte"

// documentEndings are endings of documents that no host name has, since they are no top-level domains.
const documentEndings = "txt csv json log pdf html xml yaml yml toml docx xlsx png jpg db"

// isDocument reports whether a name can only be a file.
func isDocument(t token.Token) bool {
	at := strings.LastIndexByte(t.Word, '.')
	return at > 0 && !t.Quoted && !strings.Contains(t.Word, "/") &&
		slices.Contains(strings.Fields(documentEndings), t.Word[at+1:])
}

// readPlainFile reads a name with a file's ending: "open notes.txt" may mean the file.
func readPlainFile(g *Parser, ts []token.Token) ([]parsedValue, string) {
	if len(ts) == 0 {
		return nil, ""
	}
	name := ts[0].Word
	at := strings.LastIndexByte(name, '.')
	if strings.Contains(name, "://") || at <= 0 || !slices.Contains(strings.Fields(fileEndings), name[at+1:]) {
		return nil, ""
	}
	return readPath(g, ts)
}

// readFileName reads a file as readPlainFile does. Its value is printed in quotes, as a text is.
func readFileName(g *Parser, ts []token.Token) ([]parsedValue, string) {
	all, why := readPlainFile(g, ts)
	for i := range all {
		all[i].text = token.Quote(fmt.Sprint(all[i].arg))
	}
	return all, why
}

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

func readPanel(g *Parser, ts []token.Token) ([]parsedValue, string) {
	rest := token.Skip(ts, "the me")
	for n := min(4, len(rest)); n > 0; n-- {
		name := strings.ReplaceAll(token.JoinWords(rest[:n]), "-", " ")
		if tool := g.panelTool(name); tool != "" {
			name = strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(tool, "open_"), "_panel"), "_", " ")
			return []parsedValue{{len(ts) - len(rest) + n, tool, name}}, ""
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
	return nil, fmt.Sprintf("There is no panel %q. Panels: %s.", Abbreviate(token.JoinWords(named)),
		strings.Join(names, ", "))
}

func readPanelID(g *Parser, ts []token.Token) ([]parsedValue, string) {
	all, why := readPanel(g, ts)
	for i, r := range all {
		all[i].arg = strings.ReplaceAll(r.text, " ", "-")
	}
	return all, why
}

func readSurface(g *Parser, ts []token.Token) ([]parsedValue, string) {
	rest := token.Skip(ts, "the on")
	if len(rest) == 0 {
		return nil, ""
	}
	if token.IsOneOf(rest[0], "assistant page") {
		return []parsedValue{{len(ts) - len(rest) + 1, rest[0].Word, rest[0].Word}}, ""
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
func readTool(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	if len(ts) == 0 || ts[0].Quoted || toolName(ts[0].Text) != len(ts[0].Text) {
		return nil, ""
	}
	return []parsedValue{{1, ts[0].Text, ts[0].Text}}, ""
}

func readCreatedTool(g *Parser, ts []token.Token) ([]parsedValue, string) {
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
