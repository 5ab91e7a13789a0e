package kills

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/backend/agent/llm/openaitest"
)

// effects is a server that counts the effects of calls by the id in the address.
type effects struct {
	*httptest.Server
	trigger *killTrigger

	mu     sync.Mutex
	counts map[string]int
}

func newEffects(trigger *killTrigger) *effects {
	e := &effects{trigger: trigger, counts: map[string]int{}}
	e.Server = httptest.NewServer(e)
	return e
}

// ServeHTTP records one effect, or serves a page.
func (e *effects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, ok := strings.CutPrefix(r.URL.Path, "/effect/")
	if !ok || r.Method != http.MethodPost {
		_, _ = io.WriteString(w, "<!doctype html><title>Here</title><button>B</button>")
		return
	}
	e.trigger.reached(effectArrived)
	e.mu.Lock()
	e.counts[id]++
	e.mu.Unlock()
	e.trigger.reached(effectDone)
	_, _ = io.WriteString(w, "done-"+id)
}

func (e *effects) count(id string) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.counts[id]
}

func (e *effects) any() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.counts) > 0
}

// repeated returns the ids of effects that happened more than once.
func (e *effects) repeated() (ids []string, all int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, n := range e.counts {
		all += n
		if n > 1 {
			ids = append(ids, fmt.Sprintf("%s %d times", id, n))
		}
	}
	return ids, all
}

// scriptedModel decides what the model answers and checks in each request how earlier calls are reported.
type scriptedModel struct {
	trigger *killTrigger
	effects *effects

	mu      sync.Mutex
	r       *rand.Rand
	next    int
	browser bool
	// contents are the ids of the contents that the model wrote to each path, in order.
	contents map[string][]string
	// faults are the requests that a service would refuse, and the wrong reports.
	faults  []string
	unknown map[string]bool
	refused int
	// summaries counts requests for a summary.
	summaries int
}

func (m *scriptedModel) addFault(format string, args ...any) {
	if len(m.faults) < 20 {
		m.faults = append(m.faults, fmt.Sprintf(format, args...))
	}
}

// recordRefusal records a conversation that a service would refuse.
func (m *scriptedModel) recordRefusal(r openaitest.Request, problem string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused++
	m.addFault("%s refused: %s\n%s", r.Format, problem, r.Body)
}

// answer returns the next turn of a conversation: some rounds of calls, then text.
func (m *scriptedModel) answer(r openaitest.Request) openaitest.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(r.Tools) == 0 {
		m.summaries++
		m.trigger.reached(summaryAsked)
		return openaitest.Answer{Text: m.randomWords(30), ChunkDelay: time.Millisecond, ChunkSize: 20}
	}
	m.trigger.reached(modelAsked)
	m.checkReports(r)
	rounds := 0
	for _, msg := range r.Messages {
		switch msg.Role {
		case "user":
			rounds = 0
		case "assistant":
			rounds++
		}
	}
	t := openaitest.Answer{
		Text: m.randomWords(5 + m.r.IntN(60)), ChunkDelay: time.Duration(m.r.IntN(3)) * time.Millisecond,
		ChunkSize: 8 + m.r.IntN(24), Usage: openaitest.Usage{Input: 100, Output: 10},
	}
	if rounds >= 4 || rounds > 0 && m.r.IntN(4) == 0 {
		return t
	}
	if m.r.IntN(3) == 0 {
		t.Text = ""
	}
	for i := range 1 + m.r.IntN(3) {
		c := m.call(r)
		c.ID = fmt.Sprintf("call_%d", i) // some services restart the numbers in every answer
		t.Calls = append(t.Calls, c)
	}
	return t
}

// call returns a random call with a unique effect id.
func (m *scriptedModel) call(r openaitest.Request) openaitest.Call {
	m.next++
	id := fmt.Sprintf("%s-%d", r.Model, m.next)
	name, args := "read_file", map[string]any{"path": "first.txt"}
	switch pick := m.r.IntN(10); {
	case m.browser && pick < 3:
		name, args = "navigate_page", map[string]any{"url": m.effects.URL}
	case pick < 4:
		name, args = "http_request", map[string]any{
			"url": m.effects.URL + "/effect/" + id, "method": "POST",
			"body": id,
		}
	case pick < 8:
		path := fmt.Sprintf("%s-%d.txt", r.Model, m.r.IntN(3))
		m.contents[path] = append(m.contents[path], id)
		name, args = "write_file", map[string]any{"path": path, "content": content(id, 1+m.r.IntN(300))}
	}
	if !r.HasTool(name) {
		name, args = "call_tool", map[string]any{"tool": name, "args": args}
	}
	packed, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return openaitest.Call{Name: name, Args: string(packed)}
}

var effectID = regexp.MustCompile(`/effect/([a-z0-9-]+)`)

// checkReports compares what the model reads about each effect with what the server counted.
func (m *scriptedModel) checkReports(r openaitest.Request) {
	results := map[string]string{}
	for _, msg := range r.Messages {
		if msg.Role == "tool" {
			results[msg.ToolCallID] = msg.Content
		}
	}
	for _, msg := range r.Messages {
		for _, c := range msg.ToolCalls {
			id := effectID.FindStringSubmatch(c.Function.Arguments)
			if id == nil {
				continue
			}
			reported, n := results[c.ID], m.effects.count(id[1])
			switch {
			case strings.Contains(reported, "done-"+id[1]):
				if n == 0 {
					m.addFault("effect %s never happened, but the model read: %s", id[1], reported)
				}
			case strings.Contains(reported, "outcome is unknown"):
				m.unknown[id[1]] = true
			case n > 0:
				m.addFault("effect %s happened, but the model read: %s", id[1], reported)
			}
		}
	}
}

func (m *scriptedModel) randomWords(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "word%d ", m.r.IntN(1000))
	}
	return strings.TrimSpace(b.String())
}

// expectedContents returns the ids of the contents that the model wrote to path so far, in order.
func (m *scriptedModel) expectedContents(path string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.contents[path])
}

// content returns a file that ends with its own checksum.
func content(id string, lines int) string {
	body := "file " + id + "\n" + strings.Repeat("A line like all the others in here.\n", lines)
	return body + "end " + digest(body) + "\n"
}

// idOfWholeFile returns the id of a complete file, "" for an incomplete one.
func idOfWholeFile(text string) string {
	at := strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n") + 1
	first, _, _ := strings.Cut(text, "\n")
	if text[at:] != "end "+digest(text[:at])+"\n" {
		return ""
	}
	return strings.TrimPrefix(first, "file ")
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}
