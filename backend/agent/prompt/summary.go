package prompt

import (
	"fmt"
	"slices"
	"strings"

	"sextant/shared/chat"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// actionsHeading separates the two halves of a summary: the user's words, quoted line by line, and what was
// done and found.
const actionsHeading = "\n\nWhat was done and found:\n"

// Limits of a summary in bytes: the user's words, the rest, and one answer in it.
const (
	maxWords   = 8000
	maxActions = 8000
	maxAnswer  = 600
)

// ActiveMessages returns the messages that are sent: with a summary in force, it and what came after the part it
// replaces. Other summaries are never sent.
func ActiveMessages(messages []chat.Message) []chat.Message {
	from := 0
	var sent []chat.Message
	if i := inForce(messages); i >= 0 {
		sent, from = append(sent, messages[i]), covered(messages)
	}
	for _, m := range messages[from:] {
		if m.Role != chat.RoleSummary {
			sent = append(sent, m)
		}
	}
	return sent
}

// Older returns what is sent of the first n messages: a summary that replaces a part of them, and the
// others.
func Older(messages []chat.Message, n int) []chat.Message {
	var sent []chat.Message
	if i := inForce(messages); i >= 0 {
		sent = append(sent, messages[i])
	}
	for _, m := range messages[min(covered(messages), n):n] {
		if m.Role != chat.RoleSummary {
			sent = append(sent, m)
		}
	}
	return sent
}

// inForce is the index of the summary that is sent, -1 for none.
func inForce(messages []chat.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == chat.RoleSummary && m.Status == chat.StatusDone && indexOf(messages, m.CoversThrough) >= 0 {
			return i
		}
	}
	return -1
}

// covered is how many messages the summary in force replaces.
func covered(messages []chat.Message) int {
	i := inForce(messages)
	if i < 0 {
		return 0
	}
	return indexOf(messages, messages[i].CoversThrough) + 1
}

func indexOf(messages []chat.Message, id string) int {
	return slices.IndexFunc(messages, func(m chat.Message) bool { return m.ID == id })
}

// IsSummaryUndone reports whether a person wants the whole conversation sent instead of a summary.
func IsSummaryUndone(messages []chat.Message) bool {
	for i, m := range slices.Backward(messages) {
		if m.Role == chat.RoleSummary && m.Status != chat.StatusDone {
			return inForce(messages) < i
		}
	}
	return false
}

// SplitPoint is how many messages a new summary should replace, so that the others have at most tail bytes.
// A call and its results stay together. The model's last message and what came after it, which it has not
// read, may have twice as many: several steering messages may arrive at once. It is 0 if there is nothing
// more to summarize.
func SplitPoint(messages []chat.Message, tail int) int {
	before, at, size, most := covered(messages), 0, 0, 2*tail
	for i, m := range slices.Backward(messages) {
		if i <= before {
			break
		}
		size += len(m.Text)
		for _, c := range m.Calls {
			size += len(c.Args)
		}
		if m.Role != chat.RoleUser && m.Role != chat.RoleAssistant {
			continue
		}
		if at > 0 && size > most {
			break
		}
		at = i
		if m.Role == chat.RoleAssistant {
			most = tail
		}
	}
	return at
}

// Summary writes a summary of messages for a context window in tokens; done is what was done and found.
func Summary(messages []chat.Message, window int, done string) string {
	return userWords(messages, min(maxWords, window*toolspec.BytesPerToken/10)) + actionsHeading + excerpt.Bytes(
		strings.TrimSpace(done),
		maxActions,
	)
}

// SplitSummary splits a summary: what counts as the user's words, and what may hold text from outside.
func SplitSummary(text string) (said, done string) {
	said, done, _ = strings.Cut(text, actionsHeading)
	return said, done
}

// userWords quotes the user: everything, or if that is more than room bytes the first message, the last, and
// of the others the sentences that set a rule or ask.
func userWords(messages []chat.Message, room int) string {
	var said []string
	size, n := 0, 0
	for _, m := range messages {
		if m.Role != chat.RoleSummary && m.Role != chat.RoleNote {
			n++
		}
		if m.Role == chat.RoleUser && len(m.Outside) == 0 {
			said = append(said, m.Text)
			size += len(m.Text)
		}
	}
	if size > room {
		said = selectWords(said, room/3)
	}
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"[From Sextant: the beginning of this conversation, messages 1 to %d, is summed up here. The record "+
			"keeps all of it.]\nWhat the person asked and said, word for word:",
		n,
	)
	for _, text := range said {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString("\n> " + line)
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// selectWords returns the first and the last of said in at most few bytes each, and in as many the sentences
// of the others that set a rule or ask.
func selectWords(said []string, few int) []string {
	var out []string
	room := few
	for i, text := range said {
		if i == 0 || i == len(said)-1 {
			whole := excerpt.Bytes(text, few)
			out = append(out, whole)
			text = text[min(len(text), len(strings.TrimSuffix(whole, "…"))):]
		}
		for _, s := range sentences(text) {
			if (isRule(s) || strings.HasSuffix(s, "?")) && len(s) <= room {
				out = append(out, s)
				room -= len(s)
			}
		}
	}
	return out
}

// rules are words with which people set a rule, in the most frequent languages here.
var rules = strings.Fields(
	"always never must only don't dont do not without unless except please make sure avoid keep " +
		"immer nie niemals nur muss müssen darf nicht kein keine ohne bitte siempre nunca solo toujours jamais sans",
)

func isRule(sentence string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(sentence)) {
		if slices.Contains(rules, strings.Trim(word, ",.;:!?\"'()")) {
			return true
		}
	}
	return false
}

// sentences splits text after full stops, question marks and at line ends.
func sentences(text string) []string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		from := 0
		for i := range len(line) {
			if strings.IndexByte(".?!", line[i]) >= 0 && (i+1 == len(line) || line[i+1] == ' ') {
				out = append(out, strings.TrimSpace(line[from:i+1]))
				from = i + 1
			}
		}
		out = append(out, strings.TrimSpace(line[from:]))
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// FallbackSummary is what was done and found, without a model: each call with the start of its result, and
// the answers. What does not fit is cut from the middle.
func FallbackSummary(messages []chat.Message) string {
	calls := map[string]chat.ToolCall{}
	var lines []string
	for _, m := range messages {
		switch m.Role {
		case chat.RoleAssistant:
			if m.Text != "" {
				lines = append(lines, "Answered: "+excerpt.Runes(strings.Join(strings.Fields(m.Text), " "), maxAnswer))
			}
			for _, c := range m.Calls {
				calls[c.ID] = c
			}
		case chat.RoleTool:
			c := calls[m.CallID]
			lines = append(
				lines,
				fmt.Sprintf(
					"%s %s: %s",
					c.Name,
					excerpt.Runes(string(c.Args), 120),
					excerpt.Runes(strings.Join(strings.Fields(m.Text), " "), 160),
				),
			)
		}
	}
	return cutMiddle(strings.Join(lines, "\n"), maxActions-200)
}

// cutMiddle cuts text to n bytes by leaving out lines from its middle.
func cutMiddle(text string, n int) string {
	if len(text) <= n {
		return text
	}
	first, last := text[:n/3], text[len(text)-n*2/3:]
	if i := strings.LastIndexByte(first, '\n'); i > 0 {
		first = first[:i]
	}
	if i := strings.IndexByte(last, '\n'); i >= 0 {
		last = last[i+1:]
	}
	return strings.ToValidUTF8(first, "") + "\n(some left out here)\n" + strings.ToValidUTF8(last, "")
}

// Transcript is the part of a conversation to summarize, for a model, in at most n bytes. text returns a
// message as the model may read it.
func Transcript(messages []chat.Message, n int, text func(chat.Message) string) string {
	var b strings.Builder
	for _, m := range messages {
		if s := text(m); s != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", m.Role, s)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "calls %s %s\n", c.Name, excerpt.Runes(string(c.Args), 400))
		}
	}
	return cutMiddle(b.String(), n)
}
