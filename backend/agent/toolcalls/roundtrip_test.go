package toolcalls

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// nasty are texts that break formats.
var nasty = []string{
	"", " ", "\n", "plain", "a\nb", "\r\nx\r\n", "tab\t", `quo"te`, `it's`, "`tick`", "```",
	"```tool\nreturn x();\n```", `\`, `\\`, `C:\new\table`, `\d+\.`,
	"</tool_call>", "<tool_call>", "</tool_call>\n", "<tool_call>{\"name\":\"read_file\"}</tool_call>", "</parameter>",
	"<parameter=x>", "</function>",
	"<function=read_file>", "<tool_response>", "//", "/* */", "${x}", "“smart”", "naïve 漢字 👩‍👩‍👧", "\u2028", "\u0000",
	"True", "null", "12", "{}", "[1]", "a,b", "}", "{", "🙂",
}

func someText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(nasty),
		rapid.String(),
		rapid.Map(
			rapid.SliceOfN(rapid.SampledFrom(nasty), 0, 4),
			func(s []string) string { return strings.Join(s, "") },
		),
	)
}

func someValue(depth int) *rapid.Generator[any] {
	gens := []*rapid.Generator[any]{
		rapid.Map(someText(), func(s string) any { return s }),
		rapid.Map(rapid.IntRange(-1_000_000, 1_000_000), func(n int) any { return n }),
		rapid.Map(rapid.Float64Range(-1e9, 1e9), func(n float64) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	}
	if depth < 3 {
		gens = append(
			gens,
			rapid.Map(
				rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return someValue(depth + 1) }), 0, 3),
				func(s []any) any { return s },
			),
			rapid.Map(
				rapid.MapOfN(
					someText(),
					rapid.Deferred(func() *rapid.Generator[any] { return someValue(depth + 1) }),
					0,
					3,
				),
				func(m map[string]any) any { return m },
			),
		)
	}
	return rapid.OneOf(gens...)
}

// someCall is a call of a known tool, mostly with its own parameters and values of any kind.
func someCall() *rapid.Generator[Call] {
	return rapid.Custom(func(t *rapid.T) Call {
		args := map[string]any{}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			key := rapid.OneOf(rapid.SampledFrom([]string{
				"path", "content", "headers", "any", "steps", "query",
				"count",
			}), someText()).
				Draw(t, "key")
			args[key] = someValue(0).Draw(t, "value")
		}
		raw, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return Call{
			Name: rapid.SampledFrom([]string{"read_file", "write_file", "annotate_page", "run_steps", "set_headers"}).
				Draw(t, "tool"),
			Args: raw,
		}
	})
}

var around = []string{
	"",
	"Looking first.",
	"Naïve: 漢字 🙂.",
	"a < b and `code` here.",
	"> quoted",
	"One.\n\nTwo <tag> `x`.",
	"1. item\n   - sub ``",
}

func same(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func TestRoundTripAtEverySplit(t *testing.T) {
	cuts, answers := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]Format{FormatFenced, FormatToolCall, FormatHermes}).Draw(t, "kind")
		calls := rapid.SliceOfN(someCall(), 1, 2).Draw(t, "calls")
		before := rapid.SampledFrom(around).Draw(t, "before")
		after := rapid.SampledFrom(around).Draw(t, "after")
		answer := before + "\n"
		tools := NewToolset(some())
		for _, c := range calls {
			answer += Render(kind, c, tools) + "\n"
		}
		answer += after
		answers++
		whole := parse(true, answer)
		check := func(f found, where string) {
			if len(f.broken) > 0 || len(f.calls) != len(calls) {
				t.Fatalf("%s: %d calls of %d, broken %+v\n%s", where, len(f.calls), len(calls), f.broken, answer)
			}
			for i, c := range f.calls {
				if c.Name != calls[i].Name || !same(c.Args, calls[i].Args) {
					t.Fatalf("%s: call %s %s, want %s", where, c.Name, c.Args, calls[i].Args)
				}
			}
			if strings.TrimSpace(strings.ReplaceAll(f.text, "\n", "")) != strings.TrimSpace(
				strings.ReplaceAll(before+after, "\n", ""),
			) ||
				f.text != whole.text {
				t.Fatalf("%s: text %q, want %q around the calls", where, f.text, before+"…"+after)
			}
		}
		check(whole, "whole")
		for i := 1; i < len(answer); i++ {
			cuts++
			check(parse(true, answer[:i], answer[i:]), fmt.Sprintf("cut at %d", i))
		}
		check(parse(true, strings.Split(answer, "")...), "character by character")
		bytewise := make([]string, len(answer))
		for i := range len(answer) {
			bytewise[i] = answer[i : i+1]
		}
		check(parse(true, bytewise...), "byte by byte")
	})
	t.Logf("%d answers, cut at %d places", answers, cuts)
}
