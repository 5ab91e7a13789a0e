package policy

import (
	"slices"
	"strings"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// CardUse returns what a call uses that a permission card must list. Its Acts is 1 if the call has an effect. A recipe
// presses what was pressed when it was recorded, so its effects on a page need no entry.
func CardUse(in Input) toolspec.Card { return newFacts(in).cardUse() }

func (f facts) cardUse() toolspec.Card {
	d := f.in.Description
	use := toolspec.Card{Hosts: slices.DeleteFunc(slices.Clone(f.hosts), func(host string) bool {
		return strings.HasSuffix(host, PanelHostSuffix)
	})}
	for _, u := range d.Files {
		if u.Use != toolspec.UseRead || !f.inFolder(u.Path) && !isSystemPath(u.Path) {
			use.Files = append(use.Files, u.Path)
		}
	}
	for _, s := range d.Secrets {
		use.Secrets = append(use.Secrets, s.Name)
	}
	hints := f.in.Definition.Hints
	runsRecipe := hints.Inert && f.in.Definition.Origin == toolspec.OriginRecipe
	if hints.ReadOnly || runsRecipe || f.readsOnly() {
		return use
	}
	use.Tools, use.Acts = []string{f.in.Call.Tool}, 1
	if d.PageEffect != "" && f.in.Call.From.Caller != toolspec.CallerRun {
		use.PageEffects = []string{string(d.PageEffect)}
	}
	if d.RunsProgram {
		use.Commands = []string{d.Target}
	}
	return use
}

// decideByCard judges a call of a run that nobody watches. What is not on the card parks the run. What is on it runs
// without a question, except where outside text could have led a model to it: such a call needs a grant as well.
func (f facts) decideByCard(reasons []askReason) Decision {
	if beyond := f.in.Card.Beyond(f.cardUse()); len(beyond) > 0 {
		return f.park("It would use " + joinWords(beyond) + ", which the permission card does not list.")
	}
	for _, r := range reasons {
		// No model chose what a recipe does.
		steered := f.in.Call.From.Caller != toolspec.CallerRun && (r.tainted || r.inEveryMode && !r.ofSecret)
		if !steered && !f.isAskingTool() {
			continue
		}
		if i := slices.IndexFunc(f.in.Grants, f.coveredBy); i >= 0 {
			g := f.in.Grants[i]
			return Decision{Verdict: VerdictAllow, Reason: "You allowed it: " + g.Text, GrantID: g.ID}
		}
		return f.park(r.text)
	}
	if len(reasons) == 0 {
		return Decision{Verdict: VerdictAllow, Reason: f.allowReason()}
	}
	return Decision{Verdict: VerdictAllow, Reason: "The permission card that you signed lists it."}
}

func (f facts) park(reason string) Decision {
	return Decision{
		Verdict: VerdictRefuse, Parks: true, ErrorType: toolspec.PermissionError, Reason: reason,
		Suggestion: "The run ends here. The person decides whether the card should list it.",
		Approval:   event.Approval{Question: f.question()},
	}
}
