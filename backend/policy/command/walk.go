package command

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"sextant/shared/toolspec"
)

// maxDirs is how many working directories are kept apart.
const maxDirs = 6

// list reads statements that run one after another, whether or not the one before worked.
func (r *reader) list(stmts []*syntax.Stmt) {
	for _, stmt := range stmts {
		before := r.dirs
		r.stmt(stmt)
		r.maybe(before)
	}
}

// maybe adds the working directories of before: what changed them may not have worked.
func (r *reader) maybe(before []string) {
	switch {
	case r.dirs == nil || before == nil:
		r.dirs = nil
	default:
		r.dirs = union(before, r.dirs)
	}
	if len(r.dirs) > maxDirs {
		r.dirs = nil
	}
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// apart runs do without letting its changes of directory out.
func (r *reader) apart(do func()) {
	dirs, fed, input, piped := r.dirs, r.fed, r.input, r.piped
	do()
	r.dirs, r.fed, r.input, r.piped = dirs, fed, input, piped
}

func (r *reader) stmt(stmt *syntax.Stmt) {
	if stmt == nil {
		return
	}
	if r.left--; r.left < 0 {
		r.warn("It is too long to be read to its end.")
		return
	}
	input, piped, fed := r.input, r.piped, r.fed
	for _, redirect := range stmt.Redirs {
		r.redirect(redirect)
	}
	if stmt.Background {
		r.apart(func() { r.command(stmt.Cmd) })
	} else {
		r.command(stmt.Cmd)
	}
	r.input, r.piped, r.fed = input, piped, fed
}

func (r *reader) command(cmd syntax.Command) {
	switch x := cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.call(x)
	case *syntax.BinaryCmd:
		r.binary(x)
	case *syntax.Block:
		r.list(x.Stmts)
	case *syntax.Subshell:
		r.apart(func() { r.list(x.Stmts) })
	case *syntax.IfClause:
		r.condition(x)
	case *syntax.WhileClause:
		r.repeated(x, func() { r.list(x.Cond); r.list(x.Do) })
	case *syntax.ForClause:
		r.inside(x.Loop)
		if counted, is := x.Loop.(*syntax.CStyleLoop); is {
			r.sum(counted.Init)
			r.sum(counted.Cond)
			r.sum(counted.Post)
		}
		r.repeated(x, func() { r.list(x.Do) })
	case *syntax.CaseClause:
		r.inside(x.Word)
		before := r.dirs
		for _, item := range x.Items {
			for _, pattern := range item.Patterns {
				r.inside(pattern)
			}
			r.list(item.Stmts)
			r.maybe(before)
		}
	case *syntax.FuncDecl:
		r.function(x)
	case *syntax.DeclClause:
		r.declaration(x)
	case *syntax.LetClause:
		for _, e := range x.Exprs {
			r.sum(e)
		}
		r.inside(x)
	case *syntax.ArithmCmd:
		r.sum(x.X)
		r.inside(x)
	case *syntax.TestClause:
		r.test(x.X)
		r.inside(x)
	case *syntax.TimeClause:
		r.stmt(x.Stmt)
	case *syntax.CoprocClause:
		r.apart(func() { r.stmt(x.Stmt) })
	default:
		r.warn("It uses a part of the shell that is not read here.")
	}
}

func (r *reader) binary(x *syntax.BinaryCmd) {
	switch x.Op {
	case syntax.AndStmt:
		r.stmt(x.X)
		r.stmt(x.Y)
	case syntax.OrStmt:
		before := r.dirs
		r.stmt(x.X)
		r.maybe(before)
		before = r.dirs
		r.stmt(x.Y)
		r.maybe(before)
	default:
		r.apart(func() { r.stmt(x.X) })
		r.apart(func() {
			r.piped, r.input = true, r.spoken(x.X)
			r.fed = r.feeds(x.X)
			r.stmt(x.Y)
		})
	}
}

func (r *reader) condition(x *syntax.IfClause) {
	before := r.dirs
	r.list(x.Cond)
	inside := r.dirs
	r.list(x.Then)
	after := r.dirs
	r.dirs = inside
	if x.Else != nil {
		r.condition(x.Else)
	}
	r.maybe(after)
	r.maybe(before)
}

// repeated reads what may run more than once: a change of directory in it adds up.
func (r *reader) repeated(n syntax.Node, do func()) {
	if moves(n) {
		r.dirs = nil
	}
	do()
}

// moves reports whether a stretch changes the working directory.
func moves(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(node syntax.Node) bool {
		call, is := node.(*syntax.CallExpr)
		if !is || len(call.Args) == 0 {
			return true
		}
		switch call.Args[0].Lit() {
		case "cd", "pushd", "popd", "eval", "source", ".", "builtin", "command", "":
			found = true
		}
		return !found
	})
	return found
}

// function reads the body where it is declared: it may be called from anywhere later.
func (r *reader) function(x *syntax.FuncDecl) {
	if r.functions == nil {
		r.functions = map[string]bool{}
	}
	if moves(x.Body) {
		r.dirs = nil
	}
	input, piped, fed := r.input, r.piped, r.fed
	r.input, r.piped, r.fed = nil, true, nil // from wherever it is called
	r.stmt(x.Body)
	r.input, r.piped, r.fed = input, piped, fed
	if x.Name != nil && r.declared[x.Name.Value] {
		r.functions[x.Name.Value] = true
	}
}

// redirect reads one redirection of a statement.
func (r *reader) redirect(x *syntax.Redirect) {
	r.inside(x.Word)
	if x.Hdoc != nil {
		r.inside(x.Hdoc)
	}
	here := &call{r: r, name: "The redirection"}
	switch x.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		r.piped, r.fed, r.input = true, nil, text(r.one(x.Hdoc))
	case syntax.WordHdoc:
		r.piped, r.fed, r.input = true, nil, text(r.one(x.Word))
	case syntax.DplIn:
		r.piped, r.fed, r.input = true, nil, nil
	case syntax.RdrIn:
		r.piped, r.fed, r.input = true, nil, nil
		here.file(r.one(x.Word), toolspec.UseRead)
	case syntax.RdrInOut:
		r.piped, r.fed, r.input = true, nil, nil
		here.file(r.one(x.Word), toolspec.UseRead)
		here.file(r.one(x.Word), toolspec.UseWrite)
	case syntax.DplOut:
		if v := r.one(x.Word); !v.sure() || !descriptor(v.text) {
			here.file(v, toolspec.UseWrite)
		}
	default:
		here.file(r.one(x.Word), toolspec.UseWrite)
	}
}

func descriptor(s string) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return s != ""
}

func text(v value) *string {
	if !v.sure() {
		return nil
	}
	return &v.text
}

// inside reads the commands that stand within words, sums and tests of a node.
func (r *reader) inside(n syntax.Node) {
	if n == nil {
		return
	}
	if w, is := n.(*syntax.Word); is && w == nil {
		return
	}
	syntax.Walk(n, func(node syntax.Node) bool {
		switch x := node.(type) {
		case *syntax.CmdSubst:
			r.apart(func() { r.list(x.Stmts) })
			return false
		case *syntax.ProcSubst:
			r.apart(func() { r.piped, r.input, r.fed = true, nil, nil; r.list(x.Stmts) })
			return false
		case *syntax.ArithmExp:
			r.sum(x.X)
		case *syntax.ParamExp:
			r.expansion(x)
		}
		return true
	})
}

// expansion warns of expansions that run what a variable holds.
func (r *reader) expansion(x *syntax.ParamExp) {
	if x.Exp != nil && x.Exp.Op == syntax.OtherParamOps && x.Exp.Word != nil && x.Exp.Word.Lit() == "P" {
		r.warn(short(r.source(x)) + " runs commands that stand in a variable.")
	}
	if x.Excl && x.Names == 0 && x.Param != nil && r.tricky(x.Param.Value) {
		r.warn(short(r.source(x)) + " takes the name of a variable from text that is not known.")
	}
	if x.Index != nil {
		r.sum(x.Index)
	}
	if x.Slice != nil {
		r.sum(x.Slice.Offset)
		r.sum(x.Slice.Length)
	}
}

// sum warns of numbers worked out of text that is not known: bash runs substitutions that
// stand in such text.
func (r *reader) sum(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	syntax.Walk(x, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Lit:
			r.number(n.Value)
		case *syntax.ParamExp:
			if n.Param != nil && !n.Length {
				r.number(n.Param.Value)
			}
		case *syntax.SglQuoted:
			r.warn("A sum holds quoted text, which bash may run.")
		}
		return true
	})
}

func (r *reader) number(name string) {
	if r.tricky(name) {
		r.warn("“" + name + "” is worked out as a number, and what it holds could be a command.")
	}
}

func (r *reader) tricky(name string) bool {
	v := r.vars[name]
	return v != nil && v.tricky
}

// test reads the conditions of [[ ]] that work out numbers or names.
func (r *reader) test(x syntax.TestExpr) {
	syntax.Walk(x, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				r.operand(n.X)
				r.operand(n.Y)
			}
		case *syntax.UnaryTest:
			if n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar {
				r.operand(n.X)
			}
		}
		return true
	})
}

// operand is a word of a test that bash works out.
func (r *reader) operand(x syntax.TestExpr) {
	w, is := x.(*syntax.Word)
	if !is {
		return
	}
	if v := r.one(w); !v.unknown && !holdsCommand(v.text) {
		r.number(v.text)
		return
	}
	r.sum(w)
	if !numeric(w) && w.Lit() == "" {
		for _, part := range w.Parts {
			if _, is := part.(*syntax.CmdSubst); is {
				r.warn("A test works out the text of a command as a number.")
			}
		}
	}
}
