package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// doubt is a reason to ask. An exact one is about these arguments: a grant that answers it is for them only.
type doubt struct {
	reason string
	exact  bool
	// tainted says that text from outside could be behind the call, inEveryMode that the mode Full asks too.
	tainted, inEveryMode bool
}

// doubts returns why the person should be asked; with none, the call runs.
func (f facts) doubts() []doubt {
	var all []doubt
	switch {
	case f.describesEffects():
		all = append(f.effectDoubts(), f.newHostDoubts()...)
	case !f.workspaceCovers():
		all = append(f.hintDoubts(), f.newHostDoubts()...)
	}
	all = append(all, f.panelDoubts()...)
	if f.in.Settings.Mode == ModeFull || f.isAllowedTool() {
		all = slices.DeleteFunc(all, func(d doubt) bool { return !d.inEveryMode })
	}
	all = append(append(append(all, f.askingDoubts()...), f.hiddenProgramDoubts()...), f.secretDoubts()...)
	return append(all, f.taintDoubts()...)
}

// hintDoubts returns the doubts that follow from the hints of a tool.
func (f facts) hintDoubts() []doubt {
	h := f.in.Definition.Hints
	var all []doubt
	if h.Destructive && !h.ReadOnly {
		all = append(all, doubt{reason: f.in.Call.Tool + " can delete or overwrite.", exact: true})
	}
	if h.Confirm {
		why := f.in.Call.Tool + " asks for confirmation of every call."
		if f.in.Description.NewProgram != "" {
			why = "It runs on this machine as you, and you have not allowed it before."
		}
		if f.isInterfaceTool() {
			why = "It gives something of this machine to the page."
		}
		// It is exact where an interface tool gives this file to this field, and where the person is to read the data
		// first, such as the text of a tool.
		all = append(all, doubt{reason: why, exact: f.isInterfaceTool() || f.in.Description.Data != "" &&
			f.in.Description.NewProgram == ""})
	}
	if d := f.in.Description; d.NewProgram != "" && d.Unconfined != "" {
		all = append(all, doubt{
			reason: "It runs outside of the sandbox: " + withPeriod(d.Unconfined), exact: true,
			inEveryMode: true,
		})
	}
	if h.OpenWorld && !h.ReadOnly && f.isExternalTool() {
		all = append(all, doubt{reason: f.in.Call.Tool + " reaches outside of this machine."})
	}
	return all
}

// isExternalTool reports whether the tool is none of the baseline tools.
func (f facts) isExternalTool() bool { return f.in.Definition.Origin != toolspec.OriginBaseline }

// newHostDoubts returns the doubt about a request to a host that was not used before. For interface tools taintDoubts
// decides.
func (f facts) newHostDoubts() []doubt {
	if f.isInterfaceTool() {
		return nil
	}
	var unused []string
	for _, h := range f.hosts {
		if !f.hostIsOpen(h) && !HostOpened(h, f.in.UsedHosts) && !f.hostIsGranted(h) {
			unused = append(unused, h)
		}
	}
	if len(unused) == 0 {
		return nil
	}
	// A command may send anything, so an answer for its host is for this command only.
	command := f.in.Description.RunsProgram && f.describesEffects()
	return []doubt{{reason: "It is the first request to " + joinWords(unused) + ".", exact: command &&
		!f.in.Description.HostCheck, inEveryMode: command}}
}

// hostIsGranted reports whether a grant lets commands reach host, for a command that the sandbox limits to its hosts.
func (f facts) hostIsGranted(host string) bool {
	if !f.in.Description.HostsLimited || f.in.Description.HostCheck {
		return false // coveredBy decides, and names the grant
	}
	one := f
	one.hosts = []string{host}
	return slices.ContainsFunc(f.in.Grants, func(g toolspec.Grant) bool {
		return isHostGrant(g) && len(g.Args) == 0 && one.inScopeOf(g)
	})
}

// taintDoubts returns the doubts that text from outside raises: while it is in the context, whatever could take data
// out or leave instructions behind asks (decision 12).
func (f facts) taintDoubts() []doubt {
	if len(f.in.Description.CopiedFrom) > 0 {
		return []doubt{{
			reason: "The data looks copied from " + joinWords(f.in.Description.CopiedFrom) + ".",
			exact:  true, tainted: true,
		}}
	}
	if local := f.in.Description.LocalSources; !f.isTainted() && f.storesInstructions() && len(local) > 0 {
		return []doubt{{
			reason: "This conversation read " + joinWords(firstFew(local)) +
				". Such text can try to steer the assistant, so you confirm every lasting instruction.",
			exact: true, tainted: true,
		}}
	}
	if !f.isTainted() || !f.couldLeak() {
		return nil
	}
	return []doubt{{
		reason: "This turn read " + joinWords(f.outside) + ". Such text can try to steer the assistant, " +
			"so you confirm what leaves this machine or stays on it.",
		exact: true, tainted: true,
	}}
}

// storesInstructions reports whether the call stores text that is later read as the person's own words.
func (f facts) storesInstructions() bool {
	d := f.in.Definition
	return d.Origin == toolspec.OriginBaseline && d.Group == "feedback" && !d.Hints.ReadOnly
}

// couldLeak reports whether the call could take data out or leave something behind, with text from outside in the
// context.
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
		// A file or a script may contain anything, also for the page that was read.
		return true
	}
	if f.in.Description.IsPageLink {
		return false
	}
	// Interface tools take data out in an address or in what they type. That is as intended on the origin that was
	// read, or one that a person typed.
	if f.address == "" && f.in.Description.Data == "" {
		return false
	}
	if len(f.hosts) == 0 {
		// It is not known where the data would go.
		return f.in.Description.Data != ""
	}
	for _, h := range f.hosts {
		if !f.hostWasRead(h) && !HostTyped(h, f.in.Call.From.TypedHosts) {
			return true
		}
	}
	return false
}

// workspaceCovers reports whether the mode Workspace allows the call: a file tool on a path in the workspace folder.
// The path is compared as written; whoever opens it follows links and refuses those that lead out.
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

// allowReason says why the call runs without a question.
func (f facts) allowReason() string {
	switch {
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

// joinWords joins items as a sentence does: "a, b and c".
func joinWords(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
