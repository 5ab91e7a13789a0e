package programs

import (
	"strings"

	"sextant/backend/policy/command/bash"
)

// Option is one option of a program.
type Option struct {
	Names []string
	// ValueMode is '=' for an option with a value, '?' if the value can only be in the same word, and 0 for no value.
	// Role is the role of the value.
	ValueMode byte
	Role      Role
}

// ParseOptions parses a list of options that are separated by spaces. Each has its names, joined by commas, and then
// "=" and the role of the value, "?" and the role of a value that can only be in the same word, or "!" if the person
// must be warned of the option. "o,output=w q,quiet" means -o FILE, --output=FILE, -q and --quiet.
func ParseOptions(s string) []Option {
	var all []Option
	for _, field := range strings.Fields(s) {
		var o Option
		if i := strings.IndexAny(field, "=?!"); i >= 0 {
			if o.ValueMode = field[i]; field[i] == '!' {
				o.ValueMode, o.Role = 0, RoleWarn
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

// ParsedOption is an option found in a command. Name is the last of the option's names.
type ParsedOption struct {
	Name     string
	Role     Role
	HasValue bool
	Value    bash.Word
}

// Arguments are the words after the program, sorted into options and operands.
type Arguments struct {
	Options  []ParsedOption
	Operands []bash.Word
	// UnknownOptions are the options that are not in the table.
	UnknownOptions []string
	// AmbiguousWord is a word that may become any option at run time, "" if there is none.
	AmbiguousWord string
}

// Has reports whether one of the options is present. Each is named by the last of its names.
func (a Arguments) Has(names ...string) bool {
	for _, o := range a.Options {
		for _, n := range names {
			if o.Name == n {
				return true
			}
		}
	}
	return false
}

// Values returns the values of an option, which is named by the last of its names.
func (a Arguments) Values(name string) []bash.Word {
	var all []bash.Word
	for _, o := range a.Options {
		if o.Name == name && o.HasValue {
			all = append(all, o.Value)
		}
	}
	return all
}

// OptionParser sorts words into options and operands, as getopt does.
type OptionParser struct {
	Options []Option
	// StopAtOperand ends the options at the first operand, for programs that start another command.
	StopAtOperand bool
}

// Parse sorts the words after the program.
func (op OptionParser) Parse(words []bash.Word) Arguments {
	var p Arguments
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case !w.IsLiteral() && w.MayBeOption():
			p.AmbiguousWord = w.Display
			p.Operands = append(p.Operands, w)
		case !w.IsLiteral() || w.Text == "-" || !strings.HasPrefix(w.Text, "-"):
			p.Operands = append(p.Operands, w)
			if op.StopAtOperand {
				p.Operands = append(p.Operands, words[i+1:]...)
				return p
			}
		case w.Text == "--":
			p.Operands = append(p.Operands, words[i+1:]...)
			return p
		case strings.HasPrefix(w.Text, "--"):
			i += op.parseLong(&p, w, words[i+1:])
		default:
			i += op.parseCluster(&p, w.Text[1:], words[i+1:])
		}
	}
	return p
}

// parseLong returns how many words of rest it used.
func (op OptionParser) parseLong(p *Arguments, w bash.Word, rest []bash.Word) int {
	name, attached, has := strings.Cut(strings.TrimLeft(w.Text, "-"), "=")
	o, full, found := op.findLong(name)
	if !found {
		p.UnknownOptions = append(p.UnknownOptions, w.Text)
		return 0
	}
	switch {
	case has:
		v := bash.LiteralWord(attached)
		p.Options = append(p.Options, ParsedOption{Name: full, Role: o.Role, HasValue: true, Value: v})
	case o.ValueMode == '=' && len(rest) > 0:
		p.Options = append(p.Options, ParsedOption{Name: full, Role: o.Role, HasValue: true, Value: rest[0]})
		return 1
	default:
		p.Options = append(p.Options, ParsedOption{Name: full, Role: o.Role})
	}
	return 0
}

// findLong prefers an option with effects if several names begin with name.
func (op OptionParser) findLong(name string) (Option, string, bool) {
	var best Option
	full := ""
	for _, o := range op.Options {
		for _, n := range o.Names {
			if n == name {
				return o, o.Names[len(o.Names)-1], true
			}
			if len(n) > 1 && name != "" && strings.HasPrefix(n, name) && (full == "" || o.Role.HasEffects()) {
				best, full = o, o.Names[len(o.Names)-1]
			}
		}
	}
	return best, full, full != ""
}

// parseCluster reads -abc, -n5 or -n 5. It returns how many words of rest it used.
func (op OptionParser) parseCluster(p *Arguments, letters string, rest []bash.Word) int {
	for i := range len(letters) {
		name := letters[i : i+1]
		o, full, found := op.findShort(name)
		if !found {
			p.UnknownOptions = append(p.UnknownOptions, "-"+name)
			continue
		}
		g := ParsedOption{Name: full, Role: o.Role}
		switch {
		case o.ValueMode == 0:
			p.Options = append(p.Options, g)
			continue
		case i+1 < len(letters):
			g.HasValue, g.Value = true, bash.LiteralWord(letters[i+1:])
		case o.ValueMode == '=' && len(rest) > 0:
			g.HasValue, g.Value = true, rest[0]
			p.Options = append(p.Options, g)
			return 1
		}
		p.Options = append(p.Options, g)
		return 0
	}
	return 0
}

func (op OptionParser) findShort(name string) (Option, string, bool) {
	for _, o := range op.Options {
		for _, n := range o.Names {
			if n == name {
				return o, o.Names[len(o.Names)-1], true
			}
		}
	}
	return Option{}, "", false
}

// HasEffects reports whether any option does more than read.
func (op OptionParser) HasEffects() bool {
	for _, o := range op.Options {
		if o.Role.HasEffects() {
			return true
		}
	}
	return false
}
