package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// manualPage returns the manual page of section 1 in roff.
func manualPage(model *kong.Application, version string, date time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH SEXTANT 1 \"%s\" \"Sextant %s\"\n", date.Format("2006-01-02"), roff(version))
	b.WriteString(".SH NAME\nsextant \\- desktop assistant with panels, tools and a browser driven by numbers\n")
	b.WriteString(".SH SYNOPSIS\n.B sextant\n[\\fIverb\\fR] [\\fIflags\\fR]\n")
	b.WriteString(".SH DESCRIPTION\nWithout a verb, sextant opens its window in the current folder.\n.SH VERBS\n")
	for _, leaf := range model.Leaves(true) {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(leaf.Summary()), roff(leaf.Help))
		for _, flag := range leaf.Flags {
			writeFlag(&b, flag, true)
		}
	}
	b.WriteString(".SH OPTIONS OF ALL VERBS\n")
	for _, flag := range model.Flags {
		writeFlag(&b, flag, false)
	}
	b.WriteString(".SH EXIT STATUS\n0 when done, 1 when it failed, 2 for wrong usage, 3 when it was refused.\n")
	b.WriteString(".SH FILES\n.TP\n.I ~/.local/share/sextant\ndata: conversations, panels, the audit log\n" +
		".TP\n.I ~/.config/sextant\nconfig.toml and mcp\\-config.json\n")
	return b.String()
}

func writeFlag(b *strings.Builder, flag *kong.Flag, indent bool) {
	if flag.Hidden {
		return
	}
	if indent {
		b.WriteString(".RS\n")
		defer b.WriteString(".RE\n")
	}
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roff(flag.Summary()), roff(flag.Help))
}

// roff escapes text for a line of a manual page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
