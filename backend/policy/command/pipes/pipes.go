// Package pipes works out what the left side of a pipe prints, if that is known before the command runs: a text, which
// a shell on the right side would run, or file names, which xargs would read. It returns nil for a program that it has
// no rule for. It runs nothing and does not judge the commands.
package pipes

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
)

// PrintedText returns the text that stmt prints, or nil if it is unknown. shadowed are names that may be functions
// instead of programs.
func PrintedText(e *bash.Expander, stmt *syntax.Stmt, shadowed map[string]bool) *string {
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

// PrintedFiles returns the files whose names stmt prints, or nil if they are unknown. shadowed are names that may be
// functions instead of programs.
func PrintedFiles(e *bash.Expander, stmt *syntax.Stmt, shadowed map[string]bool) []bash.Word {
	if len(stmt.Redirs) > 0 {
		return nil
	}
	if pipe, ok := stmt.Cmd.(*syntax.BinaryCmd); ok {
		if pipe.Op != syntax.Pipe || !passesLinesOn(e, pipe.Y, shadowed) {
			return nil
		}
		return PrintedFiles(e, pipe.X, shadowed)
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
		parser := programs.OptionParser{Options: programs.OptionsOf(words[0].Text)}
		args := parser.Parse(words[1:])
		if !args.Has("files-with-matches", "files-without-match") {
			return nil
		}
		if len(args.Operands) > 1 {
			roots = args.Operands[1:]
		}
	default:
		return nil
	}
	if len(roots) == 0 {
		roots = []bash.Word{bash.LiteralWord(".")}
	}
	all := make([]bash.Word, 0, len(roots))
	for _, root := range roots {
		all = append(all, bash.Word{
			Text: strings.TrimSuffix(root.Text, "/") + "/*", Display: "every file in " + root.Display,
			HasGlob: true,
		})
	}
	return all
}

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

// passesLinesOn reports whether every line that a command prints is an unchanged line of its input.
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
		parser := programs.OptionParser{Options: programs.OptionsOf(words[0].Text)}
		args := parser.Parse(words[1:])
		maxOperands := 0
		if words[0].Text == "grep" {
			maxOperands = 1
		}
		return len(args.Operands) <= maxOperands && !args.Has("only-matching", "null-data")
	}
	return false
}
