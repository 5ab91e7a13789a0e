package policy

import (
	"slices"

	"sextant/shared/toolspec"
)

// grantNames are what a standing permission would have to name of the commands of a call, sorted;
// nil when something of it has no name or nothing needs one.
func (f facts) grantNames() []string {
	var names []string
	for _, c := range f.in.Description.Commands {
		switch {
		case c.Harmless:
		case c.Name == "":
			return nil
		default:
			names = append(names, c.Name)
		}
	}
	return sortedSet(names)
}

// staysInFolder reports whether a call that is told by its names stays within what such a permission
// is for: the folder, no deletes, no sensitive place, inside of the sandbox.
func (f facts) staysInFolder() bool {
	if !f.describesEffects() || f.mustAskEachTime() || len(f.in.Description.CopiedFrom) > 0 {
		return false
	}
	return !slices.ContainsFunc(f.in.Description.Files, func(u toolspec.FileUse) bool {
		return u.Use == toolspec.UseDelete ||
			!f.inFolder(u.Path) && (u.Use == toolspec.UseWrite || !isSystemPath(u.Path))
	})
}

// programGrant is the permission for every call of these programs, false when none can be given.
func (f facts) programGrant() (toolspec.Grant, bool) {
	names := f.grantNames()
	if len(names) == 0 || !f.staysInFolder() || f.in.Settings.Folder == "" {
		return toolspec.Grant{}, false
	}
	g := toolspec.Grant{
		Scope: toolspec.GrantAlways, Tool: f.in.Call.Tool, Owner: f.in.Definition.Owner, Party: f.party,
		Created:  f.in.Now,
		Commands: names, Folder: f.in.Settings.Folder, Hosts: f.hosts, Network: f.in.Description.Network,
		Outside: f.outside,
	}
	g.Text = f.programGrantText(g)
	return g, true
}

// coveredByProgramGrant reports whether a permission for programs covers the call; what all permissions
// have in common was looked at before.
func (f facts) coveredByProgramGrant(g toolspec.Grant) bool {
	names := f.grantNames()
	if len(names) == 0 || !isSubset(names, g.Commands) || !f.staysInFolder() || g.Folder == "" {
		return false
	}
	// A call that names its hosts needs them named; one that does not needs the network.
	return g.Network || !f.in.Description.Network && len(f.hosts) == 0
}

func (f facts) programGrantText(g toolspec.Grant) string {
	text := f.toolName() + ": any "
	for i, name := range g.Commands {
		if i > 0 {
			text += ", "
		}
		text += "“" + name + " …”"
	}
	text += " in " + g.Folder
	switch {
	case len(g.Hosts) > 0 && f.in.Description.HostsLimited:
		text += ", naming no other hosts than " + joinWords(g.Hosts) +
			"; one that it does not name asks when it is reached"
	case g.Network && f.in.Description.HostsLimited:
		text += ", and each new host asks when it is reached"
	case len(g.Hosts) > 0:
		text += ", naming no other hosts than " + joinWords(g.Hosts) +
			", to which the sandbox does not limit its network"
	case g.Network:
		text += ", reaching the network"
	}
	if g.Party != "" {
		text += ", when " + g.Party + " asks"
	}
	if len(g.Outside) > 0 {
		text += ", while nothing but " + joinWords(g.Outside) + " was read"
	}
	text += ", in every conversation. Nothing that deletes, or writes or reads outside of the folder."
	if len(f.in.Description.Warnings) > 0 {
		text += " What it runs is not read; the sandbox keeps it in the folder."
	}
	return text
}
