package pilot

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sextant/backend/agent/llm"
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
	// The page of a panel stands in no tab.
	if n := len(fields); n >= 3 && strings.HasPrefix(fields[n-2], "panel:") {
		fields = append(fields, "")
	}
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

// answer is what is said at the end of a message's commands.
type answer struct {
	g     *grammar
	parts []string
	// first is true when the conversation has not heard yet who answers.
	first  bool
	offers []Offer
	// outside are the sources of the text that is quoted.
	outside []string
}

func (a *answer) add(text string) {
	if text != "" {
		a.parts = append(a.parts, text)
	}
}

// response says it.
func (a *answer) response(onDelta func(llm.Delta)) llm.Response {
	text := strings.Join(a.parts, "\n\n")
	if a.first && !strings.Contains(text, who()) {
		text += "\n\n" + who()
	}
	onDelta(llm.Delta{Text: text})
	slices.Sort(a.outside)
	return llm.Response{Text: text, Stop: llm.StopDone, Offers: a.offers, Outside: slices.Compact(a.outside)}
}

// trouble says why nothing of asked was done, and what may have been meant.
func (a *answer) trouble(t *trouble, asked string) {
	offers := t.offers
	if !t.asks {
		offers = a.g.meant(t.said)
	}
	what := t.hint
	switch {
	case what != "":
	case len(offers) > 0:
		what = fmt.Sprintf("There is no command %q.", short(t.said))
	case t.part:
		what = fmt.Sprintf("The command pilot has no command for %q. It needs a model to plan.", short(t.said))
	default:
		what = "The command pilot has no command for that. It needs a model to plan."
	}
	if len(offers) > 0 && !t.asks {
		what += " Did you mean " + listed(offers, " or ") + "?"
	}
	what += " Nothing was done."
	if t.hint == "" {
		what += " Say \"help\" for all commands."
	}
	if t.hint == "" && len(offers) == 0 && !a.first {
		what += " To connect a model: " + llm.HowToConnect()
	}
	for _, o := range offers {
		if o.Name != "" {
			a.outside = append(a.outside, a.g.live.source()...)
		}
		if i := strings.Index(asked, t.said); i >= 0 && t.said != "" {
			o.Say = strings.TrimSpace(asked[:i] + o.Say + asked[i+len(t.said):])
		}
		a.offers = append(a.offers, o)
	}
	a.add(what)
}

// local answers what needs no call.
func (a *answer) local(s step, tools []toolspec.Function) {
	if s.local == localHelp {
		a.add(a.g.help(s.about))
		return
	}
	a.add(toolList(tools))
}

// missing says that a command's tool cannot be called now.
func (a *answer) missing(s step) {
	hint := "Say \"tools\" for what can be called now."
	if near := closest(s.tool, a.g.tools); near != "" {
		hint = fmt.Sprintf("Did you mean %s? ", near) + hint
		a.offers = append(a.offers, Offer{Say: "/" + near + " " + string(s.args)})
	}
	a.add(fmt.Sprintf("Not done: %s. The tool %s is not available here. %s", short(s.said), s.tool, hint))
}

// report reads the result of a finished step back.
func (a *answer) report(s step, text string) string {
	text = harmless(text)
	v, page := look(text)
	switch {
	case page && s.tool == "navigate_page":
		return opened(v)
	case page && (s.tool == "annotate_page" || s.tool == "get_annotations"):
		return a.numbered(v)
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

func (a *answer) numbered(v view) string {
	if len(v.elements) == 0 {
		return strings.TrimSpace("Nothing to number on " + v.name() + ". " + sentence(a.g.spoken(v.more)))
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
		lines = append(lines, a.g.spoken(v.more))
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

// failure reads a failed result back: what happened and what to say next.
func (a *answer) failure(text string) {
	text = harmless(text)
	if head, rest, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(head, "error (") {
		text = rest
	}
	what, hint, _ := strings.Cut(text, "\nsuggestion: ")
	said := sentence(bounded(withoutCall(what), maxReadChars))
	if hint != "" {
		hint, more, _ := strings.Cut(hint, "\n")
		spoken := a.g.spoken(hint)
		said += "\n" + sentence(bounded(spoken, maxReadChars))
		if more != "" {
			said += "\n" + bounded(more, maxReadChars)
		}
		a.next(hint, spoken)
	}
	a.add(said)
}

// next offers the commands that a hint for models came to, when they are whole as they stand.
func (a *answer) next(hint, spoken string) {
	if hint == spoken {
		return
	}
	for _, f := range a.g.forms {
		if !f.quiet && len(f.slots()) == 0 && len(a.offers) < maxOffers && strings.Contains(spoken, `"`+f.shown()+`"`) {
			a.offers = append(a.offers, Offer{Say: f.shown(), Means: f.means})
		}
	}
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
func (a *answer) notDone(rest []step) {
	if len(rest) == 0 {
		return
	}
	said := make([]string, len(rest))
	for i, s := range rest {
		said[i] = short(s.said)
	}
	a.add("Not done after that: " + strings.Join(said, "; ") + ".")
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
