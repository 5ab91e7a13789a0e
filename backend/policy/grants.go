package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (f facts) coveredBy(g toolspec.Grant) bool {
	if g.Kind != "" {
		return !f.mustAskEachTime() && f.coveredByWideGrant(g)
	}
	switch {
	case f.mustAskEachTime() || !f.inScopeOf(g) || isHostGrant(g) != f.in.Description.HostCheck:
		return false
	case g.Target != "" && g.Target != f.in.Description.Target:
		return false
	case len(g.Commands) > 0:
		return f.coveredByProgramGrant(g)
	case g.Digest != f.effectDigest():
		return false
	}
	if len(g.Args) == 0 {
		// The grant is for any arguments, but it does not answer a question about these arguments.
		return !slices.ContainsFunc(f.reasons(), func(r askReason) bool { return r.exact })
	}
	return bytes.Equal(f.comparableArgs(canonical(g.Args)), f.comparableArgs(f.args))
}

func isHostGrant(g toolspec.Grant) bool { return g.Network && len(g.Commands) == 0 }

func (f facts) inScopeOf(g toolspec.Grant) bool {
	call, def := f.in.Call, f.in.Definition
	switch {
	case g.Scope == toolspec.GrantForbid:
		return false
	case g.Tool != call.Tool || g.Owner != def.Owner || g.Grantee != f.party:
		return false
	case g.Scope == toolspec.GrantConversation && (g.Conversation == "" || g.Conversation != call.From.Conversation):
		return false
	case g.Conversation != "" && g.Conversation != call.From.Conversation:
		return false
	case g.Folder != "" && g.Folder != f.in.Settings.Folder:
		return false
	case !isSubset(f.hosts, g.Hosts) || len(f.hosts) == 0 && len(g.Hosts) > 0:
		return false
	}
	return isSubset(f.outside, g.Outside) && isSubset(f.secretNames(), g.Secrets)
}

// comparableArgs drops the description and the timeout of a command, which the model chooses differently each time.
func (f facts) comparableArgs(args json.RawMessage) json.RawMessage {
	var object map[string]any
	if f.in.Call.Tool != "bash" || !f.describesEffects() || decodeNumbers(args, &object) != nil {
		return args
	}
	delete(object, "description")
	delete(object, "timeout")
	b, err := json.Marshal(object)
	if err != nil {
		return args
	}
	return canonical(b)
}

// A grant with a digest does not cover the same arguments with other effects.
func (f facts) effectDigest() string {
	if f.in.Description.HostCheck {
		return ""
	}
	if f.describesEffects() {
		d := f.in.Description
		b, err := json.Marshal([]any{d.Files, d.Network})
		if err != nil {
			return "" // plain structs always encode
		}
		sum := sha256.Sum256(b)
		return hex.EncodeToString(sum[:])
	}
	if !f.isInterfaceTool() || !f.in.Definition.Hints.Confirm || f.in.Description.Data == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(f.in.Description.Data))
	return hex.EncodeToString(sum[:])
}

func isSubset(some, all []string) bool {
	for _, s := range some {
		if !slices.Contains(all, s) {
			return false
		}
	}
	return true
}

func (f facts) newGrant(scope toolspec.GrantScope, reasons []askReason) toolspec.Grant {
	g := toolspec.Grant{
		Scope: scope, Tool: f.in.Call.Tool, Owner: f.in.Definition.Owner, Grantee: f.party,
		Hosts: f.hosts, Outside: f.outside, Secrets: f.secretNames(), Digest: f.effectDigest(), Created: f.in.Now,
		Network: f.in.Description.HostCheck,
	}
	if scope == toolspec.GrantConversation {
		g.Conversation = f.in.Call.From.Conversation
	}
	exact := slices.ContainsFunc(reasons, func(r askReason) bool { return r.exact })
	if exact {
		// A relative path in the arguments names another file in another folder.
		g.Args, g.Folder = f.comparableArgs(f.args), f.in.Settings.Folder
	}
	if f.in.Description.HostCheck {
		g.Text = f.hostGrantText(g)
		return g
	}
	if exact || len(f.hosts) == 0 {
		// The target binds the grant: the same arguments may later lead to another program or file.
		g.Target = f.in.Description.Target
	}
	g.Text = f.grantText(g)
	return g
}

func (f facts) answeredByOption() (Decision, bool) {
	from := f.in.Call.From
	if from.Caller != toolspec.CallerRun && from.Caller != toolspec.CallerModel && from.Caller != toolspec.CallerPilot {
		return Decision{}, false
	}
	switch {
	case from.YesTo == "all":
		return Decision{Verdict: VerdictAllow, Reason: "Allowed by --yes-to all."}, true
	case from.YesTo == "read" && (f.in.Definition.Hints.ReadOnly || f.readsOnly()):
		return Decision{Verdict: VerdictAllow, Reason: "Allowed by --yes-to read."}, true
	}
	return Decision{}, false
}

func (f facts) refuseUnattended(reasons []askReason) Decision {
	from := f.in.Call.From
	suggestion := "Allow it in the window with Always, or set SEXTANT_MODE=full."
	switch {
	case f.isAskingTool():
		suggestion = "Do it in the window, where it can be confirmed, or set the tool's permission back to the rules."
	case f.in.Description.HostCheck && !reasons[0].tainted:
		suggestion = "The person can allow it beforehand: --allow-hosts " + f.hosts[0] + " or SEXTANT_ALLOW_HOSTS=" +
			f.hosts[0] + "."
	case from.Caller == toolspec.CallerRun || from.YesTo != "":
		answer := "all"
		if f.in.Definition.Hints.ReadOnly || f.readsOnly() {
			answer = "read"
		}
		suggestion = "Run it with --yes-to " + answer + "."
	case f.onlyHostReason(reasons):
		suggestion = "Start with --allow-hosts " + f.hosts[0] + ", or set SEXTANT_ALLOW_HOSTS=" + f.hosts[0] + "."
	case reasons[0].tainted:
		suggestion = "Allow it in the window, or do it in a new conversation."
	case reasons[0].inEveryMode:
		suggestion = "Do it in the window, where it can be confirmed."
	}
	return Decision{
		Verdict: VerdictRefuse, ErrorType: toolspec.PermissionError,
		Reason: "it needs confirmation, and there is nobody to ask: " + reasons[0].text, Suggestion: suggestion,
	}
}

func (f facts) onlyHostReason(reasons []askReason) bool {
	return len(f.hosts) == 1 && len(reasons) == 1 && len(f.hintReasons()) == 0 && !reasons[0].tainted
}

func (f facts) ask(reasons []askReason) Decision {
	call := f.in.Call
	d := Decision{Verdict: VerdictAsk, Reason: reasons[0].text, Grants: map[event.Answer]toolspec.Grant{}}
	d.Approval = event.Approval{
		Call: call.ID, ParentCall: call.ParentCall, RootCall: call.From.RootCall,
		WindowOnly: f.in.Description.NewProgram != "",
		Tool:       call.Tool, Args: f.visibleArgs(), Question: f.question(), Effect: f.actionText(),
		Target: f.targetText(), Data: f.visibleData(), Reason: joinReasons(reasons),
		Note: f.in.Description.Note, Diff: f.in.Description.Diff,
		Annotation: f.in.Description.Annotation, Hash: callDigest(call.Tool, f.args, f.in.Settings.Folder, call.From),
	}
	if trial := f.in.Description.Trial; trial != nil && len(trial.Files) > 0 {
		d.Approval.Diff = trial.Diff
		d.Approval.Reason += " It ran on a copy of the folder, without network; Allow makes these changes."
	}
	d.Approval.Conversation, d.Approval.Turn = call.From.ShownIn()
	if len(f.in.Description.SecretArgs)+len(f.in.Description.Secrets) == 0 {
		d.Approval.EditArg = f.in.Description.EditArg
	}
	d.Approval.Choices = append(d.Approval.Choices, event.Choice{Answer: event.AnswerOnce, Scope: "Only this, now."})
	// A grant contains the arguments and is shown in the settings, so a call with a secret in its arguments offers
	// none.
	if len(f.in.Description.SecretArgs) == 0 && !f.mustAskEachTime() {
		for _, o := range f.offers(reasons) {
			d.Grants[o.answer] = o.grant
			d.Approval.Choices = append(d.Approval.Choices, event.Choice{Answer: o.answer, Scope: o.grant.Text})
		}
	}
	deny := "It does not run. The assistant continues without it."
	switch trial := f.in.Description.Trial; {
	case trial != nil && len(trial.Files) > 0:
		deny = "Nothing is changed. The assistant continues without it."
	case f.in.Description.HostCheck:
		deny = "The command continues without this host."
	}
	d.Approval.Choices = append(d.Approval.Choices, event.Choice{Answer: event.AnswerDeny, Scope: deny})
	return d
}
