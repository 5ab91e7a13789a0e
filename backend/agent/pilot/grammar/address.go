package grammar

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/grammar/spelling"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/backend/agent/pilot/grammar/value"
)

func readAddress(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	rest := token.Skip(ts, "the a page site website address url at to web")
	if len(rest) == 0 {
		return nil, ""
	}
	before := len(ts) - len(rest)
	for n := min(3, len(rest)); n > 0; n-- {
		switch token.JoinWords(token.SkipEnd(rest[:n], "shop site page website store")) {
		case "demo", "built-in demo", "demo shop":
			return []value.Parsed{{N: before + n, Arg: g.DemoURL(), Text: "demo"}}, ""
		}
	}
	if url, ok := spelling.Address(rest[0].Text); ok && !value.IsDocument(rest[0]) {
		text := rest[0].Text
		if file, _ := value.PlainFile(rest[:1]); len(file) > 0 {
			text = url // "notes.txt" alone may be a file
		}
		if rest[0].Quoted {
			text = token.Quote(text)
		}
		return []value.Parsed{{N: before + 1, Arg: url, Text: strings.TrimRight(text, ",;")}}, ""
	}
	if !strings.ContainsAny(rest[0].Text, ".:/") {
		if end := slices.IndexFunc(rest, func(t token.Token) bool { return token.IsOneOf(t, "and then &") }); end > 0 {
			rest = rest[:end]
		}
		return nil, fmt.Sprintf("No panel, page or file is called “%s”. A website is opened by its address, for "+
			"example \"open example.com\".", token.Abbreviate(token.JoinText(rest)))
	}
	return nil, fmt.Sprintf("“%s” is not an address. Addresses look like example.com or http://127.0.0.1:8000.",
		token.Abbreviate(rest[0].Text))
}
