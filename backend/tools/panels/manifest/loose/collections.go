package loose

import "fmt"

// early tells a root object that is closed before its last member: what follows the brace
// is a comma and a name.
func (r *reader) early(at int) bool {
	i := at + 1
	space := func() {
		for i < len(r.text) && (r.text[i] == ' ' || r.text[i] == '\n' || r.text[i] == '\t' || r.text[i] == '\r') {
			i++
		}
	}
	space()
	if i >= len(r.text) || r.text[i] != ',' {
		return false
	}
	i++
	space()
	return i < len(r.text) && r.text[i] == '"'
}

// object reads the members up to the closing brace; the opening one is behind pos.
func (r *reader) object(start int) *Node {
	n := &Node{Kind: Object, Start: start}
	r.open = append(r.open, '{')
	defer func() { r.open = r.open[:len(r.open)-1] }()
	comma := -1
	for {
		r.skip()
		at := r.pos
		switch {
		case r.dead:
			return n
		case r.end():
			r.dropComma(comma)
			r.mend(at, "} at the end of the object", EndOfFile, r.last, r.last, "}")
			n.End = at
			return n
		case r.peek() == '}' && len(r.open) == 1 && r.early(at):
			r.pos++
			r.mend(at, "} only at the end", "} before the last member", at, r.pos, "")
		case r.peek() == '}':
			r.dropComma(comma)
			r.pos++
			r.last, n.End = r.pos, r.pos
			return n
		case r.peek() == ']':
			r.dropComma(comma)
			if r.inside('[') {
				r.mend(at, "} at the end of the object", "]", r.last, r.last, "}")
			} else {
				r.pos++
				r.mend(at, "} at the end of the object", "]", at, r.pos, "}")
				r.last = r.pos
			}
			n.End = r.pos
			return n
		case r.peek() == ',' || r.peek() == ';':
			comma = r.separator(comma, len(n.Members) > 0)
		default:
			r.missingComma(comma, len(n.Members) > 0)
			if m, ok := r.member(); ok {
				n.Members = append(n.Members, m)
				comma = -1
			} else if len(n.Members) > 0 && comma < 0 {
				// What stood here is gone, and the comma that was put before it too.
				r.forgetComma()
			}
		}
	}
}

// inside reports whether an array or object is open around the innermost one.
func (r *reader) inside(bracket byte) bool {
	for _, b := range r.open[:len(r.open)-1] {
		if b == bracket {
			return true
		}
	}
	return false
}

// separator reads a comma, or what stands for one; wanted is false where none belongs.
func (r *reader) separator(before int, wanted bool) int {
	at := r.pos
	r.pos++
	switch {
	case !wanted || before >= 0:
		r.mend(at, "a member or value", fmt.Sprintf("%q too many", r.text[at]), at, r.pos, "")
		return before
	case r.text[at] != ',':
		r.mend(at, "a comma", fmt.Sprintf("%q", r.text[at]), at, r.pos, ",")
	}
	return at
}

// dropComma takes away the comma after the last member.
func (r *reader) dropComma(at int) {
	if at >= 0 {
		r.mend(at, "a member or value after the comma, or no comma", "a comma at the end", at, at+1, "")
	}
}

// missingComma puts a comma before what comes at pos, where one is missing.
func (r *reader) missingComma(comma int, wanted bool) {
	if wanted && comma < 0 {
		r.mend(r.pos, "a comma before this", "none", r.last, r.last, ",")
	}
}

// forgetComma takes back the comma that missingComma put before something that is gone.
func (r *reader) forgetComma() {
	for i := len(r.edits) - 1; i >= 0; i-- {
		if e := r.edits[i]; e.Text == "," && e.Start == e.End && e.Start == r.last {
			r.edits = append(r.edits[:i], r.edits[i+1:]...)
			return
		}
	}
}

// member reads a name, a colon and a value; ok is false when something else was taken away.
func (r *reader) member() (m Member, ok bool) {
	start := r.pos
	switch c := r.peek(); {
	case c == '"' || r.quote() != "":
		key := r.str(true)
		m = Member{Name: key.Text, Start: key.Start, End: key.End}
	case isWordStart(c) || c >= '0' && c <= '9':
		for !r.end() && (isWordStart(r.peek()) || r.peek() >= '0' && r.peek() <= '9' || r.peek() == '-') {
			r.pos++
		}
		m = Member{Name: string(r.text[start:r.pos]), Start: start, End: r.pos}
		r.mend(start, "a name in double quotes", "the bare name "+r.show2(start, r.pos), start, r.pos, Quote(m.Name))
	case c == '{' || c == '[':
		last := r.last
		r.value(len(r.open))
		r.mend(start, "a name in double quotes before the value", fmt.Sprintf("%q", c), start, r.pos, "")
		r.last = last
		return m, false
	default:
		r.pos++
		for !r.end() && r.text[r.pos]&0xc0 == 0x80 {
			r.pos++
		}
		r.mend(start, "a name in double quotes", r.show2(start, r.pos), start, r.pos, "")
		return m, false
	}
	r.last = r.pos
	r.skip()
	r.colon()
	m.Value = r.value(len(r.open))
	return m, m.Value != nil
}

func (r *reader) show2(start, end int) string { return string(r.text[start:min(end, start+40)]) }

func (r *reader) colon() {
	at := r.pos
	switch {
	case r.peek() == ':':
		r.pos++
		if r.peek() == ':' || r.peek() == '=' {
			r.pos++
			r.mend(at, "a colon", r.show2(at, r.pos), at, r.pos, ":")
		}
	case r.has("=>"):
		r.pos += 2
		r.mend(at, "a colon after the name", "=>", at, r.pos, ":")
	case r.peek() == '=':
		r.pos++
		r.mend(at, "a colon after the name", "=", at, r.pos, ":")
	default:
		r.mend(at, "a colon after the name", "none", r.last, r.last, ":")
		return
	}
	r.last = r.pos
	r.skip()
}

// array reads the items up to the closing bracket; the opening one is behind pos.
func (r *reader) array(start int) *Node {
	n := &Node{Kind: Array, Start: start}
	r.open = append(r.open, '[')
	defer func() { r.open = r.open[:len(r.open)-1] }()
	comma := -1
	for {
		r.skip()
		at := r.pos
		switch {
		case r.dead:
			return n
		case r.end():
			r.dropComma(comma)
			r.mend(at, "] at the end of the list", EndOfFile, r.last, r.last, "]")
			n.End = at
			return n
		case r.peek() == ']':
			r.dropComma(comma)
			r.pos++
			r.last, n.End = r.pos, r.pos
			return n
		case r.peek() == '}' || r.peek() == ')':
			r.dropComma(comma)
			if r.peek() == '}' && r.inside('{') {
				r.mend(at, "] at the end of the list", "}", r.last, r.last, "]")
			} else {
				r.pos++
				r.mend(at, "] at the end of the list", r.show2(at, r.pos), at, r.pos, "]")
				r.last = r.pos
			}
			n.End = r.pos
			return n
		case r.peek() == ',' || r.peek() == ';':
			comma = r.separator(comma, len(n.Items) > 0)
		case r.peek() == ':' || r.peek() == '=':
			r.pos++
			if len(n.Items) > 0 && comma < 0 {
				r.mend(at, "a comma, for a list has no names", r.show2(at, r.pos), at, r.pos, ",")
				comma = at
			} else {
				r.mend(at, "a value", r.show2(at, r.pos), at, r.pos, "")
			}
		default:
			r.missingComma(comma, len(n.Items) > 0)
			if item := r.value(len(r.open)); item != nil {
				n.Items = append(n.Items, item)
			}
			comma = -1
		}
	}
}
