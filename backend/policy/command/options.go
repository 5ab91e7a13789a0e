package command

import (
	"strings"
)

// role is what a word of a command stands for.
type role byte

// The roles. A role that asks for more than reading is a heavy one.
const (
	roleNone    role = 0
	roleText    role = 't' // plain text
	roleRead    role = 'r' // a path that is read
	roleWrite   role = 'w' // a path that is made or changed
	roleDelete  role = 'd' // a path that is deleted or moved away
	roleFolder  role = 'D' // the folder it works in from then on
	roleProgram role = 'x' // a command line for a shell
	roleHost    role = 'h' // an address or a host
	roleWarn    role = '!' // something a person should know of
	roleNetwork role = 'n' // it reaches the network
)

func (r role) heavy() bool { return strings.IndexByte("wdxD!n", byte(r)) >= 0 }

// option is one option of a program: its names, whether it takes a value, and what for.
type option struct {
	names []string
	// takes is '=' for a value, '?' for one that can only stand in the same word.
	takes byte
	role  role
}

// spec reads the options of a program as the tables write them: words of names joined by
// commas, then "=" and the role of the value, "?" and the role of a value in the same word, or
// "!" for an option without a value that a person should know of.
func spec(s string) []option {
	var all []option
	for _, field := range strings.Fields(s) {
		var o option
		if i := strings.IndexAny(field, "=?!"); i >= 0 {
			if o.takes = field[i]; field[i] == '!' {
				o.takes, o.role = 0, roleWarn
			} else if i+1 < len(field) {
				o.role = role(field[i+1])
			}
			field = field[:i]
		}
		o.names = strings.Split(field, ",")
		all = append(all, o)
	}
	return all
}

// given is an option of a command with its value.
type given struct {
	name string
	role role
	// has says that there is a value.
	has   bool
	value value
}

// parsed are the words of a command sorted out.
type parsed struct {
	options  []given
	operands []value
	// strange are options the table does not know.
	strange []string
	// blurred is a word that could be any option when it runs.
	blurred string
}

func (p parsed) has(names ...string) bool {
	for _, o := range p.options {
		for _, n := range names {
			if o.name == n {
				return true
			}
		}
	}
	return false
}

func (p parsed) values(name string) []value {
	var all []value
	for _, o := range p.options {
		if o.name == name && o.has {
			all = append(all, o.value)
		}
	}
	return all
}

// parser sorts the words of a command into options and operands as getopt does.
type parser struct {
	options []option
	// first ends the options at the first operand; what follows is another command.
	first bool
	// single writes long options with one dash.
	single bool
}

func (q parser) parse(words []value) parsed {
	var p parsed
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.sure() && w.option():
			p.blurred = w.shown
			p.operands = append(p.operands, w)
		case !w.sure() || w.text == "-" || !strings.HasPrefix(w.text, "-"):
			p.operands = append(p.operands, w)
			if q.first {
				p.operands = append(p.operands, words[i+1:]...)
				return p
			}
		case w.text == "--":
			p.operands = append(p.operands, words[i+1:]...)
			return p
		case strings.HasPrefix(w.text, "--") || q.single:
			i += q.long(&p, w, words[i+1:])
		default:
			i += q.cluster(&p, w.text[1:], words[i+1:])
		}
	}
	return p
}

// long reads --name, --name=value or a beginning of a name; it returns how many words more
// it took.
func (q parser) long(p *parsed, w value, rest []value) int {
	name, attached, has := strings.Cut(strings.TrimLeft(w.text, "-"), "=")
	o, full, found := q.find(name)
	if !found {
		p.strange = append(p.strange, w.text)
		return 0
	}
	switch {
	case has:
		v := literal(attached)
		p.options = append(p.options, given{name: full, role: o.role, has: true, value: v})
	case o.takes == '=' && len(rest) > 0:
		p.options = append(p.options, given{name: full, role: o.role, has: true, value: rest[0]})
		return 1
	default:
		p.options = append(p.options, given{name: full, role: o.role})
	}
	return 0
}

// find is the option of that name, or the heaviest one whose name begins so.
func (q parser) find(name string) (option, string, bool) {
	var best option
	full := ""
	for _, o := range q.options {
		for _, n := range o.names {
			if n == name {
				return o, o.names[len(o.names)-1], true
			}
			if !q.single && len(n) > 1 && name != "" && strings.HasPrefix(n, name) && (full == "" || o.role.heavy()) {
				best, full = o, o.names[len(o.names)-1]
			}
		}
	}
	return best, full, full != ""
}

// cluster reads -abc, -n5 and -n 5.
func (q parser) cluster(p *parsed, letters string, rest []value) int {
	for i := range len(letters) {
		name := letters[i : i+1]
		o, full, found := q.short(name)
		if !found {
			p.strange = append(p.strange, "-"+name)
			continue
		}
		g := given{name: full, role: o.role}
		switch {
		case o.takes == 0:
			p.options = append(p.options, g)
			continue
		case i+1 < len(letters):
			g.has, g.value = true, literal(letters[i+1:])
		case o.takes == '=' && len(rest) > 0:
			g.has, g.value = true, rest[0]
			p.options = append(p.options, g)
			return 1
		}
		p.options = append(p.options, g)
		return 0
	}
	return 0
}

func (q parser) short(name string) (option, string, bool) {
	for _, o := range q.options {
		for _, n := range o.names {
			if n == name {
				return o, o.names[len(o.names)-1], true
			}
		}
	}
	return option{}, "", false
}

// heavy reports whether some option of the program does more than read.
func (q parser) heavy() bool {
	for _, o := range q.options {
		if o.role.heavy() {
			return true
		}
	}
	return false
}
