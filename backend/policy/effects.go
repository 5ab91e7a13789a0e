package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"sextant/shared/toolspec"
)

// describesEffects reports whether a tool of ours says which files it uses and what it starts: then these
// facts are judged, and not the marks of the tool.
func (f facts) describesEffects() bool {
	d := f.in.Description
	// A built-in panel's tools for files tell the same; no other panel can say what it uses.
	panel := f.in.Definition.Origin == toolspec.OriginPanel && len(d.Files) > 0
	return panel || f.in.Definition.Origin == toolspec.OriginBaseline && !f.isInterfaceTool() &&
		(d.RunsProgram || len(d.Files) > 0)
}

// readsOnly reports whether a told call changes nothing and reaches nothing.
func (f facts) readsOnly() bool {
	d := f.in.Description
	if !f.describesEffects() || d.Unconfined != "" || d.Network || len(d.Warnings) > 0 || len(f.hosts) > 0 {
		return false
	}
	if d.RunsProgram && (len(d.Commands) == 0 ||
		slices.ContainsFunc(d.Commands, func(c toolspec.CommandUse) bool { return !c.Harmless })) {
		return false
	}
	return !slices.ContainsFunc(d.Files, func(u toolspec.FileUse) bool { return u.Use != toolspec.UseRead })
}

// effectDoubts are the doubts about what a told call does. All are about this very call.
func (f facts) effectDoubts() []doubt {
	d := f.in.Description
	var all []doubt
	if d.Unconfined != "" {
		all = append(all, doubt{
			reason: "It runs outside of the sandbox: " + withPeriod(d.Unconfined), exact: true,
			inEveryMode: true,
		})
	}
	for _, u := range d.Files {
		if u.Sensitive != "" {
			all = append(all, doubt{
				reason: "It " + useVerb(u.Use) + " " + u.Path + ", " + withPeriod(u.Sensitive),
				exact:  true, inEveryMode: true,
			})
		}
	}
	all = append(all, f.fileDoubts()...)
	if f.in.Call.From.Caller == toolspec.CallerPerson {
		// A person at a window asked for exactly this: the press of the button was the word for it.
		return all
	}
	for _, w := range d.Warnings {
		all = append(all, doubt{reason: withPeriod(w), exact: true})
	}
	if d.Network && len(f.hosts) == 0 && !d.HostsLimited {
		all = append(all, doubt{
			reason: "It reaches the network, and which hosts shows only when it runs.", exact: true,
			inEveryMode: true,
		})
	}
	if d.Network && len(f.hosts) > 0 && d.RunsProgram && !d.HostsLimited && !f.onlyDownloads() {
		all = append(all, doubt{
			reason: "It reaches the network, which the sandbox does not limit to " + joinWords(f.hosts) + ".",
			exact:  true, inEveryMode: true,
		})
	}
	if f.in.Definition.Hints.Confirm {
		all = append(all, doubt{reason: f.in.Call.Tool + " is marked to be confirmed.", exact: true})
	}
	if len(all) == 0 && d.RunsProgram && !f.readsOnly() && f.in.Settings.Mode != Workspace && len(f.hosts) == 0 {
		all = append(all, doubt{reason: "It runs a program that does more than read.", exact: true})
	}
	return all
}

// onlyDownloads reports whether all that has the network is curl or wget, with nothing that has to be
// describesEffects of them: then the hosts they name are those they reach.
func (f facts) onlyDownloads() bool {
	d := f.in.Description
	return len(d.Warnings) == 0 && !slices.ContainsFunc(d.Commands, func(c toolspec.CommandUse) bool {
		return !c.Harmless && c.Program != "curl" && c.Program != "wget"
	})
}

// fileDoubts ask for deletes, for what is written, and for what lies outside of the folder.
func (f facts) fileDoubts() []doubt {
	var deleted, outside, inside, read []string
	person := f.in.Call.From.Caller == toolspec.CallerPerson
	for _, u := range f.in.Description.Files {
		within := u.Own || f.inFolder(u.Path)
		switch {
		case u.Use == toolspec.UseDelete && person && within:
			// The button that a person pressed in the window was the question, as with undo.
		case u.Use == toolspec.UseDelete:
			deleted = append(deleted, u.Path)
		case u.Use == toolspec.UseRead && !within && !isSystemPath(u.Path):
			read = append(read, u.Path)
		case u.Use == toolspec.UseWrite && !within:
			outside = append(outside, u.Path)
		case u.Use == toolspec.UseWrite:
			inside = append(inside, u.Path)
		}
	}
	if f.in.Settings.Mode == Workspace || person {
		inside = nil
	}
	var all []doubt
	for _, asked := range []struct {
		paths         []string
		before, after string
	}{
		{deleted, "It deletes ", "."},
		{outside, "It writes ", ", outside of the folder."},
		{inside, "It changes ", "."},
		{read, "It reads ", ", outside of the folder."},
	} {
		if len(asked.paths) > 0 {
			all = append(all, doubt{reason: asked.before + joinWords(firstFew(asked.paths)) + asked.after, exact: true})
		}
	}
	return all
}

// mustAskEachTime reports whether no standing permission may answer: outside of the sandbox, in
// sensitive places, and for secrets where outside text could be behind the call.
func (f facts) mustAskEachTime() bool {
	d := f.in.Description
	if f.isAskingTool() {
		return true
	}
	if f.isTainted() && len(d.Secrets) > 0 {
		return true
	}
	if d.NewProgram != "" && d.Unconfined != "" {
		return true
	}
	return f.describesEffects() && (d.Unconfined != "" ||
		slices.ContainsFunc(d.Files, func(u toolspec.FileUse) bool { return u.Sensitive != "" }))
}

// leavesFolder reports whether a told call could take data out of the folder, leave something behind
// outside of it or delete what nothing brings back, whoever steers it.
func (f facts) leavesFolder() bool {
	d, hints := f.in.Description, f.in.Definition.Hints
	if d.Network || d.Unconfined != "" || len(f.hosts) > 0 || hints.OpenWorld && !hints.ReadOnly {
		return true
	}
	return slices.ContainsFunc(d.Files, func(u toolspec.FileUse) bool {
		return u.Use == toolspec.UseDelete || u.Use != toolspec.UseRead && (u.Sensitive != "" || !f.inFolder(u.Path))
	})
}

// inFolder reports whether a path lies in the folder.
func (f facts) inFolder(file string) bool { return isBelow(file, f.in.Settings.Folder) }

// isBelow reports whether a clean absolute path is folder or lies in it.
func isBelow(file, folder string) bool {
	if folder == "" || !filepath.IsAbs(file) {
		return false
	}
	rel, err := filepath.Rel(folder, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// isSystemPath reports whether a path lies where the system keeps what every program reads.
func isSystemPath(file string) bool {
	for _, folder := range []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/etc", "/nix/store", "/System",
		"/Library",
	} {
		if isBelow(file, folder) {
			return true
		}
	}
	return false
}

func useVerb(use toolspec.Use) string {
	switch use {
	case toolspec.UseWrite:
		return "changes"
	case toolspec.UseDelete:
		return "deletes"
	}
	return "reads"
}

// firstFew bounds how many paths one reason names; the question's arguments hold all.
func firstFew(paths []string) []string {
	if len(paths) <= 4 {
		return paths
	}
	return append(slices.Clone(paths[:3]), humanize.Comma(int64(len(paths)-3))+" more")
}

func withPeriod(s string) string {
	if strings.HasSuffix(s, ".") || s == "" {
		return s
	}
	return s + "."
}

// refuseDisabled refuses tools of a group that a person switched off.
func refuseDisabled(f facts) (Decision, bool) {
	if tool := f.in.Definition.Name; slices.Contains(f.in.Settings.DisabledTools, tool) {
		return Decision{
			Verdict: Refuse, ErrorType: toolspec.PermissionError, Reason: "the tool " + tool + " is switched off",
			Suggestion: "Go on without it. The person can switch it on again in Tools and activity, or with the " +
				"setting tools_off.",
		}, true
	}
	group, origin := f.in.Definition.Group, f.in.Definition.Origin
	ours := origin == toolspec.OriginBaseline
	if origin == toolspec.OriginPanel && f.describesEffects() && f.in.Call.From.Caller != toolspec.CallerPerson {
		group, ours = "files", true // a built-in panel's tool that does what the file tools do
	}
	if !ours || group == "" || !slices.Contains(f.in.Settings.DisabledGroups, group) {
		return Decision{}, false
	}
	return Decision{
		Verdict: Refuse, ErrorType: toolspec.PermissionError,
		Reason: "the tools of the group " + group + " are switched off",
		Suggestion: "Go on without them. The person can switch them on again with the setting groups_off " +
			"(SEXTANT_GROUPS_OFF).",
	}, true
}
