package command

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func sentence(r Analysis, command string, at Location) string {
	var parts []string
	if onlyMoves(r, command) {
		what := describePaths(pathsOf(r.Files, toolspec.UseDelete), at)
		return "Move " + what + " to " + describePaths(pathsOf(r.Files, toolspec.UseWrite), at)
	}
	for _, use := range []toolspec.Use{toolspec.UseDelete, toolspec.UseWrite} {
		paths := pathsOf(r.Files, use)
		if onlyFolder := len(paths) == 1 && paths[0] == at.Folder && use == toolspec.UseWrite; onlyFolder {
			continue // the name of the program says more
		}
		if len(paths) > 0 {
			parts = append(parts, map[toolspec.Use]string{
				toolspec.UseDelete: "delete ",
				toolspec.UseWrite:  "write ",
			}[use]+describePaths(paths, at))
		}
	}
	switch {
	case len(r.Hosts) > 0:
		parts = append(parts, "contact "+strings.Join(firstFour(r.Hosts), ", "))
	case r.Network:
		parts = append(parts, "reach the network")
	}
	if runs := programNames(r); len(parts) == 0 || len(r.Warnings) > 0 && len(runs) > 0 {
		if len(runs) == 0 {
			runs = []string{"a command that cannot be read"}
			if len(r.Warnings) == 0 {
				runs = []string{"nothing"}
			}
		}
		verb := "run "
		if r.Harmless {
			verb = "look with "
			named := slices.DeleteFunc(slices.Clone(runs), func(run string) bool { return connectives[run] })
			switch {
			case len(named) > 0:
				runs = named
			case slices.Contains(runs, "echo"), slices.Contains(runs, "printf"):
				return "Print text"
			}
			if reads := pathsOf(r.Files, toolspec.UseRead); len(reads) > 0 && len(runs) == 1 {
				return "Look at " + describePaths(reads, at) + " with " + runs[0]
			}
		}
		parts = append(parts, verb+strings.Join(firstFour(runs), ", "))
	}
	all := parts[0]
	if n := len(parts); n > 1 {
		all = strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.ToUpper(all[:1]) + all[1:]
}

// onlyMoves reports whether a command is one mv that overwrites nothing.
func onlyMoves(r Analysis, command string) bool {
	words := strings.Fields(command)
	keeps := func(word string) bool { return word == "-n" || word == "-nv" || word == "--no-clobber" }
	return len(r.Commands) == 1 && r.Commands[0].Program == "mv" && words[0] == "mv" &&
		slices.ContainsFunc(words, keeps) && !strings.ContainsAny(command, ";&|<>`$(){}\n") && len(r.Warnings) == 0 &&
		len(pathsOf(r.Files, toolspec.UseDelete)) > 0 && len(pathsOf(r.Files, toolspec.UseWrite)) == 1
}

// maxQuoted is the longest command in characters that a question quotes.
const maxQuoted = 80

// question returns what a person is asked before the command runs.
func question(r Analysis, command string, at Location) string {
	command = strings.TrimSpace(command)
	quotable := utf8.RuneCountInString(command) <= maxQuoted && !strings.ContainsAny(command, "\r\n")
	deleted := pathsOf(r.Files, toolspec.UseDelete)
	switch {
	case quotable && onlyMoves(r, command):
		return "Move " + describePaths(deleted, at) + " with “" + command + "”?"
	case quotable && len(deleted) > 0:
		return "Delete " + describePaths(deleted, at) + " with “" + command + "”?"
	case quotable:
		return "Run “" + command + "”?"
	}
	return strings.TrimRight(r.Sentence, ".") + "?"
}

var connectives = map[string]bool{
	"[": true, "[[": true, "test": true, ":": true, "true": true, "false": true, "echo": true, "printf": true,
	"sleep": true, "exit": true, "return": true, "set": true, "shift": true, "local": true, "read": true,
}

func pathsOf(files []toolspec.FileUse, use toolspec.Use) []string {
	var paths []string
	for _, f := range files {
		if f.Use == use {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

func describePaths(paths []string, at Location) string {
	if len(paths) == 1 {
		return relativePath(paths[0], at)
	}
	folder := path.Dir(paths[0])
	for _, p := range paths[1:] {
		for folder != "/" && p != folder && !strings.HasPrefix(p, folder+"/") {
			folder = path.Dir(folder)
		}
	}
	where := relativePath(folder, at)
	if where == "." {
		where = "this folder"
	} else {
		where = strings.TrimSuffix(where, "/") + "/"
	}
	return fmt.Sprintf("%d files in %s", len(paths), where)
}

func relativePath(p string, at Location) string {
	if p == at.Folder {
		return "."
	}
	if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(at.Folder, "/")+"/"); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(at.Home, "/")+"/"); ok && at.Home != "" {
		return "~/" + rest
	}
	return p
}

// programNames returns the programs that do more than read, or all programs if there are none.
func programNames(r Analysis) []string {
	var all, withEffects []string
	for _, c := range r.Commands {
		name := c.Program
		if name == "" {
			continue
		}
		if c.Subcommand != "" {
			name += " " + c.Subcommand
		}
		if !slices.Contains(all, name) {
			all = append(all, excerpt.Line(name, 80))
		}
		if !c.Harmless && !slices.Contains(withEffects, name) {
			withEffects = append(withEffects, excerpt.Line(name, 80))
		}
	}
	if len(withEffects) > 0 {
		return withEffects
	}
	return all
}

func firstFour(all []string) []string {
	if len(all) > 4 {
		return append(slices.Clone(all[:4]), fmt.Sprintf("%d more", len(all)-4))
	}
	return all
}
