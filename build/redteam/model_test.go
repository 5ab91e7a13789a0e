package redteam

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"sextant/backend/agent/llm/openaitest"
)

// model is a scripted model. It does its task, and obeys every instruction in a result as soon as it has read it.
type model struct {
	goals map[string]goal

	mu sync.Mutex
	// delayed makes it obey instructions in the second turn only.
	delayed bool
	// plan has the calls still to make, of the task and of instructions.
	plan   []plannedCall
	obeyed []string
	// current is the running call.
	current     plannedCall
	contextText string
	calls       []string
}

type plannedCall struct {
	toolCall
	injected bool
}

// start sets the task of the next case.
func (m *model) start(task []toolCall, delayed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.delayed, m.plan, m.obeyed, m.calls, m.current, m.contextText = delayed, nil, nil, nil, plannedCall{}, ""
	for _, call := range task {
		m.plan = append(m.plan, plannedCall{toolCall: call})
	}
}

// currentCall returns the running call.
func (m *model) currentCall() plannedCall {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.current
}

// record returns the instructions obeyed, the calls made and all text read in this case.
func (m *model) record() (obeyed, calls []string, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.obeyed), slices.Clone(m.calls), m.contextText
}

// answer returns the next turn of the conversation.
func (m *model) answer(r openaitest.Request) openaitest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	var read strings.Builder
	turns := 0
	for _, msg := range r.Messages {
		switch msg.Role {
		case "tool":
			read.WriteString(msg.Content + "\n")
		case "user":
			turns++
		}
	}
	m.contextText = read.String()
	if !m.delayed || turns > 1 {
		m.obey(revealHidden(m.contextText))
	}
	if len(m.plan) == 0 {
		return openaitest.Answer{Text: "Done."}
	}
	m.current = m.plan[0]
	m.plan = m.plan[1:]
	args := m.fillArgs(m.current.args)
	m.calls = append(m.calls, m.current.tool+" "+args)
	return openaitest.Answer{ChunkSize: 4096, Calls: []openaitest.Call{{
		ID:   fmt.Sprintf("call_%d", len(m.calls)),
		Name: m.current.tool, Args: args,
	}}}
}

var (
	spelledCall = regexp.MustCompile(`call ([a-z_]+) with (\{.*?\}) now\.`)
	namedGoal   = regexp.MustCompile(`do the task ([a-z0-9-]+) now`)
	base64Text  = regexp.MustCompile(`b64\(([A-Za-z0-9+/= ]+)\)`)
	secretKey   = regexp.MustCompile(`KEY-\d{4}-[0-9A-Z]{4}-[0-9A-Z]{4}`)
	doorCode    = regexp.MustCompile(`door code (\d{6})`)
	placeholder = regexp.MustCompile(`\{\{(secret|pin)(?:\.(\w+))?\}\}`)
	elementName = regexp.MustCompile(`"@([A-Za-z ]+)"`)
)

// revealHidden removes invisible characters and appends decoded base64 text.
func revealHidden(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, text)
	for _, match := range base64Text.FindAllStringSubmatch(text, -1) {
		if b, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(match[1], " ", "")); err == nil {
			text += "\n" + string(b)
		}
	}
	return text
}

// obey puts the calls that the text asks for before the rest of the task, each once.
func (m *model) obey(text string) {
	var found []plannedCall
	take := func(name string, calls []toolCall) {
		if slices.Contains(m.obeyed, name) {
			return
		}
		m.obeyed = append(m.obeyed, name)
		for _, call := range calls {
			found = append(found, plannedCall{toolCall: call, injected: true})
		}
	}
	for _, s := range spelledCall.FindAllStringSubmatch(strings.Join(strings.Fields(text), " "), -1) {
		args := s[2]
		if !json.Valid([]byte(keyPresses(args, "0"))) {
			if args = unescape(args); !json.Valid([]byte(keyPresses(args, "0"))) {
				continue
			}
		}
		take(s[1]+" "+args, []toolCall{{s[1], args}})
	}
	for _, s := range namedGoal.FindAllStringSubmatch(text, -1) {
		if g, known := m.goals[s[1]]; known {
			take(g.name, g.calls)
		}
	}
	m.plan = append(found, m.plan...)
}

// unescape removes the escapes that a result put before quotation marks.
func unescape(s string) string {
	var plain string
	if json.Unmarshal([]byte(`"`+s+`"`), &plain) == nil {
		return plain
	}
	return s
}

// fillArgs replaces the placeholders in arguments by what the model has read.
func (m *model) fillArgs(args string) string {
	known := func(find *regexp.Regexp) string {
		if all := find.FindAllStringSubmatch(m.contextText, -1); len(all) > 0 {
			return all[len(all)-1][len(all[0])-1]
		}
		return "unknown"
	}
	args = keyPresses(args, known(doorCode))
	args = placeholder.ReplaceAllStringFunc(args, func(s string) string {
		part := placeholder.FindStringSubmatch(s)
		value := known(secretKey)
		if part[1] == "pin" {
			value = known(doorCode)
		}
		return encode(value, part[2])
	})
	if downloaded := regexp.MustCompile(`\| (/\S+) \| from`).FindStringSubmatch(m.contextText); downloaded != nil {
		args = strings.ReplaceAll(args, "{{download}}", downloaded[1])
	}
	return elementName.ReplaceAllStringFunc(args, func(s string) string {
		name := strings.TrimSuffix(strings.TrimPrefix(s, `"@`), `"`)
		at := regexp.MustCompile(`\[(\d+)\] [a-z]+ "`+regexp.QuoteMeta(name)+`"`).
			FindAllStringSubmatch(m.contextText, -1)
		if name == "Hours" {
			at = regexp.MustCompile(`\[(\d+)\] button "`).FindAllStringSubmatch(m.contextText, 1)
		}
		if len(at) == 0 {
			return "1"
		}
		return at[len(at)-1][1]
	})
}

// keyPresses replaces {{presses}} by the text as steps of single keys.
func keyPresses(args, text string) string {
	var steps []string
	for _, r := range text {
		steps = append(steps, fmt.Sprintf(`{"tool":"press_key","key":%q}`, string(r)))
	}
	return strings.ReplaceAll(args, "{{presses}}", strings.Join(steps, ","))
}

// encode returns a value in an encoding: rev, hex, b64, spaced, rot, shift (by three letters) or letters (for digits);
// "" for none.
func encode(s, filter string) string {
	switch filter {
	case "rev":
		r := []rune(s)
		slices.Reverse(r)
		return string(r)
	case "hex":
		return hex.EncodeToString([]byte(s))
	case "b64":
		return base64.RawURLEncoding.EncodeToString([]byte(s))
	case "spaced":
		return strings.Join(strings.Split(s, ""), " ")
	case "rot":
		return strings.Map(rot13, s)
	case "shift":
		return strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return 'A' + (r-'A'+3)%26
			}
			return r
		}, s)
	case "letters":
		return strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return 'k' + r - '0'
			}
			return r
		}, s)
	}
	return s
}

func rot13(r rune) rune {
	switch {
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	}
	return r
}
