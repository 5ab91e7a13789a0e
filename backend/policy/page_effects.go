package policy

import (
	"slices"

	"sextant/shared/toolspec"
)

// pageReasons returns the reasons to ask about an act on a page that has an effect on its server. Programs that drive
// their own tabs ask their own user.
func (f facts) pageReasons() []askReason {
	switch f.in.Call.From.Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot, toolspec.CallerMCP, toolspec.CallerHTTP:
		return nil
	}
	effect, elsewhere := f.in.Description.PageEffect, f.readElsewhere()
	if effect != "" && len(elsewhere) > 0 && !f.namesHosts() {
		return []askReason{{
			text: "You did not name this site, and this turn also read " + joinWords(firstFew(elsewhere)) +
				", whose text may want it.",
			exact: true, tainted: true, inEveryMode: true,
		}}
	}
	switch effect {
	case toolspec.PagePay:
		return []askReason{{text: f.modeName() + " confirms every purchase.", exact: true}}
	case toolspec.PageDelete:
		return []askReason{{text: f.modeName() + " confirms every deletion.", exact: true}}
	case toolspec.PageSend, toolspec.PagePost:
		if len(f.hosts) > 0 && !slices.ContainsFunc(f.hosts, func(h string) bool { return !f.hostIsOpen(h) }) {
			return nil
		}
		text := " confirms forms that go to a site that you did not name."
		if effect == toolspec.PagePost {
			text = " confirms what is published on a site that you did not name."
		}
		return []askReason{{text: f.modeName() + text, exact: true, wide: true}}
	}
	return nil
}

// sendsOnPage reports whether the call sends a form or publishes something on an open page.
func (f facts) sendsOnPage() bool {
	effect := f.in.Description.PageEffect
	return f.actsOnOpenPage() && len(f.hosts) > 0 && (effect == toolspec.PageSend || effect == toolspec.PagePost)
}

func (f facts) siteGrant(scope toolspec.GrantScope) toolspec.Grant {
	g := f.wideGrant(toolspec.GrantSite, scope)
	g.Hosts = f.hosts
	g.Text = "Every address, text, form and post for " + joinWords(g.Hosts) + wideLimitsText(g) +
		" No subdomains. Buying and deleting still ask."
	return g
}
