package toolcalls

import (
	"bytes"
	"fmt"

	"sextant/shared/excerpt"
)

func (t *Toolset) readFence(src []byte) []parsedCall {
	r := &reader{src: src, out: &bytes.Buffer{}}
	var items []parsedCall
	for {
		f := r.space()
		if b := r.peek(); f == nil && len(items) == 0 && (b == '{' || b == '[') {
			return t.readObjects(src, "the closing fence")
		}
		if f == nil && r.at >= len(src) {
			if len(items) == 0 {
				f = r.fail(r.at, "return name({…});")
			} else {
				return items
			}
		}
		var call *Call
		if f == nil {
			call, f = t.statement(r)
		}
		items = append(items, parsedCall{call: call, fault: f})
		if f != nil && !f.recoverable || len(items) > maxCalls {
			return items
		}
		for r.at < len(src) && r.peek() == ';' {
			r.at++
		}
	}
}

func (t *Toolset) statement(r *reader) (*Call, *syntaxError) {
	at := r.at
	name := r.ident()
	for name == "return" || name == "await" {
		if f := r.space(); f != nil {
			return nil, f
		}
		at = r.at
		name = r.ident()
	}
	for r.at < len(r.src) && (r.src[r.at] == '.' || r.src[r.at] == '-') && name != "" {
		r.at++
		name = string(r.src[at:r.at]) + r.ident()
	}
	if name == "" {
		return nil, r.fail(at, "return name({…});")
	}
	opened, f := r.take('(')
	if f == nil && !opened {
		f = r.fail(r.at, fmt.Sprintf("\"(\" after %s", excerpt.TruncateBytes(name, 64)))
	}
	if f != nil {
		f.name = name
		return nil, f
	}
	found, unknown := t.find(name, at)
	if unknown != nil {
		found = &tool{read: true}
	}
	args, f := r.callArguments(found)
	if f == nil || f.recoverable {
		if hard := r.statementEnd(); hard != nil {
			f = hard
		}
	}
	switch {
	case unknown != nil && (f == nil || f.recoverable):
		return nil, unknown
	case f != nil:
		f.name = name
		return nil, f
	}
	return &Call{Name: found.def.Name, Args: args, Format: FormatFenced}, nil
}

func (r *reader) statementEnd() *syntaxError {
	if f := r.space(); f != nil {
		return f
	}
	if r.at < len(r.src) && r.peek() != ';' && !r.startsStatement() {
		return r.fail(r.at, `";" and the closing fence`)
	}
	return nil
}

func (r *reader) startsStatement() bool { return bytes.HasPrefix(r.src[r.at:], []byte("return")) }

func (r *reader) callArguments(of *tool) ([]byte, *syntaxError) {
	var values [][]byte
	var names []string
	var places []int
	for {
		closed, f := r.take(')')
		if f != nil {
			return nil, f
		}
		if closed {
			return of.assemble(values, names, places)
		}
		if r.at >= len(r.src) {
			return nil, &syntaxError{at: r.at, want: `")"`, found: "the end of the call"}
		}
		places = append(places, r.at)
		names = append(names, r.keyword())
		start := r.out.Len()
		if f = r.value(); f != nil {
			return nil, f
		}
		values = append(values, bytes.Clone(r.out.Bytes()[start:]))
		r.out.Truncate(start)
		comma, f := r.take(',')
		if f != nil {
			return nil, f
		}
		if !comma && r.peek() != ')' {
			return nil, r.fail(r.at, "\",\" or \")\" after an argument")
		}
	}
}

func (r *reader) keyword() string {
	at := r.at
	name := r.ident()
	for r.at < len(r.src) && (r.src[r.at] == ' ' || r.src[r.at] == '\t') {
		r.at++
	}
	if b := r.peek(); name == "" || b != '=' && b != ':' || bytes.HasPrefix(r.src[r.at:], []byte("==")) ||
		bytes.HasPrefix(r.src[r.at:], []byte("=>")) {
		r.at = at
		return ""
	}
	r.at++
	return name
}

// A single object is all of the arguments, whatever its keys are.
func (t *tool) assemble(values [][]byte, names []string, places []int) ([]byte, *syntaxError) {
	if len(values) == 1 && names[0] == "" && values[0][0] == '{' {
		return values[0], nil
	}
	var out bytes.Buffer
	seen := map[string]bool{}
	out.WriteByte('{')
	for i, v := range values {
		name := names[i]
		if name == "" {
			if i >= len(t.fields()) {
				return nil, &syntaxError{
					recoverable: true,
					at:          places[i],
					found: fmt.Sprintf("%s takes %d arguments; this is number %d", t.def.Name, len(t.fields()), i+
						1),
				}
			}
			name = t.fields()[i].name
		}
		if seen[name] {
			return nil, &syntaxError{
				recoverable: true,
				at:          places[i],
				found:       fmt.Sprintf("the argument %q is given twice", excerpt.TruncateBytes(name, 40)),
			}
		}
		seen[name] = true
		if i > 0 {
			out.WriteByte(',')
		}
		writeString(&out, name)
		out.WriteByte(':')
		out.Write(v)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
