// Package bash analyses bash without running it: the syntax tree of a text, the values that each word may have, and
// where bash would run the text of a variable or a test.
//
// It runs no code, opens no file and reads no environment. A word that depends on anything but the text is Unknown and
// never guessed. If branches assign different values, a word may have any of them.
//
// It knows no programs: the packages programs and command interpret the words of a command.
package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bounds of one text: bytes, and brackets within brackets.
const (
	maxText   = 64 << 10
	maxNested = 200
)

// SyntaxError says why a text cannot be read: bash would not take it, or it is too much.
type SyntaxError string

// Error returns the reason: "it is nested too deep".
func (e SyntaxError) Error() string { return string(e) }

// Parse returns the syntax tree of a bash text. It fails with a SyntaxError for text that bash would not take, that is
// longer than 64 KB or nested too deep, and for comments that bash may read differently from the parser.
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

// commentsStartWords reports whether every comment begins where a word could. In substitutions the parser takes the #
// of "a"#b for a comment, and bash goes on to run what follows it.
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

// nestingDepth bounds how deep a parser could descend: each opening character may be one level.
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
