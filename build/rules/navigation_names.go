package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// NavigationNames lists names that only the navigation map may contain.
type NavigationNames struct {
	Paths []string // route paths as in the map: "/api/panels/open", with {parts}
}

// CheckNavigationNames checks that no program file outside mapFolder contains the name of a tool that opens a
// panel ("open_…_panel") or one of names.Paths. Comments, tests, generated files and build/rules may contain them.
func CheckNavigationNames(files []File, mapFolder string, names NavigationNames) []string {
	var problems []string
	for _, f := range files {
		if f.IsTest() || f.IsGenerated() || strings.HasPrefix(f.Path, mapFolder+"/") ||
			strings.HasPrefix(f.Path, "build/rules/") {
			continue
		}
		for _, s := range texts(f) {
			if found := openTool(s.text); found != "" {
				problems = append(problems, problem(f.Path, s.line, "%s is named here; take it from %s/map.json", found,
					mapFolder))
			}
			for _, p := range names.Paths {
				if containsPath(s.text, p) {
					problems = append(problems,
						problem(f.Path, s.line, "the route %s is named here; take it from %s/map.json", p, mapFolder))
					break
				}
			}
		}
	}
	return problems
}

// openTool returns the first word of the form open_…_panel in text, "" for none.
func openTool(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r > 127 || !isNameByte(byte(r)) })
	for _, w := range words {
		if strings.HasPrefix(w, "open_") && strings.HasSuffix(w, "_panel") && len(w) > len("open__panel") {
			return w
		}
	}
	return ""
}

// containsPath reports whether text contains p, up to its first {part}, and no longer segment there.
func containsPath(text, p string) bool {
	p, _, _ = strings.Cut(p, "{")
	p = strings.TrimSuffix(p, "/")
	for from := 0; ; {
		i := strings.Index(text[from:], p)
		if i < 0 {
			return false
		}
		end := from + i + len(p)
		if end == len(text) || !isNameByte(text[end]) {
			return true
		}
		from = end
	}
}

func isNameByte(b byte) bool {
	return b == '-' || b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

type located struct {
	line int
	text string
}

// texts returns the string literals of a Go file, and the lines without comments of any other file.
func texts(f File) []located {
	if f.IsGo() {
		return goStrings(f)
	}
	text := blank(blank(f.Text, "/*", "*/"), "<!--", "-->")
	var out []located
	for i, line := range strings.Split(text, "\n") {
		out = append(out, located{i + 1, uncommented(line)})
	}
	return out
}

// blank removes everything from each begin to the next end, but keeps the line breaks.
func blank(text, begin, end string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, begin)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		comment, after, _ := strings.Cut(rest, end)
		out.WriteString(strings.Repeat("\n", strings.Count(comment, "\n")))
		text = after
	}
}

// uncommented removes a line comment from line; "//" after a colon is part of an address.
func uncommented(line string) string {
	for from := 0; ; {
		i := strings.Index(line[from:], "//")
		if i < 0 {
			return line
		}
		if at := from + i; at == 0 || line[at-1] != ':' {
			return line[:at]
		}
		from += i + 2
	}
}

func goStrings(f File) []located {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, f.Path, f.Text, parser.SkipObjectResolution)
	if err != nil {
		return nil // CheckGoSource reports a file that does not parse
	}
	var out []located
	ast.Inspect(tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			out = append(out, located{set.Position(lit.Pos()).Line, lit.Value})
		}
		return true
	})
	return out
}
