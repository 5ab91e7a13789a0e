package toolcalls

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the parser says into testdata/damaged.txt")

// The table has one answer per paragraph: the answer on one line (⏎ is a line break, a leading ✂ an answer
// truncated at its length limit), then its result, indented.
const table = "testdata/damaged.txt"

func TestDamagedAnswers(t *testing.T) {
	raw, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	tools := NewToolset(some())
	place := regexp.MustCompile(`^line [1-9]\d*, column [1-9]\d*: (expected .+, found .+|.{10,})`)
	var out []string
	rows, calls, broken, repaired := 0, 0, 0, 0
	for paragraph := range strings.SplitSeq(strings.TrimRight(string(raw), "\n"), "\n\n") {
		first, want, _ := strings.Cut(strings.TrimPrefix(paragraph, "\n"), "\n")
		answer, cut := strings.CutPrefix(first, "✂")
		answer = strings.ReplaceAll(answer, "⏎", "\n")
		rows++
		f := parse(!cut, answer)
		got := "\t" + strings.ReplaceAll(strings.TrimSuffix(f.String(), "\n"), "\n", "\n\t")
		out = append(out, first+"\n"+got+"\n")
		if !*update && got != want {
			t.Errorf("%s\n got %s\nwant %s", first, got, want)
		}
		if pieces := parse(!cut, strings.Split(answer, "")...); pieces.String() != f.String() {
			t.Errorf("%s: character by character it gives\n%s", first, pieces)
		}
		for _, c := range f.calls {
			if tools.byName[c.Name] == nil {
				t.Errorf("%s: a call of %q", first, c.Name)
			}
		}
		for _, b := range f.broken {
			if !place.MatchString(b.Problem) || b.Suggestion == "" || b.Line < 1 || b.Column < 1 {
				t.Errorf("%s: %+v", first, b)
			}
		}
		calls += len(f.calls)
		broken += len(f.broken)
		if len(f.broken) == 0 && len(f.calls) > 0 {
			repaired++
		}
	}
	if *update {
		if err := os.WriteFile(table, []byte(strings.Join(out, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf(
		"%d damaged answers: %d calls read, %d errors with a position, %d answers repaired",
		rows,
		calls,
		broken,
		repaired,
	)
	if rows < 300 || broken < 150 {
		t.Errorf("%d rows with %d errors; at least 300 with 150", rows, broken)
	}
}

// The call in the suggestion is itself valid.
func TestErrorSuggestionIsValidCall(t *testing.T) {
	for _, answer := range []string{
		`<tool_call>{"name":"raed_file","arguments":{}}</tool_call>`,
		"```tool\nreturn clickElement(12);\n```",
		"<tool_call><function=write_file><parameter=path>a</function></tool_call>",
		`<tool_call>{"name":"run_steps","arguments":</tool_call>`,
	} {
		t.Run(answer, func(t *testing.T) {
			f := parse(true, answer)
			if len(f.broken) != 1 {
				t.Fatalf("%s: %+v", answer, f)
			}
			_, sample, ok := strings.Cut(f.broken[0].Suggestion, "whole: ")
			if again := parse(true, sample); !ok || len(again.calls) != 1 || len(again.broken) > 0 {
				t.Errorf("%s: suggestion %q gives %+v", answer, f.broken[0].Suggestion, again)
			}
		})
	}
}
