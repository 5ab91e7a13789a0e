package pages

import "sextant/backend/panels/manifest"

// PanelOrigins returns the origins that a panel's manifest requests.
func PanelOrigins(csp manifest.CSP) OriginRules {
	return OriginRules{
		Connect: csp.ConnectDomains, Resource: csp.ResourceDomains,
		Frame: csp.FrameDomains, Base: csp.BaseURIDomains,
	}
}
