package pages

import "sextant/backend/panels/manifest"

// PanelGrants returns the origins that a panel's manifest requests.
func PanelGrants(csp manifest.CSP) OriginRules {
	return OriginRules{
		Connect: csp.ConnectDomains, Resource: csp.ResourceDomains,
		Frame: csp.FrameDomains, Base: csp.BaseURIDomains,
	}
}
