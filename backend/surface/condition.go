package surface

import (
	"fmt"
	"strings"
)

// Condition is a condition on a page. It is true if all fields that are set are true.
type Condition struct {
	// Text must be visible on the page and AbsentText must not be. Both ignore case and differences in white space.
	Text, AbsentText string
	// URL must be contained in the page's address, ignoring case.
	URL string
	// Role and Name describe a listed element: its role and a part of its name, ignoring case. Either may be empty.
	Role, Name string
}

// IsZero reports whether c has no field set.
func (c Condition) IsZero() bool { return c == Condition{} }

// UnmetText describes a wait for c that was stopped before c was true. It does not mention Role and Name.
func (c Condition) UnmetText() string {
	var parts []string
	if c.Text != "" {
		parts = append(parts, fmt.Sprintf("%q did not appear", Truncate(c.Text, 80)))
	}
	if c.AbsentText != "" {
		parts = append(parts, fmt.Sprintf("%q did not disappear", Truncate(c.AbsentText, 80)))
	}
	if c.URL != "" {
		parts = append(parts, fmt.Sprintf("the address did not change to contain %q", Truncate(c.URL, 80)))
	}
	if len(parts) == 0 {
		return "stopped waiting"
	}
	return "stopped waiting: " + strings.Join(parts, ", ")
}

// MetText describes c after it became true: `"Saved" is there`. It does not mention Role and Name.
func (c Condition) MetText() string {
	var parts []string
	if c.Text != "" {
		parts = append(parts, fmt.Sprintf("%q is there", Truncate(c.Text, 80)))
	}
	if c.AbsentText != "" {
		parts = append(parts, fmt.Sprintf("%q is gone", Truncate(c.AbsentText, 80)))
	}
	if c.URL != "" {
		parts = append(parts, fmt.Sprintf("the address contains %q", Truncate(c.URL, 80)))
	}
	return strings.Join(parts, ", ")
}
