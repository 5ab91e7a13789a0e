// Package bash analyzes bash scripts without running them. It parses a script, works out the values that each word may
// have, and finds the places where bash would run the value of a variable.
//
// It opens no file and reads no environment. A word that depends on anything outside the script is Unknown. If branches
// assign different values to a variable, the word has them as alternatives.
//
// It knows nothing about programs. Packages programs and command interpret the words of a command.
package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	maxText   = 64 << 10
	maxNested = 200
)

// SyntaxError is the reason why a script cannot be parsed; see Parse.
type SyntaxError string

// Error returns the reason, such as "it is nested too deep".
func (e SyntaxError) Error() string { return string(e) }

// Parse returns the syntax tree of a script. It returns a SyntaxError if the script is invalid, longer than 64 KB,
// nested too deep, contains a zero byte, or has a comment that bash may read differently from the parser.
func Parse(text string) (file *syntax.File, err error) {
	switch {
	case len(text) > maxText:
		return nil, SyntaxError("it is longer than 64 KB")
	case strings.ContainsRune(text, 0):
		return nil, SyntaxError("it contains a zero byte")
	case nestingDepth(text) > maxNested:
		return nil, SyntaxError("it is nested too deep")
	}
	defer func() {
		if caught := recover(); caught != nil {
			file, err = nil, SyntaxError("the parser gave up")
		}
	}()
	file, err = syntax.NewParser(syntax.Variant(syntax.LangBash),
		syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, SyntaxError(err.Error())
	}
	if !commentsStartWords(file, text) {
		return nil, SyntaxError("it has a # that bash may read as text or as a comment")
	}
	return file, nil
}

// commentsStartWords reports whether every comment begins where a word could begin. In substitutions the parser treats
// the # in "a"#b as a comment, but bash does not and runs what follows.
func commentsStartWords(file *syntax.File, text string) bool {
	valid := true
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			at := int(c.Hash.Offset())
			valid = valid && (at == 0 || at < len(text) && strings.IndexByte(" \t\n;&|(", text[at-1]) >= 0)
			valid = valid && (at < 2 || text[at-2] != '\\')
		}
		return true
	})
	return valid
}

func nestingDepth(text string) int {
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '`', '[':
			depth++
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
		deepest = max(deepest, depth)
	}
	for _, word := range []string{"if ", "while ", "until ", "for ", "case ", "! ", "time "} {
		deepest = max(deepest, strings.Count(text, word))
	}
	return deepest
}
