package page

import (
	"strings"

	"sextant/backend/browser/page/effects"
	"sextant/backend/policy/address"
)

// ExplainFailure says why an address could not be opened: a title, and sentences with the reason and what helps.
func (m *Manager) ExplainFailure(url, networkError string) (head, text string) {
	if m.Config.ExplainFailure != nil && strings.HasPrefix(url, "https:") &&
		strings.Contains(networkError, "TUNNEL") {
		if head, text = m.Config.ExplainFailure(url); head != "" {
			return head, text
		}
	}
	_, host := address.Origin(url)
	if host == "" {
		host = "The page"
	}
	reason := effects.NetworkErrorText(networkError)
	return host + " could not be opened", strings.ToUpper(reason[:1]) + reason[1:] +
		". Check the address, or try again later."
}
