package manifest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Report is the result of Validate.
type Report struct {
	// Panel is the name of the folder. Title is the manifest's title, "" if the manifest has errors.
	Panel string `json:"panel"`
	Title string `json:"title,omitempty"`
	// OK is true if there are no errors. There may be warnings.
	OK       bool      `json:"ok"`
	Tools    []string  `json:"tools"`
	Problems []Problem `json:"problems"`
}

// Validate checks the panel in the folder dir. It does not know the other panels, whose tools may have the same names.
// A tool with one of the reserved names is an error.
func Validate(dir string, reserved ...string) Report {
	report := Report{Tools: []string{}, Problems: []Problem{}}
	full, err := filepath.Abs(dir)
	if err != nil {
		return report.with(problem(false, "%s", err))
	}
	report.Panel = filepath.Base(full)
	if info, err := os.Stat(full); err != nil || !info.IsDir() {
		return report.with(problem(false, "%s is not a folder", dir))
	}
	text, err := ReadFile(filepath.Dir(full), report.Panel)
	if err != nil {
		return report.with(problem(false, "%s", err))
	}
	found := Parse(text, report.Panel, false)
	report.Problems = append(report.Problems, found.Problems...)
	if found.Plan == nil {
		return report
	}
	report.OK, report.Title = true, found.Plan.Manifest.Title
	for _, t := range found.Plan.Tools {
		if slices.Contains(reserved, t.Name) {
			report = report.with(t.DisabledProblem("the name belongs to a tool of Sextant. Give it another name."))
			continue
		}
		report.Tools = append(report.Tools, t.Name)
	}
	_, problems := ReadPage(full, found.Plan)
	for _, p := range problems {
		report = report.with(p)
	}
	if b := found.Plan.Manifest.Backend; b != nil && b.Command != "" {
		report.Problems = append(report.Problems, missingProgram(full, b)...)
	}
	return report
}

func (r Report) with(p Problem) Report {
	r.Problems = append(r.Problems, p)
	r.OK = r.OK && p.IsWarning()
	return r
}

// A missing command or script is only a warning, because the panel may run on another machine.
func missingProgram(dir string, b *Backend) (problems []Problem) {
	warn := func(format string, args ...any) {
		problems = append(problems, problem(true, format, args...))
	}
	command := b.Command
	if strings.ContainsRune(command, '/') && !filepath.IsAbs(command) {
		command = filepath.Join(dir, command)
	}
	if _, err := exec.LookPath(command); err != nil {
		warn("the program %s is not found on this machine", b.Command)
	}
	for _, arg := range b.Args {
		switch strings.ToLower(filepath.Ext(arg)) {
		case ".js", ".mjs", ".cjs", ".ts", ".py", ".rb", ".sh", ".pl", ".php", ".lua":
			if _, err := os.Stat(filepath.Join(dir, arg)); err != nil && !filepath.IsAbs(arg) {
				warn("%s is not in the folder", arg)
			}
		}
	}
	return problems
}
