package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits on the sizes of functions, packages and lines.
const (
	MaxFunctionLines = 80   // lines of a function
	MaxPackageLines  = 3000 // lines of a package's program files
	MaxRootLines     = 2000 // lines of the composition root's program files
	MaxColumns       = 120  // columns of a line of Go, a tab counting as tabWidth
	tabWidth         = 4
)

// compositionRoot is the package that opens, connects and closes the parts of the program.
const compositionRoot = "app"

// CheckPackageSizes checks that no package's program files have more than MaxPackageLines lines together, and
// those of the composition root no more than MaxRootLines.
func CheckPackageSizes(files []File) []string {
	lines := map[string]int{}
	for _, f := range files {
		if f.IsGo() && !f.IsTest() && !f.IsGenerated() {
			lines[path.Dir(f.Path)] += strings.Count(f.Text, "\n")
		}
	}
	var problems []string
	for _, folder := range slices.Sorted(maps.Keys(lines)) {
		n := lines[folder]
		if folder == compositionRoot && n > MaxRootLines {
			problems = append(problems, fmt.Sprintf("%s: the composition root has %d lines, more than %d; move "+
				"logic into the package that owns it", folder, n, MaxRootLines))
			continue
		}
		if n > MaxPackageLines {
			problems = append(problems, fmt.Sprintf("%s: the package has %d lines, more than %d; split it", folder, n,
				MaxPackageLines))
		}
	}
	return problems
}

// CheckLineLengths checks that no line of Go is wider than MaxColumns. Lines of raw strings and of strings with a
// long word are exempt, because they cannot be broken.
func CheckLineLengths(files []File) []string {
	var problems []string
	for _, f := range files {
		if !f.IsGo() || f.IsGenerated() {
			continue
		}
		exempt := unbreakableLines(f)
		for i, line := range strings.Split(f.Text, "\n") {
			tabs := strings.Count(line, "\t")
			if n := utf8.RuneCountInString(line) + tabs*(tabWidth-1); n > MaxColumns && !exempt[i+1] {
				problems = append(problems, problem(f.Path, i+1, "the line has %d columns, more than %d", n,
					MaxColumns))
			}
		}
	}
	return problems
}

// unbreakable reports whether a string literal is raw or contains a word of more than 60 bytes.
func unbreakable(literal string) bool {
	return strings.HasPrefix(literal, "`") || slices.ContainsFunc(strings.Fields(literal), func(word string) bool {
		return len(word) > 60
	})
}

// unbreakableLines returns the numbers of the lines with a string literal that cannot be broken.
func unbreakableLines(f File) map[int]bool {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, f.Path, f.Text, parser.SkipObjectResolution)
	if err != nil {
		return nil // CheckGoSource reports a file that does not parse
	}
	lines := map[int]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && unbreakable(lit.Value) {
			for line := set.Position(lit.Pos()).Line; line <= set.Position(lit.End()).Line; line++ {
				lines[line] = true
			}
		}
		return true
	})
	return lines
}

// CheckGoSource checks each Go file: functions have at most MaxFunctionLines lines, only tests call Must
// functions, listeners are on loopback, and the package name is not a generic one. A file that does not parse is
// a problem too.
func CheckGoSource(files []File) []string {
	var problems []string
	for _, f := range files {
		if !f.IsGo() || f.IsGenerated() {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, f.Path, f.Text, parser.SkipObjectResolution)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		problems = append(problems, packageName(f, set, tree)...)
		problems = append(problems, longFunctions(f, set, tree)...)
		if !f.IsTest() {
			problems = append(problems, mustCalls(f, set, tree)...)
			problems = append(problems, listeners(f, set, tree)...)
		}
	}
	return problems
}

// CheckPackageComments checks that each Go package has a package comment of at least six words in one of its files.
func CheckPackageComments(files []File) []string {
	commented := map[string]bool{}
	var folders []string
	for _, f := range files {
		if !f.IsGo() || f.IsTest() {
			continue
		}
		folder := path.Dir(f.Path)
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Text, parser.ParseComments|parser.PackageClauseOnly)
		if err == nil && tree.Doc != nil && len(strings.Fields(tree.Doc.Text())) >= 6 {
			commented[folder] = true
		}
	}
	var problems []string
	for _, folder := range folders {
		if !commented[folder] {
			problems = append(problems, folder+": the package has no package comment that says what it is for")
		}
	}
	slices.Sort(problems)
	return problems
}

func packageName(f File, set *token.FileSet, tree *ast.File) []string {
	banned := []string{"util", "utils", "common", "helper", "helpers", "manager", "base", "misc", "lib"}
	if name := strings.TrimSuffix(tree.Name.Name, "_test"); slices.Contains(banned, name) {
		return []string{problem(f.Path, set.Position(tree.Name.Pos()).Line,
			"the package name %s does not say what the package is for", name)}
	}
	return nil
}

func longFunctions(f File, set *token.FileSet, tree *ast.File) []string {
	var problems []string
	for _, decl := range tree.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		from, to := set.Position(fn.Pos()).Line, set.Position(fn.End()).Line
		if n := to - from + 1 - tableLines(set, fn); n > MaxFunctionLines {
			problems = append(problems, problem(f.Path, from, "%s has %d lines, more than %d", fn.Name.Name, n,
				MaxFunctionLines))
		}
	}
	return problems
}

// tableLines counts the lines of fn inside composite literals; tables do not count as code.
func tableLines(set *token.FileSet, fn *ast.FuncDecl) int {
	n := 0
	ast.Inspect(fn, func(node ast.Node) bool {
		lit, ok := node.(*ast.CompositeLit)
		if ok {
			n += set.Position(lit.End()).Line - set.Position(lit.Pos()).Line
		}
		return !ok
	})
	return n
}

func mustCalls(f File, set *token.FileSet, tree *ast.File) []string {
	var problems []string
	ast.Inspect(tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if name := calledName(call); panicking(name) && !fixedPattern(call) {
			problems = append(problems, problem(f.Path, set.Position(call.Pos()).Line,
				"%s panics on a bad value; use the function that returns an error", name))
		}
		return true
	})
	return problems
}

// fixedPattern reports whether call compiles a regular expression from a literal. It is allowed, because a wrong
// literal would already fail in every test.
func fixedPattern(call *ast.CallExpr) bool {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || fun.Sel.Name != "MustCompile" || len(call.Args) != 1 {
		return false
	}
	from, ok := fun.X.(*ast.Ident)
	return ok && from.Name == "regexp" && isLiteral(call.Args[0])
}

// isLiteral reports whether e is a literal or a sum of literals.
func isLiteral(e ast.Expr) bool {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		return isLiteral(sum.X) && isLiteral(sum.Y)
	}
	_, ok := e.(*ast.BasicLit)
	return ok
}

func panicking(name string) bool {
	rest, ok := strings.CutPrefix(name, "Must")
	return ok && (rest == "" || rest[0] >= 'A' && rest[0] <= 'Z')
}

func calledName(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// listeners checks calls that open a port: the address must be a loopback literal, or the function must call IsLoopback
// first. Unix sockets are allowed.
func listeners(f File, set *token.FileSet, tree *ast.File) []string {
	var problems []string
	for _, decl := range tree.Decls {
		checked := false
		ast.Inspect(decl, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			checked = checked || calledName(call) == "IsLoopback"
			address, listens := listenAddress(call)
			if listens && !checked && !loopback(address) {
				problems = append(problems, problem(f.Path, set.Position(call.Pos()).Line,
					"%s: begin the address with 127.0.0.1: or [::1]:, or call IsLoopback first",
					calledName(call)))
			}
			return true
		})
	}
	return problems
}

func listenAddress(call *ast.CallExpr) (ast.Expr, bool) {
	args := call.Args
	switch name := calledName(call); {
	case (name == "Listen" || name == "ListenPacket") && len(args) >= 2:
		if first := leftmost(args[len(args)-2]); strings.HasPrefix(first, "unix") {
			return nil, false
		}
		return args[len(args)-1], true
	case (name == "ListenAndServe" || name == "ListenAndServeTLS") && len(args) >= 2:
		return args[0], true
	case (name == "ListenTCP" || name == "ListenUDP") && len(args) == 2:
		return args[1], true
	}
	return nil, false
}

func loopback(e ast.Expr) bool {
	first := leftmost(e)
	return first == "127.0.0.1" || first == "::1" ||
		strings.HasPrefix(first, "127.0.0.1:") || strings.HasPrefix(first, "[::1]:")
}

// leftmost returns the literal text that an expression begins with: a literal, the left end of a sum, the host of
// net.JoinHostPort or the format of fmt.Sprintf; "" for none.
func leftmost(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		return strings.Trim(e.Value, "\"`")
	case *ast.BinaryExpr:
		return leftmost(e.X)
	case *ast.CallExpr:
		if name := calledName(e); (name == "JoinHostPort" || name == "Sprintf") && len(e.Args) > 0 {
			return leftmost(e.Args[0])
		}
	}
	return ""
}
