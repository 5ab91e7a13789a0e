package condition

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse parses a condition. An empty text is not a condition. A non-nil error is an *Error.
func Parse(text string) (*Expr, error) {
	if len(text) > maxLength {
		return nil, &Error{
			Offset: 0, Expected: "at most " + strconv.Itoa(maxLength) + " bytes",
			Found: strconv.Itoa(len(text)),
		}
	}
	if !utf8.ValidString(text) {
		return nil, &Error{Expected: "text in UTF-8", Found: "other bytes"}
	}
	p := &parser{text: text}
	p.next()
	root, err := p.or(0)
	if err != nil {
		return nil, err
	}
	if p.kind != end {
		return nil, p.wrong("&&, || or the end")
	}
	return &Expr{root: root, names: p.names}, nil
}

type kind int

const (
	end kind = iota
	word
	number
	quoted
	sign
	broken
)

type parser struct {
	text  string
	pos   int
	kind  kind
	token string
	start int
	names []Name
	nodes int
}

var (
	ruleWord   = regexp.MustCompile(`^[A-Za-z_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?`)
	ruleNumber = regexp.MustCompile(`^-?[0-9]+(?:\.[0-9]+)?`)
	ruleQuoted = regexp.MustCompile(`^(?:'[^']*'|"[^"]*")`)
	ruleSign   = regexp.MustCompile(`^(?:\|\||&&|==|!=|[!()\[\],])`)
)

func (p *parser) next() {
	p.pos += len(p.text[p.pos:]) - len(strings.TrimLeft(p.text[p.pos:], " \t\r\n"))
	p.start = p.pos
	rest := p.text[p.pos:]
	if rest == "" {
		p.kind, p.token = end, ""
		return
	}
	for _, rule := range []struct {
		kind kind
		is   *regexp.Regexp
	}{{word, ruleWord}, {number, ruleNumber}, {quoted, ruleQuoted}, {sign, ruleSign}} {
		if token := rule.is.FindString(rest); token != "" {
			p.kind, p.token, p.pos = rule.kind, token, p.pos+len(token)
			return
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	p.kind, p.token, p.pos = broken, rest[:n], p.pos+n
}

func (p *parser) wrong(expected string) *Error {
	found := strconv.Quote(p.token)
	if p.kind == end {
		found = "the end"
	}
	return &Error{Offset: p.start, Expected: expected, Found: found}
}

func (p *parser) make(n *node) (*node, error) {
	if p.nodes++; p.nodes > maxNodes {
		return nil, &Error{Offset: p.start, Expected: "at most " + strconv.Itoa(maxNodes) + " parts", Found: "more"}
	}
	return n, nil
}

func (p *parser) is(token string) bool { return (p.kind == sign || p.kind == word) && p.token == token }

func (p *parser) or(depth int) (*node, error) { return p.chain(depth, "||", or, p.and) }

func (p *parser) and(depth int) (*node, error) { return p.chain(depth, "&&", and, p.not) }

func (p *parser) chain(depth int, token string, op operator, part func(int) (*node, error)) (*node, error) {
	left, err := part(depth)
	for err == nil && p.is(token) {
		p.next()
		var right *node
		if right, err = part(depth); err == nil {
			left, err = p.make(&node{op: op, kids: []*node{left, right}})
		}
	}
	return left, err
}

func (p *parser) not(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, &Error{Offset: p.start, Expected: "at most " + strconv.Itoa(maxDepth) + " levels", Found: "more"}
	}
	if !p.is("!") {
		return p.compare(depth)
	}
	p.next()
	kid, err := p.not(depth + 1)
	if err != nil {
		return nil, err
	}
	return p.make(&node{op: not, kids: []*node{kid}})
}

func (p *parser) compare(depth int) (*node, error) {
	left, err := p.operand(depth)
	if err != nil {
		return nil, err
	}
	op, ok := map[string]operator{"==": equal, "!=": unequal, "in": in}[p.token]
	if !ok || p.kind != sign && p.kind != word {
		return left, nil
	}
	p.next()
	right, err := p.operand(depth)
	if err != nil {
		return nil, err
	}
	return p.make(&node{op: op, kids: []*node{left, right}})
}

func (p *parser) operand(depth int) (*node, error) {
	token := p.token
	switch {
	case p.is("("):
		p.next()
		inner, err := p.or(depth + 1)
		if err != nil {
			return nil, err
		}
		if !p.is(")") {
			return nil, p.wrong(")")
		}
		p.next()
		return inner, nil
	case p.is("["):
		return p.list(depth + 1)
	case p.kind == quoted:
		p.next()
		return p.make(&node{constant: token[1 : len(token)-1]})
	case p.kind == number:
		v, err := strconv.ParseFloat(token, 64)
		if err != nil {
			return nil, p.wrong("a number")
		}
		p.next()
		return p.make(&node{constant: v})
	case p.kind == word && token != "in":
		start := p.start
		p.next()
		switch token {
		case "true", "false":
			return p.make(&node{constant: token == "true"})
		case "null":
			return p.make(&node{})
		}
		p.names = append(p.names, Name{Text: token, Offset: start})
		return p.make(&node{op: lookup, name: token})
	}
	return nil, p.wrong("a name, a value or (")
}

func (p *parser) list(depth int) (*node, error) {
	if depth > maxDepth {
		return nil, &Error{Offset: p.start, Expected: "at most " + strconv.Itoa(maxDepth) + " levels", Found: "more"}
	}
	n := &node{op: list}
	p.next()
	for !p.is("]") {
		if len(n.kids) > 0 {
			if !p.is(",") {
				return nil, p.wrong(", or ]")
			}
			p.next()
		}
		kid, err := p.operand(depth)
		if err != nil {
			return nil, err
		}
		n.kids = append(n.kids, kid)
	}
	p.next()
	return p.make(n)
}

var replacements = []struct {
	is *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`===`), "=="},
	{regexp.MustCompile(`!==`), "!="},
	{regexp.MustCompile(`<>`), "!="},
	{regexp.MustCompile(`([^=!<>])=([^=])`), "$1==$2"},
	{regexp.MustCompile(`([^&])&([^&])`), "$1&&$2"},
	{regexp.MustCompile(`([^|])\|([^|])`), "$1||$2"},
	{regexp.MustCompile(`(?i)\band\b`), "&&"},
	{regexp.MustCompile(`(?i)\bor\b`), "||"},
	{regexp.MustCompile(`(?i)\bis\s+not\b`), "!="},
	{regexp.MustCompile(`(?i)\bnot\s+`), "!"},
	{regexp.MustCompile(`(?i)\bis\b`), "=="},
	{regexp.MustCompile(`[“”]`), `"`},
	{regexp.MustCompile("[‘’`]"), "'"},
	{regexp.MustCompile(`\$\{?\{?\s*([A-Za-z_][\w.-]*)\s*\}?\}?`), "$1"},
	{regexp.MustCompile(`\.(?:includes|contains)\(([^()]*)\)`), " in [$1]"},
}

// Repair returns a valid condition close to text. It corrects usual mistakes: keywords and operators of other
// languages, and missing closing brackets and quotes. If that does not help, it returns the name at the beginning of
// text, or "true".
func Repair(text string) string {
	if len(text) > maxLength {
		text = ""
	}
	tries := []string{text}
	fixed := text
	for _, m := range replacements {
		fixed = m.is.ReplaceAllString(fixed, m.to)
		tries = append(tries, m.is.ReplaceAllString(text, m.to), fixed)
	}
	for _, base := range tries {
		base = strings.TrimSpace(strings.Trim(strings.TrimSpace(base), "&|;="))
		for _, try := range []string{
			base, closed(base), strings.Replace(base, ")", "", 1),
			strings.Replace(base, "(", "", 1),
		} {
			if _, err := Parse(try); err == nil {
				return try
			}
		}
	}
	if name := ruleWord.FindString(text); name != "" && name != "in" {
		return name
	}
	return "true"
}

// closed adds the missing closing quotes and brackets to text.
func closed(text string) string {
	var open []byte
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			open = append(open, ')')
		case c == '[':
			open = append(open, ']')
		case (c == ')' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if quote != 0 {
		text += string(quote)
	}
	for i := len(open) - 1; i >= 0; i-- {
		text += string(open[i])
	}
	return text
}
