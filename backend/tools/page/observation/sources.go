package observation

import (
	"slices"
	"strings"

	"sextant/backend/panelpage"
	"sextant/backend/policy"
	"sextant/backend/policy/address"
	"sextant/shared/excerpt"
)

// Sources returns the source of a page's text: its origin, the scheme of an address without a host, or the whole
// address for the page of a panel. An empty tab has none.
func Sources(pageURL string) []string {
	scheme, host := address.Origin(pageURL)
	switch {
	case scheme == "" || scheme == "about":
		return nil
	case strings.HasPrefix(pageURL, panelpage.Scheme):
		return []string{pageURL}
	case host == "":
		return []string{scheme + ":"}
	}
	return []string{scheme + "://" + host}
}

// Host returns the host and port of an address in lower case, or "". The page of a panel has its own host in the
// policy's form, so that text read there may be typed there.
func Host(pageURL string) string {
	if id, panel := strings.CutPrefix(pageURL, panelpage.Scheme); panel {
		return id + policy.PanelHostSuffix
	}
	_, host := address.Origin(pageURL)
	return host
}

// Hosts returns Host as a list, which is empty if the address has no host.
func Hosts(pageURL string) []string {
	if host := Host(pageURL); host != "" {
		return []string{host}
	}
	return nil
}

// DisplayName returns a short name of an address for people, usually its host.
func DisplayName(pageURL string) string {
	if id, panel := strings.CutPrefix(pageURL, panelpage.Scheme); panel {
		return "the panel " + id
	}
	if host := Host(pageURL); host != "" {
		return host
	}
	if pageURL == "" || pageURL == "about:blank" {
		return "an empty page"
	}
	return excerpt.TruncateRunes(pageURL, 80)
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
