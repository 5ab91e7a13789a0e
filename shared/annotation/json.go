package annotation

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends a to b as a JSON object. It is many times faster than encoding/json, which matters because a page
// can have thousands of elements. events and elements are never null, and NaN and infinite numbers become 0.
func AppendJSON(b []byte, a *Observation) []byte {
	b = append(b, `{"page":{"title":`...)
	b = AppendString(b, a.Page.Title)
	b = appendText(b, "url", a.Page.URL)
	b = appendNumber(b, "version", a.Page.Version)
	b = appendNumber(b, "tab", a.Page.Tab)
	b = append(b, '}')
	if a.Outcome != "" {
		b = appendText(b, "outcome", a.Outcome)
	}
	b = append(b, `,"events":[`...)
	for i := range a.Events {
		e := &a.Events[i]
		b = appendComma(b, i)
		b = append(b, `{"kind":`...)
		b = AppendString(b, e.Kind)
		b = appendText(b, "text", e.Text)
		if e.Tab != 0 {
			b = appendNumber(b, "tab", e.Tab)
		}
		b = append(b, '}')
	}
	b = append(b, ']')
	if len(a.NewText) > 0 {
		b = append(b, `,"new_text":[`...)
		for i, line := range a.NewText {
			b = AppendString(appendComma(b, i), line)
		}
		b = append(b, ']')
	}
	b = append(b, `,"elements":[`...)
	for i := range a.Elements {
		b = appendElement(appendComma(b, i), &a.Elements[i])
	}
	b = append(b, ']')
	if len(a.Gone) > 0 {
		b = append(b, `,"gone":[`...)
		for i, id := range a.Gone {
			b = strconv.AppendInt(appendComma(b, i), int64(id), 10)
		}
		b = append(b, ']')
	}
	if a.OnlyChanges {
		b = append(b, `,"changes":true`...)
	}
	for _, n := range []struct {
		name  string
		value int
	}{
		{"above", a.Above},
		{"below", a.Below},
		{"left_out", a.LeftOut},
		{"settled_ms", a.SettledMS},
		{"more_text", a.MoreText},
	} {
		if n.value != 0 {
			b = appendNumber(b, n.name, n.value)
		}
	}
	if a.SettledBy != "" {
		b = appendText(b, "settled_by", a.SettledBy)
	}
	if a.Note != "" {
		b = appendText(b, "note", a.Note)
	}
	return append(b, '}')
}

func appendElement(b []byte, e *Element) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, int64(e.ID), 10)
	b = appendText(b, "role", e.Role)
	b = appendText(b, "name", e.Name)
	if e.Value != "" {
		b = appendText(b, "value", e.Value)
	}
	if len(e.States) > 0 {
		b = append(b, `,"states":[`...)
		for i, s := range e.States {
			b = AppendString(appendComma(b, i), s)
		}
		b = append(b, ']')
	}
	b = append(b, `,"box":{"x":`...)
	b = appendFloat(b, e.Box.X)
	b = append(b, `,"y":`...)
	b = appendFloat(b, e.Box.Y)
	b = append(b, `,"width":`...)
	b = appendFloat(b, e.Box.Width)
	b = append(b, `,"height":`...)
	b = appendFloat(b, e.Box.Height)
	b = append(b, '}')
	if e.Frame != "" {
		b = appendText(b, "frame", e.Frame)
	}
	b = append(b, `,"usable":`...)
	b = strconv.AppendBool(b, e.Usable)
	b = append(b, `,"in_view":`...)
	b = strconv.AppendBool(b, e.InView)
	if e.Group != "" {
		b = appendText(b, "group", e.Group)
	}
	return append(b, '}')
}

func appendComma(b []byte, i int) []byte {
	if i > 0 {
		return append(b, ',')
	}
	return b
}

func appendText(b []byte, name, s string) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	return AppendString(b, s)
}

func appendNumber(b []byte, name string, n int) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	return strconv.AppendInt(b, int64(n), 10)
}

// appendFloat appends f. A value that JSON cannot represent becomes 0.
func appendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		f = 0
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// AppendString appends s as a JSON string. Invalid UTF-8 is replaced.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				b = append(append(b, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		i++
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i-1]...)
		from = i
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		case '\r':
			b = append(b, '\\', 'r')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, s[from:]...), '"')
}
