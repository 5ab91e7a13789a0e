package bash

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// FunctionNames returns the names of all functions that file declares. top has those declared at the top level, which
// certainly exist after their declaration.
func FunctionNames(file *syntax.File) (all, top []string) {
	syntax.Walk(file, func(node syntax.Node) bool {
		if f, ok := node.(*syntax.FuncDecl); ok && f.Name != nil {
			all = append(all, f.Name.Value)
		}
		return true
	})
	for _, stmt := range file.Stmts {
		if f, ok := stmt.Cmd.(*syntax.FuncDecl); ok && f.Name != nil && !stmt.Background {
			top = append(top, f.Name.Value)
		}
	}
	return all, top
}

// ChangesFolder reports whether a command in n may change the working directory.
func ChangesFolder(n syntax.Node) bool {
	found := false
	syntax.Walk(n, func(node syntax.Node) bool {
		call, ok := node.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
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

// IsNumeric reports whether w can only expand to a number.
func IsNumeric(w *syntax.Word) bool {
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.Trim(p.Value, "0123456789+-") != "" {
				return false
			}
		case *syntax.ArithmExp:
		case *syntax.DblQuoted:
			if !IsNumeric(&syntax.Word{Parts: p.Parts}) {
				return false
			}
		case *syntax.ParamExp:
			if !p.Length && (!isPlain(p) || !strings.Contains("#?$!", p.Param.Value)) {
				return false
			}
		case *syntax.CmdSubst:
			if !printsNumber(p) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// numberPrinters are commands that print only numbers, with the options that keep it so.
var numberPrinters = map[string][]string{
	"date":  {"+%s"},
	"id":    {"-u", "-g"},
	"nproc": {"", "--all"},
	"wc":    {"", "-c", "-l", "-m", "-w"},
}

// PrintsNumber reports whether IsNumeric relies on the output of the program name.
func PrintsNumber(name string) bool { return numberPrinters[name] != nil }

func printsNumber(p *syntax.CmdSubst) bool {
	if len(p.Stmts) != 1 {
		return false
	}
	cmd := p.Stmts[0].Cmd
	if pipe, ok := cmd.(*syntax.BinaryCmd); ok && pipe.Op == syntax.Pipe {
		cmd = pipe.Y.Cmd
	}
	call, ok := cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(call.Args) > 2 {
		return false
	}
	option := ""
	if len(call.Args) == 2 {
		if option = call.Args[1].Lit(); option == "" {
			return false
		}
	}
	return slices.Contains(numberPrinters[call.Args[0].Lit()], option)
}
