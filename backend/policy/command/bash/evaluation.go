package bash

import (
	"slices"
	"strings"

	"sextant/shared/excerpt"

	"mvdan.cc/sh/v3/syntax"
)

// substitutions are the beginnings of text that bash runs as a command; the last four since bash 5.3.
var substitutions = []string{"$(", "`", "@P}", "${ ", "${\t", "${\n", "${|"}

// ContainsSubstitution reports whether bash could run a command if it expanded s a second time.
func ContainsSubstitution(s string) bool {
	return slices.ContainsFunc(substitutions, func(start string) bool { return strings.Contains(s, start) })
}

// CheckExpansion calls warn with a sentence for each part of x that could run the value of a variable as a command.
func (e *Expander) CheckExpansion(x *syntax.ParamExp, warn func(string)) {
	if x.Exp != nil && x.Exp.Op == syntax.OtherParamOps && x.Exp.Word != nil && x.Exp.Word.Lit() == "P" {
		warn(excerpt.Line(e.Source(x), 80) + " runs commands that are in a variable.")
	}
	if x.Excl && x.Names == 0 && x.Param != nil && e.mayHoldCommand(x.Param.Value) {
		warn(excerpt.Line(e.Source(x), 80) + " takes the name of a variable from text that is not known.")
	}
	if x.Index != nil {
		e.CheckArithmetic(x.Index, warn)
	}
	if x.Slice != nil {
		e.CheckArithmetic(x.Slice.Offset, warn)
		e.CheckArithmetic(x.Slice.Length, warn)
	}
}

// CheckArithmetic calls warn with a sentence for each part of x that could run a command. When bash evaluates the value
// of a variable as a number, it runs the command substitutions in that value.
func (e *Expander) CheckArithmetic(x syntax.ArithmExpr, warn func(string)) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CmdSubst:
			if !printsNumber(n) {
				warn("An arithmetic expression evaluates the output of a command as a number.")
			}
			return false
		case *syntax.ProcSubst:
			return false
		case *syntax.Lit:
			e.checkNumber(n.Value, warn)
		case *syntax.ParamExp:
			if n.Param != nil && !n.Length {
				e.checkNumber(n.Param.Value, warn)
			}
		case *syntax.SglQuoted:
			warn("An arithmetic expression contains quoted text, which bash may run.")
		}
		return true
	})
}

func (e *Expander) checkNumber(name string, warn func(string)) {
	if e.mayHoldCommand(name) {
		warn("“" + name + "” is evaluated as a number, and its value could be a command.")
	}
}

// CheckTest calls warn with a sentence for each operand in [[ ]] that bash evaluates and that could run a command.
func (e *Expander) CheckTest(x syntax.TestExpr, warn func(string)) {
	syntax.Walk(x, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				e.checkTestOperand(n.X, warn)
				e.checkTestOperand(n.Y, warn)
			}
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				e.checkTestOperand(n.X, warn)
			}
		}
		return true
	})
}

func (e *Expander) checkTestOperand(x syntax.TestExpr, warn func(string)) {
	w, ok := x.(*syntax.Word)
	if !ok {
		return
	}
	if v := e.Word(w); !v.Unknown && !ContainsSubstitution(v.Text) {
		e.checkNumber(v.Text, warn)
		return
	}
	e.CheckArithmetic(w, warn)
	if !IsNumeric(w) && w.Lit() == "" {
		for _, part := range w.Parts {
			if _, ok := part.(*syntax.CmdSubst); ok {
				warn("A test evaluates the output of a command as a number.")
			}
		}
	}
}
