package toolcalls

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func definition(name, parameters string, examples ...string) toolspec.Definition {
	d := toolspec.Definition{Name: name, Description: "Does " + name + ".", Parameters: json.RawMessage(parameters)}
	for _, e := range examples {
		d.Examples = append(d.Examples, json.RawMessage(e))
	}
	return d
}

// some are the tools of these tests.
func some() []toolspec.Definition {
	return []toolspec.Definition{
		definition(
			"read_file",
			`{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}},"required":["path"]}`,
			`{"path":"notes.txt"}`,
		),
		definition(
			"write_file",
			`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`,
		),
		definition(
			"click_element",
			`{"type":"object","properties":{"annotationId":{"type":"integer"},"count":{"type":"integer","minimum":1},"button":{"enum":["left","right"]}},"required":["annotationId"]}`,
			`{"annotationId":12}`,
		),
		definition(
			"annotate_page",
			`{"type":"object","properties":{"query":{"type":"string"},"changes_only":{"type":"boolean"}}}`,
			`{}`,
		),
		definition(
			"run_steps",
			`{"type":"object","properties":{"steps":{"type":"array","items":{"type":"object"}},"options":{"type":"object"}},"required":["steps"]}`,
		),
		definition(
			"set_headers",
			`{"type":"object","properties":{"headers":{"type":"object"},"any":{}},"required":["headers"]}`,
		),
		definition(
			"final_response",
			`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`,
		),
	}
}

// calls is the result of parsing an answer.
type found struct {
	text   string
	calls  []Call
	broken []BrokenCall
	order  []string
}

// parse feeds the pieces to a parser.
func parse(whole bool, pieces ...string) found {
	var f found
	p := NewParser(NewToolset(some()), func(e Event) {
		switch {
		case e.Call != nil:
			f.calls = append(f.calls, *e.Call)
			f.order = append(f.order, "call")
		case e.BrokenCall != nil:
			f.broken = append(f.broken, *e.BrokenCall)
			f.order = append(f.order, "broken")
		default:
			f.text += e.Text
			if n := len(f.order); n == 0 || f.order[n-1] != "text" {
				f.order = append(f.order, "text")
			}
		}
	})
	for _, s := range pieces {
		p.Write(s)
	}
	p.Close(whole)
	return f
}

// String is the result in the form of the golden table.
func (f found) String() string {
	var b strings.Builder
	for _, c := range f.calls {
		fmt.Fprintf(&b, "call %s %s\n", c.Name, c.Args)
	}
	for _, e := range f.broken {
		fmt.Fprintf(&b, "error %s\n", e.Problem)
	}
	fmt.Fprintf(&b, "text %q\n", f.text)
	return b.String()
}
