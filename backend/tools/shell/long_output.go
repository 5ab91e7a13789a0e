package shell

import (
	"bytes"

	"sextant/backend/store/results"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// maxSequence limits an escape sequence that arrives in two pieces, in bytes.
const maxSequence = 1 << 10

// longOutput is not safe for concurrent use.
type longOutput struct {
	begin func() (*results.Draft, error)
	draft *results.Draft
	// pending is the incomplete end of the last piece: a part of an escape sequence, a line end or a character.
	pending []byte
	err     error
}

func (l *longOutput) started() bool { return l.draft != nil || l.err != nil }

func (l *longOutput) write(b []byte) {
	if l.draft == nil && l.err == nil && l.begin != nil {
		l.draft, l.err = l.begin()
	}
	if l.draft == nil || l.err != nil {
		return
	}
	text := append(l.pending, b...)
	at := len(text) - incompleteSuffix(text)
	l.put(text[:at])
	l.pending = append([]byte(nil), text[at:]...)
}

func (l *longOutput) put(text []byte) {
	if l.err == nil && len(text) > 0 {
		_, l.err = l.draft.Write([]byte(printable(string(text))))
	}
}

func incompleteSuffix(text []byte) int {
	from := max(0, len(text)-maxSequence)
	if esc := bytes.LastIndexByte(text[from:], 0x1b); esc >= 0 && !escapeSequence.Match(text[from+esc:]) {
		return len(text) - from - esc
	}
	if len(text) > 0 && text[len(text)-1] == '\r' {
		return 1
	}
	return len(text) - excerpt.PrefixLen(text, len(text))
}

func (l *longOutput) end() (toolspec.SpooledText, error) {
	if l.draft == nil {
		return nil, l.err
	}
	l.put(l.pending)
	l.pending = nil
	if l.err != nil {
		l.draft.Discard()
		return nil, l.err
	}
	return l.draft, nil
}
