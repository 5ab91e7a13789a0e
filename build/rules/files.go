// Package rules checks the repository's own rules on its source text: which group of packages may import which, how
// large packages, functions and lines may be, what only tests may call, and what documents may refer to. Tests in app
// apply the rules to the whole tree; the tests here show that each rule reports a violation.
//
// A rule returns one sentence per problem, which starts with the place. Nothing here is linked into the program.
package rules

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// File is one source file: its slash-separated path from the top of the tree, and its text.
type File struct {
	Path string
	Text string
}

// IsTest reports whether f is a test or test data, by the naming of Go, vitest and Playwright.
func (f File) IsTest() bool {
	name := path.Base(f.Path)
	return strings.HasSuffix(name, "_test.go") ||
		strings.Contains(name, ".test.") || strings.Contains(name, ".spec.") ||
		strings.HasPrefix(f.Path, "frontend/e2e/") || strings.Contains(f.Path, "/testdata/")
}

// IsGenerated reports whether f is generated, by its first lines or by ".gen." in its name.
func (f File) IsGenerated() bool {
	if strings.Contains(path.Base(f.Path), ".gen.") {
		return true
	}
	head := f.Text[:min(len(f.Text), 400)]
	return strings.Contains(head, "// Code generated ") || strings.Contains(head, "DO NOT EDIT")
}

// IsGo reports whether f is Go source.
func (f File) IsGo() bool { return strings.HasSuffix(f.Path, ".go") }

// IsScript reports whether f is TypeScript, JavaScript or a Svelte component.
func (f File) IsScript() bool {
	switch path.Ext(f.Path) {
	case ".ts", ".js", ".mjs", ".svelte":
		return true
	}
	return false
}

// Read returns the Go, TypeScript, JavaScript and Svelte files under root, except those in installed packages, built
// output, test data and hidden folders.
// the path under
func Read(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if skipFolder(rel) {
				return fs.SkipDir
			}
			return nil
		}
		f := File{Path: rel}
		if !f.IsGo() && !f.IsScript() {
			return nil
		}
		text, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f.Text = string(text)
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the tree: %w", err)
	}
	return files, nil
}

func skipFolder(rel string) bool {
	name := path.Base(rel)
	switch {
	case rel == ".":
		return false
	case strings.HasPrefix(name, "."), name == "node_modules", name == "testdata":
		return true
	}
	return rel == "frontend/dist" || rel == "build/bin" ||
		rel == "frontend/test-results" || rel == "frontend/playwright-report"
}

func problem(place string, line int, format string, args ...any) string {
	return fmt.Sprintf("%s:%d: %s", place, line, fmt.Sprintf(format, args...))
}
