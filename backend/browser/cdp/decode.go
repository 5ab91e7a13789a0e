package cdp

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// plainText extracts the result of a Runtime call that is a string. It reads large answers in one pass.
func plainText(raw json.RawMessage) (string, bool) {
	rest, ok := bytes.CutPrefix(raw, []byte(`{"result":{"type":"string","value":"`))
	if !ok {
		return "", false
	}
	if rest, ok = bytes.CutSuffix(rest, []byte(`"}}`)); !ok {
		return "", false
	}
	return unescape(rest)
}

func unescape(b []byte) (string, bool) {
	i := bytes.IndexByte(b, '\\')
	if bytes.IndexByte(b, '"') >= 0 && i < 0 {
		return "", false
	}
	if i < 0 {
		return string(b), true
	}
	out := make([]byte, 0, len(b))
	for i >= 0 {
		if bytes.IndexByte(b[:i], '"') >= 0 || i+1 >= len(b) {
			return "", false
		}
		out = append(out, b[:i]...)
		n := 2
		switch c := b[i+1]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, size := unit(b[i:])
			if size == 0 {
				return "", false
			}
			if n = size; utf16.IsSurrogate(r) {
				low, more := unit(b[i+n:])
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					n += more
				}
			}
			out = utf8.AppendRune(out, r)
		default:
			return "", false
		}
		b = b[i+n:]
		i = bytes.IndexByte(b, '\\')
	}
	if bytes.IndexByte(b, '"') >= 0 {
		return "", false
	}
	return string(append(out, b...)), true
}

func unit(b []byte) (rune, int) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, 0
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return 0, 0
	}
	return rune(n), 6
}

// splitAnswer splits {"id":7,"result":{…},"sessionId":"…"} by looking at its ends only.
func splitAnswer(data []byte) (id int, result json.RawMessage, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte(`{"id":`))
	if !ok {
		return 0, nil, false
	}
	comma := bytes.IndexByte(rest, ',')
	if comma < 0 {
		return 0, nil, false
	}
	id, err := strconv.Atoi(string(rest[:comma]))
	if err != nil {
		return 0, nil, false
	}
	if rest, ok = bytes.CutPrefix(rest[comma+1:], []byte(`"result":`)); !ok {
		return 0, nil, false
	}
	// Only the session id may follow the result, and it contains no quotes.
	const mark = `},"sessionId":"`
	if at := bytes.LastIndex(rest, []byte(mark)); at >= 0 && bytes.HasSuffix(rest, []byte(`"}`)) {
		name := rest[at+len(mark) : len(rest)-2]
		if len(name) <= 64 && !bytes.ContainsAny(name, `"\\{}`) {
			return id, json.RawMessage(rest[:at+1]), true
		}
	}
	if bytes.HasSuffix(rest, []byte("}}")) {
		return id, json.RawMessage(rest[:len(rest)-1]), true
	}
	return 0, nil, false
}
