package toolcalls

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const (
	callStart     = "<tool_call>"
	callEnd       = "</tool_call>"
	functionStart = "<function="
	responseStart = "<tool_response"
	thinkStart    = "<think>"
	thinkEnd      = "</think>"
)

// maxHeld limits what is withheld as the possible start of a call; maxBlank limits white space withheld until
// text follows.
const (
	maxHeld  = 256
	maxBlank = 4096
)

// Parser finds calls in an answer while it streams. Text is emitted at once, except for what may be the start of a
// call, trailing white space, and an incomplete character. Work is linear in the answer and memory is bounded. Not safe
// for concurrent use.
type Parser struct {
	tools *Toolset
	emit  func(Event)

	mode     mode
	at       position
	held     []byte
	heldFrom position // where held starts
	line     line

	text    []byte
	blank   []byte // white space after text
	hasText bool
	calls   int

	fenceLength int // of the open fence, or of one that may begin
	backticks   int // backticks at the start of a line in a code fence, -1 after other characters
	match       int // bytes of thinkEnd seen
	afterCall   bool
	block       *block
}

type line struct {
	open   bool // contains something besides white space
	indent int
	spans  int // runs of backticks
	quote  bool
	last   byte
}

type mode int

const (
	inText mode = iota
	inTag
	afterTag
	inTicks
	inInfo
	inCode
	inThink
	inBlock
	inEnd
)

// NewParser returns a parser for one answer. The parser passes what it finds to emit, in order, during Write,
// Close and Abandon.
func NewParser(tools *Toolset, emit func(Event)) *Parser {
	return &Parser{tools: tools, emit: emit, at: position{1, 1}}
}

// Write parses the next piece of the answer. Pieces may be split anywhere, even within a character.
func (p *Parser) Write(piece string) {
	for i := range len(piece) {
		b := piece[i]
		p.step(b)
		p.at = p.at.next(b)
	}
	p.flush(false)
}

// Close ends the answer. whole is false if it was truncated at its length limit: then an unfinished call is
// broken even if it could be parsed.
func (p *Parser) Close(whole bool) {
	if p.mode == inBlock {
		b := p.block
		// The line break that would have confirmed the end is missing.
		ended := b.hiddenEnd >= 0 || b.kind == fenceBlock && b.backticks >= b.ticks
		p.finish(b.unconfirmedContent(), ended, whole)
	}
	p.Abandon()
}

// Abandon ends an answer that broke off: withheld text is emitted, an open call is dropped.
func (p *Parser) Abandon() {
	p.flushHeld()
	if p.calls == 0 {
		p.text = append(p.text, p.blank...)
	}
	p.blank = nil
	p.flush(true)
	p.mode, p.block = inEnd, nil
}

func (p *Parser) step(b byte) {
	switch p.mode {
	case inText:
		p.inText(b)
	case inTag:
		p.inTag(b)
	case afterTag:
		p.afterTag(b)
	case inTicks:
		p.inTicks(b)
	case inInfo:
		p.inInfo(b)
	case inCode:
		p.inCode(b)
	case inThink:
		p.addText(b)
		if p.match = matched(thinkEnd, p.match, b); p.match == len(thinkEnd) {
			p.mode = inText
		}
	case inBlock:
		p.inBlock(b)
	}
}

// matched advances a match of tag by one byte. tag must not contain a second "<".
func matched(tag string, n int, b byte) int {
	switch {
	case tag[n] == b:
		return n + 1
	case b == '<':
		return 1
	}
	return 0
}

func (p *Parser) hold(b byte, m mode) {
	if len(p.held) == 0 {
		p.heldFrom = p.at
	}
	p.held = append(p.held, b)
	p.mode = m
}

func (p *Parser) flushHeld() {
	for _, b := range p.held {
		p.addText(b)
	}
	p.held = p.held[:0]
}

func (p *Parser) inText(b byte) {
	switch {
	case b == '<' && p.line.spans%2 == 0 && !p.line.quote:
		p.hold(b, inTag)
	case b == '`' && !p.line.open && p.line.indent <= 3 && !p.line.quote:
		p.fenceLength = 1
		p.hold(b, inTicks)
	default:
		p.addText(b)
	}
}

func (p *Parser) inTag(b byte) {
	p.held = append(p.held, b)
	tag := string(p.held)
	possible := func(full string, when bool) bool { return when && strings.HasPrefix(full, tag) }
	switch {
	case possible(callStart, true):
		if tag == callStart {
			p.mode = afterTag
			if !p.line.open {
				p.begin(callBlock, nil)
			}
		}
	case possible(functionStart, !p.line.open):
		if tag == functionStart {
			p.begin(functionBlock, p.held)
		}
	case possible(responseStart, p.calls > 0 && !p.line.open):
		if tag == responseStart {
			p.dropInventedResults()
		}
	case possible(thinkStart, !p.hasText && p.calls == 0 && !p.line.open):
		if tag == thinkStart {
			p.flushHeld()
			p.mode, p.match = inThink, 0
		}
	case possible(callEnd, p.afterCall), possible(functionEnd, p.afterCall):
		if tag == callEnd || tag == functionEnd {
			p.held, p.mode = p.held[:0], inText // a second end tag
		}
	default:
		p.held = p.held[:len(p.held)-1]
		p.flushHeld()
		p.mode = inText
		p.step(b)
	}
}

// afterTag decides whether a tag in the middle of a line begins a call.
func (p *Parser) afterTag(b byte) {
	blanks := p.held[len(callStart):]
	switch {
	case b == '{' || b == '[' || b == '<':
		p.begin(callBlock, blanks)
		p.step(b)
	case isBlank(b) && len(p.held) < maxHeld:
		p.held = append(p.held, b)
	default:
		p.flushHeld()
		p.mode = inText
		p.step(b)
	}
}

func (p *Parser) dropInventedResults() {
	p.calls++
	p.emitText()
	p.emit(Event{BrokenCall: &BrokenCall{
		Name: "tool_response", Line: p.heldFrom.line, Column: p.heldFrom.column,
		Problem: (&syntaxError{want: "the end of the answer after its calls", found: "a result that the answer made " +
			"up itself"}).text(
			p.heldFrom,
		),
		Suggestion: "Nothing after this place was read or run. Results come from Sextant, in the next message.",
	}})
	p.held, p.mode = nil, inEnd
}

func (p *Parser) inTicks(b byte) {
	switch {
	case b == '`' && len(p.held) < maxHeld:
		p.held = append(p.held, b)
		p.fenceLength++
	case p.fenceLength < 3 || b == '`':
		p.flushHeld()
		p.mode = inText
		p.step(b)
	default:
		p.mode = inInfo
		p.step(b)
	}
}

func (p *Parser) inInfo(b byte) {
	info := string(p.held[min(p.fenceLength, len(p.held)):])
	switch {
	case b == '\n':
		if words := strings.Fields(info); len(words) > 0 && words[0] == "tool" {
			p.begin(fenceBlock, nil)
			return
		}
		p.flushHeld()
		p.addText(b)
		p.mode, p.backticks = inCode, 0
	case b == '`':
		p.flushHeld()
		p.mode = inText
		p.step(b)
	case len(p.held) > 0 && len(p.held) < maxHeld && maybeTool(info+string(b)):
		p.held = append(p.held, b)
	default:
		p.flushHeld()
		p.addText(b)
	}
}

func maybeTool(info string) bool {
	info = strings.TrimLeft(info, " \t")
	if rest, ok := strings.CutPrefix(info, "tool"); ok {
		return rest == "" || strings.IndexByte(" \t\r", rest[0]) >= 0
	}
	return strings.HasPrefix("tool", info)
}

func (p *Parser) inCode(b byte) {
	p.addText(b)
	switch {
	case b == '\n' && p.backticks >= p.fenceLength:
		p.mode = inText
	case b == '\n':
		p.backticks = 0
	case b == '`' && p.backticks >= 0 && (p.backticks == 0 || p.line.last == '`'):
		p.backticks++
	case isBlank(b) && (p.backticks > 0 || p.backticks == 0 && p.line.indent <= 3):
		// A closing fence may have spaces on both sides.
	default:
		p.backticks = -1
	}
	p.line.last = b
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// addText appends b to the text, trailing white space to blank, and updates line.
func (p *Parser) addText(b byte) {
	switch {
	case b == '\n':
		p.line = line{}
	case isBlank(b):
		if !p.line.open {
			p.line.indent++
		}
	default:
		if b == '`' && p.line.last != '`' {
			p.line.spans++
		}
		if b == '>' && !p.line.open {
			p.line.quote = true
		}
		p.line.open = true
	}
	if p.mode != inCode {
		p.line.last = b
	}
	if isBlank(b) {
		if p.blank = append(p.blank, b); len(p.blank) >= maxBlank {
			p.text = append(p.text, p.blank...)
			p.blank = p.blank[:0]
		}
		return
	}
	if p.hasText || p.calls == 0 {
		p.text = append(p.text, p.blank...)
	}
	p.blank = p.blank[:0]
	p.text = append(p.text, b)
	p.hasText, p.afterCall = true, false
}

// flush emits the text. Unless final, an incomplete character at its end waits.
func (p *Parser) flush(final bool) {
	n := len(p.text)
	if !final && len(p.blank) == 0 && len(p.held) == 0 {
		n -= incompleteRune(p.text)
	}
	if n == 0 {
		return
	}
	p.emit(Event{Text: string(bytes.ToValidUTF8(p.text[:n], []byte("\uFFFD")))})
	p.text = append(p.text[:0], p.text[n:]...)
}

func (p *Parser) emitText() { p.flush(true) }

func incompleteRune(b []byte) int {
	for n := 1; n <= min(3, len(b)); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= 0xC0 && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}
