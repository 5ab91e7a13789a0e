package programs_test

import (
	"fmt"
	"strings"
	"testing"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
)

// literals returns the words of a line without quotes.
func literals(line string) []bash.Word {
	var words []bash.Word
	for _, s := range strings.Fields(line) {
		words = append(words, bash.LiteralWord(s))
	}
	return words
}

// format writes options as name or name=value, then the operands, and then the unknown options in parentheses.
func format(a programs.Arguments) string {
	var all []string
	for _, o := range a.Options {
		if o.HasValue {
			all = append(all, o.Name+"="+o.Value.Text)
		} else {
			all = append(all, o.Name)
		}
	}
	for _, w := range a.Operands {
		all = append(all, w.Text)
	}
	for _, s := range a.UnknownOptions {
		all = append(all, "("+s+")")
	}
	return strings.Join(all, " ")
}

func TestOptionParser(t *testing.T) {
	t.Parallel()
	options := programs.ParseOptions("o,output=w q,quiet i,in-place?t f,force!")
	for line, want := range map[string]string{
		"a b":          "a b",
		"-q -o x a":    "quiet output=x a",
		"-qox a":       "quiet output=x a",
		"--output=x a": "output=x a",
		"--out x a":    "output=x a",
		"-i a":         "in-place a",
		"-i.bak a":     "in-place=.bak a",
		"a -q":         "quiet a",
		"-- -q":        "-q",
		"-Z --what a":  "a (-Z) (--what)",
		"-":            "-",
	} {
		t.Run(line, func(t *testing.T) {
			if got := format(programs.OptionParser{Options: options}.Parse(literals(line))); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestOptionParserStopsAtOperand(t *testing.T) {
	t.Parallel()
	parser := programs.OptionParser{Options: programs.ParseOptions("n,interval=t"), StopAtOperand: true}
	if got := format(parser.Parse(literals("-n 5 rm -n 6"))); got != "interval=5 rm -n 6" {
		t.Errorf("got %q", got)
	}
}

func TestOptionParserReportsWordThatMayBeAnyOption(t *testing.T) {
	t.Parallel()
	parser := programs.OptionParser{Options: programs.ParseOptions("o,output=w")}
	if args := parser.Parse([]bash.Word{bash.UnknownWord("$X")}); args.AmbiguousWord != "$X" {
		t.Errorf("got %q, want $X", args.AmbiguousWord)
	}
}

func ExampleLookup() {
	sort, known := programs.Lookup("sort")
	args := programs.OptionParser{Options: programs.ParseOptions(sort.Options)}.Parse(literals("-u -o out.txt in.txt"))
	fmt.Println(known, args.Values("output")[0].Text, args.Operands[0].Text)
	// Output: true out.txt in.txt
}
