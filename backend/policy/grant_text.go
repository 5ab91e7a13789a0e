package policy

import (
	"path/filepath"
	"strings"

	"sextant/shared/toolspec"
)

// grantText describes a permission for calls like this one, for the choices of a question and the list of grants.
func (f facts) grantText(g toolspec.Grant) string {
	var text string
	switch {
	case len(g.Args) > 0 && f.in.Description.RunsProgram:
		text = "Exactly this command: " + f.in.Description.Target
	case len(g.Args) > 0:
		text = "Exactly this: " + strings.TrimSuffix(f.questionText(), "?")
	case f.in.Description.NewProgram != "":
		text = "Start " + f.in.Description.NewProgram + " with exactly this command: " + g.Target
	default:
		text = "Every “" + f.toolTitle() + "”"
		if g.Owner != "" {
			text += " of " + g.Owner
		}
		if len(g.Hosts) > 0 {
			text += " on " + joinWords(g.Hosts)
		}
	}
	if len(g.Secrets) > 0 {
		text += ", with the secret " + joinWords(g.Secrets)
	}
	return text + grantLimitsText(g)
}

func (f facts) hostGrantText(g toolspec.Grant) string {
	text := "Commands may reach " + joinWords(g.Hosts)
	if len(g.Args) > 0 {
		text = "This command may reach " + joinWords(g.Hosts)
	}
	return text + grantLimitsText(g)
}

func grantLimitsText(g toolspec.Grant) string {
	text := ""
	if g.Grantee != "" {
		text += ", when " + g.Grantee + " asks"
	}
	if len(g.Outside) > 0 {
		text += ", while nothing but " + joinWords(g.Outside) + " was read"
	}
	if g.Folder != "" {
		text += ", in " + g.Folder
	}
	text += lifetimeText(g)
	if len(g.Hosts) > 0 {
		text += " No subdomains."
	}
	return text
}

func lifetimeText(g toolspec.Grant) string {
	if g.Scope == toolspec.GrantConversation {
		return ", in this conversation."
	}
	return ", in every conversation."
}

func (f facts) programGrantText(g toolspec.Grant) string {
	text := "Every "
	for i, name := range g.Commands {
		if i > 0 {
			text += ", "
		}
		text += "“" + name + " …”"
	}
	text += " command in " + g.Folder
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
	return text + lifetimeText(g) + f.programLimitsText()
}

func (f facts) wideProgramGrantText(g toolspec.Grant) string {
	text := "Every " + g.Commands[0] + " command that stays in " + g.Folder
	if g.Grantee != "" {
		text += ", when " + g.Grantee + " asks"
	}
	return text + lifetimeText(g) + f.programLimitsText() + " No network."
}

func (f facts) programLimitsText() string {
	text := " Nothing that deletes, or writes or reads outside of the folder."
	if len(f.in.Description.Warnings) > 0 {
		text += " Sextant does not read what it runs; the sandbox keeps it in the folder."
	}
	return text
}

func (f facts) pathGrantText(g toolspec.Grant) string {
	verb := "change"
	if g.Use == toolspec.UseRead {
		verb = "read"
	}
	var names []string
	for _, p := range g.Paths {
		names = append(names, f.pathName(p, g.Scope))
	}
	text := "Every " + verb + " of " + joinWords(names)
	if g.Kind == toolspec.GrantFolder {
		text = "Every " + verb + " of files below " + joinWords(names)
	}
	text += wideLimitsText(g)
	if g.Use == toolspec.UseWrite {
		text += " Deleting still asks."
	}
	return text
}

// pathName returns a path for a grant. A grant for every conversation also applies in other workspace folders, so it
// names the whole path.
func (f facts) pathName(path string, scope toolspec.GrantScope) string {
	folder := f.in.Settings.Folder
	if scope == toolspec.GrantAlways || !isBelow(path, folder) {
		return path
	}
	if path == folder {
		return "the workspace folder " + path
	}
	rel, err := filepath.Rel(folder, path)
	if err != nil {
		return path
	}
	return rel
}

func (f facts) wideHostGrantText(g toolspec.Grant) string {
	what := "Every request to "
	if g.Use == toolspec.UseRead {
		what = "Every read from "
	}
	return what + joinWords(g.Hosts) + wideLimitsText(g) +
		" No subdomains. It asks again after text from outside."
}

func (f facts) toolGrantText(g toolspec.Grant) string {
	text := "Every “" + f.toolTitle() + "” of " + g.Owner + wideLimitsText(g)
	return text + " It asks again after text from outside."
}

func wideLimitsText(g toolspec.Grant) string {
	text := ""
	if g.Grantee != "" {
		text = ", when " + g.Grantee + " asks"
	}
	if len(g.Outside) > 0 {
		text += ", while nothing but " + joinWords(g.Outside) + " was read"
	}
	return text + lifetimeText(g)
}
