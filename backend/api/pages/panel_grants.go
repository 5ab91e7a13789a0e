package pages

import "sextant/backend/panels/manifest"

// PanelGrants are the origins that a panel's manifest asks for.
func PanelGrants(csp manifest.CSP) OriginRules {
	return OriginRules{
		Connect: csp.ConnectDomains, Resource: csp.ResourceDomains,
		Frame: csp.FrameDomains, Base: csp.BaseURIDomains,
	}
}
