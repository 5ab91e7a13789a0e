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
	return !slices.ContainsFunc(f.fileUses(), func(u toolspec.FileUse) bool {
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
