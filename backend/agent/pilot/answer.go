package pilot

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"sextant/shared/toolspec"
)

// Bounds of what is read back. The whole result stands on the call's card.
const (
	maxListLines = 80
	maxListChars = 8_000
	maxReadChars = 4_000
	maxChanges   = 8
)

// view is the text form of a page's answer (CONTRACT.md, "Environment tools") taken apart.
type view struct {
	title, url string
	outcome    string
	elements   []string
	more       string
}

// look parses text; false when it does not have that form.
func look(text string) (view, bool) {
	head, rest, _ := strings.Cut(text, "\n")
	fields := strings.Split(strings.TrimPrefix(head, "Page: "), " | ")
	if !strings.HasPrefix(head, "Page: ") || len(fields) < 4 {
		return view{}, false
	}
	n := len(fields)
	v := view{title: strings.Join(fields[:n-3], " | "), url: fields[n-3]}
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "["):
			v.elements = append(v.elements, line)
		case strings.HasPrefix(line, "…"):
			v.more = line
		case line != "" && v.outcome == "" && len(v.elements) == 0:
			v.outcome = line
		}
	}
	return v, true
}

// name is what the page is called, for a sentence.
func (v view) name() string {
	if strings.TrimSpace(v.title) == "" {
		return v.url
	}
	return "“" + v.title + "”"
}

// report reads the result of a finished step back.
func report(s step, text string) string {
	text = harmless(text)
	v, page := look(text)
	switch {
	case page && s.tool == "navigate_page":
		return opened(v)
	case page && (s.tool == "annotate_page" || s.tool == "get_annotations"):
		return listed(v)
	case page:
		return acted(s, v)
	}
	switch s.tool {
	case "get_page_content", "read_file":
		return bounded(text, maxReadChars)
	}
	if strings.TrimSpace(text) == "" {
		return "Done: " + short(s.said) + "."
	}
	return bounded(text, maxReadChars)
}

func opened(v view) string {
	where := "Opened " + v.name()
	if v.name() != v.url {
		where += " at " + v.url
	}
	where += "."
	switch n := len(v.elements); {
	case n == 0:
		return where + " Nothing on it can be acted on yet."
	case n == 1:
		return where + " One thing is numbered: " + v.elements[0] + "."
	default:
		return fmt.Sprintf("%s %d things are numbered, from %s to %s. Say \"annotate\" for the list.", where, n, v.elements[0], v.elements[n-1])
	}
}

func listed(v view) string {
	if len(v.elements) == 0 {
		return "Nothing to number on " + v.name() + ". " + sentence(v.more)
	}
	things := fmt.Sprintf("%d things are", len(v.elements))
	if len(v.elements) == 1 {
		things = "One thing is"
	}
	lines := []string{things + " numbered on " + v.name() + ":", ""}
	size := 0
	for i, e := range v.elements {
		if size += len(e); i == maxListLines || size > maxListChars {
			lines = append(lines, fmt.Sprintf("… %d more on the call's card", len(v.elements)-i))
			break
		}
		lines = append(lines, e)
	}
	if v.more != "" {
		lines = append(lines, v.more)
	}
	return strings.Join(lines, "\n")
}

func acted(s step, v view) string {
	out := v.outcome
	if out == "" {
		out = "done: " + short(s.said)
	}
	var kept []string
	for part := range strings.SplitSeq(out, " · ") {
		if !strings.HasPrefix(part, "settled ") {
			kept = append(kept, part)
		}
	}
	answer := sentence(strings.Join(kept, " · "))
	if len(v.elements) == 0 {
		return answer
	}
	shown := v.elements[:min(len(v.elements), maxChanges)]
	answer += "\n\nNew or changed:\n" + strings.Join(shown, "\n")
	if rest := len(v.elements) - len(shown); rest > 0 {
		answer += fmt.Sprintf("\n… %d more", rest)
	}
	return answer
}

// failure reads a failed result back: what happened and what to do.
func failure(text string) string {
	text = harmless(text)
	if head, rest, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(head, "error (") {
		text = rest
	}
	what, hint, _ := strings.Cut(text, "\nsuggestion: ")
	what = withoutCall(what)
	if hint == "" {
		return sentence(bounded(what, maxReadChars))
	}
	return sentence(bounded(what, maxReadChars)) + "\n" + sentence(bounded(hint, maxReadChars))
}

// withoutCall drops the `tool(arg=1): ` that an error begins with: a person sees the call
// on its card.
func withoutCall(what string) string {
	call, rest, ok := strings.Cut(what, "): ")
	name, _, opens := strings.Cut(call, "(")
	if !ok || !opens || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return what
	}
	return rest
}

// notDone names the commands that did not run.
func notDone(rest []step) string {
	if len(rest) == 0 {
		return ""
	}
	said := make([]string, len(rest))
	for i, s := range rest {
		said[i] = short(s.said)
	}
	return "Not done after that: " + strings.Join(said, "; ") + "."
}

// local answers what needs no call.
func local(what string, tools []toolspec.Function) string {
	if what == "help" {
		return strings.TrimSpace(help)
	}
	if len(tools) == 0 {
		return "No tool can be called now."
	}
	lines := []string{fmt.Sprintf("%d tools can be called now:", len(tools)), ""}
	for _, t := range tools {
		first, _, _ := strings.Cut(strings.TrimSpace(t.Function.Description), "\n")
		if s, _, ok := strings.Cut(first, ". "); ok {
			first = s
		}
		lines = append(lines, "- "+t.Function.Name+": "+strings.TrimSuffix(short100(harmless(first)), "."))
	}
	return strings.Join(lines, "\n")
}

func short100(s string) string {
	if utf8.RuneCountInString(s) <= 100 {
		return s
	}
	return string([]rune(s)[:100]) + "…"
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// harmless keeps text from a page from becoming a link or a picture where answers are
// shown with formatting.
func harmless(s string) string { return strings.ReplaceAll(s, "](", "] (") }

func bounded(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return fmt.Sprintf("%s\n… %d characters more on the call's card", s[:end], utf8.RuneCountInString(s[end:]))
}
