package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/programs"
	"sextant/shared/excerpt"
)

// readAssignment judges NAME=value. If before is true, a command follows and has the variable in its environment.
func (r *reader) readAssignment(a *syntax.Assign, before bool) {
	if a.Name == nil {
		return
	}
	if a.Index != nil {
		r.CheckArithmetic(a.Index, r.warn)
	}
	r.judgeVariable(a.Name.Value, before)
	if a.Value != nil {
		v := r.Word(a.Value)
		if bash.ContainsSubstitution(v.Text) || slices.ContainsFunc(v.Alternatives, bash.ContainsSubstitution) {
			r.warn("“" + a.Name.Value + "” contains text that the shell may run as a command.")
		}
	}
}

// judgeVariable warns if setting the variable changes what programs do. exported is true if programs inherit it.
func (r *reader) judgeVariable(name string, exported bool) {
	lower := strings.ToLower(name) == name && !strings.HasSuffix(name, "proxy")
	switch {
	case programs.IsDisplayVariable(name):
	case programs.VariableAffectsPrograms(name), exported && !lower:
		r.warn("It sets " + name + ", which decides how other programs behave.")
	}
}

func (r *reader) readDeclaration(x *syntax.DeclClause) {
	r.readNested(x)
	number, exports := false, x.Variant.Value == "export"
	for _, a := range x.Args {
		if a.Name != nil {
			continue
		}
		v := r.Word(a.Value)
		switch {
		case !v.IsLiteral() || !strings.HasPrefix(v.Text, "-") && !strings.HasPrefix(v.Text, "+"):
			r.warn("Which variable it declares is known only when it runs: " + excerpt.Line(r.Source(x), 80) + ".")
		case strings.ContainsAny(v.Text, "n"):
			r.warn("It declares a name for another variable: " + excerpt.Line(r.Source(x), 80) + ".")
		}
		number = number || strings.Contains(v.Text, "i")
		exports = exports || strings.Contains(v.Text, "x")
	}
	for _, a := range x.Args {
		if a.Name == nil {
			continue
		}
		r.readAssignment(a, exports && !a.Naked)
		if number && a.Value != nil && !bash.IsNumeric(a.Value) {
			r.warn("“" + a.Name.Value + "” is evaluated as a number, and its value could be a command.")
		}
	}
}
