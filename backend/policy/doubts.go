package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// doubt is a reason to ask. Exact ones are about this very call: a grant for them holds
// the arguments fixed.
type doubt struct {
	reason string
	exact  bool
	// tainted and firm mark doubts that even the mode Full keeps: outside text could be behind
	// the call, and what asks in every mode.
	tainted, inEveryMode bool
}

// doubts lists why a person should be asked; none means the call runs freely.
func (f facts) doubts() []doubt {
	var all []doubt
	switch {
	case f.describesEffects():
		all = append(f.effectDoubts(), f.newHostDoubts()...)
	case !f.workspaceCovers():
		all = append(f.hintDoubts(), f.newHostDoubts()...)
	}
	all = append(all, f.panelDoubts()...)
	if f.in.Settings.Mode == Full || f.isAllowedTool() {
		all = slices.DeleteFunc(all, func(d doubt) bool { return !d.inEveryMode })
	}
	all = append(append(append(all, f.askingDoubts()...), f.hiddenProgramDoubts()...), f.secretDoubts()...)
	return append(all, f.taintDoubts()...)
}

// hintDoubts are the doubts a tool's own marks raise.
func (f facts) hintDoubts() []doubt {
	h := f.in.Definition.Hints
	var all []doubt
	if h.Destructive && !h.ReadOnly {
		all = append(all, doubt{reason: f.in.Call.Tool + " can delete or overwrite.", exact: true})
	}
	if h.Confirm {
		why := f.in.Call.Tool + " is marked to be confirmed."
		if f.in.Description.NewProgram != "" {
			why = "It runs on this machine as you, and you have not allowed it before."
		}
		if f.isInterfaceTool() {
			why = "It hands something of this machine to the page."
		}
		// What our own hands must confirm is about these very arguments: this file, to this field.
		// So is what hands over data that a person is to read first, such as the text of a tool.
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

// isExternalTool reports whether the tool is not one of ours.
func (f facts) isExternalTool() bool { return f.in.Definition.Origin != toolspec.OriginBaseline }

// newHostDoubts is the doubt about a request to a host that was not used before. Driving the
// page has its own rule in steering.
func (f facts) newHostDoubts() []doubt {
	if f.isInterfaceTool() {
		return nil
	}
	var fresh []string
	for _, h := range f.hosts {
		if !f.hostIsOpen(h) && !HostOpened(h, f.in.UsedHosts) && !f.hostIsGranted(h) {
			fresh = append(fresh, h)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	// A command sends what it likes: a word for its host is one for this command.
	command := f.in.Description.RunsProgram && f.describesEffects()
	return []doubt{{reason: "It is the first request to " + joinWords(fresh) + ".", exact: command &&
		!f.in.Description.HostCheck, inEveryMode: command}}
}

// hostIsGranted reports whether a permission for commands to reach hosts covers host, for a command
// that the sandbox keeps to those.
func (f facts) hostIsGranted(host string) bool {
	if !f.in.Description.HostsLimited || f.in.Description.HostCheck {
		return false // of a host that was come to, covered tells which permission it was
	}
	one := f
	one.hosts = []string{host}
	return slices.ContainsFunc(f.in.Grants, func(g toolspec.Grant) bool {
		return isHostGrant(g) && len(g.Args) == 0 && one.inScopeOf(g)
	})
}

// taintDoubts are the doubts outside text raises: what could carry data out or plant
// instructions asks while such text is in the context (ARCHITECTURE 12).
func (f facts) taintDoubts() []doubt {
	if len(f.in.Description.CopiedFrom) > 0 {
		return []doubt{{
			reason: "The data looks copied from " + joinWords(f.in.Description.CopiedFrom) + ".",
			exact:  true, tainted: true,
		}}
	}
	if local := f.in.Description.Local; !f.isTainted() && f.storesInstructions() && len(local) > 0 {
		return []doubt{{
			reason: "This conversation read " + joinWords(firstFew(local)) +
				". Such text can try to steer the assistant, so what it is told for good needs your word.",
			exact: true, tainted: true,
		}}
	}
	if !f.isTainted() || !f.couldLeak() {
		return nil
	}
	return []doubt{{
		reason: "This turn read " + joinWords(f.outside) + ". Such text can try to steer the assistant, " +
			"so what leaves this machine or stays on it needs your word.",
		exact: true, tainted: true,
	}}
}

// storesInstructions reports whether the call leaves words behind that are read later as a person's own.
func (f facts) storesInstructions() bool {
	d := f.in.Definition
	return d.Origin == toolspec.OriginBaseline && d.Group == "feedback" && !d.Hints.ReadOnly
}

// couldLeak reports whether, with outside text in the context, the call could take data
// somewhere or leave something behind.
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
		// A file or a script may hold anything, also where its page was read.
		return true
	}
	if f.in.Description.IsPageLink {
		return false
	}
	// Our hands carry data out in an address or in what they type; on the origin that was
	// read, or one a person typed, that is what the page is there for.
	if f.address == "" && f.in.Description.Data == "" {
		return false
	}
	if len(f.hosts) == 0 {
		// Where the data would go is not known.
		return f.in.Description.Data != ""
	}
	for _, h := range f.hosts {
		if !f.hostWasRead(h) && !HostTyped(h, f.in.Call.From.TypedHosts) {
			return true
		}
	}
	return false
}

// workspaceCovers reports whether the mode Workspace covers the call: one of our file tools, on
// a path inside the folder. The path is compared as written; links are followed, and
// stopped, where it is opened.
func (f facts) workspaceCovers() bool {
	d, target := f.in.Definition, f.in.Description.Target
	if f.in.Settings.Mode != Workspace || d.Origin != toolspec.OriginBaseline || d.Group != "files" {
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

// allowReason says why nothing had to be asked.
func (f facts) allowReason() string {
	switch {
	case f.readsOnly() && f.in.Description.RunsProgram:
		return "It only reads, inside of the sandbox."
	case f.in.Definition.Hints.ReadOnly, f.readsOnly():
		return "It only reads."
	case f.isInterfaceTool():
		return "Driving the page and the window asks nothing."
	case f.isAllowedTool():
		return "You allowed this tool."
	case f.in.Settings.Mode == Full:
		return "The mode is Full."
	case f.describesEffects() && f.in.Settings.Mode == Workspace:
		return "The mode is Workspace, and it changes nothing outside of the folder."
	case f.workspaceCovers():
		return "The mode is Workspace, and the file lies in the folder."
	}
	return "Nothing about it has to be asked."
}

func joinWords(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
