package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is something wrong with a panel and where. Line and Column are from 1, and 0
// when it concerns no place in manifest.json. A Warning keeps nothing off.
type Problem struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Text    string `json:"text"`
	Warning bool   `json:"warning,omitempty"`
	// Tool is the name of the tool that is off because of it, "" when the whole panel is.
	Tool string `json:"tool,omitempty"`
}

// String is the problem in one line for a person, its place first.
func (p Problem) String() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("manifest.json %d:%d: %s", p.Line, p.Column, p.Text)
}

// Stops reports whether p keeps the manifest from being used.
func (p Problem) Stops() bool { return !p.Warning && p.Tool == "" }

func anyStops(problems []Problem) bool { return slices.ContainsFunc(problems, Problem.Stops) }

// nearest is the candidate that name was probably meant to be, "" when none is near.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance is the edit distance with neighbouring letters swapped counting as one edit
// (optimal string alignment).
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return len(a) + len(b)
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
