package pipes_test

import (
	"fmt"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/pipes"
)

// statement returns the first statement of a text.
func statement(t testing.TB, text string) (*bash.Expander, *syntax.Stmt) {
	t.Helper()
	file, err := bash.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e := &bash.Expander{Text: text}
	e.ReadAssignments(file)
	return e, file.Stmts[0]
}

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"echo ls src": "ls src\n", "cat <<EOF\nls\nEOF\n": "ls\n", "echo $X": "", "echo -n a": "", "date": "",
	} {
		t.Run(text, func(t *testing.T) {
			e, stmt := statement(t, text)
			got := ""
			if s := pipes.PrintedText(e, stmt, nil); s != nil {
				got = *s
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"find src -name x": "src/*", "find a b": "a/* b/*", "git ls-files": "./*", "ls": "./*",
		"grep -rl x src": "src/*", "find src | sort | head": "src/*",
		"find src | cut -c1": "", "find $X": "", "find src -printf x": "", "ls -l": "", "date": "",
	} {
		t.Run(text, func(t *testing.T) {
			e, stmt := statement(t, text)
			got := ""
			for i, w := range pipes.PrintedFiles(e, stmt, nil) {
				if i > 0 {
					got += " "
				}
				got += w.Text
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestShadowedNamesPrintNothingKnown(t *testing.T) {
	t.Parallel()
	shadowed := map[string]bool{"echo": true, "find": true}
	e, stmt := statement(t, "echo ls")
	if got := pipes.PrintedText(e, stmt, shadowed); got != nil {
		t.Errorf("echo prints %q", *got)
	}
	e, stmt = statement(t, "find src")
	if got := pipes.PrintedFiles(e, stmt, shadowed); got != nil {
		t.Errorf("find prints %v", got)
	}
}

func ExamplePrintedText() {
	text := "echo ls src"
	file, err := bash.Parse(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(*pipes.PrintedText(&bash.Expander{Text: text}, file.Stmts[0], nil))
	// Output: ls src
}
