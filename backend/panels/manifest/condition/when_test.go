package condition

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEval(t *testing.T) {
	context := map[string]any{
		"selected": true, "count": 2.0, "file-type": "md", "name": "", "tags": []any{"a", 1.0}, "config.mode": "fast",
		"map": map[string]any{"k": nil}, "none": nil,
	}
	for text, want := range map[string]bool{
		"selected": true, "!selected": false, "missing": false, "!missing": true, "count": true, "name": false,
		"none":       false,
		"count == 2": true, "count == '2'": false, "count != '2'": true, "file-type == \"md\"": true,
		"missing == null":            true,
		"file-type in ['md', 'txt']": true, "'a' in tags": true, "2 in tags": false, "'k' in map": true,
		"'x' in map": false, "'fas' in config.mode": true,
		"false || selected && count == 2": true, "(false || selected) && count == 3": false,
		"!(selected && !missing)": false, "!!selected": true,
		"count == 2.0": true, "-1 != count": true, "true": true, "[]": false, "[0]": true, "tags == tags": false,
		"1 in 5": false,
	} {
		t.Run(text, func(t *testing.T) {
			e, err := Parse(text)
			if err != nil {
				t.Errorf("%s: %s", text, err)
			} else if got := e.Eval(context); got != want {
				t.Errorf("%s is %t", text, got)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		text     string
		offset   int
		found    string
		repaired string
	}{
		{"selected = true", 9, `"="`, "selected == true"},
		{"a === b", 4, `"="`, "a == b"},
		{"a and b", 2, `"and"`, "a && b"},
		{"not a or b", 4, `"a"`, "!a || b"},
		{"a &&", 4, "the end", "a"},
		{"(a || b", 7, "the end", "(a || b)"},
		{"a || b)", 6, `")"`, "a || b"},
		{"a == 'b", 5, `"'"`, "a == 'b'"},
		{"a in ['b', 'c'", 14, "the end", "a in ['b', 'c']"},
		{"a == “b”", 5, `"“"`, `a == "b"`},
		{"", 0, "the end", "true"},
		{"a > 3", 2, `">"`, "a"},
		{"${a}", 0, `"$"`, "a"},
		{"x()", 1, `"("`, "x"},
		{"a == in", 5, `"in"`, "a"},
		{"a b", 2, `"b"`, "a"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, err := Parse(c.text)
			var wrong *Error
			if !errors.As(err, &wrong) {
				t.Errorf("%q was read", c.text)
				return
			}
			if wrong.Offset != c.offset || wrong.Found != c.found || wrong.Expected == "" {
				t.Errorf("%q: got %d %s", c.text, wrong.Offset, wrong)
			}
			if got := Repair(c.text); got != c.repaired {
				t.Errorf("%q is repaired as %q, want %q", c.text, got, c.repaired)
			}
		})
	}
}

func TestConditionSizeLimit(t *testing.T) {
	for name, text := range map[string]string{
		"length": strings.Repeat(" ", maxLength+1), "depth": strings.Repeat("(", 40) + "a" + strings.Repeat(")", 40),
		"negations": strings.Repeat("!", 40) + "a", "lists": strings.Repeat("[", 40) + strings.Repeat("]", 40),
		"parts": "a" + strings.Repeat("||a", maxNodes),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(text); err == nil {
				t.Errorf("%s is not bounded", name)
			}
		})
	}
}

func TestNames(t *testing.T) {
	e, err := Parse("a.b && ('a' in c)")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Name{{"a.b", 0}, {"c", 15}}, e.Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzParse holds that reading and evaluating never fail but by an error with a place in the
// text, and that every text has a repaired form.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"a && !b || c in ['x', 2]", "a = b", "((a)", "'", "a in in", "not x and ${y}",
		"!==", "a.includes('b')", "\xff", "-1.5 == null",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			var wrong *Error
			if !errors.As(err, &wrong) || wrong.Offset < 0 || wrong.Offset > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			if _, err := Parse(Repair(text)); err != nil {
				t.Fatalf("%q is repaired as %q: %s", text, Repair(text), err)
			}
			return
		}
		context := map[string]any{}
		for _, n := range e.Names() {
			if !strings.HasPrefix(text[n.Offset:], n.Text) {
				t.Fatalf("%q: %v", text, n)
			}
			context[n.Text] = []any{n.Text, 1.0}
		}
		e.Eval(nil)
		if first, second := e.Eval(context), e.Eval(context); first != second {
			t.Fatalf("%q is not pure", text)
		}
	})
}
