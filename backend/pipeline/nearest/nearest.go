// Package nearest finds the known name of which another name is probably a misspelling, for "did you mean" in errors.
// The result is for display; no code may act on it.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// maxName limits the compared names, in bytes. A longer name is not a misspelling.
const maxName = 128

// Names returns at most n of known that resemble name, best match first. It ignores case and separators
// ("openBrowserPanel" is open_browser_panel), and accepts parts of names and a few wrong letters.
func Names(name string, known []string, n int) []string {
	if len(name) > maxName {
		return nil
	}
	type match struct {
		name string
		cost int
	}
	want := fold(name)
	var found []match
	for _, k := range known {
		if cost, ok := distance(want, fold(k)); ok {
			found = append(found, match{k, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), strings.Compare(a.name, b.name))
	})
	names := make([]string, 0, n)
	for _, m := range found[:min(n, len(found))] {
		names = append(names, m.name)
	}
	return names
}

// Name returns the best match for name in known, or "".
func Name(name string, known []string) string {
	if names := Names(name, known, 1); len(names) > 0 {
		return names[0]
	}
	return ""
}

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(s))
}

// ok is false if neither can be a misspelling of the other.
func distance(a, b string) (int, bool) {
	if a == "" || b == "" {
		return 0, false
	}
	if a == b {
		return 0, true
	}
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	if len(short) >= 3 && strings.Contains(long, short) {
		return 1 + (len(long)-len(short))/4, true
	}
	d := edits(a, b)
	return d, d <= max(1, len(long)/3) || commonPrefix(a, b) >= 4 && d <= len(long)/2
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Swapping two adjacent bytes is one edit (optimal string alignment).
func edits(a, b string) int {
	earlier, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := above[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], earlier[j-2]+1)
			}
		}
		earlier, above, row = above, row, earlier
	}
	return above[len(b)]
}
