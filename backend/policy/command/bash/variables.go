package bash

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

type variable struct {
	values  []string
	glob    bool
	unknown bool
	// certainIn are the parts of the script where it has one of values for certain. Elsewhere it may also be empty.
	certainIn []span
	// mayHoldCommand is true if a value could contain a command that bash runs when it evaluates the value as a number.
	mayHoldCommand bool
}

type span struct{ from, to int }

// anyName is a key in the variables of a script that may assign to any name.
const anyName = "*"

// ReadAssignments collects the variables that Text assigns. Call it once, before any word is expanded.
func (e *Expander) ReadAssignments(file *syntax.File) {
	e.variables = map[string]*variable{}
	first := assignmentCollector{e: e, variables: map[string]*variable{}}
	first.collect(file)
	// The second pass knows which names the script assigns, and treats them as unknown inside values.
	for name := range first.variables {
		e.variables[name] = &variable{unknown: true}
	}
	again := first
	again.variables = map[string]*variable{}
	again.collect(file)
	e.variables = again.variables
}

func (e *Expander) isAssigned(name string) bool {
	return e.variables[name] != nil || e.variables[anyName] != nil
}

// lookup returns the values that a variable may have at a byte offset. ok is false if they are unknown.
func (e *Expander) lookup(name string, at int) (values []string, glob, ok bool) {
	v := e.variables[name]
	switch {
	case e.variables[anyName] != nil:
		return nil, false, false
	case v == nil && name == "HOME" && e.Home != "":
		return []string{e.Home}, false, true
	case v == nil && name == "PWD" && len(e.Folders) == 1:
		return e.Folders, false, true
	case v == nil || v.unknown:
		return nil, false, false
	}
	for _, s := range v.certainIn {
		if at >= s.from && at < s.to {
			return v.values, v.glob, true
		}
	}
	return append(slices.Clone(v.values), ""), v.glob, true
}

func (e *Expander) mayHoldCommand(name string) bool {
	v := e.variables[name]
	return v != nil && v.mayHoldCommand
}

type assignmentCollector struct {
	e         *Expander
	variables map[string]*variable
}

func (ac *assignmentCollector) variable(name string) *variable {
	if ac.variables[name] == nil {
		ac.variables[name] = &variable{}
	}
	return ac.variables[name]
}

func (ac *assignmentCollector) markUnknown(name string) {
	v := ac.variable(name)
	v.unknown, v.mayHoldCommand = true, true
}

func (ac *assignmentCollector) collect(file *syntax.File) {
	certainFrom := map[*syntax.Assign]int{}
	for _, stmt := range file.Stmts {
		if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) == 0 && !stmt.Background {
			for _, a := range call.Assigns {
				certainFrom[a] = int(stmt.End().Offset())
			}
		}
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		switch x := node.(type) {
		case *syntax.CallExpr:
			ac.addCommand(x, certainFrom)
		case *syntax.DeclClause:
			for _, a := range x.Args {
				ac.addAssignment(a, -1)
				if a.Name == nil && a.Value != nil && strings.Contains(a.Value.Lit(), "n") {
					ac.markUnknown(anyName) // declares a reference to another variable
				}
			}
		case *syntax.ForClause:
			ac.addLoop(x)
		case *syntax.ParamExp:
			if x.Exp != nil && (x.Exp.Op == syntax.AssignUnset || x.Exp.Op == syntax.AssignUnsetOrNull) &&
				x.Param != nil {
				ac.markUnknown(x.Param.Value)
			}
		case *syntax.BinaryArithm:
			if strings.HasSuffix(x.Op.String(), "=") {
				ac.addNumber(x.X)
			}
		case *syntax.UnaryArithm:
			ac.addNumber(x.X)
		case *syntax.Redirect:
			if x.N != nil && strings.HasPrefix(x.N.Value, "{") {
				ac.markUnknown(strings.Trim(x.N.Value, "{}"))
			}
		}
		return true
	})
}

func (ac *assignmentCollector) addNumber(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok && w.Lit() != "" {
		ac.variable(w.Lit()).unknown = true
	}
}

func (ac *assignmentCollector) addCommand(call *syntax.CallExpr, certainFrom map[*syntax.Assign]int) {
	if len(call.Args) == 0 {
		for _, a := range call.Assigns {
			from, ok := certainFrom[a]
			if !ok {
				from = -1
			}
			ac.addAssignment(a, from)
		}
		return
	}
	switch call.Args[0].Lit() {
	case "", "eval", "source", ".", "trap", "builtin", "command", "enable", "alias":
		ac.markUnknown(anyName)
	case "read", "mapfile", "readarray", "getopts", "unset", "printf", "wait", "let":
		for _, w := range call.Args[1:] {
			name, _, _ := strings.Cut(w.Lit(), "[")
			name, _, _ = strings.Cut(name, "=")
			if syntax.ValidName(name) {
				ac.markUnknown(name)
			} else if w.Lit() == "" {
				ac.markUnknown(anyName)
			}
		}
		ac.markUnknown("REPLY")
		ac.markUnknown("MAPFILE")
	}
}

// addAssignment adds one assignment, which is certain after the offset from; -1 means never.
func (ac *assignmentCollector) addAssignment(a *syntax.Assign, from int) {
	if a.Name == nil {
		if a.Value != nil && !strings.HasPrefix(a.Value.Lit(), "-") {
			ac.markUnknown(anyName)
		}
		return
	}
	v := ac.variable(a.Name.Value)
	if a.Naked {
		v.unknown = true
		return
	}
	if a.Append || a.Index != nil || a.Array != nil {
		ac.markUnknown(a.Name.Value)
		return
	}
	ac.addValue(v, a.Value)
	if from >= 0 {
		v.certainIn = append(v.certainIn, span{from, 1 << 40})
	}
}

func (ac *assignmentCollector) addValue(v *variable, w *syntax.Word) {
	text := ac.fixedValue(w)
	switch {
	case text.Unknown:
		v.unknown = true
		v.mayHoldCommand = v.mayHoldCommand || !IsNumeric(w)
	default:
		v.values = append(append(v.values, text.Text), text.Alternatives...)
		v.mayHoldCommand = v.mayHoldCommand || strings.ContainsAny(text.Text+strings.Join(text.Alternatives, ""), "[$`")
	}
}

// fixedValue expands w without the working directory, which may change later.
func (ac *assignmentCollector) fixedValue(w *syntax.Word) Word {
	dirs := ac.e.Folders
	ac.e.Folders = nil
	defer func() { ac.e.Folders = dirs }()
	v := ac.e.Word(w)
	v.HasGlob = false // bash matches no files in an assignment
	return v
}

func (ac *assignmentCollector) addLoop(x *syntax.ForClause) {
	iter, ok := x.Loop.(*syntax.WordIter)
	if !ok {
		return // (( )) assigns its counter, which collect adds
	}
	v := ac.variable(iter.Name.Value)
	if x.Select || !iter.InPos.IsValid() {
		ac.markUnknown(iter.Name.Value)
		return
	}
	dirs := ac.e.Folders
	ac.e.Folders = nil
	defer func() { ac.e.Folders = dirs }()
	for _, item := range ac.e.Words(iter.Items) {
		if item.Unknown || len(v.values) > maxAlternatives {
			ac.markUnknown(iter.Name.Value)
			return
		}
		v.values = append(append(v.values, item.Text), item.Alternatives...)
		v.glob = v.glob || item.HasGlob
		v.mayHoldCommand = v.mayHoldCommand || item.HasGlob || strings.ContainsAny(item.Text, "[$`")
	}
	if len(v.values) > 0 {
		v.certainIn = append(v.certainIn, span{int(x.DoPos.Offset()), int(x.DonePos.Offset())})
	}
}
