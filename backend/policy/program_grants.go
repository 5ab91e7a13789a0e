package policy

import (
	"slices"

	"sextant/shared/toolspec"
)

// grantNames returns nil if a command has no name.
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

func (f facts) staysInFolder() bool {
	if !f.describesEffects() || f.mustAskEachTime() || len(f.in.Description.CopiedFrom) > 0 {
		return false
	}
	return !slices.ContainsFunc(f.in.Description.Files, func(u toolspec.FileUse) bool {
		return u.Use == toolspec.UseDelete ||
			!f.inFolder(u.Path) && (u.Use == toolspec.UseWrite || !isSystemPath(u.Path))
	})
}

func (f facts) programGrant() (toolspec.Grant, bool) {
	names := f.grantNames()
	if len(names) == 0 || !f.staysInFolder() || f.in.Settings.Folder == "" {
		return toolspec.Grant{}, false
	}
	g := toolspec.Grant{
		Scope: toolspec.GrantAlways, Tool: f.in.Call.Tool, Owner: f.in.Definition.Owner, Grantee: f.party,
		Created:  f.in.Now,
		Commands: names, Folder: f.in.Settings.Folder, Hosts: f.hosts, Network: f.in.Description.Network,
		Outside: f.outside,
	}
	g.Text = f.programGrantText(g)
	return g, true
}

func (f facts) coveredByProgramGrant(g toolspec.Grant) bool {
	names := f.grantNames()
	if len(names) == 0 || !isSubset(names, g.Commands) || !f.staysInFolder() || g.Folder == "" {
		return false
	}
	// A call that uses the network needs a grant for the network.
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
	if g.Grantee != "" {
		text += ", when " + g.Grantee + " asks"
	}
	if len(g.Outside) > 0 {
		text += ", while nothing but " + joinWords(g.Outside) + " was read"
	}
	text += ", in every conversation. Nothing that deletes, or writes or reads outside of the folder."
	if len(f.in.Description.Warnings) > 0 {
		text += " Sextant does not read what it runs; the sandbox keeps it in the folder."
	}
	return text
}
