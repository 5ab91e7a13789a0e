package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestReferencesReportMissingTargets(t *testing.T) {
	repository := Repository{
		Exists: func(p string) bool {
			return p == "docs/a.md" || p == "docs/b.md" || p == "backend/policy"
		},
		Targets: []string{"test"},
	}
	cases := []struct{ name, text, want string }{
		{"a path that exists", "See `backend/policy` and `go test ./backend/policy/...`.", ""},
		{"a path that does not", "See `backend/attic`.", "docs/a.md:1: backend/attic does not exist"},
		{"a path in a command", "Run `go vet ./backend/attic`.", "./backend/attic does not exist"},
		{"a path with a placeholder", "Create `panels/<id>/manifest.json`.", ""},
		{"a built file", "Run `build/bin/sextant`.", ""},
		{"a block of code", "```\n`backend/attic`\n```\n", ""},
		{"a make target that exists", "Run `make test`.", ""},
		{"a make target that does not", "Run `make tests`.", "make tests does not exist"},
		{"a link", "[b](b.md), [web](https://example.com), [here](#one)\n\n# One", ""},
		{"a link to a missing file", "[c](c.md)", "leads to c.md"},
		{"a link to a heading", "[b](b.md#add-a-tool)", ""},
		{"a link to a missing heading", "[b](b.md#add-a-panel)", "leads to b.md#add-a-panel"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			problems := CheckReferences([]File{{"docs/a.md", c.text}, {"docs/b.md", "## Add a tool\n"}}, repository)
			if c.want == "" {
				expect(t, problems)
				return
			}
			expect(t, problems, c.want)
		})
	}
}

func TestDocumentsReferToExistingTargets(t *testing.T) {
	top := filepath.Join("..", "..")
	var documents []File
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "docs/*/*/*.md", ".github/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range found {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			rel := filepath.ToSlash(strings.TrimPrefix(name, top+string(filepath.Separator)))
			documents = append(documents, File{rel, string(text)})
		}
	}
	if len(documents) < 20 {
		t.Fatalf("found %d documents", len(documents))
	}
	makefile, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	repository := Repository{Exists: func(p string) bool {
		_, err := os.Stat(filepath.Join(top, filepath.FromSlash(p)))
		return err == nil
	}}
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(string(makefile), -1) {
		repository.Targets = append(repository.Targets, m[1])
	}
	for _, problem := range CheckReferences(documents, repository) {
		t.Error(problem)
	}
}
