package command

import (
	"mvdan.cc/sh/v3/syntax"

	"sextant/backend/policy/command/bash"
	"sextant/backend/policy/command/pipes"
	"sextant/shared/toolspec"
)

// readList reads statements that run one after another, even if one of them fails.
func (r *reader) readList(stmts []*syntax.Stmt) {
	for _, stmt := range stmts {
		before := r.Folders
		r.readStatement(stmt)
		r.addFolders(before)
	}
}

func (r *reader) readStatement(stmt *syntax.Stmt) {
	if stmt == nil {
		return
	}
	if r.remaining--; r.remaining < 0 {
		r.warn("It is too long to be read to its end.")
		return
	}
	input := r.stdin
	for _, redirect := range stmt.Redirs {
		r.readRedirect(redirect)
	}
	if stmt.Background {
		r.isolate(func() { r.readCommand(stmt.Cmd) })
	} else {
		r.readCommand(stmt.Cmd)
	}
	r.stdin = input
}

func (r *reader) readCommand(cmd syntax.Command) {
	switch x := cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.readSimpleCommand(x)
	case *syntax.BinaryCmd:
		r.readBinary(x)
	case *syntax.Block:
		r.readList(x.Stmts)
	case *syntax.Subshell:
		r.isolate(func() { r.readList(x.Stmts) })
	case *syntax.IfClause:
		r.readIf(x)
	case *syntax.WhileClause:
		r.readLoop(x, func() { r.readList(x.Cond); r.readList(x.Do) })
	case *syntax.ForClause:
		r.readNested(x.Loop)
		if counted, ok := x.Loop.(*syntax.CStyleLoop); ok {
			r.CheckArithmetic(counted.Init, r.warn)
			r.CheckArithmetic(counted.Cond, r.warn)
			r.CheckArithmetic(counted.Post, r.warn)
		}
		r.readLoop(x, func() { r.readList(x.Do) })
	case *syntax.CaseClause:
		r.readNested(x.Word)
		before := r.Folders
		for _, item := range x.Items {
			for _, pattern := range item.Patterns {
				r.readNested(pattern)
			}
			r.readList(item.Stmts)
			r.addFolders(before)
		}
	case *syntax.FuncDecl:
		r.readFunction(x)
	case *syntax.DeclClause:
		r.readDeclaration(x)
	case *syntax.LetClause:
		for _, e := range x.Exprs {
			r.CheckArithmetic(e, r.warn)
		}
		r.readNested(x)
	case *syntax.ArithmCmd:
		r.CheckArithmetic(x.X, r.warn)
		r.readNested(x)
	case *syntax.TestClause:
		r.CheckTest(x.X, r.warn)
		r.readNested(x)
	case *syntax.TimeClause:
		r.readStatement(x.Stmt)
	case *syntax.CoprocClause:
		r.isolate(func() { r.readStatement(x.Stmt) })
	default:
		r.warn("It uses a part of the shell that Sextant does not read.")
	}
}

func (r *reader) readBinary(x *syntax.BinaryCmd) {
	switch x.Op {
	case syntax.AndStmt:
		r.readStatement(x.X)
		r.readStatement(x.Y)
	case syntax.OrStmt:
		before := r.Folders
		r.readStatement(x.X)
		r.addFolders(before)
		before = r.Folders
		r.readStatement(x.Y)
		r.addFolders(before)
	default:
		r.isolate(func() { r.readStatement(x.X) })
		r.isolate(func() {
			text := pipes.PrintedText(&r.Expander, x.X, r.shadowed)
			r.stdin = stdin{text: text, piped: true, files: pipes.PrintedFiles(&r.Expander, x.X, r.shadowed)}
			r.readStatement(x.Y)
		})
	}
}

func (r *reader) readIf(x *syntax.IfClause) {
	before := r.Folders
	r.readList(x.Cond)
	inside := r.Folders
	r.readList(x.Then)
	after := r.Folders
	r.Folders = inside
	if x.Else != nil {
		r.readIf(x.Else)
	}
	r.addFolders(after)
	r.addFolders(before)
}

// The working directory becomes unknown if the loop may change it.
func (r *reader) readLoop(n syntax.Node, do func()) {
	if bash.ChangesFolder(n) {
		r.Folders = nil
	}
	do()
}

// readFunction reads a function's body at its declaration. It may be called from any folder and with any input.
func (r *reader) readFunction(x *syntax.FuncDecl) {
	if r.functions == nil {
		r.functions = map[string]bool{}
	}
	if bash.ChangesFolder(x.Body) {
		r.Folders = nil
	}
	input := r.stdin
	r.stdin = stdin{piped: true}
	r.readStatement(x.Body)
	r.stdin = input
	if x.Name != nil && bash.PrintsNumber(x.Name.Value) {
		r.warn("It replaces “" + x.Name.Value + "” with a function, so a number that it prints could be a command.")
	}
	if x.Name != nil && r.declared[x.Name.Value] {
		r.functions[x.Name.Value] = true
	}
}

func (r *reader) readRedirect(x *syntax.Redirect) {
	r.readNested(x.Word)
	if x.Hdoc != nil {
		r.readNested(x.Hdoc)
	}
	redirection := &simpleCommand{reader: r, name: "The redirection"}
	switch x.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		r.stdin = stdin{text: r.Word(x.Hdoc).LiteralText(), piped: true}
	case syntax.WordHdoc:
		r.stdin = stdin{text: r.Word(x.Word).LiteralText(), piped: true}
	case syntax.DplIn:
		r.stdin = stdin{piped: true}
	case syntax.RdrIn:
		r.stdin = stdin{piped: true}
		redirection.useFile(r.Word(x.Word), toolspec.UseRead)
	case syntax.RdrInOut:
		r.stdin = stdin{piped: true}
		redirection.useFile(r.Word(x.Word), toolspec.UseRead)
		redirection.useFile(r.Word(x.Word), toolspec.UseWrite)
	case syntax.DplOut:
		if v := r.Word(x.Word); !v.IsLiteral() || !isDescriptor(v.Text) {
			redirection.useFile(v, toolspec.UseWrite)
		}
	default:
		redirection.useFile(r.Word(x.Word), toolspec.UseWrite)
	}
}

func isDescriptor(s string) bool {
	for _, c := range s {
		if (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return s != ""
}

func (r *reader) readNested(n syntax.Node) {
	if n == nil {
		return
	}
	if w, ok := n.(*syntax.Word); ok && w == nil {
		return
	}
	syntax.Walk(n, func(node syntax.Node) bool {
		switch x := node.(type) {
		case *syntax.CmdSubst:
			r.isolate(func() { r.readList(x.Stmts) })
			return false
		case *syntax.ProcSubst:
			r.isolate(func() { r.stdin = stdin{piped: true}; r.readList(x.Stmts) })
			return false
		case *syntax.ArithmExp:
			r.CheckArithmetic(x.X, r.warn)
		case *syntax.ParamExp:
			r.CheckExpansion(x, r.warn)
		}
		return true
	})
}
