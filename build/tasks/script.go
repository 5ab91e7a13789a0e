package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// elementLine matches a line of an answer that lists an element.
var elementLine = regexp.MustCompile(`(?m)^\[(\d+)\] ([a-z]+)(?: "((?:[^"\\]|\\.)*)")?(.*)$`)

// listedElement is an element listed in an answer; at is the offset of its line.
type listedElement struct {
	id         int
	role, name string
	text       string
	at         int
}

// rowName matches the state that names the row of an element.
var rowName = regexp.MustCompile(`in "(?:[^"\\]|\\.)*"`)

func parseElements(text string) []listedElement {
	var list []listedElement
	row := ""
	for _, m := range elementLine.FindAllStringSubmatchIndex(text, -1) {
		id, _ := strconv.Atoi(text[m[2]:m[3]])
		l := listedElement{id: id, role: text[m[4]:m[5]], text: text[m[0]:m[1]], at: m[0]}
		if m[6] >= 0 {
			l.name = text[m[6]:m[7]]
			var plain string
			if json.Unmarshal([]byte(`"`+l.name+`"`), &plain) == nil {
				l.name = plain
			}
		}
		if named := rowName.FindString(text[m[8]:m[9]]); named != "" {
			row = named
		}
		l.text = strings.Replace(l.text, "same row", row, 1)
		list = append(list, l)
	}
	return list
}

// findElementID returns the number of the element "role name" in the answers read, newest first. docs/tasks.md
// describes the syntax.
func findElementID(read []string, wanted string) (int, error) {
	role, name, _ := strings.Cut(wanted, " ")
	after, before, inLine := "", "", ""
	if n, words, ok := strings.Cut(name, " ~ "); ok {
		name, inLine = n, words
	} else if n, words, ok := strings.Cut(name, " < "); ok {
		name, after = n, words
	} else if n, words, ok := strings.Cut(name, " > "); ok {
		name, before = n, words
	}
	fits := []func(listedElement) bool{
		func(l listedElement) bool { return strings.EqualFold(l.name, name) },
		func(l listedElement) bool { return strings.HasPrefix(l.name, name) },
		func(l listedElement) bool { return strings.Contains(l.text, name) },
	}
	for _, fit := range fits {
		for i := len(read) - 1; i >= 0; i-- {
			from, to := bounds(read[i], after, before)
			id := 0
			for _, l := range parseElements(read[i]) {
				if (role == "*" || role == l.role) && l.at >= from && l.at < to && strings.Contains(l.text, inLine) &&
					fit(l) && (id == 0 || before != "") {
					id = l.id
				}
			}
			if id > 0 {
				return id, nil
			}
		}
	}
	return 0, fmt.Errorf("no answer lists %s", wanted)
}

// bounds returns the range in which a match may start: after the text after, and before the line with the text before.
func bounds(text, after, before string) (from, to int) {
	from, to = 0, len(text)
	if after != "" {
		i := strings.Index(text, after)
		if i < 0 {
			return 0, 0
		}
		from = i + 1
	}
	if before != "" {
		if to = strings.Index(text, before); to >= 0 {
			// The line that contains the text before does not count.
			to = strings.LastIndexByte(text[:to], '\n') + 1
		}
	}
	return from, to
}

var patternPlaceholder = regexp.MustCompile(`\{\{/(.+?)/\}\}`)

// fillArgs replaces the placeholders in arguments with values from the results read.
func fillArgs(args string, read []string) (string, error) {
	var v any
	if err := json.Unmarshal([]byte(args), &v); err != nil {
		return "", err
	}
	v, err := fillValue(v, read)
	if err != nil {
		return "", err
	}
	b, err := json.Marshal(v)
	return string(b), err
}

func fillValue(v any, read []string) (any, error) {
	var err error
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if v[k], err = fillValue(v[k], read); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range v {
			if v[i], err = fillValue(v[i], read); err != nil {
				return nil, err
			}
		}
	case string:
		s, err := replacePatterns(v, read)
		if err != nil {
			return nil, err
		}
		if m, ok := strings.CutPrefix(s, "@"); ok {
			return findElementID(read, m)
		}
		return s, nil
	}
	return v, nil
}

// replacePatterns replaces each {{/pattern/}} with the first match of its group in the newest result that has
// one.
func replacePatterns(s string, read []string) (string, error) {
	var failed error
	s = patternPlaceholder.ReplaceAllStringFunc(s, func(p string) string {
		find, err := regexp.Compile(p[3 : len(p)-3])
		if err != nil {
			failed = err
			return p
		}
		for i := len(read) - 1; i >= 0; i-- {
			if m := find.FindStringSubmatch(read[i]); len(m) > 1 {
				return m[1]
			}
		}
		failed = fmt.Errorf("no answer matches %s", p)
		return p
	})
	return s, failed
}
