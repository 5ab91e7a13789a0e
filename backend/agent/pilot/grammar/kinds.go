package grammar

import (
	"strconv"
	"strings"

	"sextant/backend/agent/pilot/grammar/token"
	"sextant/backend/agent/pilot/grammar/value"
)

type valueKind struct {
	name string
	// placeholder is shown for the value in a form, noun in a sentence ("a number").
	placeholder, noun string
	// freeText accepts any words, the longest text first; restOfLine accepts the rest of the line, literally.
	freeText, restOfLine bool
	// accepts reports whether words are such a free text; nil accepts all.
	accepts func([]token.Token) bool
	// certain says that the problem from read applies, whatever else the words could mean.
	certain bool
	// distinct says that no other kind reads the printed value in the same way.
	distinct bool
	// read returns all readings of the value at the start of ts, the longest first. problem says why there is none,
	// "" if noun says enough.
	read   func(g *Parser, ts []token.Token) (all []value.Parsed, problem string)
	values func(g *Parser) []suggestion
}

// plain returns a function of a kind that needs nothing of the window.
func plain(read func([]token.Token) ([]value.Parsed, string)) func(*Parser, []token.Token) ([]value.Parsed, string) {
	return func(_ *Parser, ts []token.Token) ([]value.Parsed, string) { return read(ts) }
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
		{name: "content", placeholder: "TEXT", noun: "a text", freeText: true, accepts: token.IsContent},
		{name: "siteterms", placeholder: "TEXT", noun: "a text", freeText: true, accepts: token.IsSiteQuery},
		{name: "phrase", placeholder: "TEXT", noun: "a text", read: plain(value.Phrase)},
		{name: "quoted", placeholder: `"TEXT"`, noun: "a text in quotes", read: plain(value.InQuotes)},
		{name: "rest", placeholder: "COMMAND", noun: "a command line", restOfLine: true},
		{name: "script", placeholder: "SCRIPT", noun: "a script", restOfLine: true},
		{name: "query", placeholder: "SELECT …", noun: "a query", restOfLine: true},
		{name: "values", placeholder: "VALUE", noun: "a value", freeText: true},
		{name: "address", placeholder: "ADDRESS", noun: "an address", read: readAddress, values: addresses},
		{
			name:        "key",
			placeholder: "KEY",
			noun:        "a key",
			read:        plain(value.Key),
			values:      words("Enter Escape Tab ArrowDown ArrowUp PageDown Space Backspace Control+a"),
		},
		{name: "anykey", distinct: true, placeholder: "KEY", noun: "a key", read: plain(value.AnyKey)},
		{
			name:        "direction",
			placeholder: "DIRECTION",
			noun:        "a direction",
			read: plain(value.OneOf("direction",
				"up down left right top bottom start=top end=bottom footer=bottom header=top")),
			values: words("down up bottom top left right"),
		},
		{name: "pixels", placeholder: "PIXELS", noun: "pixels", read: plain(value.Pixels)},
		{name: "seconds", placeholder: "SECONDS", noun: "seconds", read: plain(value.Seconds)},
		{name: "named", placeholder: "NAME", noun: "a name on the page", read: readName("")},
		{name: "fieldname", placeholder: "NAME", noun: "a field's name", read: readName(fields)},
		{
			name: "offer", distinct: true, placeholder: "THING to the basket",
			noun: "a thing for the basket", read: readOffer,
		},
		{name: "tabname", placeholder: "TAB", noun: "a tab's title", read: readTabName},
		{name: "tabbeside", placeholder: "TAB", noun: "next, previous or other", read: readTabBeside},
		{name: "part", distinct: true, placeholder: "NAME", noun: "a part of a name", read: plain(value.As("*%s*"))},
		{
			name: "filename", distinct: true, placeholder: "FILE", noun: "a file",
			read: plain(value.FileName), values: pathsOf,
		},
		{
			name: "ending", distinct: true, placeholder: "ENDING", noun: "an ending of names",
			read: plain(value.As("*.%s")),
		},
		{
			name: "removal", distinct: true, placeholder: "FILE", noun: "a file",
			read: plain(value.OnPath("rm", value.Path)), values: pathsOf,
		},
		{
			name: "rename", distinct: true, placeholder: "FILE to FILE", noun: "two files",
			read: plain(value.OnTwoPaths("mv -nv", false)),
		},
		{
			name: "move", distinct: true, placeholder: "FILE to FOLDER", noun: "a file and a folder",
			read: plain(value.OnTwoPaths("mv -nv", true)),
		},
		{
			name: "copy", distinct: true, placeholder: "FILE to FILE", noun: "two files",
			read: plain(value.OnTwoPaths("cp -nv", true)),
		},
		{name: "program", distinct: true, placeholder: "COMMAND", noun: "a command line", read: plain(value.Program)},
		{
			name: "newfolder", distinct: true, placeholder: "FOLDER", noun: "a folder",
			read: plain(value.OnPath("mkdir", value.Folder)),
		},
		{name: "count", placeholder: "N", noun: "a number", read: plain(value.Count)},
		{name: "tab", placeholder: "TAB", noun: "a tab's number", read: plain(value.Count), values: tabsOf},
		{name: "point", placeholder: "X,Y", noun: "a point such as 100,200", read: plain(value.Point)},
		{name: "points", placeholder: "X,Y X,Y", noun: "points such as 10,20 80,20", read: plain(value.Points)},
		{name: "panel", placeholder: "PANEL", noun: "a panel", certain: true, read: readPanel, values: panelsOf},
		{name: "panelid", placeholder: "PANEL", noun: "a panel", read: readPanelID, values: panelsOf},
		{
			name:        "surface",
			placeholder: "assistant, page or PANEL",
			noun:        "assistant, page or a panel",
			read:        readSurface,
			values:      surfaces,
		},
		{name: "path", placeholder: "FILE", noun: "a file", read: plain(value.Path), values: pathsOf},
		{name: "file", placeholder: "FILE", noun: "a file", read: plain(value.PlainFile)},
		{name: "folder", placeholder: "FOLDER", noun: "a folder", read: plain(value.Folder), values: pathsOf},
		{name: "word", placeholder: "NAME", noun: "a name", read: plain(value.Word)},
		{name: "tool", placeholder: "TOOL", noun: "a tool's name", read: readTool, values: toolsOf},
		{name: "made", placeholder: "TOOL", noun: "a created tool's name", read: readCreatedTool},
		{name: "json", placeholder: "{…}", noun: "arguments as JSON", restOfLine: true},
		{
			name:        "level",
			placeholder: "LEVEL",
			noun:        "debug, info, warnings or errors",
			read:        plain(value.OneOf("level", "debug info warning error warnings=warning errors=error")),
			values:      words("errors warnings info debug"),
		},
		{
			name:        "device",
			placeholder: "DEVICE",
			noun:        "desktop, laptop, tablet or phone",
			read:        plain(value.OneOf("device", "desktop laptop tablet phone")),
			values:      words("desktop laptop tablet phone"),
		},
		{
			name:        "scheme",
			placeholder: "light or dark",
			noun:        "light or dark",
			read:        plain(value.OneOf("colour scheme", "light dark")),
			values:      words("light dark"),
		},
		{
			name:        "network",
			placeholder: "NETWORK",
			noun:        "online, offline, slow-3g, fast-3g or slow-4g",
			read:        plain(value.OneOf("network", "online offline slow-3g fast-3g slow-4g")),
			values:      words("online offline slow-3g fast-3g slow-4g"),
		},
		{
			name:        "git",
			placeholder: "status, log, diff or branch",
			noun:        "status, log, diff or branch",
			read:        plain(value.OneOf("git command", "status log diff branch")),
			values:      words("status log diff branch"),
		},
		{
			name:        "system",
			placeholder: "processes, resources or network",
			noun:        "processes, resources or network",
			read:        plain(value.OneOf("part of the system", "processes resources network")),
			values:      words("processes resources network"),
		},
		{
			name:        "method",
			placeholder: "METHOD",
			noun:        "GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS",
			read: plain(value.OneOf("method",
				"get=GET head=HEAD post=POST put=PUT patch=PATCH delete=DELETE options=OPTIONS")),
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

func readMark(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	rest := token.Skip(ts, numberFiller)
	if len(rest) == 0 {
		return nil, ""
	}
	n := len(ts) - len(rest) + 1
	if id, ok := token.ParseNumber(rest[0]); ok {
		return []value.Parsed{{N: n, Arg: id, Text: strconv.Itoa(id)}}, ""
	}
	if g.targets {
		return readTarget(ts, ""), ""
	}
	return nil, ""
}

// readName reads a name, or the number of an element on the page. After "press", another number is a key.
func readName(roles string) func(*Parser, []token.Token) ([]value.Parsed, string) {
	return func(g *Parser, ts []token.Token) ([]value.Parsed, string) {
		if !g.targets || len(ts) == 0 {
			return nil, ""
		}
		if id, isNumber := token.ParseNumber(ts[0]); isNumber {
			if roles == "" && g.Window.hasElement(id) {
				return []value.Parsed{{N: 1, Arg: id, Text: strconv.Itoa(id)}}, ""
			}
			return nil, ""
		}
		return readTarget(ts, roles), ""
	}
}

// readRole returns a function that reads like readMark, but only names of elements with one of the roles.
func readRole(roles string) func(*Parser, []token.Token) ([]value.Parsed, string) {
	return func(g *Parser, ts []token.Token) ([]value.Parsed, string) {
		all, why := readMark(g, ts)
		for i := range all {
			if t, ok := all[i].Arg.(Target); ok {
				t.roles = strings.Fields(roles)
				all[i].Arg = t
			}
		}
		return all, why
	}
}
