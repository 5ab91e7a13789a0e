package policy

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sextant/backend/policy/protectedpaths"
	"sextant/shared/toolspec"
)

const (
	maxRuleEntries = 64
	maxEntryLength = 1000
)

// NewRule returns a rule, without an id, that forbids calls of the Tool with one of the Hosts, Commands and Paths of
// draft, or every call of the tool if there are none. An empty Tool means all tools, and then an entry is required.
// Paths are stored as written and with their links resolved. The error names the invalid entry.
func NewRule(draft toolspec.Grant, now time.Time) (toolspec.Grant, error) {
	g := toolspec.Grant{Scope: toolspec.GrantForbid, Tool: strings.TrimSpace(draft.Tool), Created: now}
	if g.Tool == "" {
		g.Tool = toolspec.AnyTool
	}
	if len(draft.Hosts)+len(draft.Commands)+len(draft.Paths) > maxRuleEntries {
		return g, fmt.Errorf("a rule has %d entries at most", maxRuleEntries)
	}
	for _, written := range draft.Hosts {
		host := NormalizeHost(written)
		if host == "" || host == invalidHost {
			return g, fmt.Errorf("%q is not a host; write it as shop.example or shop.example:8443", written)
		}
		g.Hosts = append(g.Hosts, host)
	}
	for _, written := range draft.Commands {
		name := strings.Join(strings.Fields(written), " ")
		if name == "" || len(name) > maxEntryLength || strings.ContainsAny(name, ";|&<>$`\"'") {
			return g, fmt.Errorf("%q is not a program; write its name, with a subcommand if it has one: git push",
				written)
		}
		g.Commands = append(g.Commands, name)
	}
	for _, written := range draft.Paths {
		if !filepath.IsAbs(written) || len(written) > maxEntryLength {
			return g, fmt.Errorf("%q is not an absolute path", written)
		}
		g.Paths = append(g.Paths, filepath.Clean(written))
		// Paths in a call are checked after their links are resolved, so the rule needs the resolved path too.
		real, err := protectedpaths.Resolve(written)
		if err != nil {
			return g, fmt.Errorf("%q cannot be followed: %w", written, err)
		}
		g.Paths = append(g.Paths, real)
	}
	if g.Tool == toolspec.AnyTool && len(g.Hosts)+len(g.Commands)+len(g.Paths) == 0 {
		return g, errors.New("a rule needs a tool, a host, a program or a path")
	}
	g.Hosts, g.Commands, g.Paths = sortedSet(g.Hosts), sortedSet(g.Commands), sortedSet(g.Paths)
	g.Text = ruleText(g)
	return g, nil
}

func ruleText(g toolspec.Grant) string {
	who := g.Tool
	if who == toolspec.AnyTool {
		who = "Every tool"
	}
	var parts []string
	for _, name := range g.Commands {
		parts = append(parts, "“"+name+" …”")
	}
	for _, host := range g.Hosts {
		parts = append(parts, "the host "+host)
	}
	for _, file := range g.Paths {
		parts = append(parts, file+" and what is in it")
	}
	if len(parts) == 0 {
		return who + ", never."
	}
	return who + ", never " + joinWords(parts) + "."
}

// ForbiddenPaths returns the paths that rules forbid to a baseline tool. A tool that visits more paths than its call
// names has to skip them. folder is the workspace folder.
func ForbiddenPaths(grants []toolspec.Grant, tool, folder string) []string {
	var all []string
	for _, g := range grants {
		if ruleApplies(g, toolspec.Definition{Name: tool}, folder) {
			all = append(all, g.Paths...)
		}
	}
	return sortedSet(all)
}

func ruleApplies(g toolspec.Grant, def toolspec.Definition, folder string) bool {
	return g.Scope == toolspec.GrantForbid && (g.Tool == toolspec.AnyTool || g.Tool == def.Name) &&
		(g.Owner == "" || g.Owner == def.Owner) && (g.Folder == "" || g.Folder == folder)
}

// forbiddenBy compares the tool only if the rule names no host, command or path.
func (f facts) forbiddenBy(g toolspec.Grant) bool {
	def := f.in.Definition
	def.Name = f.in.Call.Tool
	switch {
	case !ruleApplies(g, def, f.in.Settings.Folder):
		return false
	case len(g.Hosts) == 0 && len(g.Commands) == 0 && len(g.Paths) == 0:
		return true
	}
	d := f.in.Description
	return slices.ContainsFunc(f.hosts, func(h string) bool { return HostMatches(h, g.Hosts) }) ||
		slices.ContainsFunc(d.Commands, func(c toolspec.CommandUse) bool { return namesProgram(c, g.Commands) }) ||
		slices.ContainsFunc(d.Files, func(u toolspec.FileUse) bool { return meetsPath(u, g.Paths) })
}

// In a rule, "git" matches every git command and "git push" only that subcommand.
func namesProgram(c toolspec.CommandUse, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		for _, used := range []string{c.Program, c.Name, path.Base(c.Program)} {
			if used != "" && (used == name || strings.HasPrefix(used, name+" ")) {
				return true
			}
		}
		return false
	})
}

// meetsPath reports whether a use of a file affects one of paths: by its name, by a pattern, or by deleting a folder
// above it.
func meetsPath(u toolspec.FileUse, paths []string) bool {
	have := strings.Split(u.Path, "/")
	return slices.ContainsFunc(paths, func(p string) bool {
		want := strings.Split(filepath.Clean(p), "/")
		if len(have) < len(want) && u.Use != toolspec.UseDelete {
			return false
		}
		for i := range min(len(have), len(want)) {
			if met, err := path.Match(have[i], want[i]); have[i] != want[i] && (err != nil || !met) {
				return false
			}
		}
		return true
	})
}

func refuseByRule(f facts) (Decision, bool) {
	for _, g := range f.in.Grants {
		if f.forbiddenBy(g) {
			return Decision{
				Verdict: VerdictRefuse, ErrorType: toolspec.PermissionError, GrantID: g.ID,
				Reason:     "a rule forbids it: " + g.Text,
				Suggestion: "Continue without it. The person can remove the rule in the settings.",
			}, true
		}
	}
	return Decision{}, false
}

// hiddenProgramReasons returns the reason to ask about a program that is known only at run time, if a rule forbids
// programs.
func (f facts) hiddenProgramReasons() []askReason {
	hidden := slices.ContainsFunc(f.in.Description.Commands,
		func(c toolspec.CommandUse) bool { return c.Program == "" })
	for _, g := range f.in.Grants {
		if hidden && g.Scope == toolspec.GrantForbid && len(g.Commands) > 0 &&
			(g.Tool == f.in.Call.Tool || g.Tool == toolspec.AnyTool) {
			return []askReason{{
				text:  "What it starts is known only when it runs, and a rule forbids " + joinWords(g.Commands) + ".",
				exact: true, inEveryMode: true,
			}}
		}
	}
	return nil
}
