package toolcalls

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stream returns what came out of a parser after each piece.
func stream(pieces ...string) []string {
	var out []string
	now := ""
	p := NewParser(NewToolset(some()), func(e Event) {
		switch {
		case e.Call != nil:
			now += "[" + e.Call.Name + "]"
		case e.BrokenCall != nil:
			now += "[!]"
		default:
			now += e.Text
		}
	})
	for _, s := range pieces {
		p.Write(s)
		out = append(out, now)
		now = ""
	}
	p.Close(true)
	return append(out, now)
}

func TestTextIsEmittedUnlessItMayBeCall(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"Hello ", "world"}, []string{"Hello", " world", ""}},
		{[]string{"a <", "b"}, []string{"a", " <b", ""}},
		{[]string{"x <tool", "_cat>"}, []string{"x", " <tool_cat>", ""}},
		{[]string{"```", "to", "ml\nx"}, []string{"", "", "```toml\nx", ""}},
		{[]string{"`", "`", "a"}, []string{"", "", "``a", ""}},
		{[]string{"caf\xc3", "\xa9"}, []string{"caf", "é", ""}},
		{[]string{"\xf0\x9f", "\x99", "\x82!"}, []string{"", "", "🙂!", ""}},
		{[]string{"Use <tool_call> ", "tags"}, []string{"Use", " <tool_call> tags", ""}},
		{
			[]string{"Now: <tool_call>{\"name\":\"annotate_page\"}</tool", "_call> and", " more"},
			[]string{"Now:", "[annotate_page]  and", " more", ""},
		},
	} {
		t.Run(strings.Join(c.in, "|"), func(t *testing.T) {
			if diff := cmp.Diff(c.want, stream(c.in...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCallIsEmittedEarly(t *testing.T) {
	for _, call := range []string{
		`<tool_call>{"name":"annotate_page","arguments":{}}</tool_call>`, "```tool\nreturn annotate_page();\n```\n",
		"<tool_call>\n<function=annotate_page>\n</function>\n</tool_call>", "<function=annotate_page>\n</function>",
	} {
		t.Run(call, func(t *testing.T) {
			if got := stream(call[:len(call)-1], call[len(call)-1:], "And then a long explanation"); got[0] != "" ||
				got[1] != "[annotate_page]" {
				t.Errorf("%q gives %q", call, got)
			}
		})
	}
}

func TestTruncatedAnswerKeepsTextWithoutCall(t *testing.T) {
	var text string
	p := NewParser(NewToolset(some()), func(e Event) {
		if e.Call != nil || e.BrokenCall != nil {
			t.Errorf("%+v", e)
		}
		text += e.Text
	})
	p.Write("Looking <tool_c")
	p.Abandon()
	if text != "Looking <tool_c" {
		t.Errorf("text %q", text)
	}
	text = ""
	p = NewParser(NewToolset(some()), func(e Event) { text += e.Text })
	p.Write(`Looking <tool_call>{"name":"annotate_page"}`)
	p.Abandon()
	if text != "Looking" && text != "Looking " {
		t.Errorf("text %q", text)
	}
}

func TestCallSizeLimit(t *testing.T) {
	for open, end := range map[string]string{
		`<tool_call>{"name":"write_file","arguments":{"path":"`: `"}}</tool_call>`,
		"```tool\nreturn write_file(\"":                         "\");\n```\n",
		"<function=write_file>\n<parameter=path>":               "</parameter></function>",
	} {
		t.Run(open, func(t *testing.T) {
			var f found
			p := NewParser(NewToolset(some()), func(e Event) {
				if e.BrokenCall != nil {
					f.broken = append(f.broken, *e.BrokenCall)
				}
				if e.Call != nil {
					f.calls = append(f.calls, *e.Call)
				}
			})
			p.Write(open)
			for range 64 {
				p.Write(strings.Repeat("x", 1<<18))
			}
			if n := cap(p.block.buf); n > 2*maxCall {
				t.Errorf("%d bytes are kept", n)
			}
			p.Write(end + "<tool_call>{\"name\":\"annotate_page\"}</tool_call>")
			p.Close(true)
			if len(f.broken) != 1 || !strings.Contains(f.broken[0].Problem, "larger than 1048576 bytes") ||
				len(f.calls) != 1 {
				t.Errorf("%s: %d broken, calls %+v", open, len(f.broken), f.calls)
			}
		})
	}
}

func TestCallCountLimit(t *testing.T) {
	f := parse(true, strings.Repeat(`<tool_call>{"name":"annotate_page"}</tool_call>`, 200))
	if len(f.calls) != 128 || len(f.broken) != 1 {
		t.Errorf("%d calls, %d broken", len(f.calls), len(f.broken))
	}
	f = parse(true, "<tool_call>"+strings.Repeat(`{"name":"annotate_page"}`, 2000)+"</tool_call>")
	if len(f.calls) != 128 || len(f.broken) != 1 {
		t.Errorf("in one block: %d calls, %d broken", len(f.calls), len(f.broken))
	}
}

// almost are texts that are nearly calls, repeated.
var almost = map[string]string{
	"plain":      "The quick brown fox jumps over the lazy dog. ",
	"open tags":  "<tool_cal<tool_call <tool_call x",
	"ticks":      "```to\n``\n```\n`",
	"blocks":     "<tool_call>{\"name\":</tool_call>\n",
	"one block":  "<tool_call",
	"parameters": "<parameter=a></parameter>",
	"strings":    "</tool_call> x",
	"nested":     "{\"a\":[",
	"blanks":     "   \n\t ",
}

func answerOf(name string, n int) string {
	body := strings.Repeat(almost[name], n/len(almost[name])+1)
	switch name {
	case "one block", "nested":
		return "<tool_call>" + body
	case "parameters":
		return "<tool_call><function=read_file>" + body + "</function></tool_call>"
	case "strings":
		return "<tool_call>{\"name\":\"" + body
	}
	return body
}

// BenchmarkParse shows linear time: a megabyte costs sixteen times what a sixteenth of it costs.
func BenchmarkParse(b *testing.B) {
	for name := range almost {
		for _, size := range []int{1 << 16, 1 << 20} {
			answer := answerOf(name, size)
			b.Run(fmt.Sprintf("%s/%dk", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(answer)))
				b.ReportAllocs()
				for range b.N {
					parse(true, answer)
				}
			})
		}
	}
	runtime.GC()
}
