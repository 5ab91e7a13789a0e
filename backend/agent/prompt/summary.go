package prompt

import (
	"fmt"
	"slices"
	"strings"

	"sextant/shared/chat"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// actionsHeading separates the two parts of a summary: the user's words, quoted line by line, and what was done
// and found.
const actionsHeading = "\n\nWhat was done and found:\n"

const (
	maxWords   = 8000
	maxActions = 8000
	maxAnswer  = 600
)

// ActiveMessages returns the messages that are sent: the newest summary that was not undone and the messages after the
// part it replaces, or all messages if there is none.
func ActiveMessages(messages []chat.Message) []chat.Message {
	from := 0
	var sent []chat.Message
	if i := activeSummary(messages); i >= 0 {
		sent, from = append(sent, messages[i]), covered(messages)
	}
	for _, m := range messages[from:] {
		if m.Role != chat.RoleSummary {
			sent = append(sent, m)
		}
	}
	return sent
}

// OlderMessages returns what is sent of the first n messages: the active summary if it replaces some of them, and
// the rest.
func OlderMessages(messages []chat.Message, n int) []chat.Message {
	var sent []chat.Message
	if i := activeSummary(messages); i >= 0 {
		sent = append(sent, messages[i])
	}
	for _, m := range messages[min(covered(messages), n):n] {
		if m.Role != chat.RoleSummary {
			sent = append(sent, m)
		}
	}
	return sent
}

func activeSummary(messages []chat.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == chat.RoleSummary && m.Status == chat.StatusDone && indexOf(messages, m.CoversThrough) >= 0 {
			return i
		}
	}
	return -1
}

func covered(messages []chat.Message) int {
	i := activeSummary(messages)
	if i < 0 {
		return 0
	}
	return indexOf(messages, messages[i].CoversThrough) + 1
}

func indexOf(messages []chat.Message, id string) int {
	return slices.IndexFunc(messages, func(m chat.Message) bool { return m.ID == id })
}

// IsSummaryUndone reports whether the person undid a summary after the one that is active, if any.
func IsSummaryUndone(messages []chat.Message) bool {
	for i, m := range slices.Backward(messages) {
		if m.Role == chat.RoleSummary && m.Status != chat.StatusDone {
			return activeSummary(messages) < i
		}
	}
	return false
}

// SplitPoint returns how many messages a new summary should replace so that the text and arguments of the others have
// about tail bytes; 0 if there is nothing to summarize. A call and its results stay together.
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

// Summary returns the text of a summary of messages: the user's words, quoted, in at most a tenth of the context
// window (in tokens), and done, which says what was done and found.
func Summary(messages []chat.Message, window int, done string) string {
	words := userWords(messages, min(maxWords, window*toolspec.BytesPerToken/10))
	return words + actionsHeading + excerpt.TruncateBytes(strings.TrimSpace(done), maxActions)
}

// SplitSummary splits a summary into the user's words and what was done, which may contain outside text.
func SplitSummary(text string) (words, done string) {
	words, done, _ = strings.Cut(text, actionsHeading)
	return words, done
}

// userWords quotes the user's messages without outside text. If they have more than room bytes, it quotes the first,
// the last, and sentences of the others that set a rule or ask.
func userWords(messages []chat.Message, room int) string {
	var words []string
	size, n := 0, 0
	for _, m := range messages {
		if m.Role != chat.RoleSummary && m.Role != chat.RoleNote {
			n++
		}
		if m.Role == chat.RoleUser && len(m.Outside) == 0 {
			words = append(words, m.Text)
			size += len(m.Text)
		}
	}
	if size > room {
		words = selectWords(words, room/3)
	}
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"[From Sextant: the beginning of this conversation, messages 1 to %d, is summed up here. The record "+
			"keeps all of it.]\nWhat the person asked and said, word for word:",
		n,
	)
	for _, text := range words {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString("\n> " + line)
		}
		b.WriteString("\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// selectWords shortens the texts of messages: it returns the first and the last, each cut to limit bytes, and up to
// limit bytes of sentences from the rest that set a rule or ask.
func selectWords(words []string, limit int) []string {
	var out []string
	room := limit
	for i, text := range words {
		if i == 0 || i == len(words)-1 {
			whole := excerpt.TruncateBytes(text, limit)
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

// rules are words with which people set a rule, in frequent languages.
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

// FallbackSummary returns what was done and found, without asking a model: the calls with the starts of their results,
// and the answers. If it is too long, its middle is cut.
func FallbackSummary(messages []chat.Message) string {
	calls := map[string]chat.ToolCall{}
	var lines []string
	for _, m := range messages {
		switch m.Role {
		case chat.RoleAssistant:
			if m.Text != "" {
				lines = append(lines, "Answered: "+excerpt.TruncateRunes(strings.Join(strings.Fields(m.Text), " "),
					maxAnswer))
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
					excerpt.TruncateRunes(string(c.Args), 120),
					excerpt.TruncateRunes(strings.Join(strings.Fields(m.Text), " "), 160),
				),
			)
		}
	}
	return cutMiddle(strings.Join(lines, "\n"), maxActions-200)
}

// cutMiddle cuts text to about n bytes by removing lines from its middle.
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

// Transcript returns the part of a conversation that a model is to summarize, in about n bytes. text returns a
// message as the model may read it.
func Transcript(messages []chat.Message, n int, text func(chat.Message) string) string {
	var b strings.Builder
	for _, m := range messages {
		if s := text(m); s != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", m.Role, s)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "calls %s %s\n", c.Name, excerpt.TruncateRunes(string(c.Args), 400))
		}
	}
	return cutMiddle(b.String(), n)
}
