package toolcalls

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

// block collects a call byte by byte until its end; only then is the call parsed.
type block struct {
	kind  blockKind
	start position // position of its opening tag
	at    position // position of its content
	ticks int
	buf   []byte
	size  int

	tagged      bool // the content is <function=…>
	hasContent  bool // the content has begun
	quote       byte // the open string's quote
	escape      bool
	prev        byte
	comment     byte // the open comment: / or *
	tag         []byte
	inParameter bool

	backticks int // backticks at the start of a line, -1 if the line starts otherwise
	pad       int
	hiddenEnd int // offset of an end tag inside a string, -1 for none
	tail      []byte
}

func (p *Parser) begin(kind blockKind, content []byte) {
	p.emitText()
	b := &block{kind: kind, start: p.heldFrom, at: p.at.next('x'), ticks: p.fenceLength, hiddenEnd: -1}
	if kind == fenceBlock {
		b.at = position{p.at.line + 1, 1}
	}
	if kind == functionBlock {
		b.at, b.tagged, b.hasContent = p.heldFrom, true, true
	}
	if p.mode == afterTag && content != nil {
		b.at = p.heldFrom.after([]byte(callStart))
	}
	for _, c := range content {
		b.append(c)
	}
	p.block, p.mode, p.held = b, inBlock, p.held[:0]
}

func (b *block) append(c byte) {
	if b.size++; b.size <= maxCall {
		b.buf = append(b.buf, c)
	}
}

func (b *block) content(drop int) []byte { return b.buf[:max(0, min(len(b.buf), b.size-drop))] }

func (b *block) unconfirmedContent() []byte {
	switch {
	case b.hiddenEnd >= 0:
		return b.buf[:min(b.hiddenEnd, len(b.buf))]
	case b.kind == fenceBlock && b.backticks >= b.ticks:
		return b.content(b.backticks + b.pad)
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
	if b.hiddenEnd >= 0 && p.confirmEnd(c) {
		return
	}
	b.append(c)
	if !b.hasContent && !isBlank(c) {
		b.hasContent, b.tagged = true, c == '<'
	}
	if !b.tagged && b.skipLiteral(c) {
		return
	}
	switch b.matchTag(c) {
	case callEnd:
		p.finish(b.content(len(callEnd)), true, true)
	case functionEnd:
		if b.kind == functionBlock {
			p.finish(b.content(0), true, true)
		}
	case callStart:
		p.reopened()
	}
}

func (p *Parser) reopened() {
	b := p.block
	content := b.content(len(callStart))
	if len(bytes.TrimSpace(content)) > 0 {
		p.finish(content, false, true)
	}
	p.heldFrom = position{p.at.line, p.at.column - len(callStart) + 1}
	p.held = p.held[:0]
	p.mode = inTag
	p.begin(callBlock, nil)
}

// confirmEnd decides about an end tag inside a string: JSON strings do not span lines, so if the line ends
// here, the block does too.
func (p *Parser) confirmEnd(c byte) bool {
	b := p.block
	switch {
	case c == '\n':
		tail := b.tail
		p.finish(b.content(b.size-b.hiddenEnd), true, true)
		for _, t := range tail {
			p.step(t)
		}
		p.step(c)
		return true
	case (c == ' ' || c == '\t' || c == '\r') && len(b.tail) < 64:
		b.tail = append(b.tail, c)
	default:
		b.hiddenEnd, b.tail = -1, nil
	}
	return false
}

// skipLiteral tracks strings and comments of a JSON block and reports whether c belongs to one.
func (b *block) skipLiteral(c byte) bool {
	before := b.prev
	b.prev = c
	switch {
	case b.comment == '/':
		if c == '\n' {
			b.comment = 0
		}
		b.noteHiddenEnd(c)
		return true
	case b.comment == '*':
		if before == '*' && c == '/' {
			b.comment, b.prev = 0, 0
		}
		b.noteHiddenEnd(c)
		return true
	case b.quote != 0:
		b.inString(c)
		return true
	case c == '"' || c == '\'' || c == '`':
		b.quote, b.tag = c, b.tag[:0]
		return true
	case before == '/' && (c == '/' || c == '*'):
		b.comment, b.prev = c, 0
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
	b.noteHiddenEnd(c)
}

func (b *block) noteHiddenEnd(c byte) {
	if b.matchTag(c) == callEnd {
		b.hiddenEnd = b.size - len(callEnd)
	}
}

func (b *block) matchTag(c byte) string {
	if c == '<' {
		b.tag = append(b.tag[:0], c)
		return ""
	}
	if len(b.tag) == 0 {
		return ""
	}
	b.tag = append(b.tag, c)
	whole := string(b.tag)
	for _, tag := range []string{callEnd, callStart, functionEnd, "<parameter=", parameterEnd} {
		if whole != tag {
			if strings.HasPrefix(tag, whole) {
				return ""
			}
			continue
		}
		b.tag = b.tag[:0]
		switch {
		case tag == "<parameter=" && b.tagged:
			b.inParameter = true
		case tag == parameterEnd || tag == functionEnd:
			b.inParameter = false
		case tag == callStart && b.inParameter:
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
	b.append(c)
	switch {
	case c == '\n' && b.backticks >= b.ticks:
		p.finish(b.content(b.backticks+b.pad+1), true, true)
		p.step(c)
	case c == '\n':
		b.backticks, b.pad = 0, 0
	case b.backticks < 0:
	case c == '`' && (b.backticks == 0 || b.prev == '`'):
		b.backticks++
	case (c == ' ' || c == '\t' || c == '\r') && (b.backticks > 0 || b.pad < 3):
		b.pad++
	default:
		b.backticks = -1
	}
	b.prev = c
}

func (p *Parser) finish(content []byte, closed, whole bool) {
	b := p.block
	p.block, p.mode, p.afterCall = nil, inText, true
	p.line = line{}
	if p.calls++; p.calls > maxCalls {
		p.emit(
			Event{
				BrokenCall: p.tools.describe(
					&syntaxError{
						want:  fmt.Sprintf("at most %d calls in an answer", maxCalls),
						found: "one more; the rest was not read",
					},
					nil,
					b.start,
					FormatToolCall,
				),
			},
		)
		p.mode = inEnd
		return
	}
	form, end := FormatToolCall, callEnd
	switch {
	case b.kind == fenceBlock:
		form, end = FormatFenced, "a closing fence on a line of its own"
	case b.kind == functionBlock:
		form, end = FormatHermes, functionEnd
	case b.tagged && len(bytes.TrimSpace(content)) > 0:
		form = FormatHermes
	}
	switch {
	case b.size > maxCall:
		p.broken(
			&syntaxError{found: fmt.Sprintf("the call is larger than %d bytes; nothing of it was read", maxCall)},
			nil,
			b.start,
			form,
		)
		return
	case !closed && !whole:
		p.broken(
			&syntaxError{
				at:    len(content),
				want:  end,
				found: "the end of the answer at its length limit",
				name:  p.toolNameIn(content),
			},
			content,
			b.at,
			form,
		)
		return
	}
	var items []parsedCall
	switch {
	case b.kind == fenceBlock:
		items = p.tools.readFence(content)
	case form == FormatHermes:
		items = p.tools.readFunctions(content)
	default:
		items = p.tools.readObjects(content, end)
	}
	if len(items) > 1 {
		p.calls += len(items) - 1
	}
	for n, i := range items {
		if n >= maxCalls {
			p.broken(
				&syntaxError{
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

func (p *Parser) broken(f *syntaxError, content []byte, at position, form Format) {
	p.emit(Event{BrokenCall: p.tools.describe(f, content, at, form)})
}

func (p *Parser) toolNameIn(content []byte) string {
	for _, name := range p.tools.names {
		if bytes.Contains(clipBytes(content, 200), []byte(name)) {
			return name
		}
	}
	return ""
}
