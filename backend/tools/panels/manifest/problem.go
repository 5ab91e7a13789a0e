package manifest

import (
	"fmt"
	"slices"
	"strings"

	"sextant/shared/event"
)

// Problem is something wrong with a panel and where.
type Problem = event.PanelProblem

// problem is one that concerns no place in the file.
func problem(warning bool, format string, args ...any) Problem {
	p := Problem{Severity: event.SeverityError, Text: fmt.Sprintf(format, args...)}
	if warning {
		p.Severity = event.SeverityWarning
	}
	return p
}

// Off says that the tool called name is off, because why.
func Off(name, why string) Problem {
	return Problem{Severity: event.SeverityError, Tool: name, Text: fmt.Sprintf("tool %s is off: %s", name, why)}
}

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
