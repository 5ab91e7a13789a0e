package dialect

import (
	"bytes"
	"fmt"
	"strings"
)

type blockKind int

const (
	callBlock blockKind = iota
	functionBlock
	fenceBlock
)

// block is a call being collected. Its end is found byte by byte; it is parsed once it is complete.
type block struct {
	kind  blockKind
	start pos // position of its opening tag
	at    pos // position of its content
	ticks int
	buf   []byte
	size  int

	tagged bool // the content is <function=…>
	begun  bool // the content has begun
	quote  byte // the open string's quote
	escape bool
	prev   byte
	note   byte // the open comment: / or *
	tag    []byte
	param  bool

	run  int // backticks at the start of a line, -1 if the line starts otherwise
	pad  int
	ends int // offset of an end tag inside a string, -1 for none
	tail []byte
}

// begin opens a block. content is the part of the withheld bytes that belongs to its content.
func (p *Parser) begin(kind blockKind, content []byte) {
	p.emitText()
	b := &block{kind: kind, start: p.from, at: p.at.next('x'), ticks: p.ticks, ends: -1}
	if kind == fenceBlock {
		b.at = pos{p.at.line + 1, 1}
	}
	if kind == functionBlock {
		b.at, b.tagged, b.begun = p.from, true, true
	}
	if p.mode == afterTag && content != nil {
		b.at = p.from.after([]byte(callTag))
	}
	for _, c := range content {
		b.keep(c)
	}
	p.block, p.mode, p.held = b, inBlock, p.held[:0]
}

func (b *block) keep(c byte) {
	if b.size++; b.size <= MaxCall {
		b.buf = append(b.buf, c)
	}
}

func (b *block) content(drop int) []byte { return b.buf[:max(0, min(len(b.buf), b.size-drop))] }

// rest is the content of a block at the end of the answer, where an end mark may still lack its line break.
func (b *block) rest() []byte {
	switch {
	case b.ends >= 0:
		return b.buf[:min(b.ends, len(b.buf))]
	case b.kind == fenceBlock && b.run >= b.ticks:
		return b.content(b.run + b.pad)
	case b.kind == fenceBlock:
		trimmed := bytes.TrimRight(b.buf, " \t\r\n")
		if cut := bytes.TrimRight(trimmed, "`"); len(trimmed)-len(cut) >= b.ticks {
			return cut
		}
	}
	return b.buf
}

func (p *Parser) inBlock(c byte) {
	b := p.block
	if b.kind == fenceBlock {
		p.inFence(c)
		return
	}
	if b.ends >= 0 && p.confirm(c) {
		return
	}
	b.keep(c)
	if !b.begun && !isBlank(c) {
		b.begun, b.tagged = true, c == '<'
	}
	if !b.tagged && b.literal(c) {
		return
	}
	switch b.tagOf(c) {
	case callEnd:
		p.finish(b.content(len(callEnd)), true, true)
	case functionEnd:
		if b.kind == functionBlock {
			p.finish(b.content(0), true, true)
		}
	case callTag:
		p.again()
	}
}

// reopened handles an opening tag inside a block: the end tag before it is missing, or the tag was doubled.
func (p *Parser) again() {
	b := p.block
	content := b.content(len(callTag))
	if len(bytes.TrimSpace(content)) > 0 {
		p.finish(content, false, true)
	}
	p.from = pos{p.at.line, p.at.column - len(callTag) + 1}
	p.held = p.held[:0]
	p.mode = inTag
	p.begin(callBlock, nil)
}

// confirmEnd decides about an end tag inside a string: JSON strings do not span lines, so if the line ends
// here, the block does too.
func (p *Parser) confirm(c byte) bool {
	b := p.block
	switch {
	case c == '\n':
		tail := b.tail
		p.finish(b.content(b.size-b.ends), true, true)
		for _, t := range tail {
			p.step(t)
		}
		p.step(c)
		return true
	case (c == ' ' || c == '\t' || c == '\r') && len(b.tail) < 64:
		b.tail = append(b.tail, c)
	default:
		b.ends, b.tail = -1, nil
	}
	return false
}

// skipLiteral tracks strings and comments of a JSON block and reports whether c belongs to one.
func (b *block) literal(c byte) bool {
	before := b.prev
	b.prev = c
	switch {
	case b.note == '/':
		if c == '\n' {
			b.note = 0
		}
		b.hidden(c)
		return true
	case b.note == '*':
		if before == '*' && c == '/' {
			b.note, b.prev = 0, 0
		}
		b.hidden(c)
		return true
	case b.quote != 0:
		b.inString(c)
		return true
	case c == '"' || c == '\'' || c == '`':
		b.quote, b.tag = c, b.tag[:0]
		return true
	case before == '/' && (c == '/' || c == '*'):
		b.note, b.prev = c, 0
		return true
	}
	return false
}

func (b *block) inString(c byte) {
	switch {
	case b.escape:
		b.escape = false
	case c == '\\':
		b.escape = true
	case c == b.quote:
		b.quote = 0
	}
	b.hidden(c)
}

// noteHiddenEnd remembers an end tag inside a string or a comment.
func (b *block) hidden(c byte) {
	if b.tagOf(c) == callEnd {
		b.ends = b.size - len(callEnd)
	}
}

// matchTag feeds c and returns the tag it completes, "" for none.
func (b *block) tagOf(c byte) string {
	if c == '<' {
		b.tag = append(b.tag[:0], c)
		return ""
	}
	if len(b.tag) == 0 {
		return ""
	}
	b.tag = append(b.tag, c)
	whole := string(b.tag)
	for _, tag := range []string{callEnd, callTag, functionEnd, "<parameter=", parameterEnd} {
		if whole != tag {
			if strings.HasPrefix(tag, whole) {
				return ""
			}
			continue
		}
		b.tag = b.tag[:0]
		switch {
		case tag == "<parameter=" && b.tagged:
			b.param = true
		case tag == parameterEnd || tag == functionEnd:
			b.param = false
		case tag == callTag && b.param:
			return ""
		}
		return tag
	}
	b.tag = b.tag[:0]
	return ""
}

// inFence looks for the closing fence: a line of nothing but enough backticks.
func (p *Parser) inFence(c byte) {
	b := p.block
	b.keep(c)
	switch {
	case c == '\n' && b.run >= b.ticks:
		p.finish(b.content(b.run+b.pad+1), true, true)
		p.step(c)
	case c == '\n':
		b.run, b.pad = 0, 0
	case b.run < 0:
	case c == '`' && (b.run == 0 || b.prev == '`'):
		b.run++
	case (c == ' ' || c == '\t' || c == '\r') && (b.run > 0 || b.pad < 3):
		b.pad++
	default:
		b.run = -1
	}
	b.prev = c
}

// finish parses a block. closed: its end mark was there. whole: the answer was not truncated.
func (p *Parser) finish(content []byte, closed, whole bool) {
	b := p.block
	p.block, p.mode, p.after = nil, inText, true
	p.line = line{}
	if p.found++; p.found > maxCalls {
		p.emit(
			Event{
				Broken: p.tools.broken(
					&fault{
						want:  fmt.Sprintf("at most %d calls in an answer", maxCalls),
						found: "one more; the rest was not read",
					},
					nil,
					b.start,
					ToolCall,
				),
			},
		)
		p.mode = inEnd
		return
	}
	form, end := ToolCall, callEnd
	switch {
	case b.kind == fenceBlock:
		form, end = Fenced, "a closing fence on a line of its own"
	case b.kind == functionBlock:
		form, end = Hermes, functionEnd
	case b.tagged && len(bytes.TrimSpace(content)) > 0:
		form = Hermes
	}
	switch {
	case b.size > MaxCall:
		p.broken(
			&fault{found: fmt.Sprintf("the call is larger than %d bytes; nothing of it was read", MaxCall)},
			nil,
			b.start,
			form,
		)
		return
	case !closed && !whole:
		p.broken(
			&fault{
				at:    len(content),
				want:  end,
				found: "the end of the answer at its length limit",
				name:  p.meant(content),
			},
			content,
			b.at,
			form,
		)
		return
	}
	var items []item
	switch {
	case b.kind == fenceBlock:
		items = p.tools.readFence(content)
	case form == Hermes:
		items = p.tools.readFunctions(content)
	default:
		items = p.tools.readObjects(content, end)
	}
	if len(items) > 1 {
		p.found += len(items) - 1
	}
	for n, i := range items {
		if n >= maxCalls {
			p.broken(
				&fault{
					want:  fmt.Sprintf("at most %d calls in a block", maxCalls),
					found: "more; the rest was not read",
				},
				nil,
				b.start,
				form,
			)
			return
		}
		if i.call != nil {
			p.emit(Event{Call: i.call})
			continue
		}
		if !closed {
			i.fault.found += "; " + end + " is missing too"
		}
		p.broken(i.fault, content, b.at, form)
	}
}

func (p *Parser) broken(f *fault, content []byte, at pos, form Kind) {
	p.emit(Event{Broken: p.tools.broken(f, content, at, form)})
}

// toolNameIn returns the first tool named in a truncated call, so that the error can name it.
func (p *Parser) meant(content []byte) string {
	for _, name := range p.tools.names {
		if bytes.Contains(clipBytes(content, 200), []byte(name)) {
			return name
		}
	}
	return ""
}
