package annotation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type size struct{ title, url, outcome, event, events, gone int }

// sizes returns the sizes to try, from the usual one to the smallest that still identifies the page.
func sizes() []size {
	return []size{
		{120, 400, 400, 300, 12, 40}, {60, 160, 200, 100, 6, 20}, {24, 60, 80, 40, 2, 6}, {8, 24, 24, 12, 0, 0},
	}
}

// Budget limits the cost of a text, for example in tokens. Count returns the cost of a text, which must be the sum of
// the costs of its lines. If Max is 0 or less, there is no limit and Count is not called.
type Budget struct {
	Max   int
	Count func(string) int
}

// Text returns the text form of a: a line about the page, a line about the action and what happened, a line with the
// text that appeared, one line for each element, the numbers of elements that are gone, and a line about elements that
// are not listed. Text of the page cannot add or end a line.
func Text(a Observation) string { return TextWithin(&a, Budget{}) }

// TextWithin returns the text form of a within a budget. It first shortens the lines about the page and what happened,
// then long names, and then omits elements, which it adds to a.LeftOut. It sets a.Elements to the elements in the text.
func TextWithin(a *Observation, budget Budget) string {
	whole := a.Elements
	folds, listed := fold(a)
	if len(listed) == len(whole) {
		return write(a, "", budget)
	}
	a.Elements = listed
	text := write(a, folds, budget)
	a.Elements = unfold(whole, listed, a.Elements)
	return text
}

// write implements TextWithin. folds contains the lines for the folded elements.
func write(a *Observation, folds string, budget Budget) string {
	all := sizes()
	text := make([]byte, 0, 256+48*len(a.Elements))
	text = appendHeader(text, *a, all[0])
	covers := coversOf(a.Elements)
	for i := range a.Elements {
		e := covers.shorten(a.Elements[i])
		text = append(appendLine(text, &e, maxName), '\n')
	}
	text = append(text, folds...)
	text = appendFooter(text, *a, all[0])
	text = append(text, notListed(*a)...)
	// A token has at least one byte.
	if budget.Max <= 0 || len(text) <= budget.Max {
		return strings.TrimSuffix(string(text), "\n")
	}
	return cutTo(a, folds, budget, all)
}

// cutTo is like write, but shortens the text to the budget. all contains the sizes to try.
func cutTo(a *Observation, folds string, budget Budget, all []size) string {
	var head, tail string
	used := 0
	// Reserve the line about what is not listed, with its largest number.
	most := *a
	most.LeftOut += len(a.Elements)
	reserved := budget.Count(notListed(most)) + 1
	for _, s := range all {
		head, tail = string(appendHeader(nil, *a, s)), folds+string(appendFooter(nil, *a, s))
		used = budget.Count(head) + budget.Count(tail)
		if used <= budget.Max/2 || used+reserved+600 <= budget.Max {
			break
		}
	}
	if space := budget.Max - reserved; used > space {
		head, tail = truncate(head, space, budget.Count), ""
		used = budget.Count(head)
	}
	space := budget.Max - used - reserved
	var lines []string
	var kept []Element
	for _, longest := range []int{maxName, 80, 40} {
		if lines, kept = takeFirst(a.Elements, longest, space, budget.Count); len(kept) == len(a.Elements) {
			break
		}
	}
	if len(kept) < len(a.Elements) {
		lines, kept = takeImportant(a.Elements, 40, space, budget.Count)
	}
	a.LeftOut += len(a.Elements) - len(kept)
	a.Elements = kept
	var b strings.Builder
	b.WriteString(head)
	for _, l := range lines {
		b.WriteString(l)
	}
	b.WriteString(tail)
	b.WriteString(notListed(*a))
	return strings.TrimSuffix(b.String(), "\n")
}

// truncate shortens head to the cost space, so that it ends in "…\n". The lines of head end in "\n".
func truncate(head string, space int, count func(string) int) string {
	runes := []rune(strings.TrimSuffix(head, "\n"))
	low, high := 0, len(runes)
	for low < high {
		mid := (low + high + 1) / 2
		if count(string(runes[:mid])+"…\n") <= space {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if low == 0 {
		return ""
	}
	return string(runes[:low]) + "…\n"
}

func takeFirst(elements []Element, longest, space int, count func(string) int) (lines []string, kept []Element) {
	covers := coversOf(elements)
	for i := range elements {
		e := covers.shorten(elements[i])
		line := string(append(appendLine(nil, &e, longest), '\n'))
		if space -= count(line); space < 0 {
			return lines, elements[:i:i]
		}
		lines = append(lines, line)
	}
	return lines, elements
}

// takeImportant returns the most important elements that fit into space, in reading order: controls, then links,
// then unusable elements.
func takeImportant(elements []Element, longest, space int, count func(string) int) (lines []string, kept []Element) {
	at := make([]string, len(elements))
	for class := range 3 {
		full := false
		for i := range elements {
			if classOf(&elements[i]) != class {
				continue
			}
			line := string(append(appendLine(nil, &elements[i], longest), '\n'))
			n := count(line)
			if n > space {
				full = true
				break
			}
			space -= n
			at[i] = line
		}
		if full {
			break
		}
	}
	for i, line := range at {
		if line != "" {
			lines, kept = append(lines, line), append(kept, elements[i])
		}
	}
	return lines, kept
}

func classOf(e *Element) int {
	switch {
	case !e.Usable:
		return 2
	case e.Role == "link":
		return 1
	}
	return 0
}

func appendHeader(b []byte, a Observation, s size) []byte {
	title := strings.ReplaceAll(Clean(a.Page.Title, s.title), "|", "¦")
	url := strings.ReplaceAll(strings.ReplaceAll(Clean(a.Page.URL, s.url), "|", "%7C"), " ", "%20")
	b = append(b, "Page: "...)
	b = append(b, title...)
	b = append(b, " | "...)
	b = append(b, url...)
	b = append(b, " | v"...)
	b = strconv.AppendInt(b, int64(a.Page.Version), 10)
	if a.Page.Tab != 0 || !strings.HasPrefix(a.Page.URL, "panel:") {
		b = append(b, " | tab "...)
		b = strconv.AppendInt(b, int64(a.Page.Tab), 10)
	}
	b = append(b, '\n')
	if h := outcomeLine(withoutAddresses(a), s); h != "" {
		b = append(append(b, h...), '\n')
	}
	return appendNewText(b, &a, s)
}

// OutcomeLine returns a line with what the action did, how long the page took to settle, and what happened. It returns
// "" when there is nothing to report.
func OutcomeLine(a Observation) string { return outcomeLine(a, sizes()[0]) }

func outcomeLine(a Observation, s size) string {
	var parts []string
	if a.Outcome != "" {
		parts = append(parts, Clean(a.Outcome, s.outcome))
	}
	if a.SettledMS >= minSettled {
		settled := fmt.Sprintf("settled %d ms", a.SettledMS)
		if a.SettledBy != "" {
			settled += " (" + Clean(a.SettledBy, s.event) + ")"
		}
		parts = append(parts, settled)
	}
	for i, e := range a.Events {
		if i == s.events {
			parts = append(parts, fmt.Sprintf("and %d more events", len(a.Events)-i))
			break
		}
		parts = append(parts, Clean(e.String(), s.event+20))
	}
	return strings.Join(parts, " · ")
}

// minSettled is the shortest duration in milliseconds that the text mentions.
const minSettled = 250

// withoutAddresses returns a without the page's address in the texts of a navigation, such as "navigated to https://…
// (200)", because the line about the page has it.
func withoutAddresses(a Observation) Observation {
	without := func(text, verb string) string {
		rest, found := strings.CutPrefix(text, verb+a.Page.URL)
		if !found || rest != "" && !strings.HasPrefix(rest, " (") {
			return text
		}
		return strings.TrimSuffix(strings.TrimSuffix(verb, " "), " to") + rest
	}
	if a.Page.URL == "" {
		return a
	}
	a.Outcome = without(a.Outcome, "opened ")
	a.Events = slices.Clone(a.Events)
	for i, e := range a.Events {
		if e.Kind == "navigated" {
			a.Events[i] = Event{Kind: "page", Text: without(e.String(), "navigated to ")}
		}
	}
	return a
}

const maxEvent = 300

// String returns e as it appears in the outcome line: "navigated to https://…", "opened tab 2".
func (e Event) String() string {
	text := Clean(e.Text, maxEvent)
	if e.Kind == "console_error" && !isConsoleText(text) {
		text = Quote(text)
	}
	head := map[string]string{
		"navigated": "navigated to ", "dialog": "dialog: ", "download": "download: ",
		"console_error": "console error: ",
	}[e.Kind]
	switch e.Kind {
	case "opened_tab", "closed_tab":
		verb, _, _ := strings.Cut(e.Kind, "_")
		return verb + " tab " + strconv.Itoa(e.Tab)
	case "crashed":
		return "the page crashed"
	case "navigation_failed", "file_chooser", "permission", "external", "page":
		return text
	}
	if head == "" {
		head = Clean(e.Kind, maxState) + ": "
	}
	// The text may already contain the head.
	if strings.HasPrefix(text, strings.TrimSpace(head)) {
		return text
	}
	return strings.TrimSuffix(head+text, ": ")
}

// isConsoleText reports whether the browser package has already formatted the text of a console error: as quoted text
// with a count, or as the number of omitted errors.
func isConsoleText(text string) bool {
	if rest, ok := strings.CutPrefix(text, "console error: "); ok {
		digits, ours := strings.CutSuffix(rest, " more, see console_messages")
		return ours && digits != "" && strings.Trim(digits, "0123456789") == ""
	}
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil || !strings.HasPrefix(text, `"`) {
		return false
	}
	rest := text[len(quoted):]
	times := strings.TrimSuffix(strings.TrimPrefix(rest, " ("), " times)")
	return rest == "" || rest == " ("+times+" times)" && strings.Trim(times, "0123456789") == ""
}

func appendFooter(b []byte, a Observation, s size) []byte {
	// A list that is not of changes replaces all that was listed before.
	if len(a.Gone) > 0 && a.OnlyChanges {
		b = append(b, "gone:"...)
		b = append(appendIDs(b, a.Gone, s.gone), '\n')
	}
	if n := Clean(a.Note, s.outcome); n != "" {
		b = append(append(append(b, "note: "...), n...), '\n')
	}
	return b
}

// appendIDs appends at most most entries of ids in order. Three or more consecutive numbers become one range.
func appendIDs(b []byte, ids []int, most int) []byte {
	for i, n := 0, 0; i < len(ids); n++ {
		if n == most {
			return fmt.Appendf(b, " and %d more", len(ids)-i)
		}
		end := i + 1
		for end < len(ids) && ids[end] == ids[end-1]+1 {
			end++
		}
		if end-i < 3 {
			b = fmt.Appendf(b, " [%d]", ids[i])
			i++
			continue
		}
		b = fmt.Appendf(b, " [%d]-[%d]", ids[i], ids[end-1])
		i = end
	}
	return b
}

// notListed returns a line about the elements that are not listed and how to get them, "" for none.
func notListed(a Observation) string {
	var parts []string
	if a.LeftOut > 0 {
		parts = append(parts, fmt.Sprintf("%d more left out", a.LeftOut))
	}
	if a.Above > 0 {
		parts = append(parts, fmt.Sprintf("%d more above", a.Above))
	}
	if a.Below > 0 {
		parts = append(parts, fmt.Sprintf("%d more below", a.Below))
	}
	if len(parts) == 0 || (a.OnlyChanges && a.LeftOut == 0) {
		return ""
	}
	if a.Above+a.Below == 0 {
		return "… " + parts[0] + "; annotate_page with query or more max_tokens\n"
	}
	return "… " + strings.Join(parts, ", ") + "; scroll, or annotate_page with query or scope=page\n"
}
