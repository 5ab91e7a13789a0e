package bash_test

import (
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
)

// lastCommand returns the words of the last simple command of a text.
func lastCommand(t testing.TB, text string) []bash.Word {
	t.Helper()
	file, err := bash.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e := bash.Expander{Text: text, Home: "/home/ana", Folders: []string{"/home/ana/flat"}}
	e.ReadAssignments(file)
	return e.Words(file.Stmts[len(file.Stmts)-1].Cmd.(*syntax.CallExpr).Args)
}

// describe writes words as their texts, with ? for an unknown one, * for a pattern and | between alternatives.
func describe(words []bash.Word) string {
	all := make([]string, 0, len(words))
	for _, w := range words {
		text := strings.Join(append([]string{w.Text}, w.Alternatives...), "|")
		switch {
		case w.Unknown:
			text = "?"
		case w.HasGlob:
			text += "*"
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func TestExpanderWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`ls 'a b' "c"\ d`:           "ls a b c d",
		"ls ~/x $HOME/y $PWD":       "ls /home/ana/x /home/ana/y /home/ana/flat",
		"ls {a,b}.c":                "ls a.c b.c",
		"ls *.go":                   "ls *.go*",
		"ls $X":                     "ls ?",
		"X=a; ls $X":                "ls a",
		"X=a; X=b; ls $X":           "ls a|b",
		"ls $(date)":                "ls ?",
		`ls "$#" $((1+1))`:          "ls ? ?",
		"read X; ls $X":             "ls ?",
		"eval date; X=a; ls \"$X\"": "ls ?",
	} {
		t.Run(text, func(t *testing.T) {
			if got := describe(lastCommand(t, text)); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestParseRejects(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"open quote": "echo 'a", "zero byte": "ls\x00", "long text": strings.Repeat("a", 70_000),
		"nesting": strings.Repeat("(", 300) + "ls" + strings.Repeat(")", 300), "comment within a word": `$("a"#b` + "\n)",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := bash.Parse(text); err == nil {
				t.Error("no error")
			}
		})
	}
}

func ExampleExpander_Words() {
	text := "DIR=src; ls $DIR/*.go"
	file, err := bash.Parse(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	e := bash.Expander{Text: text}
	e.ReadAssignments(file)
	for _, w := range e.Words(file.Stmts[1].Cmd.(*syntax.CallExpr).Args) {
		fmt.Println(w.Text, w.HasGlob)
	}
	// Output:
	// ls false
	// src/*.go true
}
