// Package value reads the values of commands from words: numbers, points, times, texts and words of a list. It knows
// nothing of the window.
package value

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/agent/pilot/grammar/token"
)

// Parsed is a value of N words: Arg is the argument, Text how it is written in a command.
type Parsed struct {
	N    int
	Arg  any
	Text string
}

// maxPhrase is the most words of a phrase that is looked for.
const maxPhrase = 5

// InQuotes reads a text in quotes.
func InQuotes(ts []token.Token) ([]Parsed, string) {
	if len(ts) == 0 || !ts[0].Quoted {
		return nil, "Put the text in quotes."
	}
	return []Parsed{{1, ts[0].Text, token.Quote(ts[0].Text)}}, ""
}

// As returns a function that reads a word of letters and digits and puts it into a pattern.
func As(pattern string) func([]token.Token) ([]Parsed, string) {
	return func(ts []token.Token) ([]Parsed, string) {
		if len(ts) == 0 || token.IsOneOf(ts[0], token.Articles+" all") {
			return nil, ""
		}
		word := strings.TrimRight(strings.TrimPrefix(ts[0].Text, "."), ".,;:!?")
		if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			return nil, ""
		}
		return []Parsed{{1, fmt.Sprintf(pattern, word), token.Quote(word)}}, ""
	}
}

// OnPath returns a function that reads a path, and returns the command of the shell that runs a program on it.
func OnPath(program string, read func([]token.Token) ([]Parsed, string)) func([]token.Token) ([]Parsed, string) {
	return func(ts []token.Token) ([]Parsed, string) {
		all, why := read(ts)
		if len(all) == 0 {
			return nil, why
		}
		command, why := commandOn(program, fmt.Sprint(all[0].Arg))
		if why != "" {
			return nil, why
		}
		return []Parsed{{all[0].N, command, all[0].Text}}, ""
	}
}

// OnTwoPaths is like OnPath for "A to B". With intoFolder, a B without an ending is a folder, which must exist.
func OnTwoPaths(program string, intoFolder bool) func([]token.Token) ([]Parsed, string) {
	return func(ts []token.Token) ([]Parsed, string) {
		from, why := Path(ts)
		if len(from) == 0 {
			return nil, why
		}
		rest := token.Skip(ts[from[0].N:], "to into as in")
		to, _ := Folder(rest)
		if len(rest) == len(ts[from[0].N:]) || len(to) == 0 {
			return nil, ""
		}
		target := fmt.Sprint(to[0].Arg)
		if intoFolder && !strings.ContainsAny(target, "./") {
			target += "/"
		}
		command, why := commandOn(program, fmt.Sprint(from[0].Arg), target)
		if why != "" {
			return nil, why
		}
		return []Parsed{{len(ts) - len(rest) + to[0].N, command, from[0].Text + " to " + Quoted(target)}}, ""
	}
}

// commandOn returns the command of the shell that runs a program on paths, or why there is none.
func commandOn(program string, paths ...string) (command, problem string) {
	if slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(path, "-") }) {
		program += " --"
	}
	for _, path := range paths {
		written, err := syntax.Quote(path, syntax.LangBash)
		switch {
		case err != nil:
			return "", "The name of the file cannot be written in a command."
		case strings.HasPrefix(path, "~"):
			return "", "Files are named from the folder that Sextant works in, not from the home folder."
		}
		program += " " + written
	}
	return program, ""
}

// Programs that people start by typing their names: those with options or paths, and those with commands.
const (
	plainPrograms   = "pwd whoami uname df du ps python python3 node pytest curl rustc java ruby"
	programsOfWords = "docker npm npx yarn pnpm pip cargo kubectl"
	subcommands     = "ps images build run install test start ls list update get logs version outdated check freeze"
)

// Program reads a line that begins with a program, without "run": alone, with an option, a path or a subcommand.
func Program(ts []token.Token) ([]Parsed, string) {
	isQuoted := func(t token.Token) bool { return t.Quoted }
	if len(ts) == 0 || ts[0].Start > 0 || slices.ContainsFunc(ts, isQuoted) {
		return nil, ""
	}
	known := token.IsOneOf(ts[0], plainPrograms+" "+programsOfWords)
	if len(ts) > 1 {
		option := strings.ContainsAny(ts[1].Text[:1], "-./")
		known = known && (option || token.IsOneOf(ts[0], programsOfWords) && token.IsOneOf(ts[1], subcommands))
	}
	if !known {
		return nil, ""
	}
	parts := []string{strings.ToLower(ts[0].Text)}
	for _, t := range ts[1:] {
		parts = append(parts, t.Text)
	}
	line := strings.TrimRight(strings.Join(parts, " "), "?!")
	return []Parsed{{len(ts), line, line}}, ""
}

// Phrase reads a text of at most five words, or in quotes. More are rather a sentence.
func Phrase(ts []token.Token) ([]Parsed, string) {
	if len(ts) > 0 && token.IsOneOf(ts[0], "every all any me") {
		return nil, ""
	}
	var all []Parsed
	for n := min(maxPhrase, len(ts)); n > 0; n-- {
		what := token.JoinText(token.WithoutNoun(ts[:n]))
		if n == 1 && ts[0].Quoted {
			what = ts[0].Text
		}
		all = append(all, Parsed{n, what, token.Quote(what)})
	}
	return all, ""
}

// Word reads any word.
func Word(ts []token.Token) ([]Parsed, string) {
	if len(ts) == 0 {
		return nil, ""
	}
	text := ts[0].Text
	if !ts[0].Quoted {
		text = strings.TrimRight(text, ",;")
	}
	return []Parsed{{1, text, Quoted(text)}}, ""
}

// OneOf returns a function that reads a word of the list; "a=b" gives b for a.
func OneOf(what, list string) func([]token.Token) ([]Parsed, string) {
	return func(ts []token.Token) ([]Parsed, string) {
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
				return []Parsed{{1, means, name}}, ""
			}
			if !other || strings.EqualFold(name, means) {
				names = append(names, name)
			}
		}
		return nil, fmt.Sprintf(
			"There is no %s %q. There are %s.",
			what,
			token.Abbreviate(ts[0].Text),
			strings.Join(names, ", "),
		)
	}
}

// Pixels reads a number of pixels, with or without the word.
func Pixels(ts []token.Token) ([]Parsed, string) {
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
	return []Parsed{{n, px, strconv.FormatFloat(px, 'f', -1, 64) + " px"}}, ""
}

// Seconds reads a time of at most 120 seconds.
func Seconds(ts []token.Token) ([]Parsed, string) {
	if len(ts) > 2 && token.IsOneOf(ts[0], "half") {
		if s, ok := seconds(ts[1:3]); ok {
			return []Parsed{{3, s / 2, strconv.FormatFloat(s/2, 'f', -1, 64) + " seconds"}}, ""
		}
	}
	for n := min(2, len(ts)); n > 0; n-- {
		s, ok := seconds(ts[:n])
		switch {
		case ok && s > 120:
			return nil, "It waits at most 120 seconds."
		case ok:
			return []Parsed{{n, s, strconv.FormatFloat(s, 'f', -1, 64) + " seconds"}}, ""
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

// Count reads a number from 1 on.
func Count(ts []token.Token) ([]Parsed, string) {
	rest := token.Skip(ts, "number no nr #")
	if len(rest) == 0 {
		return nil, ""
	}
	n, ok := token.ParseNumber(rest[0])
	if !ok {
		return nil, ""
	}
	return []Parsed{{len(ts) - len(rest) + 1, n, strconv.Itoa(n)}}, ""
}

// Point reads "100,200" or "100, 200".
func Point(ts []token.Token) ([]Parsed, string) {
	for n := 1; n <= min(2, len(ts)); n++ {
		if p, ok := point(ts[:n]); ok {
			return []Parsed{{n, p.arg(), p.text()}}, ""
		}
	}
	return nil, ""
}

// Points reads up to 200 points.
func Points(ts []token.Token) ([]Parsed, string) {
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
	return []Parsed{{len(list), list, strings.Join(words, " ")}}, ""
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

// Quoted returns a value as it is written in a command: in quotes unless it is one plain word.
func Quoted(text string) string {
	plain := text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == '/' || r == '~' || r >= '0' && r <= '9' || r >= 'a' &&
			r <= 'z' || r >= 'A' && r <= 'Z')
	})
	if plain && !strings.HasPrefix(text, "/") && !strings.HasSuffix(text, ".") {
		return text
	}
	return token.Quote(text)
}
