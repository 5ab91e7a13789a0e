// Package search is the full-text index of messages: what people, the assistant and tools wrote, the arguments of calls
// and attached text. Put writes in the transaction that stores the message, so that index and messages agree after a
// crash. A Reader finds messages, the newest first.
//
// The index (SQLite FTS5) has no copy of the text, and deleting a message deletes its row by a trigger. A row's number
// is the message's time in milliseconds: order, pages and dates need no further index. What filters compare is in the
// column tags, so that a filter costs no more than a word.
package search

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/url"
	"strings"
	"unicode/utf8"

	"sextant/shared/chat"
)

// maxText bounds the indexed text of a message, in bytes.
const maxText = 64 << 10

// part is a piece of a message's searchable text. call is the call that it belongs to, "" for none.
type part struct{ text, call string }

// partsOf returns the searchable text of m, or nothing if m is not searchable.
func partsOf(m chat.Message) []part {
	switch {
	case m.Status == chat.StatusRunning, m.Role == chat.RoleSummary:
		return nil
	case m.Role == chat.RoleNote && len(m.Outside) == 0:
		return nil // written by Sextant for the model, not attached by the person
	}
	left := maxText
	var parts []part
	add := func(text, call string) {
		if len(text) > left {
			text = text[:left]
			for len(text) > 0 && !utf8.ValidString(text[len(text)-min(len(text), utf8.UTFMax):]) {
				text = text[:len(text)-1]
			}
		}
		if left -= len(text); text != "" {
			parts = append(parts, part{text, call})
		}
	}
	add(m.Text, m.CallID)
	for _, c := range m.Calls {
		add(strings.Join(append([]string{c.Name}, stringsIn(c.Args)...), " "), c.ID)
	}
	return parts
}

// stringsIn returns the strings, numbers and names in a JSON text, in order.
func stringsIn(raw json.RawMessage) []string {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var out []string
	for {
		token, err := dec.Token()
		if err != nil {
			return out
		}
		switch v := token.(type) {
		case string:
			out = append(out, v)
		case json.Number:
			out = append(out, v.String())
		}
	}
}

// The kinds of tags.
const (
	tagWho          = "who"
	tagTool         = "tool"
	tagSite         = "site"
	tagConversation = "conversation"
)

// tag returns one token for a value that a filter compares. All tags begin alike, so that they cost prefixes of words
// nothing.
func tag(kind, value string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind + ":" + value)) // a hash.Hash never returns an error
	return "0q" + hex.EncodeToString(h.Sum(nil))
}

// The values of the filter who.
const (
	whoMe        = "me"
	whoAssistant = "assistant"
	whoTool      = "tool"
)

// tagsOf returns the tags of m. tool is the tool whose result m is, "" for none.
func tagsOf(m chat.Message, tool string) string {
	tags := []string{tag(tagConversation, m.Conversation)}
	switch m.Role {
	case chat.RoleUser:
		if !m.FromProgram {
			tags = append(tags, tag(tagWho, whoMe))
		}
	case chat.RoleAssistant:
		tags = append(tags, tag(tagWho, whoAssistant))
	case chat.RoleTool:
		tags = append(tags, tag(tagWho, whoTool))
	}
	if tool != "" {
		tags = append(tags, tag(tagTool, tool))
	}
	hosts := m.Outside
	for _, c := range m.Calls {
		tags = append(tags, tag(tagTool, c.Name))
		hosts = append(hosts[:len(hosts):len(hosts)], stringsIn(c.Args)...)
	}
	seen := map[string]bool{}
	for _, h := range hosts {
		for _, domain := range domainsOf(h) {
			if !seen[domain] && len(seen) < maxSites {
				seen[domain] = true
				tags = append(tags, tag(tagSite, domain))
			}
		}
	}
	return strings.Join(tags, " ")
}

// maxSites bounds the tags for sites of one message.
const maxSites = 64

// domainsOf returns the host of a web address and the domains above it, nothing for any other text.
func domainsOf(address string) []string {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	host := strings.ToLower(u.Hostname())
	out := []string{host}
	for strings.Count(host, ".") > 1 && len(out) < 8 {
		_, host, _ = strings.Cut(host, ".")
		out = append(out, host)
	}
	return out
}

// textOf returns the text of the index's row.
func textOf(parts []part) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.text
	}
	return strings.Join(texts, "\n")
}

// callName returns the tool that m calls by the call's id, "" if m does not.
func callName(calls []byte, id string) (string, error) {
	var list []chat.ToolCall
	if err := json.Unmarshal(calls, &list); err != nil {
		return "", fmt.Errorf("reading calls: %w", err)
	}
	for _, c := range list {
		if c.ID == id {
			return c.Name, nil
		}
	}
	return "", nil
}
