package pilot

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/shared/annotation"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

const (
	maxListLines = 80
	maxPageLines = 8
	maxListChars = 8_000
	maxReadChars = 4_000
	maxChanges   = 8
)

type pageAnswer struct {
	title, url string
	outcome    string
	newText    []string
	elements   []string
	more       string
}

func parsePageAnswer(text string) (pageAnswer, bool) {
	head, rest, _ := strings.Cut(text, "\n")
	fields := strings.Split(strings.TrimPrefix(head, "Page: "), " | ")
	// A panel's page has no tab.
	if n := len(fields); n >= 3 && strings.HasPrefix(fields[n-2], "panel:") {
		fields = append(fields, "")
	}
	if !strings.HasPrefix(head, "Page: ") || len(fields) < 4 {
		return pageAnswer{}, false
	}
	n := len(fields)
	v := pageAnswer{title: strings.Join(fields[:n-3], " | "), url: fields[n-3]}
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(line, "["):
			v.elements = append(v.elements, line)
		case strings.HasPrefix(line, "…"):
			v.more = line
		case strings.HasPrefix(line, "new text: ") && len(v.elements) == 0:
			v.newText = quotedTexts(strings.TrimPrefix(line, "new text: "))
		case line != "" && v.outcome == "" && len(v.elements) == 0:
			v.outcome = line
		}
	}
	return v, true
}

// quotedTexts returns the quoted texts at the start of line, in the quotation marks of a sentence.
func quotedTexts(line string) (texts []string) {
	for {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return texts
		}
		text, err := strconv.Unquote(quoted)
		if err != nil {
			return texts
		}
		texts = append(texts, "“"+text+"”")
		line = strings.TrimPrefix(line[len(quoted):], " ")
	}
}

func (p pageAnswer) name() string {
	if strings.TrimSpace(p.title) == "" {
		return p.url
	}
	return "“" + p.title + "”"
}

type reply struct {
	g       *grammar.Parser
	parts   []string
	first   bool
	offers  []chat.Offer
	outside []string
}

func (r *reply) add(text string) {
	if text != "" {
		r.parts = append(r.parts, text)
	}
}

func (r *reply) response(onDelta func(llm.Delta)) llm.Response {
	text := strings.Join(r.parts, "\n\n")
	if r.first && !strings.Contains(text, introduction()) {
		text += "\n\n" + introduction()
	}
	onDelta(llm.Delta{Text: text})
	slices.Sort(r.outside)
	return llm.Response{Text: text, Stop: llm.StopDone, Offers: r.offers, Outside: slices.Compact(r.outside)}
}

func (r *reply) explainProblem(t *grammar.Problem, message string) {
	offers := t.Offers
	if !t.Ambiguous {
		offers = r.g.Suggest(t.Text)
	}
	what := t.Hint
	switch {
	case what != "":
	case len(offers) > 0:
		what = fmt.Sprintf("There is no command %q.", token.Abbreviate(t.Text))
	case t.Partial:
		what = fmt.Sprintf(
			"The command pilot has no command for %q. It needs a model to plan.",
			token.Abbreviate(t.Text),
		)
	default:
		what = "The command pilot has no command for that. It needs a model to plan."
	}
	if len(offers) > 0 && !t.Ambiguous {
		what += " Did you mean " + grammar.JoinOffers(offers, " or ") + "?"
	}
	what += " Nothing was done."
	if t.Hint == "" && len(offers) == 0 {
		what += " Say \"help\" for all commands."
	}
	if t.Hint == "" && len(offers) == 0 {
		if !r.first {
			what += " To connect one, open Home."
		}
		r.offers = append(r.offers, chat.Offer{Command: "open home", Effect: "Opens Home to connect a model"})
	}
	for _, o := range offers {
		if o.TargetName != "" {
			r.outside = append(r.outside, r.g.Window.Sources()...)
		}
		if before, after, ok := strings.Cut(message, t.Text); ok && t.Text != "" {
			o.Command = strings.TrimSpace(otherCommands(before, "") + o.Command + otherCommands("", after))
		}
		r.offers = append(r.offers, o)
	}
	r.add(what)
}

// joint matches what is between two commands, at the end of those before or at the start of those after.
var joint = regexp.MustCompile(`(?i)(^|\s)(and|then|&+|afterwards|after that)\s+$|[,;\n]\s*$|^\s*[,;\n]|` +
	`^\s+(and|then|&+|afterwards|after that)\s`)

// otherCommands returns the part of a message before or after a command if it is other commands, else "".
func otherCommands(before, after string) string {
	if joint.MatchString(before) || joint.MatchString(after) {
		return before + after
	}
	return ""
}

func (r *reply) answerBuiltin(s grammar.Step, tools []toolspec.Function) {
	if s.Builtin == commandtable.BuiltinHelp {
		r.add(r.g.Help(s.About, introduction()))
		return
	}
	r.add(toolList(tools))
}

func (r *reply) reportMissingTool(s grammar.Step) {
	hint := "Say \"tools\" for what can be called now."
	if near := token.Closest(s.Tool, r.g.Tools); near != "" {
		hint = fmt.Sprintf("Did you mean %s? ", near) + hint
		r.offers = append(r.offers, chat.Offer{Command: "/" + near + " " + string(s.Args)})
	}
	r.add(fmt.Sprintf("Not done: %s. The tool %s is not available here. %s", token.Abbreviate(s.Text), s.Tool, hint))
}

func (r *reply) describeResult(s grammar.Step, text string) string {
	text = token.EscapeLinks(text)
	if strings.HasPrefix(s.Tool, "open_") {
		text, _, _ = strings.Cut(text, " Its tools: ") // names for a model
	}
	v, page := parsePageAnswer(text)
	switch {
	case page && s.Tool == "navigate_page":
		return describeNavigation(v)
	case page && (s.Tool == "annotate_page" || s.Tool == "get_annotations"):
		return r.describeAnnotations(v)
	case page:
		return describeAction(s, v)
	}
	switch s.Tool {
	case "get_page_content", "read_file":
		return bounded(text, maxReadChars)
	}
	if list, ok := listOf(text); ok {
		return bounded(list, maxReadChars)
	}
	if strings.TrimSpace(text) == "" {
		return "Done: " + token.Abbreviate(s.Text) + "."
	}
	return bounded(text, maxReadChars)
}

// listOf returns the result of a panel's tool, a JSON object with one list, as text with a line for each entry. It
// returns false for any other result.
func listOf(text string) (string, bool) {
	var result map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &result) != nil || len(result) != 1 {
		return "", false
	}
	for name, raw := range result {
		var entries []any
		if json.Unmarshal(raw, &entries) != nil {
			return "", false
		}
		if len(entries) == 0 {
			return "No " + strings.ReplaceAll(name, "_", " ") + " yet.", true
		}
		var lines []string
		for _, e := range entries {
			lines = append(lines, "- "+entryText(e))
		}
		return strings.Join(lines, "\n"), true
	}
	return "", false
}

// entryText returns an entry's title or name and its address, or else all its values.
func entryText(entry any) string {
	fields, ok := entry.(map[string]any)
	if !ok {
		return fmt.Sprint(entry)
	}
	var parts []string
	for _, key := range []string{"title", "name", "text", "path", "url"} {
		if v, ok := fields[key].(string); ok && v != "" {
			parts = append(parts, v)
		}
	}
	if len(parts) == 0 {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			parts = append(parts, fmt.Sprint(fields[key]))
		}
	}
	return strings.Join(parts, " · ")
}

func describeNavigation(v pageAnswer) string {
	where := "Opened " + v.name() + "."
	if len(v.elements) == 0 {
		return where + " Nothing on it can be acted on yet."
	}
	return where
}

func (r *reply) describeAnnotations(v pageAnswer) string {
	if len(v.elements) == 0 {
		return strings.TrimSpace("Nothing to number on " + v.name() + ". " + sentence(r.g.Rephrase(v.more)))
	}
	things := fmt.Sprintf("%d things are", len(v.elements))
	if len(v.elements) == 1 {
		things = "One thing is"
	}
	lines := []string{things + " numbered on " + v.name() + ":", ""}
	most, size := maxListLines, 0
	if strings.HasPrefix(v.url, "http") {
		most = maxPageLines // the list beside the page has them all
	}
	for i, e := range v.elements {
		if size += len(e); i == most || size > maxListChars {
			lines = append(lines, fmt.Sprintf("… %d more on the call's card", len(v.elements)-i))
			break
		}
		lines = append(lines, e)
	}
	if v.more != "" {
		lines = append(lines, r.g.Rephrase(v.more))
	}
	return strings.Join(lines, "\n")
}

// scrolledToEnd matches the outcome of scrolling to an end.
var scrolledToEnd = regexp.MustCompile(`^(scrolled) (top|bottom)$`)

func describeAction(s grammar.Step, v pageAnswer) string {
	out := v.outcome
	if out == "" {
		out = "done: " + token.Abbreviate(s.Text)
	}
	var parts []string
	led := ""
	for part := range strings.SplitSeq(out, " · ") {
		switch status, navigated := strings.CutPrefix(part, "navigated ("); {
		case navigated:
			led = " It led to " + v.name() + "."
			if status = strings.TrimSuffix(status, ")"); !strings.HasSuffix(status, "200") {
				led = " It led to " + v.name() + ", which answered " + status + "."
			}
		case !strings.HasPrefix(part, "settled "):
			parts = append(parts, scrolledToEnd.ReplaceAllString(part, "$1 to the $2"))
		}
	}
	answer := sentence(strings.Join(parts, " · ")) + led
	if len(v.newText) > 0 {
		answer += " The page now says " + strings.Join(v.newText, ", ")
		if !strings.HasSuffix(answer, ".”") {
			answer += "."
		}
	}
	if len(v.elements) == 0 || led != "" || s.Tool == "scroll_page" {
		return answer // the numbers on the page show what else is there now
	}
	shown := v.elements[:min(len(v.elements), maxChanges)]
	answer += "\n\nNew or changed:\n" + strings.Join(shown, "\n")
	if rest := len(v.elements) - len(shown); rest > 0 {
		answer += fmt.Sprintf("\n… %d more", rest)
	}
	return answer
}

func (r *reply) describeFailure(text string) {
	text = token.EscapeLinks(text)
	if head, rest, ok := strings.Cut(text, "): "); ok && strings.HasPrefix(head, "error (") {
		text = rest
	}
	what, hint, _ := strings.Cut(text, "\nsuggestion: ")
	failure := sentence(bounded(dropCallPrefix(what), maxReadChars))
	if hint != "" {
		hint, more, _ := strings.Cut(hint, "\n")
		spoken := r.g.Rephrase(hint)
		failure += "\n" + sentence(bounded(spoken, maxReadChars))
		if more != "" {
			failure += "\n" + bounded(more, maxReadChars)
		}
		r.offerNext(hint, spoken)
	}
	r.add(failure)
}

func (r *reply) offerNext(hint, spoken string) {
	if hint == spoken {
		return
	}
	for _, f := range r.g.Forms {
		if !f.Hidden && len(f.Slots()) == 0 && len(r.offers) < grammar.MaxOffers &&
			strings.Contains(spoken, `"`+f.Usage()+`"`) {
			r.offers = append(r.offers, chat.Offer{Command: f.Usage(), Effect: f.Description})
		}
	}
}

// dropCallPrefix removes `tool(arg=1): ` from the start of an error, because the call's card shows it.
func dropCallPrefix(what string) string {
	call, rest, ok := strings.Cut(what, "): ")
	name, _, opens := strings.Cut(call, "(")
	if !ok || !opens || name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
		return what
	}
	return rest
}

func (r *reply) reportSkipped(rest []grammar.Step) {
	if len(rest) == 0 {
		return
	}
	words := make([]string, len(rest))
	for i, s := range rest {
		words[i] = token.Abbreviate(s.Text)
	}
	r.add("Not done after that: " + strings.Join(words, "; ") + ".")
}

// networkCode is the browser's name of a failure, after the words that a person reads.
var networkCode = regexp.MustCompile(` \(net::\w+\)`)

func sentence(s string) string {
	s = networkCode.ReplaceAllString(strings.TrimSpace(s), "")
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	if first, _, _ := strings.Cut(s, " "); !strings.Contains(strings.TrimRight(first, ".?…:,"), ".") {
		s = string(unicode.ToUpper(r)) + s[n:] // the name of a site or file stays as it is
	}
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

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

// annotationsIn returns the annotations in the newest page result of the conversation that has any, else nil. They
// are used if the window shows no page.
func annotationsIn(messages []chat.Message) *event.Marks {
	for _, m := range slices.Backward(messages) {
		if m.Role != chat.RoleTool {
			continue
		}
		v, ok := parsePageAnswer(m.Text)
		if !ok || len(v.elements) == 0 {
			continue
		}
		marks := &event.Marks{Page: annotation.Page{Title: v.title, URL: v.url}}
		for _, line := range v.elements {
			number, rest, _ := strings.Cut(strings.TrimPrefix(line, "["), "] ")
			role, name, _ := strings.Cut(rest, " ")
			id, err := strconv.Atoi(number)
			if end := strings.LastIndexByte(name, '"'); err == nil && end > 0 && name[0] == '"' {
				marks.Elements = append(marks.Elements, annotation.Element{
					ID: id, Role: role, Name: name[1:end], Usable: !strings.Contains(name[end:], "disabled"),
				})
			}
		}
		return marks
	}
	return nil
}

func introduction() string {
	return "This is the built-in command pilot: it runs plain commands, but it does not plan. To connect a model, " +
		"open Home."
}

func toolList(tools []toolspec.Function) string {
	if len(tools) == 0 {
		return "No tool can be called now."
	}
	lines := []string{fmt.Sprintf("%d tools can be called now:", len(tools)), ""}
	for _, t := range tools {
		lines = append(lines, "- "+t.Function.Name+": "+token.FirstSentence(t.Function.Description))
	}
	return strings.Join(lines, "\n")
}
