package annotator

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Longest parts of a line, in runes. Page text is from outside: it is cut, never trusted to be short.
const (
	maxTitle   = 120
	maxURL     = 400
	maxOutcome = 400
	maxEvent   = 300
	maxName    = 160
	maxValue   = 200
	maxState   = 160
	maxEvents  = 12
	maxGone    = 40
)

// Text is the text form of a (CONTRACT "Text form of annotate"): a page line, a line of what was
// done and what happened, one element a line, and a line for what is not listed. It is at most
// about maxTokens long by Tokens, 0 for no bound; the page line and what happened are always in
// it. Whatever the page put into a cannot add or end a line.
func Text(a Answer, maxTokens int) string {
	head, tail := header(a), footer(a)
	var b strings.Builder
	b.WriteString(head)
	lines, left := fitting(a.Elements, maxTokens, Tokens(head)+Tokens(tail))
	for _, l := range lines {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	b.WriteString(tail)
	a.LeftOut += left
	b.WriteString(rest(a))
	return strings.TrimSuffix(b.String(), "\n")
}

// Fit cuts a's elements so that Text(a, maxTokens) lists all that are left, and adds what it
// cut to LeftOut. It does nothing when maxTokens is 0 or less.
func Fit(a *Answer, maxTokens int) {
	lines, left := fitting(a.Elements, maxTokens, Tokens(header(*a))+Tokens(footer(*a)))
	if left == 0 {
		return
	}
	a.Elements = a.Elements[:len(lines)]
	a.LeftOut += left
}

// restTokens is kept free for the line of what is not listed.
const restTokens = 40

func fitting(elements []Element, maxTokens, used int) (lines []string, left int) {
	used += restTokens
	for i, e := range elements {
		l := Line(e)
		used += Tokens(l) + 1
		if maxTokens > 0 && used > maxTokens {
			return lines, len(elements) - i
		}
		lines = append(lines, l)
	}
	return lines, 0
}

func header(a Answer) string {
	title := strings.ReplaceAll(Clean(a.Page.Title, maxTitle), "|", "¦")
	url := strings.NewReplacer("|", "%7C", " ", "%20").Replace(Clean(a.Page.URL, maxURL))
	head := fmt.Sprintf("Page: %s | %s | v%d | tab %d\n", title, url, a.Page.Version, a.Page.Tab)
	if h := Happened(a); h != "" {
		head += h + "\n"
	}
	return head
}

// Happened is the outcome line of a: what was done, how long the page took, what came of it; ""
// when there is nothing to tell.
func Happened(a Answer) string {
	var parts []string
	if a.Outcome != "" {
		parts = append(parts, Clean(a.Outcome, maxOutcome))
	}
	if a.SettledMS > 0 || a.SettledBy != "" {
		s := fmt.Sprintf("settled %d ms", a.SettledMS)
		if a.SettledBy != "" {
			s += " (" + Clean(a.SettledBy, maxState) + ")"
		}
		parts = append(parts, s)
	}
	for i, e := range a.Events {
		if i == maxEvents {
			parts = append(parts, fmt.Sprintf("and %d more events", len(a.Events)-i))
			break
		}
		parts = append(parts, e.String())
	}
	return strings.Join(parts, " · ")
}

// String is e as it stands in the outcome line: "navigated to https://…", "opened tab 2".
func (e Event) String() string {
	text := Clean(e.Text, maxEvent)
	head := map[string]string{
		"navigated": "navigated to ", "dialog": "dialog: ", "download": "download: ", "console_error": "console error: ",
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
	// Whoever made the event may have written the whole phrase already.
	if strings.HasPrefix(text, strings.TrimSpace(head)) {
		return text
	}
	return strings.TrimSuffix(head+text, ": ")
}

// Line is e on one line: `[13] textbox "Name" = "Ana" (required)`.
func Line(e Element) string {
	var b strings.Builder
	b.WriteString("[" + strconv.Itoa(e.ID) + "] " + Clean(e.Role, 40))
	if n := Clean(e.Name, maxName); n != "" {
		b.WriteString(" " + Quote(n))
	}
	if v := Clean(e.Value, maxValue); v != "" {
		b.WriteString(" = " + Quote(v))
	}
	if len(e.States) > 0 {
		states := make([]string, len(e.States))
		for i, s := range e.States {
			states[i] = Clean(s, maxState)
		}
		b.WriteString(" (" + strings.Join(states, ", ") + ")")
	}
	return b.String()
}

func footer(a Answer) string {
	var b strings.Builder
	if len(a.Gone) > 0 {
		b.WriteString("gone:")
		for i, id := range a.Gone {
			if i == maxGone {
				fmt.Fprintf(&b, " and %d more", len(a.Gone)-i)
				break
			}
			fmt.Fprintf(&b, " [%d]", id)
		}
		b.WriteByte('\n')
	}
	if n := Clean(a.Note, maxOutcome); n != "" {
		b.WriteString("note: " + n + "\n")
	}
	return b.String()
}

// rest tells what is not listed and how to come to it.
func rest(a Answer) string {
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
	if len(parts) == 0 || (a.Changes && a.LeftOut == 0) {
		return ""
	}
	if a.Above+a.Below == 0 {
		return "… " + parts[0] + "; annotate_page with query or more max_tokens\n"
	}
	return "… " + strings.Join(parts, ", ") + "; scroll, or annotate_page with query or scope=page\n"
}

// Quote puts s, already cleaned, into double quotes and escapes quotes and backslashes in it.
func Quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// Clean makes outside text safe for one line: every run of white space, line breaks and control
// characters is one space, direction marks, other invisible characters and private-use glyphs
// are left out, invalid UTF-8 is replaced, and what is longer than limit runes ends in "…".
func Clean(s string, limit int) string {
	var b strings.Builder
	n, gap := 0, false
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				r = '\uFFFD'
			}
		}
		switch {
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029':
			gap = n > 0
			continue
		case r != '\u200d' && unicode.In(r, unicode.Cf, unicode.Co), r == '\u200d' && n == 0, isTag(r):
			continue
		}
		if n+1 >= limit && hasMore(s[i:]) {
			b.WriteString("…")
			return b.String()
		}
		if gap {
			b.WriteByte(' ')
			n++
			gap = false
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}

// isTag: variation selectors beyond the emoji ones and blank fillers can hide text in text.
func isTag(r rune) bool {
	return (r >= 0xE0000 && r <= 0xE0FFF) || (r >= 0xFE00 && r <= 0xFE0E) ||
		r == 0x115F || r == 0x1160 || r == 0x3164 || r == 0xFFA0
}

// hasMore reports whether more than one rune is left.
func hasMore(s string) bool {
	_, size := utf8.DecodeRuneInString(s)
	return size < len(s)
}

// Tokens estimates how many tokens s costs a model. It counts word pieces, digits, signs and
// other scripts by what common tokenizers (cl100k, o200k) need, and rather too many than too few.
func Tokens(s string) int {
	quarter := 0 // in quarters of a token
	word, digits := 0, 0
	flush := func() {
		if word > 0 {
			quarter += 4
			if word > 6 {
				quarter += 4 * ((word - 3) / 3)
			}
			word = 0
		}
		if digits > 0 {
			quarter += 4 * ((digits + 2) / 3)
			digits = 0
		}
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z':
			if digits > 0 {
				flush()
			}
			word++
		case r >= 'A' && r <= 'Z':
			if digits > 0 {
				flush()
			}
			word += 2
		case r >= '0' && r <= '9':
			if word > 0 {
				flush()
			}
			digits++
		case r == ' ':
			flush()
		case r < 0x80:
			flush()
			quarter += 3
		case r < 0x0250:
			flush()
			quarter += 4
		case r < 0x0800:
			flush()
			quarter += 3
		case r < 0x10000:
			flush()
			quarter += 6
		default:
			flush()
			quarter += 12
		}
	}
	flush()
	return (quarter + 3) / 4
}
