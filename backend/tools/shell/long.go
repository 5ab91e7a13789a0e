package shell

import (
	"bytes"

	"sextant/backend/record/results"
	"sextant/shared/toolspec"
)

// maxSequence is how long a sequence that steers a terminal may be to be known as one when it
// comes in two pieces.
const maxSequence = 1 << 10

// long writes what a command prints to a draft, as clean makes text of it. Its methods are not
// for concurrent use.
type long struct {
	begin func() (*results.Draft, error)
	draft *results.Draft
	// held is the end of what came last: a sequence, a line's end or a character that goes on.
	held []byte
	err  error
}

// on reports whether anything was written.
func (l *long) on() bool { return l.draft != nil || l.err != nil }

func (l *long) write(b []byte) {
	if l.draft == nil && l.err == nil && l.begin != nil {
		l.draft, l.err = l.begin()
	}
	if l.draft == nil || l.err != nil {
		return
	}
	text := append(l.held, b...)
	at := len(text) - goesOn(text)
	l.put(text[:at])
	l.held = append([]byte(nil), text[at:]...)
}

func (l *long) put(text []byte) {
	if l.err == nil && len(text) > 0 {
		_, l.err = l.draft.Write([]byte(printable(string(text))))
	}
}

// goesOn is how many bytes at the end of text can only be understood with what follows.
func goesOn(text []byte) int {
	from := max(0, len(text)-maxSequence)
	if esc := bytes.LastIndexByte(text[from:], 0x1b); esc >= 0 && !steering.Match(text[from+esc:]) {
		return len(text) - from - esc
	}
	if len(text) > 0 && text[len(text)-1] == '\r' {
		return 1
	}
	return unfinished(text)
}

// end is the draft with all that was written, nil and why when there is none.
func (l *long) end() (toolspec.Whole, error) {
	if l.draft == nil {
		return nil, l.err
	}
	l.put(l.held)
	l.held = nil
	if l.err != nil {
		l.draft.Discard()
		return nil, l.err
	}
	return l.draft, nil
}
