package search

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// MaxQuery bounds the text of a query, in bytes. Words after the first maxTerms are ignored.
const (
	MaxQuery = 1000
	maxTerms = 24
)

// QueryError is a mistake in a query that a person can correct. It is one sentence.
type QueryError string

func (e QueryError) Error() string { return string(e) }

// term is a word or a phrase. tokens are its words without case and diacritics.
type term struct {
	text   string
	tokens []string
	// isPrefix is true if the last token is the beginning of a word.
	isPrefix bool
}

// query is a parsed query. from and until bound the time: from <= time < until; zero is no bound.
type query struct {
	terms       []term
	tags        []string
	from, until time.Time
}

func (q query) isEmpty() bool {
	return len(q.terms) == 0 && len(q.tags) == 0 && q.from.IsZero() && q.until.IsZero()
}

// parse reads what a person typed: words that must all occur, "phrases", and the filters who:, tool:, site:, before:
// and after:. A word at the end is a prefix until a space follows. Dates are days, months or years in zone.
func parse(text string, zone *time.Location) (query, error) {
	var q query
	if len(text) > MaxQuery {
		return q, QueryError(fmt.Sprintf("The search is longer than %d characters.", MaxQuery))
	}
	text = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r == 0 {
			return ' '
		}
		return r
	}, text)
	isTyped := false // the last term is a word without a space after it
	for rest := text; ; {
		rest = strings.TrimLeftFunc(rest, unicode.IsSpace)
		if rest == "" {
			break
		}
		if phrase, isQuoted := strings.CutPrefix(rest, `"`); isQuoted {
			phrase, rest, _ = strings.Cut(phrase, `"`)
			q.add(phrase)
			isTyped = false
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return unicode.IsSpace(r) || r == '"' })
		if end < 0 {
			end = len(rest)
		}
		word := rest[:end]
		rest = rest[end:]
		isFilter, err := q.addFilter(word, zone)
		if err != nil {
			return q, err
		}
		if !isFilter {
			q.add(word)
			isTyped = rest == "" || strings.TrimSpace(rest) != ""
		}
	}
	if n := len(q.terms); n > 0 && isTyped {
		q.terms[n-1].complete()
	}
	return q, nil
}

func (q *query) add(text string) {
	var tokens []string
	for _, t := range tokenize(text) {
		tokens = append(tokens, t.folded)
	}
	if len(tokens) > 0 && len(q.terms) < maxTerms {
		q.terms = append(q.terms, term{text: text, tokens: tokens})
	}
}

// complete makes t match words that begin with it, except for a single letter, which begins too many.
func (t *term) complete() {
	t.isPrefix = utf8.RuneCountInString(t.tokens[len(t.tokens)-1]) > 1
}

func (q *query) addFilter(word string, zone *time.Location) (bool, error) {
	key, value, found := strings.Cut(word, ":")
	key = strings.ToLower(key)
	if !found || strings.HasPrefix(value, "//") {
		return false, nil
	}
	switch key {
	case "who":
		who := strings.ToLower(value)
		if who != whoMe && who != whoAssistant && who != whoTool {
			return true, QueryError("who: is followed by me, assistant or tool.")
		}
		q.tags = append(q.tags, tag(tagWho, who))
	case "tool":
		if value == "" {
			return true, QueryError("tool: is followed by a tool's name, as in tool:bash.")
		}
		q.tags = append(q.tags, tag(tagTool, value))
	case "site":
		host := strings.Trim(strings.ToLower(value), "./")
		if host == "" {
			return true, QueryError("site: is followed by a host, as in site:shop.example.")
		}
		q.tags = append(q.tags, tag(tagSite, host))
	case "before", "after":
		day, ok := parseDate(value, zone)
		if !ok {
			return true, QueryError(key + ": is followed by a date, as in " + key + ":2026-11-25 or " + key +
				":2026-11.")
		}
		if key == "before" && (q.until.IsZero() || day.Before(q.until)) {
			q.until = day
		} else if key == "after" && day.After(q.from) {
			q.from = day
		}
	default:
		return false, nil
	}
	return true, nil
}

// parseDate returns the beginning of a day, month or year.
func parseDate(value string, zone *time.Location) (time.Time, bool) {
	for _, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if at, err := time.ParseInLocation(layout, value, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// match returns the query in FTS5's syntax, "" if it has neither words nor filters. Every word is a quoted string, so
// that nothing in it is syntax.
func (q query) match() string {
	var columns []string
	if len(q.terms) > 0 {
		words := make([]string, len(q.terms))
		for i, t := range q.terms {
			words[i] = quote(t.text)
			if t.isPrefix {
				words[i] += " *"
			}
		}
		columns = append(columns, "text : ("+strings.Join(words, " AND ")+")")
	}
	if len(q.tags) > 0 {
		words := make([]string, len(q.tags))
		for i, t := range q.tags {
			words[i] = quote(t)
		}
		columns = append(columns, "tags : ("+strings.Join(words, " AND ")+")")
	}
	return strings.Join(columns, " AND ")
}

func quote(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
