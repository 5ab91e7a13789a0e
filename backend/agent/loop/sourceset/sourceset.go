// Package sourceset is a set of source names that keeps their order.
package sourceset

import "slices"

// Set is a set in insertion order. The zero value is empty.
type Set struct {
	names []string
}

// Add adds the names that are not empty and not in the set yet.
func (s *Set) Add(names ...string) {
	for _, n := range names {
		if n != "" && !slices.Contains(s.names, n) {
			s.names = append(s.names, n)
		}
	}
}

// List returns the names in order.
func (s *Set) List() []string { return slices.Clone(s.names) }
