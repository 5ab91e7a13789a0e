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
	why   string
	exact bool
	// steered and firm mark doubts that even the mode Full keeps: outside text could be behind
	// the call, and what asks in every mode.
	steered, firm bool
}

// doubts lists why a person should be asked; none means the call runs freely.
func (f facts) doubts() []doubt {
	var all []doubt
	switch {
	case f.told():
		all = append(f.effects(), f.newHosts()...)
	case !f.ownFiles():
		all = append(f.marked(), f.newHosts()...)
	}
	all = append(all, f.fromPanel()...)
	if f.in.Settings.Mode == Full || f.allowed() {
		all = slices.DeleteFunc(all, func(d doubt) bool { return !d.firm })
	}
	all = append(append(append(all, f.wished()...), f.unseen()...), f.secretUses()...)
	return append(all, f.steering()...)
}

// marked are the doubts a tool's own marks raise.
func (f facts) marked() []doubt {
	h := f.in.Definition.Hints
	var all []doubt
	if h.Destructive && !h.ReadOnly {
		all = append(all, doubt{why: f.in.Call.Tool + " can delete or overwrite.", exact: true})
	}
	if h.Confirm {
		why := f.in.Call.Tool + " is marked to be confirmed."
		if f.in.Description.NewProgram != "" {
			why = "It runs on this machine as you, and you have not allowed it before."
		}
		if f.hands() {
			why = "It hands something of this machine to the page."
		}
		// What our own hands must confirm is about these very arguments: this file, to this field.
		// So is what hands over data that a person is to read first, such as the text of a tool.
		all = append(all, doubt{why: why, exact: f.hands() || f.in.Description.Data != "" &&
			f.in.Description.NewProgram == ""})
	}
	if d := f.in.Description; d.NewProgram != "" && d.Unconfined != "" {
		all = append(all, doubt{
			why: "It runs outside of the sandbox: " + sentenceEnd(d.Unconfined), exact: true,
			firm: true,
		})
	}
	if h.OpenWorld && !h.ReadOnly && f.foreign() {
		all = append(all, doubt{why: f.in.Call.Tool + " reaches outside of this machine."})
	}
	return all
}

// foreign reports whether the tool is not one of ours.
func (f facts) foreign() bool { return f.in.Definition.Origin != toolspec.OriginBaseline }

// newHosts is the doubt about a request to a host that was not used before. Driving the
// page has its own rule in steering.
func (f facts) newHosts() []doubt {
	if f.hands() {
		return nil
	}
	var fresh []string
	for _, h := range f.hosts {
		if !f.isOpen(h) && !Opened(h, f.in.Used) && !f.reachable(h) {
			fresh = append(fresh, h)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	// A command sends what it likes: a word for its host is one for this command.
	command := f.in.Description.RunsProgram && f.told()
	return []doubt{{why: "It is the first request to " + list(fresh) + ".", exact: command &&
		!f.in.Description.HostCheck, firm: command}}
}

// reachable reports whether a permission for commands to reach hosts covers host, for a command
// that the sandbox keeps to those.
func (f facts) reachable(host string) bool {
	if !f.in.Description.HostsLimited || f.in.Description.HostCheck {
		return false // of a host that was come to, covered tells which permission it was
	}
	one := f
	one.hosts = []string{host}
	return slices.ContainsFunc(f.in.Grants, func(g toolspec.Grant) bool {
		return reaches(g) && len(g.Args) == 0 && one.fits(g)
	})
}

// steering are the doubts outside text raises: what could carry data out or plant
// instructions asks while such text is in the context (ARCHITECTURE 12).
func (f facts) steering() []doubt {
	if len(f.in.Description.CopiedFrom) > 0 {
		return []doubt{{
			why:   "The data looks copied from " + list(f.in.Description.CopiedFrom) + ".",
			exact: true, steered: true,
		}}
	}
	if local := f.in.Description.Local; !f.tainted() && f.plants() && len(local) > 0 {
		return []doubt{{
			why: "This conversation read " + list(few(local)) +
				". Such text can try to steer the assistant, so what it is told for good needs your word.",
			exact: true, steered: true,
		}}
	}
	if !f.tainted() || !f.couldCarry() {
		return nil
	}
	return []doubt{{
		why: "This turn read " + list(f.outside) + ". Such text can try to steer the assistant, " +
			"so what leaves this machine or stays on it needs your word.",
		exact: true, steered: true,
	}}
}

// plants reports whether the call leaves words behind that are read later as a person's own.
func (f facts) plants() bool {
	d := f.in.Definition
	return d.Origin == toolspec.OriginBaseline && d.Group == "feedback" && !d.Hints.ReadOnly
}

// couldCarry reports whether, with outside text in the context, the call could take data
// somewhere or leave something behind.
func (f facts) couldCarry() bool {
	hints := f.in.Definition.Hints
	if f.told() {
		return f.carries()
	}
	if hints.Inert {
		return false
	}
	if !f.hands() {
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
		if !f.wasRead(h) && !Typed(h, f.in.Call.From.TypedHosts) {
			return true
		}
	}
	return false
}

// ownFiles reports whether the mode Workspace covers the call: one of our file tools, on
// a path inside the folder. The path is compared as written; links are followed, and
// stopped, where it is opened.
func (f facts) ownFiles() bool {
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
	return f.within(target)
}

// whyFree says why nothing had to be asked.
func (f facts) whyFree() string {
	switch {
	case f.looksOnly() && f.in.Description.RunsProgram:
		return "It only reads, inside of the sandbox."
	case f.in.Definition.Hints.ReadOnly, f.looksOnly():
		return "It only reads."
	case f.hands():
		return "Driving the page and the window asks nothing."
	case f.allowed():
		return "You allowed this tool."
	case f.in.Settings.Mode == Full:
		return "The mode is Full."
	case f.told() && f.in.Settings.Mode == Workspace:
		return "The mode is Workspace, and it changes nothing outside of the folder."
	case f.ownFiles():
		return "The mode is Workspace, and the file lies in the folder."
	}
	return "Nothing about it has to be asked."
}

func list(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}
