package policy

import (
	"net/url"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

// Permission is the person's setting for all calls of one tool.
type Permission string

// The permissions. PermissionDefault decides by the call's effects and the mode. PermissionAllow omits the questions
// that the mode Full omits. PermissionAsk asks at each call except the person's own. PermissionNever refuses.
const (
	PermissionDefault Permission = ""
	PermissionAllow   Permission = "allow"
	PermissionAsk     Permission = "ask"
	PermissionNever   Permission = "never"
)

// Valid reports whether p is one of the four permissions.
func (p Permission) Valid() bool {
	return p == PermissionDefault || p == PermissionAllow || p == PermissionAsk || p == PermissionNever
}

// ToolKey returns the key of a tool in Settings.AllowTools: the name of a baseline tool, and owner/name for any other,
// with the owner percent-encoded.
func ToolKey(def toolspec.Definition) string {
	if def.Origin == toolspec.OriginBaseline {
		return def.Name
	}
	return url.PathEscape(def.Owner) + "/" + def.Name
}

func (f facts) isAllowedTool() bool {
	return f.party == "" && slices.Contains(f.in.Settings.AllowTools, ToolKey(f.in.Definition))
}

func (f facts) isAskingTool() bool {
	return f.in.Call.From.Caller != toolspec.CallerPerson && !f.in.Description.HostCheck &&
		slices.Contains(f.in.Settings.AskTools, f.in.Call.Tool)
}

func (f facts) askingReasons() []askReason {
	if !f.isAskingTool() {
		return nil
	}
	return []askReason{{
		text:  "You set this tool to ask every time.",
		exact: true, inEveryMode: true,
	}}
}

// EffectivePermission describes to the person what applies to calls of one tool, before the arguments are known.
type EffectivePermission struct {
	Permission Permission `json:"permission"`
	// Verdict is "depends" if the arguments decide.
	Verdict Verdict `json:"verdict"`
	// Rule is a sentence about the rule that decides.
	Rule string `json:"rule"`
	// ForbiddingRules are the ids of the rules that forbid the whole tool.
	ForbiddingRules []string `json:"forbids,omitempty"`
}

// VerdictDepends is the verdict of an EffectivePermission if the arguments decide.
const VerdictDepends Verdict = "depends"

// ResolvePermission returns what applies to the assistant's calls of a tool. describesEffects is true if the
// description of each call lists the files that it uses and the programs that it starts.
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
	s := EffectivePermission{Permission: PermissionDefault, Verdict: VerdictAllow}
	for _, g := range grants {
		if ForbidsTool(g, def) {
			s.Permission, s.ForbiddingRules = PermissionNever, append(s.ForbiddingRules, g.ID)
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
			s.Verdict, s.Rule = VerdictRefuse, withPeriod(capitalize(d.Reason))
			return s
		}
	}
	byArguments := describesEffects || !f.isInterfaceTool() && def.Origin == toolspec.OriginBaseline &&
		slices.Contains([]string{"files", "shell", "web"}, def.Group)
	d, closed := refuseInReadOnly(f)
	switch {
	case closed && !byArguments:
		s.Verdict, s.Rule = VerdictRefuse, withPeriod(capitalize(d.Reason))
	case asking:
		s.Verdict, s.Rule = VerdictAsk, "You want to be asked about every call."
	case byArguments:
		s.Verdict, s.Rule = VerdictDepends, f.argumentsRule(describesEffects)
	default:
		s.Verdict, s.Rule = f.verdictByHints()
	}
	return s
}

func (f facts) verdictByHints() (Verdict, string) {
	if reasons := f.reasons(); len(reasons) > 0 {
		return VerdictAsk, reasons[0].text
	}
	return VerdictAllow, f.allowReason()
}

func (f facts) argumentsRule(describesEffects bool) string {
	def, mode := f.in.Definition, f.in.Settings.Mode
	switch {
	case mode == ModeReadOnly:
		return "The mode is Read-only: what only reads in the folder runs, anything else is refused."
	case f.isAllowedTool():
		return "You allowed it. It still asks in secret and sensitive places, outside of the sandbox, and where " +
			"text from outside could steer it."
	case mode == ModeFull:
		return "The mode is Full. It still asks in sensitive places, outside of the sandbox, and where text from " +
			"outside could steer it."
	case def.Group == "shell":
		return "A command that only reads runs in the sandbox. What changes something, deletes or reaches the " +
			"network asks."
	case def.Group == "web":
		return "It asks at the first request to a host; this machine and private networks are closed."
	case def.Hints.ReadOnly:
		return "It reads in the folder without a question, and asks about places outside of it."
	case mode == ModeWorkspace:
		return "The mode is Workspace: what changes in the folder runs, deletes and places outside of it ask."
	case describesEffects || def.Group == "files":
		return "It asks about each file that it would change."
	}
	return "Its arguments decide."
}

// ForbidsTool reports whether g is a rule that forbids every call of the tool in every folder.
func ForbidsTool(g toolspec.Grant, def toolspec.Definition) bool {
	return g.Scope == toolspec.GrantForbid && g.Tool == def.Name && g.Folder == "" &&
		(g.Owner == "" || g.Owner == def.Owner) &&
		len(g.Hosts)+len(g.Commands)+len(g.Paths) == 0
}

func capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
