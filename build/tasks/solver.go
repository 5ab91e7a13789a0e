package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer"

	"sextant/backend/agent/llm/openaitest"
)

// The tools by which a model that is told a few finds and calls the others.
const (
	callTool  = "call_tool"
	findTools = "find_tools"
)

// solver is a scripted model behind a real server: it is sent what any model is sent, knows its task by
// the instruction, and answers with the next call of its script. Numbers and values in a call come out
// of the results that it was sent.
type solver struct {
	tasks map[string]*task
	counter counter

	mu    sync.Mutex
	costs map[string]*cost
	// stuck is why a script could not go on, by instruction.
	stuck map[string]string
}

// cost is what a conversation took, in tokens.
type cost struct {
	// Task is what the task adds to a prompt: instruction, calls, results and the answer, once each.
	Task int `json:"task"`
	// Prefix is what stands before it in every request: system prompt and definitions of tools.
	Prefix int `json:"prefix"`
	// Sent is all that was sent, over all requests.
	Sent     int `json:"sent"`
	messages int
}

func newSolver(tasks []*task) *solver {
	s := &solver{tasks: map[string]*task{}, costs: map[string]*cost{}, stuck: map[string]string{}}
	for _, t := range tasks {
		s.tasks[t.instruction()] = t
	}
	return s
}

// answer is the next turn of a conversation.
func (s *solver) answer(r openaitest.Request) openaitest.Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var read []string
	ask, made := "", 0
	for _, m := range r.Messages {
		switch m.Role {
		case "user":
			if ask == "" {
				ask = m.Content
			}
		case "tool":
			read = append(read, m.Content)
		case "assistant":
			made += len(m.ToolCalls)
		}
	}
	input := s.countRequest(ask, r)
	turn := s.nextTurn(ask, made, read, r)
	turn.Fragment = 4096
	output := s.counter.of(turn.Text)
	for _, c := range turn.Calls {
		output += s.counter.of(c.Name) + s.counter.of(c.Args)
	}
	turn.Usage = openaitest.Usage{Input: input, Output: output}
	if len(turn.Calls) == 0 {
		s.costs[ask].Task += output
	}
	return turn
}

func (s *solver) nextTurn(ask string, made int, read []string, r openaitest.Request) openaitest.Turn {
	t := s.tasks[ask]
	if t == nil {
		return openaitest.Turn{Text: "There is no script for this."}
	}
	if made >= len(t.Solve) {
		return openaitest.Turn{Text: "Done."}
	}
	o := t.Solve[made]
	args, err := fillArgs(t.fillHosts(o.args), read)
	name := o.tool
	if err == nil && !r.Tool(name) {
		if !slices.ContainsFunc(read, func(text string) bool { return strings.Contains(text, name) }) {
			err = fmt.Errorf("%s is neither offered nor was it found", name)
		}
		var b []byte
		if b, err = viaCallTool(name, args, err); err == nil {
			name, args = callTool, string(b)
		}
	}
	if err != nil {
		s.stuck[ask] = fmt.Sprintf("before call %d, %s: %v", made+1, o.tool, err)
		return openaitest.Turn{Text: "I cannot go on."}
	}
	return openaitest.Turn{Calls: []openaitest.Call{{ID: fmt.Sprintf("call_%d", made+1), Name: name, Args: args}}}
}

func viaCallTool(name, args string, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"tool": name, "args": json.RawMessage(args)})
}

// countRequest counts a request into what its conversation costs, and gives its size.
func (s *solver) countRequest(ask string, r openaitest.Request) int {
	c := s.costs[ask]
	if c == nil {
		c = &cost{}
		s.costs[ask] = c
	}
	var raw struct {
		Tools json.RawMessage `json:"tools"`
	}
	_ = json.Unmarshal(r.Body, &raw) // the server read the same body before
	c.Prefix = s.counter.of(string(raw.Tools))
	whole := 0
	for i, m := range r.Messages {
		n := s.counter.of(m.Content)
		for _, call := range m.ToolCalls {
			n += s.counter.of(call.Function.Name) + s.counter.of(call.Function.Arguments)
		}
		if m.Role == "system" {
			c.Prefix += n
			continue
		}
		whole += n
		if i >= c.messages {
			c.Task += n
		}
	}
	c.messages = len(r.Messages)
	c.Sent += c.Prefix + whole
	return c.Prefix + whole
}

// costOf is what the conversation about an instruction cost, and why its script stopped early.
func (s *solver) costOf(ask string) (cost, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.costs[ask]; c != nil {
		return *c, s.stuck[ask]
	}
	return cost{}, s.stuck[ask]
}

// counter counts the tokens of texts by the dearer of the two tokenizers in common use, as the tools do
// for their own bounds. It may be used concurrently.
type counter struct {
	once   sync.Once
	codecs []tokenizer.Codec
	mu     sync.Mutex
	known  map[string]int
}

func (c *counter) of(text string) int {
	c.once.Do(func() {
		c.known = map[string]int{}
		for _, name := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
			if codec, err := tokenizer.Get(name); err == nil {
				c.codecs = append(c.codecs, codec)
			}
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	n, known := c.known[text]
	if known {
		return n
	}
	for _, codec := range c.codecs {
		if m, err := codec.Count(text); err == nil {
			n = max(n, m)
		}
	}
	c.known[text] = n
	return n
}
