package grammar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/agent/pilot/grammar/token"
)

type valueKind struct {
	name string
	// placeholder is shown for the value in a form, noun in a sentence ("a number").
	placeholder, noun string
	// freeText accepts any words, the longest text first; restOfLine accepts the rest of the line, literally.
	freeText, restOfLine bool
	// certain says that the problem from read applies, whatever else the words could mean.
	certain bool
	// distinct says that no other kind reads the printed value in the same way.
	distinct bool
	// read returns all readings of the value at the start of ts, the longest first. problem says why there is none,
	// "" if noun says enough.
	read   func(g *Parser, ts []token.Token) (all []parsedValue, problem string)
	values func(g *Parser) []suggestion
}

// parsedValue is a value of n words: arg is the argument, text how it is written in a command.
type parsedValue struct {
	n    int
	arg  any
	text string
}

type suggestion struct{ text, description string }

var kinds = func() map[string]*valueKind {
	all := []*valueKind{
		{name: "mark", placeholder: "NUMBER", noun: "a number from the page", read: readMark, values: marksOf("")},
		{
			name: "field", placeholder: "NUMBER", noun: "a number from the page",
			read: readRole(fields), values: marksOf(fields),
		},
		{
			name: "textfield", placeholder: "NUMBER", noun: "a number from the page",
			read: readRole("textbox searchbox spinbutton"), values: marksOf(fields),
		},
		{name: "listname", placeholder: "NAME", noun: "a list's name", read: readName(lists)},
		{
			name: "list", placeholder: "NUMBER", noun: "a number from the page",
			read: readRole(lists), values: marksOf(lists),
		},
		{name: "text", placeholder: "TEXT", noun: "a text", freeText: true},
		{name: "quoted", placeholder: `"TEXT"`, noun: "a text in quotes", read: readQuoted},
		{name: "rest", placeholder: "COMMAND", noun: "a command line", restOfLine: true},
		{name: "script", placeholder: "SCRIPT", noun: "a script", restOfLine: true},
		{name: "query", placeholder: "SELECT …", noun: "a query", restOfLine: true},
		{name: "values", placeholder: "VALUE", noun: "a value", freeText: true},
		{name: "address", placeholder: "ADDRESS", noun: "an address", read: readAddress, values: addresses},
		{
			name:        "key",
			placeholder: "KEY",
			noun:        "a key",
			read:        readKey,
			values:      words("Enter Escape Tab ArrowDown ArrowUp PageDown Space Backspace Control+a"),
		},
		{name: "anykey", distinct: true, placeholder: "KEY", noun: "a key", read: readAnyKey},
		{
			name:        "direction",
			placeholder: "DIRECTION",
			noun:        "a direction",
			read:        oneOf("direction", "up down left right top bottom start=top end=bottom"),
			values:      words("down up bottom top left right"),
		},
		{name: "pixels", placeholder: "PIXELS", noun: "pixels", read: readPixels},
		{name: "seconds", placeholder: "SECONDS", noun: "seconds", read: readSeconds},
		{name: "named", placeholder: "NAME", noun: "a name on the page", read: readName("")},
		{name: "fieldname", placeholder: "NAME", noun: "a field's name", read: readName(fields)},
		{
			name: "offer", distinct: true, placeholder: "THING to the basket",
			noun: "a thing for the basket", read: readOffer,
		},
		{name: "tabname", placeholder: "TAB", noun: "a tab's title", read: readTabName},
		{name: "tabbeside", placeholder: "TAB", noun: "next, previous or other", read: readTabBeside},
		{name: "part", distinct: true, placeholder: "NAME", noun: "a part of a name", read: readAs("*%s*")},
		{name: "filename", distinct: true, placeholder: "FILE", noun: "a file", read: readFileName, values: pathsOf},
		{name: "ending", distinct: true, placeholder: "ENDING", noun: "an ending of names", read: readAs("*.%s")},
		{name: "removal", distinct: true, placeholder: "FILE", noun: "a file", read: readRemoval, values: pathsOf},
		{name: "count", placeholder: "N", noun: "a number", read: readCount},
		{name: "tab", placeholder: "TAB", noun: "a tab's number", read: readCount, values: tabsOf},
		{name: "point", placeholder: "X,Y", noun: "a point such as 100,200", read: readPoint},
		{name: "points", placeholder: "X,Y X,Y", noun: "points such as 10,20 80,20", read: readPoints},
		{name: "panel", placeholder: "PANEL", noun: "a panel", certain: true, read: readPanel, values: panelsOf},
		{name: "panelid", placeholder: "PANEL", noun: "a panel", read: readPanelID, values: panelsOf},
		{
			name:        "surface",
			placeholder: "assistant, page or PANEL",
			noun:        "assistant, page or a panel",
			read:        readSurface,
			values:      surfaces,
		},
		{name: "path", placeholder: "FILE", noun: "a file", read: readPath, values: pathsOf},
		{name: "file", placeholder: "FILE", noun: "a file", read: readPlainFile},
		{name: "folder", placeholder: "FOLDER", noun: "a folder", read: readFolder, values: pathsOf},
		{name: "word", placeholder: "NAME", noun: "a name", read: readWord},
		{name: "tool", placeholder: "TOOL", noun: "a tool's name", read: readTool, values: toolsOf},
		{name: "made", placeholder: "TOOL", noun: "a created tool's name", read: readCreatedTool},
		{name: "json", placeholder: "{…}", noun: "arguments as JSON", restOfLine: true},
		{
			name:        "level",
			placeholder: "LEVEL",
			noun:        "debug, info, warnings or errors",
			read:        oneOf("level", "debug info warning error warnings=warning errors=error"),
			values:      words("errors warnings info debug"),
		},
		{
			name:        "device",
			placeholder: "DEVICE",
			noun:        "desktop, laptop, tablet or phone",
			read:        oneOf("device", "desktop laptop tablet phone"),
			values:      words("desktop laptop tablet phone"),
		},
		{
			name:        "scheme",
			placeholder: "light or dark",
			noun:        "light or dark",
			read:        oneOf("colour scheme", "light dark"),
			values:      words("light dark"),
		},
		{
			name:        "network",
			placeholder: "NETWORK",
			noun:        "online, offline, slow-3g, fast-3g or slow-4g",
			read:        oneOf("network", "online offline slow-3g fast-3g slow-4g"),
			values:      words("online offline slow-3g fast-3g slow-4g"),
		},
		{
			name:        "git",
			placeholder: "status, log, diff or branch",
			noun:        "status, log, diff or branch",
			read:        oneOf("git command", "status log diff branch"),
			values:      words("status log diff branch"),
		},
		{
			name:        "system",
			placeholder: "processes, resources or network",
			noun:        "processes, resources or network",
			read:        oneOf("part of the system", "processes resources network"),
			values:      words("processes resources network"),
		},
		{
			name:        "method",
			placeholder: "METHOD",
			noun:        "GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS",
			read: oneOf("method",
				"get=GET head=HEAD post=POST put=PUT patch=PATCH delete=DELETE options=OPTIONS"),
			values: words("get head post put patch delete options"),
		},
	}
	byName := map[string]*valueKind{}
	for _, k := range all {
		byName[k.name] = k
	}
	return byName
}()

// Words without meaning between a verb and a number.
const numberFiller = "on the at over number no nr mark label element button link field box list item a into in to of " +
	"for"

func readMark(g *Parser, ts []token.Token) ([]parsedValue, string) {
	rest := token.Skip(ts, numberFiller)
	if len(rest) == 0 {
		return nil, ""
	}
	n := len(ts) - len(rest) + 1
	if id, ok := token.ParseNumber(rest[0]); ok {
		return []parsedValue{{n: n, arg: id, text: strconv.Itoa(id)}}, ""
	}
	if g.targets {
		return readTarget(ts, ""), ""
	}
	return nil, ""
}

// readName reads a name, or the number of an element on the page. After "press", another number is a key.
func readName(roles string) func(*Parser, []token.Token) ([]parsedValue, string) {
	return func(g *Parser, ts []token.Token) ([]parsedValue, string) {
		if !g.targets || len(ts) == 0 {
			return nil, ""
		}
		if id, isNumber := token.ParseNumber(ts[0]); isNumber {
			if roles == "" && g.Window.hasElement(id) {
				return []parsedValue{{n: 1, arg: id, text: strconv.Itoa(id)}}, ""
			}
			return nil, ""
		}
		return readTarget(ts, roles), ""
	}
}

// readRole returns a function that reads like readMark, but only names of elements with one of the roles.
func readRole(roles string) func(*Parser, []token.Token) ([]parsedValue, string) {
	return func(g *Parser, ts []token.Token) ([]parsedValue, string) {
		all, why := readMark(g, ts)
		for i := range all {
			if t, ok := all[i].arg.(Target); ok {
				t.roles = strings.Fields(roles)
				all[i].arg = t
			}
		}
		return all, why
	}
}

func readQuoted(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	if len(ts) == 0 || !ts[0].Quoted {
		return nil, "Put the text in quotes."
	}
	return []parsedValue{{1, ts[0].Text, token.Quote(ts[0].Text)}}, ""
}

// readAs returns a function that reads a word of letters and digits and puts it into a pattern.
func readAs(pattern string) func(*Parser, []token.Token) ([]parsedValue, string) {
	return func(_ *Parser, ts []token.Token) ([]parsedValue, string) {
		if len(ts) == 0 || token.IsOneOf(ts[0], articles+" all") ||
			strings.ContainsFunc(ts[0].Word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return nil, ""
		}
		return []parsedValue{{1, fmt.Sprintf(pattern, ts[0].Text), token.Quote(ts[0].Text)}}, ""
	}
}

// readRemoval reads a file and returns the command that removes it.
func readRemoval(g *Parser, ts []token.Token) ([]parsedValue, string) {
	all, why := readPath(g, ts)
	if len(all) == 0 {
		return nil, why
	}
	path, err := syntax.Quote(fmt.Sprint(all[0].arg), syntax.LangBash)
	if err != nil {
		return nil, "The name of the file cannot be written in a command."
	}
	if strings.HasPrefix(path, "-") {
		path = "-- " + path
	}
	all[0].arg = "rm " + path
	return all, ""
}

func readWord(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	if len(ts) == 0 {
		return nil, ""
	}
	text := ts[0].Text
	if !ts[0].Quoted {
		text = strings.TrimRight(text, ",;")
	}
	return []parsedValue{{1, text, quoted(text)}}, ""
}

// oneOf returns a function that reads a word of the list; "a=b" gives b for a.
func oneOf(what, list string) func(*Parser, []token.Token) ([]parsedValue, string) {
	return func(_ *Parser, ts []token.Token) ([]parsedValue, string) {
		if len(ts) == 0 {
			return nil, ""
		}
		var names []string
		for w := range strings.FieldsSeq(list) {
			name, means, other := strings.Cut(w, "=")
			if !other {
				means = name
			}
			if !ts[0].Quoted && ts[0].Word == name {
				return []parsedValue{{1, means, name}}, ""
			}
			if !other || strings.EqualFold(name, means) {
				names = append(names, name)
			}
		}
		return nil, fmt.Sprintf(
			"There is no %s %q. There are %s.",
			what,
			Abbreviate(ts[0].Text),
			strings.Join(names, ", "),
		)
	}
}

func readPixels(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	if len(ts) == 0 {
		return nil, ""
	}
	px, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSuffix(ts[0].Word, "pixels"), "px"), 64)
	if err != nil || !(px > 0 && px < 1e6) {
		return nil, ""
	}
	n := 1
	if len(ts) > 1 && token.IsOneOf(ts[1], "px pixels pixel") {
		n = 2
	}
	return []parsedValue{{n, px, strconv.FormatFloat(px, 'f', -1, 64) + " px"}}, ""
}

func readSeconds(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	for n := min(2, len(ts)); n > 0; n-- {
		s, ok := seconds(ts[:n])
		switch {
		case ok && s > 120:
			return nil, "It waits at most 120 seconds."
		case ok:
			return []parsedValue{{n, s, strconv.FormatFloat(s, 'f', -1, 64) + " seconds"}}, ""
		}
	}
	return nil, ""
}

// seconds reads "2 seconds", "2s", "500 ms", "a minute" or a bare number.
func seconds(ts []token.Token) (float64, bool) {
	if ts[0].Quoted {
		return 0, false
	}
	amount := ts[0].Word
	unit := strings.TrimLeft(amount, "0123456789.")
	value, err := strconv.ParseFloat(strings.TrimSuffix(amount, unit), 64)
	if len(ts) == 2 {
		switch n, named := token.ParseNumber(ts[0]); {
		case err == nil && unit == "":
		case amount == "a" || amount == "an":
			value = 1
		case named:
			value = float64(n)
		default:
			return 0, false
		}
		if unit = ts[1].Word; unit == "" {
			return 0, false
		}
	} else if err != nil {
		return 0, false
	}
	switch {
	case !(value > 0):
		return 0, false
	case slices.Contains([]string{"", "s", "sec", "secs", "second", "seconds"}, unit):
		return value, true
	case slices.Contains([]string{"ms", "milliseconds", "millisecond"}, unit):
		return value / 1000, true
	case slices.Contains([]string{"m", "min", "minute", "minutes"}, unit):
		return value * 60, true
	}
	return 0, false
}

func readCount(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	rest := token.Skip(ts, "number no nr #")
	if len(rest) == 0 {
		return nil, ""
	}
	n, ok := token.ParseNumber(rest[0])
	if !ok {
		return nil, ""
	}
	return []parsedValue{{len(ts) - len(rest) + 1, n, strconv.Itoa(n)}}, ""
}

// readPoint reads "100,200" or "100, 200".
func readPoint(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	for n := 1; n <= min(2, len(ts)); n++ {
		if p, ok := point(ts[:n]); ok {
			return []parsedValue{{n, p.arg(), p.text()}}, ""
		}
	}
	return nil, ""
}

func readPoints(_ *Parser, ts []token.Token) ([]parsedValue, string) {
	var list []any
	var words []string
	for _, t := range ts {
		p, ok := point([]token.Token{t})
		if !ok || len(list) == 200 {
			break
		}
		list, words = append(list, p.arg()), append(words, p.text())
	}
	if len(list) == 0 {
		return nil, ""
	}
	return []parsedValue{{len(list), list, strings.Join(words, " ")}}, ""
}

type xy struct{ x, y float64 }

func (x xy) arg() map[string]any { return map[string]any{"x": x.x, "y": x.y} }

func (x xy) text() string {
	return strconv.FormatFloat(x.x, 'f', -1, 64) + "," + strconv.FormatFloat(x.y, 'f', -1, 64)
}

func point(ts []token.Token) (xy, bool) {
	var s strings.Builder
	for _, t := range ts {
		if t.Quoted {
			return xy{}, false
		}
		s.WriteString(t.Text)
	}
	a, b, ok := strings.Cut(strings.TrimRight(strings.Trim(s.String(), "()"), ",;."), ",")
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	near := func(v float64) bool { return v > -1e6 && v < 1e6 }
	return xy{x, y}, ok && err == nil && err2 == nil && near(x) && near(y)
}

func quoted(text string) string {
	plain := text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == '/' || r == '~' || r >= '0' && r <= '9' || r >= 'a' &&
			r <= 'z' || r >= 'A' && r <= 'Z')
	})
	if plain && !strings.HasPrefix(text, "/") && !strings.HasSuffix(text, ".") {
		return text
	}
	return token.Quote(text)
}
