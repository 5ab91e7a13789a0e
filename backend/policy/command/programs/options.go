package programs

import (
	"strings"

	"sextant/backend/policy/command/bash"
)

// Option is one option of a program: its names, whether it takes a value, and what for.
type Option struct {
	Names []string
	// Takes is '=' for a value, '?' for one that can only stand in the same word.
	Takes byte
	Role  Role
}

// ParseOptions reads the options of a program as the tables write them: words of names joined by
// commas, then "=" and the role of the value, "?" and the role of a value in the same word, or
// "!" for an option without a value that a person should know of.
func ParseOptions(s string) []Option {
	var all []Option
	for _, field := range strings.Fields(s) {
		var o Option
		if i := strings.IndexAny(field, "=?!"); i >= 0 {
			if o.Takes = field[i]; field[i] == '!' {
				o.Takes, o.Role = 0, RoleWarn
			} else if i+1 < len(field) {
				o.Role = Role(field[i+1])
			}
			field = field[:i]
		}
		o.Names = strings.Split(field, ",")
		all = append(all, o)
	}
	return all
}

// GivenOption is an option of a command with its value.
type GivenOption struct {
	Name string
	Role Role
	// HasValue says that there is a value.
	HasValue bool
	Value    bash.Word
}

// Arguments are the words of a command sorted out.
type Arguments struct {
	Options  []GivenOption
	Operands []bash.Word
	// Unknown are options the table does not know.
	Unknown []string
	// Ambiguous is a word that could be any option when it runs.
	Ambiguous string
}

func (p Arguments) Has(names ...string) bool {
	for _, o := range p.Options {
		for _, n := range names {
			if o.Name == n {
				return true
			}
		}
	}
	return false
}

func (p Arguments) Values(name string) []bash.Word {
	var all []bash.Word
	for _, o := range p.Options {
		if o.Name == name && o.HasValue {
			all = append(all, o.Value)
		}
	}
	return all
}

// OptionParser sorts the words of a command into options and operands as getopt does.
type OptionParser struct {
	Options []Option
	// StopAtOperand ends the options at the first operand; what follows is another command.
	StopAtOperand bool
}

func (q OptionParser) Parse(words []bash.Word) Arguments {
	var p Arguments
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.IsLiteral() && w.MayBeOption():
			p.Ambiguous = w.Display
			p.Operands = append(p.Operands, w)
		case !w.IsLiteral() || w.Text == "-" || !strings.HasPrefix(w.Text, "-"):
			p.Operands = append(p.Operands, w)
			if q.StopAtOperand {
				p.Operands = append(p.Operands, words[i+1:]...)
				return p
			}
		case w.Text == "--":
			p.Operands = append(p.Operands, words[i+1:]...)
			return p
		case strings.HasPrefix(w.Text, "--"):
			i += q.parseLong(&p, w, words[i+1:])
		default:
			i += q.parseCluster(&p, w.Text[1:], words[i+1:])
		}
	}
	return p
}

// parseLong reads --name, --name=value or a beginning of a name; it returns how many words more
// it took.
func (q OptionParser) parseLong(p *Arguments, w bash.Word, rest []bash.Word) int {
	name, attached, has := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
	o, full, found := q.findLong(name)
	if !found {
		p.Unknown = append(p.Unknown, w.Text)
		return 0
	}
	switch {
	case has:
		v := bash.Literal(attached)
		p.Options = append(p.Options, GivenOption{Name: full, Role: o.Role, HasValue: true, Value: v})
	case o.Takes == '=' && len(rest) > 0:
		p.Options = append(p.Options, GivenOption{Name: full, Role: o.Role, HasValue: true, Value: rest[0]})
		return 1
	default:
		p.Options = append(p.Options, GivenOption{Name: full, Role: o.Role})
	}
	return 0
}

// findLong is the option of that name, or the heaviest one whose name begins so.
func (q OptionParser) findLong(name string) (Option, string, bool) {
	var best Option
	full := ""
	for _, o := range q.Options {
		for _, n := range o.Names {
			if n == name {
				return o, o.Names[len(o.Names)-1], true
			}
			if len(n) > 1 && name != "" && strings.HasPrefix(n, name) && (full == "" || o.Role.BeyondReading()) {
				best, full = o, o.Names[len(o.Names)-1]
			}
		}
	}
	return best, full, full != ""
}

// parseCluster reads -abc, -n5 and -n 5.
func (q OptionParser) parseCluster(p *Arguments, letters string, rest []bash.Word) int {
	for i := range len(letters) {
		name := letters[i : i+1]
		o, full, found := q.findShort(name)
		if !found {
			p.Unknown = append(p.Unknown, "-"+name)
			continue
		}
		g := GivenOption{Name: full, Role: o.Role}
		switch {
		case o.Takes == 0:
			p.Options = append(p.Options, g)
			continue
		case i+1 < len(letters):
			g.HasValue, g.Value = true, bash.Literal(letters[i+1:])
		case o.Takes == '=' && len(rest) > 0:
			g.HasValue, g.Value = true, rest[0]
			p.Options = append(p.Options, g)
			return 1
		}
		p.Options = append(p.Options, g)
		return 0
	}
	return 0
}

func (q OptionParser) findShort(name string) (Option, string, bool) {
	for _, o := range q.Options {
		for _, n := range o.Names {
			if n == name {
				return o, o.Names[len(o.Names)-1], true
			}
		}
	}
	return Option{}, "", false
}

// BeyondReading reports whether some option of the program does more than read.
func (q OptionParser) BeyondReading() bool {
	for _, o := range q.Options {
		if o.Role.BeyondReading() {
			return true
		}
	}
	return false
}
