package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/shared/chat"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	// minStaleBytes is how many bytes of stale results must accumulate before they are left out, all at once. Leaving
	// one out changes the prompt from there on, so the provider's cache misses.
	minStaleBytes = 12_000
	// minPage and minOther are the shortest results worth leaving out, in bytes.
	minPage  = 600
	minOther = 2400
	// afterLeaving is the age, in rounds, at which a page's result is left out if its tab shows another page. It is
	// not 0, because comparing two pages needs both. afterLong is the age for any result of at least minOther bytes.
	afterLeaving = 4
	afterLong    = 10
)

// StaleResults returns the results that are no longer sent, by message id: results about a page of which there is a
// newer snapshot, results about pages that were left, and long results of many rounds ago. snapshotTools names the
// tools that return a snapshot.
//
// Results stay stale when messages grow, and they are left out only in large groups, so that prompts keep their
// beginnings.
func StaleResults(messages []chat.Message, snapshotTools []string) map[string]ShortenedResult {
	s := staleFinder{calls: map[string]chat.ToolCall{}, snapshotTools: snapshotTools, out: map[string]ShortenedResult{}}
	for _, m := range messages {
		switch m.Role {
		case chat.RoleAssistant:
			s.sweep() // each answer followed a request
			s.round++
			for _, c := range m.Calls {
				s.calls[c.ID] = c
			}
		case chat.RoleTool:
			s.add(m)
		}
	}
	s.sweep()
	return s.out
}

// ShortenedResult replaces a result that is left out.
type ShortenedResult struct {
	// Head contains the first lines of the result; it is outside text if the result is. Note says what is missing and
	// how to read it.
	Head, Note string
}

type staleFinder struct {
	calls         map[string]chat.ToolCall
	snapshotTools []string
	round         int
	open          []pageResult
	out           map[string]ShortenedResult
}

type pageResult struct {
	message chat.Message
	tool    string
	round   int
	page    page
	// snapshot is true if the result shows all elements, not only those of a query or the changes.
	snapshot bool
	why      string
}

// page is the page that a result shows according to its first line; tab is "" if that line names none.
type page struct{ tab, url string }

func (s *staleFinder) add(m chat.Message) {
	c := s.calls[m.CallID]
	name, args, bad := ResolveCall(c.Name, c.Args)
	if bad != nil || m.Status == chat.StatusInterrupted {
		return
	}
	now := pageResult{message: m, tool: name, round: s.round, page: pageOf(m.Text)}
	now.snapshot = now.page.tab != "" && m.Status == chat.StatusDone && slices.Contains(s.snapshotTools, name) &&
		whole(args)
	for i := range s.open {
		old := &s.open[i]
		if old.page.tab == "" || old.page.tab != now.page.tab {
			continue
		}
		switch {
		case old.page.url != now.page.url && old.why == "":
			old.why = "its tab shows another page now"
		case old.page.url == now.page.url && now.snapshot:
			old.why = "there is a newer snapshot of this page below"
		}
	}
	least := minOther
	if now.page.tab != "" {
		least = minPage
	}
	if now.snapshot || len(m.Text) >= least {
		s.open = append(s.open, now)
	}
}

func (s *staleFinder) sweep() {
	var which []int
	size := 0
	for i, x := range s.open {
		if x.stale(s.round) != "" {
			which = append(which, i)
			size += len(x.message.Text)
		}
	}
	if size < minStaleBytes {
		return
	}
	for _, i := range slices.Backward(which) {
		x := s.open[i]
		if len(x.message.Text) >= minPage {
			s.out[x.message.ID] = x.short(x.stale(s.round))
		}
		s.open = slices.Delete(s.open, i, i+1)
	}
}

func (p pageResult) stale(round int) string {
	age := round - p.round
	switch {
	case p.page.tab != "" && strings.HasPrefix(p.why, "there"):
		return p.why
	case p.page.tab != "" && p.why != "" && age >= afterLeaving:
		return p.why
	case age >= afterLong && len(p.message.Text) >= minOther:
		return "it is long and many rounds old"
	}
	return ""
}

func (p pageResult) short(why string) ShortenedResult {
	const lines, most = 2, 240
	head := make([]string, 0, lines)
	for line := range strings.Lines(p.message.Text) {
		if len(head) == lines {
			break
		}
		head = append(head, excerpt.TruncateRunes(strings.TrimRight(line, "\n"), most))
	}
	return ShortenedResult{
		Head: strings.Join(head, "\n"),
		Note: fmt.Sprintf(
			"[The rest of this result of %s, %d lines, is left out here: %s. Read it again with %s {\"handle\":%q}.]",
			p.tool,
			strings.Count(p.message.Text, "\n")+1,
			why,
			toolspec.ReadResult,
			p.message.ID,
		),
	}
}

func whole(args json.RawMessage) bool {
	var p struct {
		Query   string `json:"query"`
		Changes bool   `json:"changes_only"`
	}
	return len(args) == 0 || json.Unmarshal(args, &p) == nil && p.Query == "" && !p.Changes
}

// pageOf parses the first line of a page tool's result: Page: title | url | v7 | tab 2. The title may contain
// anything, so the line is parsed from its end.
func pageOf(text string) page {
	line, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(line, "Page: ") {
		return page{}
	}
	parts := strings.Split(line, " | ")
	if n := len(parts); n >= 4 && strings.HasPrefix(parts[n-1], "tab ") {
		return page{tab: parts[n-1], url: parts[n-3]}
	}
	return page{}
}
