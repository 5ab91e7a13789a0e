package annotation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Match returns the elements that match query, the best first. It searches role, name, value, states and group for the
// words of the query, ignoring case. If no element has all the words, it returns the elements with the most of them,
// and partly is true. An empty query matches all elements.
func Match(elements []Element, query string) (found []Element, partly bool) {
	q := lower(query)
	words := strings.Fields(q)
	if len(words) == 0 {
		return elements, false
	}
	type match struct {
		e            Element
		words, score int
	}
	var list []match
	most := 0
	for _, e := range elements {
		name := lower(e.Name)
		rest := lower(e.Role + " " + e.Value + " " + strings.Join(e.States, " "))
		group := lower(e.Group)
		m := match{e: e}
		for _, w := range words {
			switch {
			case strings.Contains(name, w):
				m.words++
				m.score += 4
			case strings.Contains(rest, w):
				m.words++
				m.score += 3
			case strings.Contains(group, w):
				m.words++
				m.score++
			}
		}
		switch {
		case name == q:
			m.score += 40
		case strings.HasPrefix(name, q):
			m.score += 20
		case strings.Contains(name, q):
			m.score += 10
		}
		if m.words > 0 {
			list = append(list, m)
			most = max(most, m.words)
		}
	}
	list = slices.DeleteFunc(list, func(m match) bool { return m.words < most })
	slices.SortStableFunc(list, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	for _, m := range list {
		found = append(found, m.e)
	}
	return found, most < len(words)
}

func lower(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// Inventory returns how many elements have each of the eight most frequent roles, and the number of other roles:
// "12 × link, 3 × button".
func Inventory(elements []Element) string {
	counts := map[string]int{}
	for _, e := range elements {
		counts[e.Role]++
	}
	roles := make([]string, 0, len(counts))
	for role := range counts {
		roles = append(roles, role)
	}
	slices.SortFunc(roles, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	if len(roles) == 0 {
		return "nothing that can be acted on"
	}
	var parts []string
	for _, role := range roles[:min(8, len(roles))] {
		parts = append(parts, fmt.Sprintf("%d × %s", counts[role], role))
	}
	if more := len(roles) - 8; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more kinds", more))
	}
	return strings.Join(parts, ", ")
}
