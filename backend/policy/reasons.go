package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// An exact reason is answered only by a grant for the same arguments, or by a wide grant if wide is true.
type askReason struct {
	text        string
	exact, wide bool
	// inEveryMode is true if the mode Full asks too.
	tainted, inEveryMode bool
	// ofSecret is true if the call fills in a secret. settledByTrial is true if a trial shows whether the reason
	// remains.
	ofSecret, settledByTrial bool
}

func (f facts) reasons() []askReason {
	var all []askReason
	switch {
	case f.describesEffects():
		all = append(f.effectReasons(), f.newHostReasons()...)
	case !f.workspaceCovers():
		all = append(f.hintReasons(), f.newHostReasons()...)
	}
	all = append(append(all, f.panelReasons()...), f.pageReasons()...)
	if f.in.Settings.Mode == ModeFull || f.isAllowedTool() {
		all = slices.DeleteFunc(all, func(r askReason) bool { return !r.inEveryMode })
	}
	all = append(append(append(all, f.askingReasons()...), f.hiddenProgramReasons()...), f.secretReasons()...)
	return append(all, f.taintReasons()...)
}

func (f facts) hintReasons() []askReason {
	h := f.in.Definition.Hints
	var all []askReason
	owned := f.isOwnersTool()
	if h.Destructive && !h.ReadOnly {
		text := f.modeName() + " confirms what can delete or overwrite something."
		if owned {
			text = f.in.Definition.Owner + " marks it as able to delete or overwrite something."
		}
		all = append(all, askReason{text: text, exact: true, wide: owned})
	}
	if h.Confirm {
		why := f.modeName() + " confirms every call of this kind."
		if f.in.Description.NewProgram != "" {
			why = "It runs on this computer as you, and you have not allowed it before."
		}
		if f.isInterfaceTool() {
			why = "It gives something of this computer to the page."
		}
		if f.in.Definition.Name == "evaluate_script" {
			why = "A script can do on the page whatever you can do there."
		}
		// Exact: giving this file to this field of a page, or data that the person should read first, such as the code
		// of a created tool.
		all = append(all, askReason{text: why, exact: f.isInterfaceTool() || f.in.Description.Data != "" &&
			f.in.Description.NewProgram == "", wide: owned})
	}
	if d := f.in.Description; d.NewProgram != "" && d.Unconfined != "" {
		all = append(all, askReason{
			text: "It runs outside of the sandbox: " + withPeriod(d.Unconfined), exact: true,
			inEveryMode: true,
		})
	}
	if h.OpenWorld && !h.ReadOnly && f.isExternalTool() {
		all = append(all, askReason{text: f.modeName() + " confirms what reaches beyond this computer."})
	}
	return all
}

// modeName names the mode as the subject of a sentence about what it asks.
func (f facts) modeName() string {
	switch f.in.Settings.Mode {
	case ModeWorkspace:
		return "Workspace mode"
	case ModeFull:
		return "Full mode"
	case ModeReadOnly:
		return "Read-only mode"
	}
	return "Ask mode"
}

func (f facts) isExternalTool() bool { return f.in.Definition.Origin != toolspec.OriginBaseline }

func (f facts) newHostReasons() []askReason {
	if f.isInterfaceTool() {
		return nil
	}
	var unused []string
	for _, h := range f.hosts {
		if !f.hostIsOpen(h) && !HostMatches(h, f.in.UsedHosts) && !f.hostIsGranted(h) {
			unused = append(unused, h)
		}
	}
	if len(unused) == 0 {
		return nil
	}
	// A command may send anything, so an answer about its host covers only this command.
	command := f.in.Description.RunsProgram && f.describesEffects()
	return []askReason{{text: "It is the first request to " + joinWords(unused) + ".", exact: command &&
		!f.in.Description.HostCheck, inEveryMode: command}}
}

func (f facts) hostIsGranted(host string) bool {
	if !f.in.Description.HostsLimited || f.in.Description.HostCheck {
		return false
	}
	one := f
	one.hosts = []string{host}
	return slices.ContainsFunc(f.in.Grants, func(g toolspec.Grant) bool {
		return isHostGrant(g) && len(g.Args) == 0 && one.inScopeOf(g)
	})
}

// taintReasons returns the reasons to ask that outside text causes. While it is in the context, the policy asks about
// every call that could send data out or leave instructions behind (decision 12).
func (f facts) taintReasons() []askReason {
	if len(f.in.Description.CopiedFrom) > 0 {
		return []askReason{{
			text:  "The data looks copied from " + joinWords(f.in.Description.CopiedFrom) + ".",
			exact: true, tainted: true,
		}}
	}
	if local := f.in.Description.ReadSources; !f.isTainted() && f.storesInstructions() && len(local) > 0 {
		return []askReason{{
			text: "This conversation read " + joinWords(firstFew(local)) +
				". Such text can try to steer the assistant, so you confirm every lasting instruction.",
			exact: true, tainted: true,
		}}
	}
	if !f.isTainted() || !f.couldLeak() {
		return f.composedReasons()
	}
	return []askReason{{
		text: "This turn read " + joinWords(f.outside) + ". Such text can try to steer the assistant, " +
			"so you confirm what leaves this machine or stays on it.",
		exact: true, tainted: true,
	}}
}

// composedReasons returns the reason to ask about words for a host that the assistant chose after it read something
// private. They may carry it in any form, so the person sees where they go and what they are (decision 12).
func (f facts) composedReasons() []askReason {
	if !f.composesForSite() {
		return nil
	}
	return []askReason{{
		text: "The assistant wrote this after it read " + joinWords(firstFew(f.in.Description.ComposedAfter)) +
			", so something from there may be in it.",
		exact: true, wide: true, inEveryMode: true,
	}}
}

// composesForSite reports whether the call sends words of the assistant's own to another machine, after it read
// something private.
func (f facts) composesForSite() bool {
	return len(f.in.Description.ComposedAfter) > 0 && !isByPerson(f.in.Call.From.Caller) &&
		slices.ContainsFunc(f.hosts, func(h string) bool {
			return !strings.HasSuffix(h, PanelHostSuffix) && (h == invalidHost || !IsLocalHost(h))
		})
}

func (f facts) storesInstructions() bool {
	d := f.in.Definition
	return d.Origin == toolspec.OriginBaseline && d.Group == "feedback" && !d.Hints.ReadOnly
}

func (f facts) couldLeak() bool {
	hints := f.in.Definition.Hints
	if f.describesEffects() {
		return f.leavesFolder()
	}
	if hints.Inert {
		return false
	}
	if !f.isInterfaceTool() {
		return !hints.ReadOnly || hints.OpenWorld || len(f.hosts) > 0
	}
	if hints.Confirm {
		// A file or a script may contain anything, even if the page was already read.
		return true
	}
	if f.in.Description.IsPageLink {
		return false
	}
	// Interface tools can send data in a URL or in the text that they type. Sending it to an origin that was read, or
	// that the person typed, is what the person intends.
	if f.address == "" && f.in.Description.Data == "" {
		return false
	}
	if len(f.hosts) == 0 {
		// The destination of the data is unknown.
		return f.in.Description.Data != ""
	}
	if f.address != "" && len(f.readElsewhere()) > 0 {
		return !f.namesHosts() // an address can act: /transfer?to=…
	}
	for _, h := range f.hosts {
		if !f.hostWasRead(h) && !HostMatchesExactly(h, f.in.Call.From.TypedHosts) {
			return true
		}
	}
	return false
}

// workspaceCovers reports whether the mode Workspace allows the call: a file tool on a path in the workspace folder. It
// compares the path as written. The code that opens the path must refuse links that lead out of the folder.
func (f facts) workspaceCovers() bool {
	d, target := f.in.Definition, f.in.Description.Target
	if f.in.Settings.Mode != ModeWorkspace || d.Origin != toolspec.OriginBaseline || d.Group != "files" {
		return false
	}
	if target == "" || f.in.Settings.Folder == "" || len(f.hosts) > 0 {
		return false
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(f.in.Settings.Folder, target)
	}
	return f.inFolder(target)
}

func (f facts) allowReason() string {
	switch {
	case f.in.Description.Trial != nil && len(f.in.Description.Trial.Files) == 0:
		return "On a copy of the folder, without network, it changed nothing."
	case f.readsOnly() && f.in.Description.RunsProgram:
		return "It only reads, inside of the sandbox."
	case f.in.Definition.Hints.ReadOnly, f.readsOnly():
		return "It only reads."
	case f.isInterfaceTool():
		return "Using the page and the window needs no confirmation."
	case f.isAllowedTool():
		return "You allowed this tool."
	case f.in.Settings.Mode == ModeFull:
		return "The mode is Full."
	case f.describesEffects() && f.in.Settings.Mode == ModeWorkspace:
		return "The mode is Workspace, and it changes nothing outside of the folder."
	case f.workspaceCovers():
		return "The mode is Workspace, and the file is in the folder."
	}
	return "It needs no confirmation."
}

// joinWords joins items into a phrase: "a, b and c".
func joinWords(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
