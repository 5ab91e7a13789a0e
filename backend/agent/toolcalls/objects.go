package toolcalls

import (
	"bytes"
	"fmt"
	"strings"

	"sextant/shared/excerpt"
)

type parsedCall struct {
	call  *Call
	fault *syntaxError
}

// readObjects reads one or more objects {"name": …, "arguments": {…}}, also in an array. It stops at an object with a
// syntax error, because where the next one begins is then uncertain.
func (t *Toolset) readObjects(src []byte, end string) []parsedCall {
	r := &reader{src: src, out: &bytes.Buffer{}}
	var items []parsedCall
	inArray, f := r.take('[')
	for f == nil && len(items) <= maxCalls {
		if f = r.space(); f != nil || r.at >= len(src) && len(items) > 0 {
			break
		}
		switch b := r.peek(); {
		case b == '{':
			call, problem := t.readObject(r)
			items = append(items, parsedCall{call: call, fault: problem})
			if problem != nil && !problem.recoverable {
				return items
			}
		case len(items) > 0 && (b == '}' || b == ']' || b == ',' || b == ';'):
			// A surplus bracket after a complete object changes nothing.
			inArray = inArray && b != ']'
			r.at++
		case len(items) > 0:
			f = r.fail(r.at, "the next call or "+end)
		default:
			f = r.fail(r.at, `{"name": …, "arguments": {…}}`)
		}
	}
	if f == nil && inArray {
		f = r.fail(r.at, `"]"`)
	}
	if f != nil {
		items = append(items, parsedCall{fault: f})
	}
	return items
}

type callObject struct {
	name           string
	nameAt, argsAt int
	args           []byte
	complete       *Call
	extraKey       string
	extraKeyAt     int
}

func (t *Toolset) readObject(r *reader) (*Call, *syntaxError) {
	open := r.at
	c := callObject{nameAt: -1, argsAt: -1}
	if f := r.members(func(key string, at int) *syntaxError { return c.member(t, r, key, at) }); f != nil {
		if f.name == "" {
			f.name = c.name
		}
		return nil, f
	}
	switch {
	case c.complete != nil:
		return c.complete, nil
	case c.nameAt < 0:
		return nil, &syntaxError{recoverable: true, at: open, want: `the key "name"`, found: "an object without it"}
	}
	found, f := t.find(c.name, c.nameAt)
	if f != nil {
		return nil, f
	}
	if c.extraKey != "" && c.argsAt < 0 {
		return nil, &syntaxError{
			recoverable: true,
			at:          c.extraKeyAt,
			want:        `the arguments in one object "arguments"`,
			found:       fmt.Sprintf("the key %q beside it", excerpt.TruncateBytes(c.extraKey, 40)),
			name:        c.name,
		}
	}
	if c.argsAt < 0 {
		c.args = []byte("{}")
	}
	return &Call{Name: found.def.Name, Args: c.args, Format: FormatToolCall}, nil
}

func (c *callObject) member(t *Toolset, r *reader, key string, at int) *syntaxError {
	if f := r.space(); f != nil {
		return f
	}
	switch key {
	case "name", "tool", "tool_name":
		if c.nameAt >= 0 {
			return &syntaxError{at: at, want: "one name", found: "a second one"}
		}
		c.nameAt = r.at
		if r.quoted() == 0 {
			return r.fail(r.at, "the tool's name as a string")
		}
		var f *syntaxError
		c.name, f = r.text()
		return f
	case "arguments", "parameters", "args", "input":
		if c.argsAt >= 0 {
			return &syntaxError{
				at:    at,
				want:  `one object "arguments"`,
				found: fmt.Sprintf("a second one, %q", key),
				name:  c.name,
			}
		}
		c.argsAt = r.at
		var f *syntaxError
		c.args, f = r.arguments()
		return f
	case "function":
		if r.peek() == '{' && c.complete == nil {
			var f *syntaxError
			c.complete, f = t.readObject(r)
			return f
		}
	}
	// Other keys are ignored. But if the object has no arguments, an unknown key is an error: it probably is an
	// argument.
	if key != "id" && key != "type" && key != "call_id" && c.extraKey == "" {
		c.extraKey, c.extraKeyAt = key, at
	}
	start := r.out.Len()
	f := r.value()
	r.out.Truncate(start)
	return f
}

// arguments reads an object of arguments, null for none, or a string that contains the object as JSON.
func (r *reader) arguments() ([]byte, *syntaxError) {
	at := r.at
	if r.quoted() != 0 {
		return r.stringArguments()
	}
	start := r.out.Len()
	if f := r.value(); f != nil {
		return nil, f
	}
	args := bytes.Clone(r.out.Bytes()[start:])
	r.out.Truncate(start)
	switch {
	case string(args) == "null":
		return []byte("{}"), nil
	case args[0] != '{':
		return nil, r.fail(at, "the arguments as an object {…}")
	}
	return args, nil
}

func (r *reader) stringArguments() ([]byte, *syntaxError) {
	at := r.at
	text, f := r.text()
	if f != nil {
		return nil, f
	}
	if strings.TrimSpace(text) == "" {
		return []byte("{}"), nil
	}
	inner := &reader{src: []byte(text), out: &bytes.Buffer{}}
	if f = inner.value(); f == nil {
		f = inner.space()
	}
	if f == nil && inner.at < len(text) {
		f = inner.fail(inner.at, "the end of the arguments")
	}
	if f != nil {
		return nil, &syntaxError{
			at:    at,
			want:  "an object in this string",
			found: "at its " + f.text(position{1, 1}.after([]byte(text)[:min(f.at, len(text))])),
		}
	}
	if inner.out.Len() == 0 || inner.out.Bytes()[0] != '{' {
		return nil, &syntaxError{at: at, want: "the arguments as an object {…}", found: r.found(at)}
	}
	return inner.out.Bytes(), nil
}
