package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// knownMisses explains the missed targets.
//
//go:embed why.md
var knownMisses string

const sextantName = "sextant"

var systemOrder = []string{sextantName, "playwright-mcp", "chrome-devtools-mcp", "agent-browser"}

const introduction = `# Benchmark

Sextant compared with three similar programs: %d generated pages, the same Chromium, MCP on standard input and output,
one program after the other on each page. ` + "`make bench`" + ` writes this page. The raw figures are in
[bench.json](bench.json), and ` + "`build/bench/package.json`" + ` pins the other programs' versions.

How it is measured:

- Each page's HTML states which elements a person can use and which exist but cannot be used. An element is *found* when
  the answer for the whole page has a line with a handle, an equivalent role and the name. An element without a role
  must be marked as usable ("clickable", "focusable", a pointer cursor); plain text does not count.
- *Unusable listed* counts elements that are covered, inert, disabled, without size or clipped, but listed without
  saying so.
- An action *worked* when the page itself reported it to the benchmark's server. Each program may list the page three
  times to find a target that appears late.
- Tokens are those of the answer's text (cl100k). Times are medians in milliseconds over several openings. Annotate is
  timed after the first answer. An action of several steps is timed as a whole, including the listings it needed. The
  machine is noisy, so only ratios within one run count.

Measured with %s.
`

func (r *Report) markdown(pages map[string]*Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, introduction, len(r.measuredPages()), r.Machine)
	b.WriteString("\n## Targets\n\n| target | result | |\n|---|---|---|\n")
	for _, t := range r.targets(pages) {
		verdict := "met"
		if !t.met {
			verdict = "**missed**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", t.what, t.found, verdict)
	}
	b.WriteString(knownMisses)
	r.totals(&b)
	r.perPage(&b, pages)
	r.misses(&b)
	return b.String()
}

func (r *Report) totals(b *strings.Builder) {
	b.WriteString("\n## All pages together\n\n| program | found | unusable listed | actions that worked " +
		"| whole-page tokens | annotate, median of pages | action, median of pages | default tool definitions " +
		"|\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range systemOrder {
		var truth, seen, wrong, done, tried, tokens int
		var listings, acts []float64
		for _, o := range r.Outcomes {
			if o.System != s {
				continue
			}
			truth, seen, wrong = truth+o.Truth, seen+o.Seen, wrong+len(o.WronglyUsable)
			done, tried, tokens = done+o.Effective, tried+o.Tried, tokens+o.Tokens
			listings = append(listings, o.Annotate)
			if o.Act > 0 {
				acts = append(acts, o.Act)
			}
		}
		definitions := "–"
		for _, d := range r.Definitions {
			if d.System == s {
				definitions = fmt.Sprintf("%d tools, %d tokens", d.Tools, d.Tokens)
			}
		}
		fmt.Fprintf(b, "| %s | %d of %d | %d | %d of %d | %d | %.1f ms | %.0f ms | %s |\n", s, seen, truth, wrong, done,
			tried, tokens, median(listings), median(acts), definitions)
	}
}

func (r *Report) perPage(b *strings.Builder, pages map[string]*Page) {
	b.WriteString("\n## Page by page\n\nIn each cell: " + strings.Join(systemOrder, " · ") +
		". Sextant's tokens: the whole page, and the default view in brackets.\n\n")
	b.WriteString("| page | kind, elements | found | of | unusable listed | tokens | open | annotate | action | " +
		"worked |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range r.measuredPages() {
		p := pages[name]
		first, _ := r.outcome(name, sextantName)
		cells := make([][]string, 7)
		for _, s := range systemOrder {
			o, ok := r.outcome(name, s)
			if !ok {
				for i := range cells {
					cells[i] = append(cells[i], "?")
				}
				continue
			}
			act, tokens := "–", fmt.Sprint(o.Tokens)
			if o.Act > 0 {
				act = fmt.Sprintf("%.0f", o.Act)
			}
			if o.ViewTokens > 0 {
				tokens += fmt.Sprintf(" (%d)", o.ViewTokens)
			}
			for i, v := range []string{
				fmt.Sprint(o.Seen), fmt.Sprint(len(o.WronglyUsable)), tokens,
				fmt.Sprintf("%.0f", o.Open), fmt.Sprintf("%.1f", o.Annotate), act, effect(o),
			} {
				cells[i] = append(cells[i], v)
			}
		}
		row := []string{
			name, fmt.Sprintf("%s, %d", p.Kind, p.Nodes), strings.Join(cells[0], " · "),
			fmt.Sprint(first.Truth),
		}
		for _, c := range cells[1:] {
			row = append(row, strings.Join(c, " · "))
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
	}
}

func effect(o Outcome) string {
	switch {
	case o.Tried > 0 && o.Effective == o.Tried:
		return "yes"
	case o.Effective > 0:
		return fmt.Sprintf("%d of %d", o.Effective, o.Tried)
	}
	return "no"
}

// misses lists what each system missed, Sextant first.
func (r *Report) misses(b *strings.Builder) {
	b.WriteString("\n## What each program missed\n")
	for _, s := range systemOrder {
		fmt.Fprintf(b, "\n**%s**\n\n", s)
		none := true
		for _, o := range r.Outcomes {
			if o.System != s {
				continue
			}
			var parts []string
			if len(o.Missed) > 0 {
				parts = append(parts, "not found: "+strings.Join(o.Missed, ", "))
			}
			if len(o.WronglyUsable) > 0 {
				parts = append(parts, "unusable listed: "+strings.Join(o.WronglyUsable, ", "))
			}
			if o.Problem != "" {
				parts = append(parts, o.Problem)
			}
			if len(parts) > 0 {
				none = false
				fmt.Fprintf(b, "- %s: %s\n", o.Page,
					strings.NewReplacer("|", "/", "<", "‹", ">", "›").Replace(strings.Join(parts, "; ")))
			}
		}
		if none {
			b.WriteString("- nothing\n")
		}
	}
}
