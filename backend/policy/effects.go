package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"sextant/backend/policy/protectedpaths"
	"sextant/shared/toolspec"
)

// describesEffects reports whether the description decides instead of the hints of the tool.
func (f facts) describesEffects() bool {
	d := f.in.Description
	// Of the panels, only built-in ones with file tools list files.
	panel := f.in.Definition.Origin == toolspec.OriginPanel && len(d.Files) > 0
	return panel || f.in.Definition.Origin == toolspec.OriginBaseline && !f.isInterfaceTool() &&
		(d.RunsProgram || len(d.Files) > 0)
}

func (f facts) readsOnly() bool {
	d := f.in.Description
	if d.Trial != nil {
		return len(d.Trial.Files) == 0
	}
	if !f.describesEffects() || d.Unconfined != "" || d.Network || len(d.Warnings) > 0 || len(f.hosts) > 0 {
		return false
	}
	if d.RunsProgram && (len(d.Commands) == 0 ||
		slices.ContainsFunc(d.Commands, func(c toolspec.CommandUse) bool { return !c.Harmless })) {
		return false
	}
	return !slices.ContainsFunc(d.Files, func(u toolspec.FileUse) bool { return u.Use != toolspec.UseRead })
}

func (f facts) effectReasons() []askReason {
	d := f.in.Description
	var all []askReason
	if d.Unconfined != "" {
		all = append(all, askReason{
			text: "It runs outside of the sandbox: " + withPeriod(d.Unconfined), exact: true,
			inEveryMode: true,
		})
	}
	all = append(all, f.sensitiveReasons()...)
	all = append(all, f.fileReasons()...)
	if f.in.Call.From.Caller == toolspec.CallerPerson {
		// The person started exactly this call in the window.
		return all
	}
	if d.Trial == nil {
		for _, w := range d.Warnings {
			all = append(all, askReason{text: withPeriod(w), exact: true, settledByTrial: true})
		}
	}
	if d.Network && len(f.hosts) == 0 && !d.HostsLimited {
		all = append(all, askReason{
			text: "It uses the network, and its hosts are known only when it runs.", exact: true,
			inEveryMode: true,
		})
	}
	if d.Network && len(f.hosts) > 0 && d.RunsProgram && !d.HostsLimited && !f.onlyDownloads() {
		all = append(all, askReason{
			text:  "It uses the network, which the sandbox does not limit to " + joinWords(f.hosts) + ".",
			exact: true, inEveryMode: true,
		})
	}
	if f.in.Definition.Hints.Confirm {
		all = append(all, askReason{text: f.modeName() + " confirms every call of this kind.", exact: true})
	}
	if len(all) == 0 && d.RunsProgram && d.Trial == nil && !f.readsOnly() && f.in.Settings.Mode != ModeWorkspace &&
		len(f.hosts) == 0 {
		all = append(all, askReason{
			text: f.modeName() + " confirms every command that does more than read.", exact: true, settledByTrial: true,
		})
	}
	return all
}

func (f facts) sensitiveReasons() []askReason {
	trial := f.in.Description.Trial != nil
	var all []askReason
	for _, u := range f.fileUses() {
		if u.Sensitive == "" || f.isTypedAccountList(u) {
			continue
		}
		what := u.Path + ", " + u.Sensitive
		if trial { // the question names what it changed
			what = u.Sensitive
		}
		reason := askReason{text: "It " + useVerb(u.Use) + " " + withPeriod(what), exact: true, inEveryMode: true}
		if !slices.Contains(all, reason) {
			all = append(all, reason)
		}
	}
	repository := filepath.Join(f.in.Settings.Folder, ".git")
	if trial && slices.ContainsFunc(f.fileUses(), func(u toolspec.FileUse) bool { return u.Path == repository }) {
		all = append(all, askReason{text: "It changes the git repository, which undo does not cover.", exact: true})
	}
	return all
}

// onlyDownloads allows only curl and wget to do more than read: they contact only the hosts that they name.
func (f facts) onlyDownloads() bool {
	d := f.in.Description
	return len(d.Warnings) == 0 && !slices.ContainsFunc(d.Commands, func(c toolspec.CommandUse) bool {
		return !c.Harmless && c.Program != "curl" && c.Program != "wget"
	})
}

func (f facts) fileReasons() []askReason {
	var deleted, outside, inside, read []string
	person := f.in.Call.From.Caller == toolspec.CallerPerson
	for _, u := range f.fileUses() {
		within := u.PanelOwned || f.inFolder(u.Path)
		switch {
		case u.Use == toolspec.UseDelete && person && within:
			// The person started it in the window, for example with Undo.
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
	var all []askReason
	for _, group := range []struct {
		paths                []string
		text                 string
		wide, settledByTrial bool
	}{
		{deleted, f.modeName() + " confirms every deletion", false, f.allInFolder(deleted)},
		{outside, "It changes something outside of the workspace folder", true, false},
		{inside, f.modeName() + " confirms every file change", true, true},
		{read, "It reads something outside of the workspace folder", true, false},
	} {
		if len(group.paths) == 0 {
			continue
		}
		text := group.text
		if d := f.in.Description; d.Trial == nil && (len(d.Files) > 1 || d.RunsProgram) {
			text += ": " + joinWords(firstFew(group.paths))
		}
		all = append(all, askReason{
			text: text + ".", exact: true, wide: group.wide, settledByTrial: group.settledByTrial,
		})
	}
	return all
}

// fileUses returns what a call does to files: after a trial what it did, otherwise what its description foresees.
func (f facts) fileUses() []toolspec.FileUse {
	if trial := f.in.Description.Trial; trial != nil {
		return trial.Files
	}
	return f.in.Description.Files
}

// isSettledByTrial reports whether a trial of a command shows if each reason to ask remains. A trial has no network and
// changes nothing outside of the workspace folder.
func (f facts) isSettledByTrial(reasons []askReason) bool {
	d := f.in.Description
	return d.RunsProgram && f.describesEffects() && d.Trial == nil && d.Unconfined == "" && !d.Network &&
		len(f.hosts) == 0 && !slices.ContainsFunc(reasons, func(r askReason) bool { return !r.settledByTrial })
}

func (f facts) mustAskEachTime() bool {
	d := f.in.Description
	if f.isAskingTool() || d.PageEffect == toolspec.PagePay || d.PageEffect == toolspec.PageDelete {
		return true
	}
	if f.isTainted() && len(d.Secrets) > 0 {
		return true
	}
	if d.NewProgram != "" && d.Unconfined != "" {
		return true
	}
	return f.describesEffects() && (d.Unconfined != "" ||
		slices.ContainsFunc(f.fileUses(), func(u toolspec.FileUse) bool { return u.Sensitive != "" }))
}

// isTypedAccountList reports whether a call reads a list of accounts, such as /etc/passwd, whose path the person typed.
func (f facts) isTypedAccountList(u toolspec.FileUse) bool {
	return u.Use == toolspec.UseRead && u.Sensitive == protectedpaths.AccountList &&
		slices.ContainsFunc(strings.Fields(f.in.Call.From.TypedText), func(word string) bool {
			return strings.Trim(word, "\"'`“”„.,;:!?()") == u.Path
		})
}

func (f facts) leavesFolder() bool {
	d, hints := f.in.Description, f.in.Definition.Hints
	if d.Network || d.Unconfined != "" || len(f.hosts) > 0 || hints.OpenWorld && !hints.ReadOnly {
		return true
	}
	return slices.ContainsFunc(f.fileUses(), func(u toolspec.FileUse) bool {
		return u.Use == toolspec.UseDelete || u.Use != toolspec.UseRead && (u.Sensitive != "" || !f.inFolder(u.Path))
	})
}

func (f facts) inFolder(file string) bool { return isBelow(file, f.in.Settings.Folder) }

func isBelow(file, folder string) bool {
	if folder == "" || !filepath.IsAbs(file) {
		return false
	}
	rel, err := filepath.Rel(folder, file)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

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
		group, ours = "files", true // a built-in panel's tool that does the same as the file tools
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
