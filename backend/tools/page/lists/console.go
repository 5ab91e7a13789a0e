// Package lists formats lists of what the browser recorded about a page as Results: downloads, console messages,
// network requests, and the tools that the page offers. The parameter from contains the sources of the page's text.
package lists

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/browser"
	"sextant/backend/policy/redact"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

// ConsoleValue is the value of the Result of Console.
type ConsoleValue struct {
	Messages []browser.ConsoleMessage `json:"messages"`
	// More is the number of older messages that the limit left out.
	More int `json:"more,omitempty"`
}

const maxLine = 500

// Console lists console messages; more is the number of older messages that were left out.
func Console(list []browser.ConsoleMessage, more int, from []string) toolspec.Result {
	r := toolspec.OK(ConsoleValue{Messages: list, More: more})
	r.Sentence = "Read " + english.Plural(len(list), "console message", "")
	r.Sources = from
	var b strings.Builder
	if more > 0 {
		fmt.Fprintf(&b, "… %d older messages left out; send a larger limit\n", more)
	}
	for _, m := range list {
		fmt.Fprintf(&b, "%d: %s", m.ID, m.Level)
		if m.Source != "console" {
			b.WriteString(" (" + annotation.Clean(m.Source, 30) + ")")
		}
		b.WriteString(" " + annotation.Quote(annotation.Clean(m.Text, maxLine)))
		if m.Location != "" {
			b.WriteString(" at " + annotation.Clean(m.Location, 200))
		}
		if m.Times > 1 {
			fmt.Fprintf(&b, " (%d times)", m.Times)
		}
		b.WriteByte('\n')
	}
	if n := strings.Count(b.String(), redact.Placeholder); n > 0 {
		fmt.Fprintf(&b, "note: %s masked as %s\n", english.Plural(n, "value", ""), redact.Placeholder)
	}
	if len(list) == 0 {
		b.WriteString("There are no such messages.")
	}
	r.Text = strings.TrimSuffix(b.String(), "\n")
	return r
}
