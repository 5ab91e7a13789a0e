package toolcalls_test

import (
	"fmt"

	"sextant/backend/agent/toolcalls"
	"sextant/shared/toolspec"
)

func ExampleParser() {
	tools := toolcalls.NewToolset([]toolspec.Definition{{
		Name:       "read_file",
		Parameters: []byte(`{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}`),
	}})
	parser := toolcalls.NewParser(tools, func(e toolcalls.Event) {
		switch {
		case e.Call != nil:
			fmt.Println("call:", e.Call.Name, string(e.Call.Args))
		case e.BrokenCall != nil:
			fmt.Println("broken:", e.BrokenCall)
		default:
			fmt.Println("text:", e.Text)
		}
	})
	parser.Write("I will read it.\n<tool_")
	parser.Write("call>{name: 'read_file', ")
	parser.Write("arguments: {path: 'a.txt',}}</tool_call>")
	parser.Close(true)
	// Output:
	// text: I will read it.
	// call: read_file {"path":"a.txt"}
}
