package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"sextant/shared/toolspec"
)

// describesEffects reports whether the description lists the files that the call uses and the programs that it starts.
// Then these decide, and not the hints of the tool.
func (f facts) describesEffects() bool {
	d := f.in.Description
	// Only the file tools of built-in panels list files; no other panel can.
	panel := f.in.Definition.Origin == toolspec.OriginPanel && len(d.Files) > 0
	return panel || f.in.Definition.Origin == toolspec.OriginBaseline && !f.isInterfaceTool() &&
		(d.RunsProgram || len(d.Files) > 0)
}

// readsOnly reports whether a call that describes its effects changes nothing and uses no network.
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

// effectDoubts returns the doubts about the described effects of a call. All are exact.
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
		// A person pressed the button for exactly this call.
		return all
	}
	for _, w := range d.Warnings {
		all = append(all, doubt{reason: withPeriod(w), exact: true})
	}
	if d.Network && len(f.hosts) == 0 && !d.HostsLimited {
		all = append(all, doubt{
			reason: "It uses the network, and its hosts are known only when it runs.", exact: true,
			inEveryMode: true,
		})
	}
	if d.Network && len(f.hosts) > 0 && d.RunsProgram && !d.HostsLimited && !f.onlyDownloads() {
		all = append(all, doubt{
			reason: "It uses the network, which the sandbox does not limit to " + joinWords(f.hosts) + ".",
			exact:  true, inEveryMode: true,
		})
	}
	if f.in.Definition.Hints.Confirm {
		all = append(all, doubt{reason: f.in.Call.Tool + " asks for confirmation of every call.", exact: true})
	}
	if len(all) == 0 && d.RunsProgram && !f.readsOnly() && f.in.Settings.Mode != ModeWorkspace && len(f.hosts) == 0 {
		all = append(all, doubt{reason: "It runs a program that does more than read.", exact: true})
	}
	return all
}

// onlyDownloads reports whether only curl and wget use the network, without warnings: then they contact only the hosts
// that they name.
func (f facts) onlyDownloads() bool {
	d := f.in.Description
	return len(d.Warnings) == 0 && !slices.ContainsFunc(d.Commands, func(c toolspec.CommandUse) bool {
		return !c.Harmless && c.Program != "curl" && c.Program != "wget"
	})
}

// fileDoubts returns the doubts about deletes, writes, and reads outside of the folder.
func (f facts) fileDoubts() []doubt {
	var deleted, outside, inside, read []string
	person := f.in.Call.From.Caller == toolspec.CallerPerson
	for _, u := range f.in.Description.Files {
		within := u.PanelOwned || f.inFolder(u.Path)
		switch {
		case u.Use == toolspec.UseDelete && person && within:
			// A person pressed the button in the window, as with undo.
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
	if f.in.Settings.Mode == ModeWorkspace || person {
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

// mustAskEachTime reports whether no grant may answer: outside of the sandbox, in sensitive places, and for secrets
// when text from outside could be behind the call.
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

// leavesFolder reports whether the described effects could take data out of the folder, leave something behind outside
// of it, or delete a file.
func (f facts) leavesFolder() bool {
	d, hints := f.in.Description, f.in.Definition.Hints
	if d.Network || d.Unconfined != "" || len(f.hosts) > 0 || hints.OpenWorld && !hints.ReadOnly {
		return true
	}
	return slices.ContainsFunc(d.Files, func(u toolspec.FileUse) bool {
		return u.Use == toolspec.UseDelete || u.Use != toolspec.UseRead && (u.Sensitive != "" || !f.inFolder(u.Path))
	})
}

// inFolder reports whether a path is in the workspace folder.
func (f facts) inFolder(file string) bool { return isBelow(file, f.in.Settings.Folder) }

// isBelow reports whether a clean absolute path is folder or is in it.
func isBelow(file, folder string) bool {
	if folder == "" || !filepath.IsAbs(file) {
		return false
	}
	rel, err := filepath.Rel(folder, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// isSystemPath reports whether a path is in a folder of the system that every program reads.
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

// firstFew shortens the paths that one reason names; the arguments below the question have all of them.
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

// refuseDisabled refuses tools and groups of tools that the person switched off.
func refuseDisabled(f facts) (Decision, bool) {
	if tool := f.in.Definition.Name; slices.Contains(f.in.Settings.DisabledTools, tool) {
		return Decision{
			Verdict: VerdictRefuse, ErrorType: toolspec.PermissionError,
			Reason: "the tool " + tool + " is switched off",
			Suggestion: "Continue without it. The person can switch it on in Tools and activity, or with the " +
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
		Verdict: VerdictRefuse, ErrorType: toolspec.PermissionError,
		Reason: "the tools of the group " + group + " are switched off",
		Suggestion: "Continue without them. The person can switch them on with the setting groups_off " +
			"(SEXTANT_GROUPS_OFF).",
	}, true
}
