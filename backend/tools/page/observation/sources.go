package observation

import (
	"net/url"
	"slices"
	"strings"

	"sextant/backend/panelpage"
	"sextant/backend/policy"
	"sextant/shared/excerpt"
)

// Sources returns the source of the text of a page: its origin, none for an empty tab.
func Sources(address string) []string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "" || u.Scheme == "about":
		return nil
	case strings.HasPrefix(address, panelpage.Scheme):
		return []string{address}
	case u.Host == "":
		return []string{u.Scheme + ":"}
	}
	return []string{strings.ToLower(u.Scheme + "://" + u.Host)}
}

// Host returns the host of an address with its port, in lower case, "" when it has none. The page of a
// panel is a host of its own, in the form that the policy knows: what was read there may be typed there.
func Host(address string) string {
	if id, panel := strings.CutPrefix(address, panelpage.Scheme); panel {
		return id + policy.PanelHostSuffix
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Host)
}

// Hosts returns Host as a list, empty when the address has none.
func Hosts(address string) []string {
	if host := Host(address); host != "" {
		return []string{host}
	}
	return nil
}

// Place returns what a person would call an address: its host, or the address itself.
func Place(address string) string {
	if id, panel := strings.CutPrefix(address, panelpage.Scheme); panel {
		return "the panel " + id
	}
	if host := Host(address); host != "" {
		return host
	}
	if address == "" || address == "about:blank" {
		return "an empty page"
	}
	return excerpt.Runes(address, 80)
}

// Add returns list with those of more that it does not hold yet.
func Add(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// Sorted returns the distinct entries of list in order.
func Sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
