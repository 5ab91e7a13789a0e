package surface

import (
	"fmt"
	"strings"
)

// Condition is a condition on a page: all of its fields that are set must be true.
type Condition struct {
	// Text must be visible on the page, Gone must not; both ignore case and white space.
	Text, Gone string
	// URL is part of the page's address.
	URL string
	// Role and Name describe an operable element: its role as listed, and a part of its name. Either
	// may be empty.
	Role, Name string
}

// IsZero reports whether c asks for nothing.
func (c Condition) IsZero() bool { return c == Condition{} }

// UnmetText is the outcome of a wait for c that ended early.
func (c Condition) UnmetText() string {
	var parts []string
	if c.Text != "" {
		parts = append(parts, fmt.Sprintf("%q did not appear", Clip(c.Text, 80)))
	}
	if c.Gone != "" {
		parts = append(parts, fmt.Sprintf("%q was not seen to go", Clip(c.Gone, 80)))
	}
	if c.URL != "" {
		parts = append(parts, fmt.Sprintf("the address did not come to contain %q", Clip(c.URL, 80)))
	}
	if len(parts) == 0 {
		return "stopped waiting"
	}
	return "stopped waiting: " + strings.Join(parts, ", ")
}

// MetText is the outcome of a wait for c that succeeded.
func (c Condition) MetText() string {
	var parts []string
	if c.Text != "" {
		parts = append(parts, fmt.Sprintf("%q is there", Clip(c.Text, 80)))
	}
	if c.Gone != "" {
		parts = append(parts, fmt.Sprintf("%q is gone", Clip(c.Gone, 80)))
	}
	if c.URL != "" {
		parts = append(parts, fmt.Sprintf("the address contains %q", Clip(c.URL, 80)))
	}
	return strings.Join(parts, ", ")
}
