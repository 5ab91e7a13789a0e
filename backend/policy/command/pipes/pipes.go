// Package pipes works out what the left side of a pipe prints, where that can be known before it runs: a text, for a
// shell that reads its commands from it, or the names of files, for xargs.
//
// The contract: nil for everything that is not known for certain, such as any program that is not named here. Nothing
// runs. It judges nothing: package command judges the commands of both sides.
package pipes

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
)

// Text returns the text that stmt prints, nil when it is not known. A name in shadowed may be a function.
func Text(e *bash.Expander, stmt *syntax.Stmt, shadowed map[string]bool) *string {
	x, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(x.Args) == 0 || shadowed[x.Args[0].Lit()] {
		return nil
	}
	switch x.Args[0].Lit() {
	case "echo":
		var texts []string
		for _, v := range e.Words(x.Args[1:]) {
			if !v.IsLiteral() || strings.HasPrefix(v.Text, "-") || strings.Contains(v.Text, `\`) {
				return nil
			}
			texts = append(texts, v.Text)
		}
		if len(stmt.Redirs) > 0 {
			return nil
		}
		all := strings.Join(texts, " ") + "\n"
		return &all
	case "cat":
		if len(x.Args) == 1 && len(stmt.Redirs) == 1 && stmt.Redirs[0].Hdoc != nil {
			return e.Word(stmt.Redirs[0].Hdoc).LiteralText()
		}
	}
	return nil
}

// Files returns the files whose names stmt prints, nil when they are not known. A name in shadowed may be a function.
func Files(e *bash.Expander, stmt *syntax.Stmt, shadowed map[string]bool) []bash.Word {
	if len(stmt.Redirs) > 0 {
		return nil
	}
	if pipe, ok := stmt.Cmd.(*syntax.BinaryCmd); ok {
		if pipe.Op != syntax.Pipe || !passesLinesOn(e, pipe.Y, shadowed) {
			return nil
		}
		return Files(e, pipe.X, shadowed)
	}
	x, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(x.Args) == 0 {
		return nil
	}
	words := e.Words(x.Args)
	for _, w := range words {
		if w.Unknown || len(w.Alternatives) > 0 {
			return nil
		}
	}
	if shadowed[words[0].Text] {
		return nil
	}
	var roots []bash.Word
	switch words[0].Text {
	case "find":
		roots = findRoots(words[1:])
		if slices.ContainsFunc(words, func(w bash.Word) bool { return w.Text == "-printf" }) {
			return nil
		}
	case "git":
		if len(words) < 2 || words[1].Text != "ls-files" {
			return nil
		}
	case "ls":
		if len(words) > 1 {
			return nil
		}
	case "grep", "egrep", "fgrep", "rg":
		q := programs.OptionParser{Options: programs.OptionsOf(words[0].Text)}
		got := q.Parse(words[1:])
		if !got.Has("files-with-matches", "files-without-match") {
			return nil
		}
		if len(got.Operands) > 1 {
			roots = got.Operands[1:]
		}
	default:
		return nil
	}
	if len(roots) == 0 {
		roots = []bash.Word{bash.Literal(".")}
	}
	all := make([]bash.Word, 0, len(roots))
	for _, root := range roots {
		all = append(all, bash.Word{
			Text: strings.TrimSuffix(root.Text, "/") + "/*", Display: "every file in " + root.Display,
			Glob: true,
		})
	}
	return all
}

// findRoots returns the words of find before its expression.
func findRoots(words []bash.Word) []bash.Word {
	var roots []bash.Word
	for _, w := range words {
		switch {
		case w.Text == "-L" || w.Text == "-P" || w.Text == "-H":
		case strings.HasPrefix(w.Text, "-"), w.Text == "(", w.Text == "!":
			return roots
		default:
			roots = append(roots, w)
		}
	}
	return roots
}

// passesLinesOn reports whether a command passes lines on unchanged.
func passesLinesOn(e *bash.Expander, stmt *syntax.Stmt, shadowed map[string]bool) bool {
	x, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(x.Args) == 0 || len(stmt.Redirs) > 0 {
		return false
	}
	words := e.Words(x.Args)
	if len(words) == 0 || !words[0].IsLiteral() || shadowed[words[0].Text] {
		return false
	}
	switch words[0].Text {
	case "sort", "head", "tail", "uniq", "grep":
		q := programs.OptionParser{Options: programs.OptionsOf(words[0].Text)}
		got := q.Parse(words[1:])
		maxOperands := 0
		if words[0].Text == "grep" {
			maxOperands = 1
		}
		return len(got.Operands) <= maxOperands && !got.Has("only-matching", "null-data")
	}
	return false
}
