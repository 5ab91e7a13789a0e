package toolcalls

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"sextant/shared/excerpt"
)

var (
	functionTag  = regexp.MustCompile(`^<function=\s*["']?([^<>"'\n]{1,128}?)["']?\s*>`)
	parameterTag = regexp.MustCompile(`^<parameter=\s*["']?([^<>"'\n]{1,128}?)["']?\s*>`)
)

const (
	parameterEnd = "</parameter>"
	functionEnd  = "</function>"
)

// readFunctions reads the Hermes format: one or more <function=name> with parameters, or with one JSON object of
// arguments as Llama writes it.
func (t *Toolset) readFunctions(src []byte) []parsedCall {
	var items []parsedCall
	r := &reader{src: src, out: &bytes.Buffer{}}
	for {
		r.blanks()
		if r.at >= len(src) && len(items) > 0 {
			return items
		}
		call, f := t.function(r)
		items = append(items, parsedCall{call: call, fault: f})
		if f != nil && !f.recoverable || len(items) > maxCalls {
			return items
		}
	}
}

func (r *reader) blanks() {
	for r.at < len(r.src) && strings.IndexByte(" \t\r\n", r.src[r.at]) >= 0 {
		r.at++
	}
}

func (r *reader) has(s string) bool { return bytes.HasPrefix(r.src[r.at:], []byte(s)) }

func (t *Toolset) function(r *reader) (*Call, *syntaxError) {
	open := functionTag.FindSubmatchIndex(r.src[r.at:])
	if open == nil {
		return nil, r.fail(r.at, "<function=name> or the end tag")
	}
	name, nameAt := string(r.src[r.at+open[2]:r.at+open[3]]), r.at+open[2]
	r.at += open[1]
	found, unknown := t.find(name, nameAt)
	if unknown != nil {
		found = &tool{read: true}
	}
	args, f := found.parameters(r)
	if f != nil && !f.recoverable {
		f.name = name
		return nil, f
	}
	r.at += len(functionEnd)
	switch {
	case unknown != nil:
		return nil, unknown
	case f != nil:
		f.name = name
		return nil, f
	}
	return &Call{Name: found.def.Name, Args: args, Format: FormatHermes}, nil
}

func (t *tool) parameters(r *reader) ([]byte, *syntaxError) {
	r.blanks()
	if r.peek() == '{' {
		args, f := r.arguments()
		if r.blanks(); f == nil && !r.has(functionEnd) {
			f = r.fail(r.at, functionEnd)
		}
		return args, f
	}
	var out bytes.Buffer
	var wrong *syntaxError
	seen := map[string]bool{}
	for out.WriteByte('{'); ; {
		if r.blanks(); r.has(functionEnd) {
			break
		}
		open := parameterTag.FindSubmatchIndex(r.src[r.at:])
		if open == nil {
			return nil, r.fail(r.at, "<parameter=name> or </function>")
		}
		key, at := string(r.src[r.at+open[2]:r.at+open[3]]), r.at
		r.at += open[1]
		value, f := t.parameter(r, key)
		if f == nil && seen[key] {
			f = &syntaxError{
				recoverable: true,
				at:          at,
				found: fmt.Sprintf("the parameter %q appears twice, so its value is ambiguous",
					excerpt.TruncateBytes(key, 40)),
			}
		}
		if f != nil && !f.recoverable {
			return nil, f
		}
		if wrong == nil {
			wrong = f
		}
		if seen[key] = true; out.Len() > 1 {
			out.WriteByte(',')
		}
		writeString(&out, key)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), wrong
}

// parameter reads one value and its end tag. If the schema allows only text, the value is taken verbatim except for
// one line break at each end. Otherwise it is a literal, or else text if the schema allows that.
func (t *tool) parameter(r *reader, key string) ([]byte, *syntaxError) {
	n := bytes.Index(r.src[r.at:], []byte(parameterEnd))
	if n < 0 {
		n = len(r.src) - r.at
	}
	// The end tag is missing before the next tag, or before the end of the text.
	for _, tag := range []string{"<parameter=", functionEnd} {
		if early := bytes.Index(r.src[r.at:r.at+n], []byte(tag)); early >= 0 {
			n = early
		}
	}
	if !bytes.HasPrefix(r.src[r.at+n:], []byte(parameterEnd)) {
		return nil, r.fail(r.at+n, fmt.Sprintf("%s after the value of %q", parameterEnd,
			excerpt.TruncateBytes(key, 40)))
	}
	from, raw := r.at, r.src[r.at:r.at+n]
	r.at += n + len(parameterEnd)
	if !utf8.Valid(raw) {
		return nil, &syntaxError{recoverable: true, at: from, want: "text in UTF-8", found: "other bytes"}
	}
	f, known := t.field(key)
	plain := trimBreaks(string(raw))
	if known && f.schema.textOnly() {
		return quote(plain), nil
	}
	inner := &reader{src: r.src[:from+n], at: from, out: &bytes.Buffer{}}
	problem := inner.value()
	if problem == nil {
		if inner.blanks(); inner.at < len(inner.src) {
			problem = inner.fail(inner.at, "the end of the value")
		}
	}
	if problem == nil {
		return inner.out.Bytes(), nil
	}
	if !known || f.schema.allows("string") {
		return quote(plain), nil
	}
	problem.recoverable = true
	problem.want += fmt.Sprintf(" (%s is %s)", excerpt.TruncateBytes(key, 40), f.schema.typeOf(0))
	return nil, problem
}

func quote(s string) []byte {
	var b bytes.Buffer
	writeString(&b, s)
	return b.Bytes()
}

// trimBreaks removes one line break from each end; they belong to the tags.
func trimBreaks(s string) string {
	if rest, ok := strings.CutPrefix(s, "\r\n"); ok {
		return strings.TrimSuffix(rest, "\r\n")
	}
	return strings.TrimSuffix(strings.TrimPrefix(s, "\n"), "\n")
}
