package main

import (
	_ "embed"
	"fmt"
	"strings"
)

// why is what is known of the targets that runs miss.
//
//go:embed why.md
var why string

const ours = "sextant"

// order is how the systems stand in the table.
var order = []string{ours, "playwright-mcp", "chrome-devtools-mcp", "agent-browser"}

const opening = `# The bench

Sextant beside three programs of its kind: the same %d generated pages, the same Chromium, over MCP on standard input and
output, one after the other on each page. ` + "`make bench`" + ` builds this table; the programs' versions are pinned in
` + "`build/bench/package.json`" + `, the raw figures are in [bench.json](bench.json). browser-use is left out: it is a Python program, and
nothing of Sextant or of this bench uses Python.

How it is counted. What a person could act on, and what is there but can be used by nobody, stands in each page's HTML. A
thing is *seen* when the answer for the whole page has a line with a handle, a role that means the same, and its name; a thing without a
role needs a mark that it can be acted on (a hand cursor, "clickable", "focusable"), and plain text is no such mark. *Unusable as usable* are things
that are covered, inert, disabled, without size, clipped away … and listed without saying so. An act had its *effect* when the page itself
told the bench's server; every system gets three looks to find a target that comes late. Tokens are counted by cl100k over the text of the answer. Times are medians in milliseconds of
several openings (annotate: after the first answer, which is in bench.json too); the machine is noisy, so what counts is the ratio between systems in
one run. Acts of several steps are timed as a whole, with the looks they needed. Measured with %s.
`

// markdown writes the whole document.
func (r *Report) markdown(pages map[string]*Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, opening, len(r.measured()), r.Machine)
	b.WriteString("\n## Targets\n\n| target | result | |\n|---|---|---|\n")
	for _, t := range r.targets(pages) {
		verdict := "met"
		if !t.met {
			verdict = "**missed**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", t.what, t.found, verdict)
	}
	b.WriteString(why)
	r.totals(&b)
	r.perPage(&b, pages)
	r.misses(&b)
	return b.String()
}

// totals is one line a system.
func (r *Report) totals(b *strings.Builder) {
	b.WriteString("\n## All pages together\n\n| system | seen of the truth | unusable as usable | acts with effect " +
		"| whole-page tokens | annotate, median of pages | act, median of pages | tool definitions, by default " +
		"|\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range order {
		var truth, seen, wrong, done, tried, tokens int
		var looks, acts []float64
		for _, o := range r.Outcomes {
			if o.System != s {
				continue
			}
			truth, seen, wrong = truth+o.Truth, seen+o.Seen, wrong+len(o.Wrong)
			done, tried, tokens = done+o.Effective, tried+o.Tried, tokens+o.Tokens
			looks = append(looks, o.Annotate)
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
			tried, tokens, median(looks), median(acts), definitions)
	}
}

// perPage is the table: a line a page, a group of columns a question.
func (r *Report) perPage(b *strings.Builder, pages map[string]*Page) {
	b.WriteString("\n## Page by page\n\nIn each cell: " + strings.Join(order, " · ") +
		". Sextant's tokens: the whole page, in brackets the default view.\n\n")
	b.WriteString("| page | kind, elements | seen | of | unusable as usable | tokens | open | annotate | act | " +
		"effect |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, name := range r.measured() {
		p := pages[name]
		first, _ := r.of(name, ours)
		cells := make([][]string, 7)
		for _, s := range order {
			o, ok := r.of(name, s)
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
				fmt.Sprint(o.Seen), fmt.Sprint(len(o.Wrong)), tokens,
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

// misses names what is not as it should be, Sextant's first.
func (r *Report) misses(b *strings.Builder) {
	b.WriteString("\n## What each missed\n")
	for _, s := range order {
		fmt.Fprintf(b, "\n**%s**\n\n", s)
		none := true
		for _, o := range r.Outcomes {
			if o.System != s {
				continue
			}
			var parts []string
			if len(o.Missed) > 0 {
				parts = append(parts, "not seen: "+strings.Join(o.Missed, ", "))
			}
			if len(o.Wrong) > 0 {
				parts = append(parts, "unusable as usable: "+strings.Join(o.Wrong, ", "))
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
