// Package nearest finds the known name that somebody most likely meant, for "did you mean" in errors. It is a
// guess to read, never to act on.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// maxName bounds what is compared, in bytes; a longer name is not a typing mistake.
const maxName = 128

// Names returns at most n of known that resemble name, the most likely first. Case and separators are ignored
// ("openBrowserPanel" is open_browser_panel); parts of names and a few wrong letters are accepted.
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

// Name returns the one of known that resembles name most, "" when none does.
func Name(name string, known []string) string {
	if names := Names(name, known, 1); len(names) > 0 {
		return names[0]
	}
	return ""
}

func fold(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(s))
}

// distance returns how different two folded names are; ok is false when one cannot be a mistyped other.
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

// edits returns the edit distance over bytes, where swapped neighbours are one edit (optimal string
// alignment).
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
