package policy

import (
	"net/url"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// Permission is what the person said about every call of one tool.
type Permission string

// The permissions. ByRules leaves it to what a call does and to the mode. Allowed takes the tool out of
// the questions that the mode Full takes out, for the person's own doors. Asking asks at each call, also
// where it only reads, and no standing permission answers. Never refuses.
const (
	PermissionByRules Permission = ""
	PermissionAllow   Permission = "allow"
	PermissionAsk     Permission = "ask"
	PermissionNever   Permission = "never"
)

// Valid reports whether p is one of the four.
func (p Permission) Valid() bool {
	return p == PermissionByRules || p == PermissionAllow || p == PermissionAsk || p == PermissionNever
}

// ToolKey names a tool together with whose it is, for the list of those that are allowed: another panel
// or server that comes with a tool of the same name is not meant. A tool of Sextant itself is its
// name, any other owner/name, the owner written so that it holds no comma, space or slash.
func ToolKey(def toolspec.Definition) string {
	if def.Origin == toolspec.OriginBaseline {
		return def.Name
	}
	return url.PathEscape(def.Owner) + "/" + def.Name
}

// isAllowedTool reports whether the person allowed every call of the tool; a program, a panel and a created
// tool that call it are asked about as ever.
func (f facts) isAllowedTool() bool {
	return f.party == "" && slices.Contains(f.in.Settings.AllowTools, ToolKey(f.in.Definition))
}

// isAskingTool reports whether the person wants to be asked about this call. A call that they made by hand
// is their word already, and a host that a command came to has a question of its own.
func (f facts) isAskingTool() bool {
	return f.in.Call.From.Caller != toolspec.CallerPerson && !f.in.Description.HostCheck &&
		slices.Contains(f.in.Settings.AskTools, f.in.Call.Tool)
}

// askingDoubts is the doubt about a tool that the person wants to be asked about.
func (f facts) askingDoubts() []doubt {
	if !f.isAskingTool() {
		return nil
	}
	return []doubt{{
		reason: "You want to be asked about every call of " + f.in.Call.Tool + ".",
		exact:  true, inEveryMode: true,
	}}
}

// EffectivePermission is what calls of one tool come to before their arguments are known, for the person to read.
type EffectivePermission struct {
	Permission Permission `json:"permission"`
	// Verdict is "depends" where the arguments decide.
	Verdict Verdict `json:"verdict"`
	// Rule is a sentence: which rule decides.
	Rule string `json:"rule"`
	// Forbids are the ids of the rules that forbid the tool as a whole.
	Forbids []string `json:"forbids,omitempty"`
}

// Depends is the verdict of a Stand where the arguments decide.
const Depends Verdict = "depends"

// ResolvePermission is what calls of a tool by the assistant come to. With told the tool says of each call
// which files it uses and what it starts.
func ResolvePermission(
	def toolspec.Definition, settings Settings, grants []toolspec.Grant, describesEffects bool,
) EffectivePermission {
	f := newFacts(Input{
		Call: toolspec.Call{
			Tool: def.Name,
			From: toolspec.Provenance{Caller: toolspec.CallerModel, Interactive: true},
		},
		Definition: def, Settings: settings, Grants: grants,
	})
	s := EffectivePermission{Permission: PermissionByRules, Verdict: Allow}
	for _, g := range grants {
		if ForbidsTool(g, def) {
			s.Permission, s.Forbids = PermissionNever, append(s.Forbids, g.ID)
		}
	}
	asking, allowed := f.isAskingTool(), f.isAllowedTool()
	switch {
	case s.Permission == PermissionNever:
	case asking:
		s.Permission = PermissionAsk
	case allowed:
		s.Permission = PermissionAllow
	}
	for _, refusal := range []func(facts) (Decision, bool){refuseDisabled, refuseByRule} {
		if d, refused := refusal(f); refused {
			s.Verdict, s.Rule = Refuse, withPeriod(capitalize(d.Reason))
			return s
		}
	}
	byArguments := describesEffects || !f.isInterfaceTool() && def.Origin == toolspec.OriginBaseline &&
		slices.Contains([]string{"files", "shell", "web"}, def.Group)
	d, closed := refuseInReadOnly(f)
	switch {
	case closed && !byArguments:
		s.Verdict, s.Rule = Refuse, withPeriod(capitalize(d.Reason))
	case asking:
		s.Verdict, s.Rule = Question, "You want to be asked about every call."
	case byArguments:
		s.Verdict, s.Rule = Depends, f.argumentsRule(describesEffects)
	default:
		s.Verdict, s.Rule = f.verdictByHints()
	}
	return s
}

// verdictByHints is what the marks of a tool come to.
func (f facts) verdictByHints() (Verdict, string) {
	if doubts := f.doubts(); len(doubts) > 0 {
		return Question, doubts[0].reason
	}
	return Allow, f.allowReason()
}

// argumentsRule says what decides about a call that is judged by what it does.
func (f facts) argumentsRule(describesEffects bool) string {
	def, mode := f.in.Definition, f.in.Settings.Mode
	switch {
	case mode == ReadOnly:
		return "The mode is Read-only: what only reads in the folder runs, anything else is refused."
	case f.isAllowedTool():
		return "You allowed it. It still asks in secret and sensitive places, outside of the sandbox, and where " +
			"text from outside could steer it."
	case mode == Full:
		return "The mode is Full. It still asks in sensitive places, outside of the sandbox, and where text from " +
			"outside could steer it."
	case def.Group == "shell":
		return "A command that only reads runs in the sandbox. What changes something, deletes or reaches the " +
			"network asks."
	case def.Group == "web":
		return "It asks at the first request to a host; this machine and private networks are closed."
	case def.Hints.ReadOnly:
		return "It reads in the folder without a question, and asks about places outside of it."
	case mode == Workspace:
		return "The mode is Workspace: what changes in the folder runs, deletes and places outside of it ask."
	case describesEffects || def.Group == "files":
		return "It asks about each file that it would change."
	}
	return "Its arguments decide."
}

// ForbidsTool reports whether g is a rule that forbids every call of the tool, wherever.
func ForbidsTool(g toolspec.Grant, def toolspec.Definition) bool {
	return g.Scope == toolspec.GrantForbid && g.Tool == def.Name && g.Folder == "" &&
		(g.Owner == "" || g.Owner == def.Owner) &&
		len(g.Hosts)+len(g.Commands)+len(g.Paths) == 0
}

// capitalize begins a sentence.
func capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
