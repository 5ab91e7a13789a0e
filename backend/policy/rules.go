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

// maxRuleEntries bounds the entries of a rule and the characters of one.
const (
	maxRuleEntries = 64
	maxEntryLength = 1000
)

// NewRule makes a rule that forbids out of a draft's Tool, Hosts, Commands and Paths: what it
// refuses is any call of the tool (all tools when empty) that meets one of them, or every call
// of the tool when there are none. A path is kept as written and with its links followed. It has no
// id yet. The error says what cannot be read.
func NewRule(draft toolspec.Grant, now time.Time) (toolspec.Grant, error) {
	g := toolspec.Grant{Scope: toolspec.GrantForbid, Tool: strings.TrimSpace(draft.Tool), Created: now}
	if g.Tool == "" {
		g.Tool = toolspec.AnyTool
	}
	if len(draft.Hosts)+len(draft.Commands)+len(draft.Paths) > maxRuleEntries {
		return g, fmt.Errorf("a rule may hold %d entries at most", maxRuleEntries)
	}
	for _, written := range draft.Hosts {
		host := NormalizeHost(written)
		if host == "" || host == invalidHost {
			return g, fmt.Errorf("%q is no host; write it as shop.example or shop.example:8443", written)
		}
		g.Hosts = append(g.Hosts, host)
	}
	for _, written := range draft.Commands {
		name := strings.Join(strings.Fields(written), " ")
		if name == "" || len(name) > maxEntryLength || strings.ContainsAny(name, ";|&<>$`\"'") {
			return g, fmt.Errorf("%q is no program; write its name, with a subcommand if it has one: git push", written)
		}
		g.Commands = append(g.Commands, name)
	}
	for _, written := range draft.Paths {
		if !filepath.IsAbs(written) || len(written) > maxEntryLength {
			return g, fmt.Errorf("%q is no absolute path", written)
		}
		g.Paths = append(g.Paths, filepath.Clean(written))
		// A call's paths are judged where they lead, so what the written one leads to is kept too.
		real, err := protectedpaths.Resolve(written)
		if err != nil {
			return g, fmt.Errorf("%q leads nowhere: %w", written, err)
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

// ForbiddenPaths are the paths that rules keep from every call of one of our own tools, for a tool
// that comes by more places than its call names: it passes those by. folder is the workspace.
func ForbiddenPaths(grants []toolspec.Grant, tool, folder string) []string {
	var all []string
	for _, g := range grants {
		if ruleApplies(g, toolspec.Definition{Name: tool}, folder) {
			all = append(all, g.Paths...)
		}
	}
	return sortedSet(all)
}

// ruleApplies reports whether g is a rule about calls of the tool def.
func ruleApplies(g toolspec.Grant, def toolspec.Definition, folder string) bool {
	return g.Scope == toolspec.GrantForbid && (g.Tool == toolspec.AnyTool || g.Tool == def.Name) &&
		(g.Owner == "" || g.Owner == def.Owner) && (g.Folder == "" || g.Folder == folder)
}

// forbiddenBy reports whether a rule made beforehand refuses the call. Hosts, Commands and Paths
// of a rule each hold for any of the call's; a rule with none refuses the tool.
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
	return slices.ContainsFunc(f.hosts, func(h string) bool { return HostOpened(h, g.Hosts) }) ||
		slices.ContainsFunc(d.Commands, func(c toolspec.CommandUse) bool { return namesProgram(c, g.Commands) }) ||
		slices.ContainsFunc(d.Files, func(u toolspec.FileUse) bool { return meetsPath(u, g.Paths) })
}

// namesProgram reports whether a rule names a program: "git" is every git, "git push" that alone.
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

// meetsPath reports whether a use meets a path of a rule, also by a pattern, and for deletes
// also by a folder above it.
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

// refuseByRule refuses what a rule of the person forbids; it wins over every permission.
func refuseByRule(f facts) (Decision, bool) {
	for _, g := range f.in.Grants {
		if f.forbiddenBy(g) {
			return Decision{
				Verdict: Refuse, ErrorType: toolspec.PermissionError, Grant: g.ID,
				Reason:     "a rule forbids it: " + g.Text,
				Suggestion: "Go on without it. The person can take the rule back in the settings.",
			}, true
		}
	}
	return Decision{}, false
}

// hiddenProgramDoubts are doubts that a rule about commands leaves: what is only known when it runs could
// be what the rule forbids.
func (f facts) hiddenProgramDoubts() []doubt {
	hidden := slices.ContainsFunc(f.in.Description.Commands,
		func(c toolspec.CommandUse) bool { return c.Program == "" })
	for _, g := range f.in.Grants {
		if hidden && g.Scope == toolspec.GrantForbid && len(g.Commands) > 0 &&
			(g.Tool == f.in.Call.Tool || g.Tool == toolspec.AnyTool) {
			return []doubt{{
				reason: "What it starts shows only when it runs, and a rule forbids " + joinWords(g.Commands) + ".",
				exact:  true, inEveryMode: true,
			}}
		}
	}
	return nil
}
