package observation

import (
	"net/url"
	"slices"
	"strings"

	"sextant/backend/panelpage"
	"sextant/backend/policy"
	"sextant/shared/excerpt"
)

// Sources returns the source of a page's text, which is its origin, or the whole address for the page of a panel. An
// empty tab has none.
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

// Host returns the host and port of an address in lower case, or "". The page of a panel has its own host in the
// policy's form, so that text read there may be typed there.
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

// Hosts returns Host as a list, which is empty if the address has no host.
func Hosts(address string) []string {
	if host := Host(address); host != "" {
		return []string{host}
	}
	return nil
}

// DisplayName returns a short name of an address for people, usually its host.
func DisplayName(address string) string {
	if id, panel := strings.CutPrefix(address, panelpage.Scheme); panel {
		return "the panel " + id
	}
	if host := Host(address); host != "" {
		return host
	}
	if address == "" || address == "about:blank" {
		return "an empty page"
	}
	return excerpt.TruncateRunes(address, 80)
}

// AppendMissing appends to list the entries of more that it does not contain yet.
func AppendMissing(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// SortedUnique returns the distinct entries of list in sorted order.
func SortedUnique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
