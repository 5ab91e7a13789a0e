package openapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEnumsMatchSource compares enums and eventMessages with the string constants of the shared packages.
func TestEnumsMatchSource(t *testing.T) {
	known := map[string][]any{}
	for _, e := range enums() {
		known[strings.TrimPrefix(e.goType.PkgPath(), "sextant/shared/")+"."+e.goType.Name()] = e.values
	}
	for _, e := range eventMessages() {
		known["event.Kind"] = append(known["event.Kind"], e.kind)
	}
	byValue := func(a, b any) int { return strings.Compare(a.(string), b.(string)) }
	for _, pkg := range []string{"chat", "event", "toolspec", "wire"} {
		for name, want := range typedConstants(t, filepath.Join("..", "..", "..", "shared", pkg)) {
			t.Run(pkg+"."+name, func(t *testing.T) {
				got := known[pkg+"."+name]
				slices.SortFunc(want, byValue)
				slices.SortFunc(got, byValue)
				if !slices.Equal(got, want) {
					t.Errorf("enums() or eventMessages() lists %s.%s as %q, the source has %q", pkg, name, got, want)
				}
			})
		}
	}
}

// typedConstants returns the string constants of a package folder by their declared type.
func typedConstants(t *testing.T, folder string) map[string][]any {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no Go files in %s: %v", folder, err)
	}
	constants := map[string][]any{}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			typed, ok := spec.Type.(*ast.Ident)
			literal, isLiteral := spec.Values[0].(*ast.BasicLit)
			if !ok || !isLiteral || literal.Kind != token.STRING || typed.Name == "string" {
				return true
			}
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			constants[typed.Name] = append(constants[typed.Name], value)
			return true
		})
	}
	return constants
}
