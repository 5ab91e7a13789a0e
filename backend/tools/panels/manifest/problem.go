package manifest

import (
	"fmt"

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
