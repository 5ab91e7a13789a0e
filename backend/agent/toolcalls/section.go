package toolcalls

import (
	"strings"

	"sextant/shared/toolspec"
)

var instructions = map[Format]string{
	FormatFenced: "To call one, write a block of its own:\n" +
		"```tool\nreturn name({\"key\": \"value\"});\n```\n" +
		"Arguments are literals: no variables, no expressions. If a value holds ``` use four backticks for the fence.",
	FormatToolCall: "To call one, write on a line of its own:\n" +
		"<tool_call>{\"name\": \"name\", \"arguments\": {\"key\": \"value\"}}</tool_call>\n" +
		"Inside is strict JSON.",
	FormatHermes: "To call one, write:\n" +
		"<tool_call>\n<function=name>\n<parameter=key>\nvalue\n</parameter>\n</function>\n</tool_call>\n" +
		"Write text as it is, other values as JSON.",
}

// PromptSection returns the part of a system prompt that lists the tools and explains how to call them: a TypeScript
// signature with JSDoc for each, in the order of defs. Equal defs give equal bytes. Without tools and for FormatNative
// it is empty.
func PromptSection(kind Format, defs []toolspec.Definition) string {
	text, known := instructions[kind]
	if !known || len(defs) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Tools\nYou act by calling these functions:\n\n")
	for _, name := range NewToolset(defs).names {
		for i := range defs {
			if defs[i].Name == name {
				b.WriteString((&tool{def: defs[i]}).declare() + "\n")
				break
			}
		}
	}
	b.WriteString(
		"\n" + text + "\nSeveral calls in one answer are fine. After your calls stop: the results come in the " +
			"next message, never write them yourself. Answer without a call when you are done.",
	)
	return b.String()
}
