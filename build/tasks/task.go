package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed tasks/*.txt
var taskFiles embed.FS

// task contains the instruction of a task, the calls of its scripted solver, and the changes that they must
// cause.
type task struct {
	Name   string
	Family string
	// Site is the folder under sites that is served at the task's address.
	Site string
	// InShortRun includes the task in short runs.
	InShortRun bool
	// Instruction is the message to the assistant; {{site}} in it is the address of the task's own copy of the site.
	Instruction string
	// Script lists the calls of the scripted solver.
	Script []scriptedCall
	// Check lists all changes of the state that the task must cause.
	Check []string
	// State overrides the site's initial state; Files are written into the workspace.
	State map[string]any
	Files map[string]string

	number int
}

// scriptedCall is one call of a script. In its JSON arguments "@button Save" is replaced by an element's number
// and {{/pattern/}} by what the pattern's group matches in the results read.
type scriptedCall struct{ tool, args string }

// host returns the host of the task's copy of the site, partnerHost its second origin.
func (t *task) host() string        { return fmt.Sprintf("%s-%02d.example", t.Site, t.number) }
func (t *task) partnerHost() string { return fmt.Sprintf("partner-%02d.example", t.number) }

// instruction returns the message to the assistant, with the addresses of the sites filled in.
func (t *task) instruction() string { return t.fillHosts(t.Instruction) }

func (t *task) fillHosts(text string) string {
	return strings.NewReplacer("{{site}}", "http://"+t.host(), "{{partner}}", "http://"+t.partnerHost()).Replace(text)
}

// readTasks reads every task, in the order of their file names.
func readTasks() ([]*task, error) {
	entries, err := fs.ReadDir(taskFiles, "tasks")
	if err != nil {
		return nil, err
	}
	var all []*task
	for i, e := range entries {
		b, err := fs.ReadFile(taskFiles, path.Join("tasks", e.Name()))
		if err != nil {
			return nil, err
		}
		t, err := parseTask(string(b))
		if err != nil {
			return nil, fmt.Errorf("tasks/%s: %w", e.Name(), err)
		}
		t.Name, t.number = strings.TrimSuffix(e.Name(), ".txt"), i+1
		all = append(all, t)
	}
	return all, nil
}

var sectionLine = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// parseTask reads a task's file: lines `key: value`, the sections solve and check, and optionally state.json and files
// for the workspace.
func parseTask(text string) (*task, error) {
	t := &task{Files: map[string]string{}}
	marks := sectionLine.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 {
		return nil, fmt.Errorf("there is no section `-- solve --`")
	}
	if err := t.parseHeader(text[:marks[0][0]]); err != nil {
		return nil, err
	}
	for i, m := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		if err := t.parseSection(text[m[2]:m[3]], text[m[1]:end]); err != nil {
			return nil, err
		}
	}
	switch {
	case t.Instruction == "" || t.Site == "" || t.Family == "":
		return nil, fmt.Errorf("say, site and family are required")
	case len(t.Script) == 0 || len(t.Check) == 0:
		return nil, fmt.Errorf("the sections solve and check are required")
	}
	return t, nil
}

func (t *task) parseHeader(text string) error {
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "say":
			t.Instruction = strings.TrimSpace(t.Instruction + "\n" + value)
		case "site":
			t.Site = value
		case "family":
			t.Family = value
		case "short":
			t.InShortRun = value == "true"
		default:
			return fmt.Errorf("the line %q does not begin with say, site, family or short", line)
		}
	}
	return nil
}

func (t *task) parseSection(name, text string) error {
	var err error
	switch name {
	case "solve":
		t.Script, err = parseCalls(text)
	case "check":
		t.Check, err = parseCheck(text)
	case "state.json":
		err = json.Unmarshal([]byte(text), &t.State)
	default:
		t.Files[name] = text
	}
	return err
}

var callLine = regexp.MustCompile(`(?m)^([a-z_]+) \{`)

// parseCalls reads calls: the tool's name at the beginning of a line, then its arguments, which may continue on
// indented lines.
func parseCalls(text string) ([]scriptedCall, error) {
	var list []scriptedCall
	starts := callLine.FindAllStringSubmatchIndex(text, -1)
	for i, m := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		o := scriptedCall{text[m[2]:m[3]], strings.TrimSpace(text[m[3]:end])}
		if !json.Valid([]byte(o.args)) {
			return nil, fmt.Errorf("the arguments of %s are not JSON: %s", o.tool, o.args)
		}
		list = append(list, o)
	}
	return list, nil
}

// selectTasks returns the tasks whose names match the pattern; with short, only those of short runs.
func selectTasks(all []*task, pattern string, short bool) ([]*task, error) {
	fits, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("-tasks: %w", err)
	}
	some := slices.DeleteFunc(slices.Clone(all), func(t *task) bool {
		return !fits.MatchString(t.Name) || short && !t.InShortRun
	})
	if len(some) == 0 {
		return nil, fmt.Errorf("no task's name matches %q; -list names them", pattern)
	}
	return some, nil
}
