package observe

import (
	"cmp"
	"fmt"

	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/surface"
)

// ExpectationOf returns the state of an element that the caller was last shown.
func ExpectationOf(e identity.Element) collect.Expectation {
	return collect.Expectation{
		TextHash: &e.ReportedTextHash, IgnoreDigits: e.TextWarned, RowHash: e.ReportedRowHash,
		IgnoreRowDigits: e.RowWarned,
	}
}

// ChangedFault returns the fault for an element whose text differs from what was listed or, when rowHash is set, whose
// row contains other digits. A caller that uses the id again accepts the element as it is now.
func ChangedFault(elements *identity.ElementRegistry, e identity.Element,
	text, textHash, rowHash string,
) *surface.Fault {
	f := &surface.Fault{
		Kind:       surface.FaultGone,
		Suggestion: fmt.Sprintf("Use [%d] again if that is what you mean, or call annotate_page.", e.ID),
	}
	if rowHash != "" {
		elements.RecordRowWarning(e.ID, rowHash)
		f.Message = fmt.Sprintf("The row of %s says %q now, and had other digits when it was listed: nothing was done.",
			e.Label(), surface.Truncate(text, 60))
		return f
	}
	elements.RecordTextWarning(e.ID, textHash)
	f.Message = fmt.Sprintf("[%d] says %q now, and was listed as %s %q: nothing was done.", e.ID,
		surface.Truncate(text, 80), e.Role, surface.Truncate(e.ReportedName, 80))
	return f
}

// RefusalFault returns the fault for an element that cannot be pressed for the reason in p.
func RefusalFault(elements *identity.ElementRegistry, e identity.Element, p collect.PressPoint) *surface.Fault {
	switch p.State {
	case "changed":
		return ChangedFault(elements, e, p.Detail, p.TextHash, p.RowHash)
	case "disabled":
		return &surface.Fault{
			Kind: surface.FaultDisabled,
			Message: fmt.Sprintf("%s is disabled: %s.", e.Label(),
				cmp.Or(p.Detail, "the page does not take it now")),
			Suggestion: "Fill in what the page asks for first, then call annotate_page.",
		}
	case "covered":
		by := p.CoveredByText
		if id := elements.ID(e.Doc, p.CoveredBy); id != 0 {
			by = fmt.Sprintf("[%d] %s", id, by)
		}
		f := &surface.Fault{
			Kind: surface.FaultCovered, Message: fmt.Sprintf("%s is covered by %s.", e.Label(), by),
			Suggestion: "Close or move what covers it first, then try again.",
		}
		if p.Dismissible {
			f.Suggestion = `Close what covers it (its own button, or press_key "Escape"), then try again.`
		}
		return f
	}
	return &surface.Fault{
		Kind: surface.FaultBlocked,
		Message: fmt.Sprintf("%s cannot be pressed: %s.", e.Label(),
			cmp.Or(p.Detail, "it cannot be seen")),
		Suggestion: "Call annotate_page to see what can be pressed now.",
	}
}
