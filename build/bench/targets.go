package main

import (
	"fmt"
	"slices"
	"strings"
)

const (
	bigPage           = 10_000 // elements
	bigPageSpeedup    = 10.0
	timerNoise        = 5.0 // ms
	maxTokenShare     = 0.8
	minComparedTokens = 400 // at or below this the other program's tokens are not compared
	maxView           = 2000
	maxClick          = 50.0 // ms
	maxDefinition     = 1500
	quietPage         = "quiet"
)

type target struct {
	what, found string
	met         bool
}

func (r *Report) targets(pages map[string]*Page) []target {
	return append([]target{
		r.foundTarget(), r.unusableTarget(), r.actionTarget(), r.bigPageTarget(pages), r.smallPageTarget(pages),
		r.tokenTarget(), r.viewTarget(), r.clickTarget(), r.definitionTarget(),
	}, r.liveTargets()...)
}

func (r *Report) sextantOutcomes() []Outcome {
	var out []Outcome
	for _, o := range r.Outcomes {
		if o.System == sextantName {
			out = append(out, o)
		}
	}
	return out
}

// exceptPages lists the pages on which a target is missed.
func exceptPages(pages []string) string {
	if len(pages) == 0 {
		return ""
	}
	return "; not on " + strings.Join(pages, ", ")
}

func (r *Report) foundTarget() target {
	var truth, seen int
	var bad []string
	for _, o := range r.sextantOutcomes() {
		truth, seen = truth+o.Truth, seen+o.Seen
		if o.Seen < o.Truth || o.Truth == 0 {
			bad = append(bad, o.Page)
		}
	}
	return target{
		"every usable element is found",
		fmt.Sprintf("%d of %d%s", seen, truth, exceptPages(bad)),
		len(bad) == 0,
	}
}

func (r *Report) unusableTarget() target {
	n := 0
	var bad []string
	for _, o := range r.sextantOutcomes() {
		if len(o.WronglyUsable) > 0 {
			n += len(o.WronglyUsable)
			bad = append(bad, o.Page)
		}
	}
	return target{"no unusable element is listed as usable", fmt.Sprintf("%d%s", n, exceptPages(bad)), n == 0}
}

func (r *Report) actionTarget() target {
	var done, tried int
	var bad []string
	for _, o := range r.sextantOutcomes() {
		done, tried = done+o.Effective, tried+o.Tried
		if o.Effective < o.Tried || o.Tried == 0 {
			bad = append(bad, o.Page)
		}
	}
	return target{"every action works", fmt.Sprintf("%d of %d%s", done, tried, exceptPages(bad)), len(bad) == 0}
}

// fastestOther returns the shortest annotate time of another program on a page and its name, 0 for none.
func (r *Report) fastestOther(page string) (float64, string) {
	best, who := 0.0, ""
	for _, o := range r.Outcomes {
		if o.Page == page && o.System != sextantName && o.Annotate > 0 && (best == 0 || o.Annotate < best) {
			best, who = o.Annotate, o.System
		}
	}
	return best, who
}

func (r *Report) bigPageTarget(pages map[string]*Page) target {
	met := true
	var parts []string
	for _, o := range r.sextantOutcomes() {
		if pages[o.Page].Nodes <= bigPage {
			continue
		}
		best, who := r.fastestOther(o.Page)
		if best == 0 || o.Annotate == 0 {
			continue
		}
		ratio := best / o.Annotate
		met = met && ratio >= bigPageSpeedup
		parts = append(parts, fmt.Sprintf("%s: %.1f times faster than %s (%.0f ms, %.0f ms)", o.Page, ratio, who,
			o.Annotate, best))
	}
	return target{fmt.Sprintf("annotate at least %.0f times faster than the fastest other program on pages over "+
		"10,000 elements", bigPageSpeedup), strings.Join(parts, "; "), met && len(parts) > 0}
}

func (r *Report) smallPageTarget(pages map[string]*Page) target {
	n, fine := 0, 0
	var bad []string
	for _, o := range r.sextantOutcomes() {
		if pages[o.Page].Nodes > bigPage {
			continue
		}
		best, who := r.fastestOther(o.Page)
		if best == 0 {
			continue
		}
		n++
		if o.Annotate > 0 && o.Annotate < best+timerNoise {
			fine++
		} else {
			bad = append(bad, fmt.Sprintf("%s (%.1f, %s %.1f)", o.Page, o.Annotate, who, best))
		}
	}
	return target{
		"annotate no slower than the fastest other program on smaller pages (5 ms is noise)",
		fmt.Sprintf("%d of %d pages%s", fine, n, exceptPages(bad)), len(bad) == 0 && n > 0,
	}
}

// tokenTarget compares whole-page tokens with the leanest other program that found at least as much.
func (r *Report) tokenTarget() target {
	n, fine := 0, 0
	var bad, shares []string
	for _, o := range r.sextantOutcomes() {
		least, who := 0, ""
		for _, p := range r.Outcomes {
			if p.Page == o.Page && p.System != sextantName && p.Truth > 0 && p.Seen >= o.Seen &&
				(least == 0 || p.Tokens < least) {
				least, who = p.Tokens, p.System
			}
		}
		if least <= minComparedTokens {
			continue
		}
		n++
		share := float64(o.Tokens) / float64(least)
		note := fmt.Sprintf("%s %.0f%%", o.Page, share*100)
		if share <= maxTokenShare {
			fine++
			shares = append(shares, note)
		} else {
			bad = append(bad, fmt.Sprintf("%s (%d, %s %d)", note, o.Tokens, who, least))
		}
	}
	slices.Sort(shares)
	return target{
		"whole page in at most 80% of the tokens of the leanest other program that finds as much, if that " +
			"one needs over 400",
		fmt.Sprintf("%d of %d pages (%s)%s", fine, n, strings.Join(shares, ", "), exceptPages(bad)),
		len(bad) == 0 && n > 0,
	}
}

func (r *Report) viewTarget() target {
	most, page := 0, ""
	for _, o := range r.sextantOutcomes() {
		if o.ViewTokens > most {
			most, page = o.ViewTokens, o.Page
		}
	}
	return target{
		"default view at most 2,000 tokens on every page", fmt.Sprintf("at most %d (%s)", most, page),
		most > 0 && most <= maxView,
	}
}

func (r *Report) clickTarget() target {
	o, ok := r.outcome(quietPage, sextantName)
	return target{
		"click, with waiting and reporting changes, at most 50 ms on a quiet page", fmt.Sprintf("%.0f ms", o.Act),
		ok && o.Act > 0 && o.Act <= maxClick,
	}
}

func (r *Report) definitionTarget() target {
	for _, d := range r.Definitions {
		if d.System == sextantName {
			return target{
				"core tool definitions at most 1,500 tokens",
				fmt.Sprintf("%d tools, %d tokens", d.Tools, d.Tokens), d.Tokens <= maxDefinition,
			}
		}
	}
	return target{"core tool definitions at most 1,500 tokens", "not measured", false}
}
