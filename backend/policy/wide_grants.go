package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// allowsWideGrants reports whether each reason to ask may be answered by a grant that covers other calls as well.
func (f facts) allowsWideGrants(reasons []askReason) bool {
	d := f.in.Description
	if d.HostCheck || d.NewProgram != "" || len(d.Secrets) > 0 || len(d.CopiedFrom) > 0 {
		return false
	}
	return !slices.ContainsFunc(reasons, func(r askReason) bool { return r.tainted || r.exact && !r.wide })
}

// offers returns the lasting answers to a question and their grants, the narrowest first.
func (f facts) offers(reasons []askReason) []offer {
	var all []offer
	add := func(answer event.Answer, g toolspec.Grant) { all = append(all, offer{answer, g}) }
	if g, ok := f.programGrant(); ok {
		if wide, ok := f.wideProgramGrant(g); ok {
			add(event.AnswerProgram, wide)
		}
		add(event.AnswerSameProgram, g)
	}
	inConversation := f.in.Call.From.Conversation != ""
	use, paths, files := f.widePaths()
	switch wide := f.allowsWideGrants(reasons); {
	case wide && files:
		if inConversation {
			all = append(all, f.pathOffers(use, paths)...)
		}
		add(event.AnswerAlways, f.pathGrant(toolspec.GrantFile, toolspec.GrantAlways, use, paths))
	case wide && f.isWebRequest():
		if inConversation {
			add(event.AnswerHost, f.hostGrant(toolspec.GrantConversation))
		}
		add(event.AnswerAlways, f.hostGrant(toolspec.GrantAlways))
	case wide && (f.sendsOnPage() || f.isInterfaceTool() && f.composesForSite()):
		if inConversation {
			add(event.AnswerHost, f.siteGrant(toolspec.GrantConversation))
		}
		add(event.AnswerAlways, f.siteGrant(toolspec.GrantAlways))
	case wide && f.isOwnersTool():
		if inConversation {
			add(event.AnswerConversation, f.toolGrant(toolspec.GrantConversation))
		}
		add(event.AnswerAlways, f.toolGrant(toolspec.GrantAlways))
	default:
		if inConversation {
			add(event.AnswerConversation, f.newGrant(toolspec.GrantConversation, reasons))
		}
		add(event.AnswerAlways, f.newGrant(toolspec.GrantAlways, reasons))
	}
	slices.SortStableFunc(all, func(a, b offer) int { return offerOrder(a.answer) - offerOrder(b.answer) })
	return all
}

// pathOffers returns the answers about files for a conversation. A tool other than read_file that reads names a folder.
func (f facts) pathOffers(use toolspec.Use, paths []string) []offer {
	grant := func(kind toolspec.GrantKind, paths []string) toolspec.Grant {
		return f.pathGrant(kind, toolspec.GrantConversation, use, paths)
	}
	if use == toolspec.UseRead && f.in.Definition.Name != "read_file" {
		return []offer{{event.AnswerConversation, grant(toolspec.GrantFile, paths)}}
	}
	all := []offer{{event.AnswerFile, grant(toolspec.GrantFile, paths)}}
	if folder := f.folderToOffer(paths); folder != "" {
		all = append(all, offer{event.AnswerFolder, grant(toolspec.GrantFolder, []string{folder})})
	}
	if f.allInFolder(paths) {
		workspace := grant(toolspec.GrantFolder, []string{f.in.Settings.Folder})
		all = append(all, offer{event.AnswerConversation, workspace})
	}
	return all
}

// offer is a lasting answer with the grant that it stores.
type offer struct {
	answer event.Answer
	grant  toolspec.Grant
}

func offerOrder(a event.Answer) int {
	return slices.Index([]event.Answer{
		event.AnswerFile, event.AnswerFolder, event.AnswerHost, event.AnswerProgram, event.AnswerConversation,
		event.AnswerSameProgram, event.AnswerAlways,
	}, a)
}

func (f facts) wideGrant(kind toolspec.GrantKind, scope toolspec.GrantScope) toolspec.Grant {
	g := toolspec.Grant{
		Scope: scope, Kind: kind, Tool: f.in.Call.Tool, Owner: f.in.Definition.Owner, Grantee: f.party,
		Created: f.in.Now,
	}
	if scope == toolspec.GrantConversation {
		g.Conversation = f.in.Call.From.Conversation
	}
	return g
}

func (f facts) pathGrant(
	kind toolspec.GrantKind, scope toolspec.GrantScope, use toolspec.Use, paths []string,
) toolspec.Grant {
	g := f.wideGrant(kind, scope)
	g.Use, g.Paths = use, paths
	if slices.ContainsFunc(paths, func(p string) bool { return !f.inFolder(p) }) {
		g.Outside = f.outside
	}
	g.Text = f.pathGrantText(g)
	return g
}

func (f facts) hostGrant(scope toolspec.GrantScope) toolspec.Grant {
	g := f.wideGrant(toolspec.GrantHost, scope)
	g.Hosts = f.hosts
	if f.in.Definition.Hints.ReadOnly {
		g.Use = toolspec.UseRead
	}
	g.Text = f.wideHostGrantText(g)
	return g
}

func (f facts) toolGrant(scope toolspec.GrantScope) toolspec.Grant {
	g := f.wideGrant(toolspec.GrantTool, scope)
	g.Hosts = f.hosts
	if f.in.Definition.Origin == toolspec.OriginMCP {
		g.Target = f.in.Description.Target // another program or address under the same name is another server
	}
	g.Text = f.toolGrantText(g)
	return g
}

// wideProgramGrant returns a grant for every subcommand of the program in g. Programs that start whatever their
// arguments name get none.
func (f facts) wideProgramGrant(g toolspec.Grant) (toolspec.Grant, bool) {
	programs := programsOf(g.Commands)
	if f.in.Call.From.Conversation == "" || len(programs) != 1 || startsAnything(programs[0]) || f.isTainted() ||
		g.Network || len(g.Hosts) > 0 {
		return toolspec.Grant{}, false
	}
	wide := f.wideGrant(toolspec.GrantProgram, toolspec.GrantConversation)
	wide.Commands, wide.Folder = programs, g.Folder
	wide.Text = f.wideProgramGrantText(wide)
	return wide, true
}

func programsOf(names []string) []string {
	var all []string
	for _, name := range names {
		program, _, _ := strings.Cut(name, " ")
		all = append(all, program)
	}
	return sortedSet(all)
}

// launchers are programs with arguments that name a program, a script or code to run.
var launchers = []string{
	"sh", "bash", "dash", "ash", "rbash", "zsh", "fish", "ksh", "mksh", "csh", "tcsh", "busybox", "toybox",
	"nu", "elvish", "xonsh", "osh", "pwsh", "powershell", "node", "nodejs", "deno", "bun", "bunx", "npx",
	"pipx", "uv", "uvx", "perl", "ruby", "irb", "php", "lua", "luajit", "Rscript", "R", "julia", "java",
	"jshell", "scala", "groovy", "ghci", "runghc", "tclsh", "wish", "expect", "osascript", "sqlite3", "psql",
	"mysql", "gdb", "lldb", "sudo", "doas", "su", "pkexec", "runuser", "env", "genv", "xargs", "gxargs",
	"find", "gfind", "fd", "fdfind", "parallel", "sem", "watch", "entr", "nohup", "setsid", "timeout",
	"gtimeout", "time", "nice", "ionice", "chrt", "taskset", "stdbuf", "unbuffer", "script", "flock", "strace",
	"ltrace", "perf", "valgrind", "chroot", "unshare", "nsenter", "bwrap", "firejail", "ssh", "rsync",
	"docker", "podman", "nerdctl", "kubectl", "systemd-run", "systemctl", "crontab", "at", "batch", "tmux",
	"screen", "exec", "eval", "command", "builtin", "source", ".", "make", "gmake", "vim", "nvim", "vi",
	"emacs", "ed", "awk", "gawk", "mawk", "nawk", "m4", "start-stop-daemon", "dbus-run-session", "xvfb-run",
	"direnv", "mise", "asdf", "nix", "poetry", "pdm", "rye", "hatch", "conda", "just", "task", "rake", "ant",
}

func startsAnything(program string) bool {
	return program == "" || strings.Contains(program, "/") || strings.HasPrefix(program, "python") ||
		slices.Contains(launchers, program)
}

// widePaths returns what a grant for files would have to cover. ok is false if such a grant is not possible: the call
// runs a program, deletes, uses a sensitive place, or uses files in different ways.
func (f facts) widePaths() (use toolspec.Use, paths []string, ok bool) {
	d := f.in.Description
	if !f.describesEffects() || d.RunsProgram || d.Network || len(f.hosts) > 0 {
		return "", nil, false
	}
	for _, u := range d.Files {
		switch {
		case u.Use == toolspec.UseDelete || u.Sensitive != "" || !filepath.IsAbs(u.Path):
			return "", nil, false
		case u.Use == toolspec.UseRead && (u.PanelOwned || f.inFolder(u.Path) || isSystemPath(u.Path)):
			// It needs no permission.
		case use != "" && u.Use != use:
			return "", nil, false
		default:
			use, paths = u.Use, append(paths, filepath.Clean(u.Path))
		}
	}
	return use, sortedSet(paths), len(paths) > 0
}

func (f facts) allInFolder(paths []string) bool {
	return !slices.ContainsFunc(paths, func(p string) bool { return !f.inFolder(p) || p == f.in.Settings.Folder })
}

// folderToOffer returns the folder of paths, or "" if a grant for it would cover too much: a home folder, a top-level
// folder or a folder around the workspace.
func (f facts) folderToOffer(paths []string) string {
	folder := filepath.Dir(paths[0])
	if slices.ContainsFunc(paths, func(p string) bool { return filepath.Dir(p) != folder }) ||
		strings.Count(folder, string(filepath.Separator)) < 3 && !f.inFolder(folder) ||
		isBelow(f.in.Settings.Folder, folder) {
		return ""
	}
	return folder
}

func (f facts) isWebRequest() bool {
	def := f.in.Definition
	return def.Origin == toolspec.OriginBaseline && def.Group == "web" && !f.describesEffects() && len(f.hosts) > 0
}

// isOwnersTool reports whether the call is of a tool of a panel or an MCP server.
func (f facts) isOwnersTool() bool {
	def := f.in.Definition
	return !f.describesEffects() && def.Owner != "" &&
		(def.Origin == toolspec.OriginMCP || def.Origin == toolspec.OriginPanel)
}

func (f facts) coveredByWideGrant(g toolspec.Grant) bool {
	switch {
	case g.Scope != toolspec.GrantConversation && g.Scope != toolspec.GrantAlways:
		return false
	case g.Grantee != f.party || g.Owner != f.in.Definition.Owner:
		return false
	case g.Scope == toolspec.GrantConversation && g.Conversation == "",
		g.Conversation != "" && g.Conversation != f.in.Call.From.Conversation:
		return false
	case g.Kind == toolspec.GrantProgram:
		return g.Tool == f.in.Call.Tool && g.Folder == f.in.Settings.Folder && f.coveredByWideProgramGrant(g)
	}
	return f.allowsWideGrants(f.reasons()) && f.coveredByKind(g)
}

// coveredByKind is coveredByWideGrant for a grant of another kind than GrantProgram that fits the caller and whose
// conversation fits.
func (f facts) coveredByKind(g toolspec.Grant) bool {
	switch g.Kind {
	case toolspec.GrantFile, toolspec.GrantFolder:
		use, paths, ok := f.widePaths()
		return ok && use == g.Use && (f.allInFolder(paths) || isSubset(f.outside, g.Outside)) &&
			!slices.ContainsFunc(paths, func(p string) bool { return !coversPath(g, p) })
	case toolspec.GrantHost:
		return f.isWebRequest() && isSubset(f.hosts, g.Hosts) &&
			(g.Use != toolspec.UseRead || f.in.Definition.Hints.ReadOnly)
	case toolspec.GrantSite:
		return (f.sendsOnPage() || f.isInterfaceTool() && f.composesForSite()) && isSubset(f.hosts, g.Hosts)
	case toolspec.GrantTool:
		return f.isOwnersTool() && g.Tool == f.in.Call.Tool && isSubset(f.hosts, g.Hosts) &&
			len(f.hosts) > 0 == (len(g.Hosts) > 0) &&
			(f.in.Definition.Origin != toolspec.OriginMCP || g.Target == f.in.Description.Target)
	}
	return false
}

func coversPath(g toolspec.Grant, path string) bool {
	if g.Kind == toolspec.GrantFile {
		return slices.Contains(g.Paths, path)
	}
	return slices.ContainsFunc(g.Paths, func(folder string) bool { return path != folder && isBelow(path, folder) })
}

func (f facts) coveredByWideProgramGrant(g toolspec.Grant) bool {
	names := f.grantNames()
	return len(names) > 0 && len(g.Commands) == 1 && slices.Equal(programsOf(names), g.Commands) &&
		!startsAnything(g.Commands[0]) && f.staysInFolder() && !f.isTainted() && g.Folder != "" &&
		!f.in.Description.Network && len(f.hosts) == 0
}
