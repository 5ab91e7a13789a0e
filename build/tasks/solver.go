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

// Tools with which a model finds and calls tools that are not listed.
const (
	callTool  = "call_tool"
	findTools = "find_tools"
)

// solver is a scripted model behind a real server. It finds its task by the instruction and answers with the next
// call of the script. It takes numbers and values from the results that it was sent.
type solver struct {
	tasks   map[string]*task
	counter counter

	mu       sync.Mutex
	requests int
	costs    map[string]*cost
	// stuck says why a script could not continue, by instruction.
	stuck map[string]string
}

// cost is the cost of a conversation in tokens.
type cost struct {
	// Task counts what the task adds to a prompt: instruction, calls, results and the answer, once each.
	Task int `json:"task"`
	// Prefix counts the system prompt and tool definitions, which begin every request.
	Prefix int `json:"prefix"`
	// Sent counts everything in all requests.
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

// answer returns the next turn of a conversation.
func (s *solver) answer(r openaitest.Request) openaitest.Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	var read []string
	request, made := "", 0
	for _, m := range r.Messages {
		switch m.Role {
		case "user":
			if request == "" {
				request = m.Content
			}
		case "tool":
			read = append(read, m.Content)
		case "assistant":
			made += len(m.ToolCalls)
		}
	}
	input := s.countRequest(request, r)
	turn := s.nextTurn(request, made, read, r)
	turn.ChunkSize = 4096
	output := s.counter.of(turn.Text)
	for _, c := range turn.Calls {
		output += s.counter.of(c.Name) + s.counter.of(c.Args)
	}
	turn.Usage = openaitest.Usage{Input: input, Output: output}
	if len(turn.Calls) == 0 {
		s.costs[request].Task += output
	}
	return turn
}

func (s *solver) nextTurn(request string, made int, read []string, r openaitest.Request) openaitest.Answer {
	t := s.tasks[request]
	if t == nil {
		return openaitest.Answer{Text: "There is no script for this."}
	}
	if made >= len(t.Script) {
		return openaitest.Answer{Text: "Done."}
	}
	o := t.Script[made]
	args, err := fillArgs(t.fillHosts(o.args), read)
	name := o.tool
	if err == nil && !r.HasTool(name) {
		if !slices.ContainsFunc(read, func(text string) bool { return strings.Contains(text, name) }) {
			err = fmt.Errorf("%s was neither offered nor found", name)
		}
		var b []byte
		if b, err = viaCallTool(name, args, err); err == nil {
			name, args = callTool, string(b)
		}
	}
	if err != nil {
		s.stuck[request] = fmt.Sprintf("before call %d, %s: %v", made+1, o.tool, err)
		return openaitest.Answer{Text: "I cannot continue."}
	}
	return openaitest.Answer{Calls: []openaitest.Call{{ID: fmt.Sprintf("call_%d", made+1), Name: name, Args: args}}}
}

func viaCallTool(name, args string, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"tool": name, "args": json.RawMessage(args)})
}

// countRequest adds a request to the cost of its conversation and returns its size in tokens.
func (s *solver) countRequest(request string, r openaitest.Request) int {
	c := s.costs[request]
	if c == nil {
		c = &cost{}
		s.costs[request] = c
	}
	var raw struct {
		Tools json.RawMessage `json:"tools"`
	}
	_ = json.Unmarshal(r.Body, &raw) // the server has already parsed this body
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

// costOf returns the cost of the conversation about an instruction, and why its script stopped early, if it did.
func (s *solver) costOf(request string) (cost, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.costs[request]; c != nil {
		return *c, s.stuck[request]
	}
	return cost{}, s.stuck[request]
}

// counter counts the tokens of texts with two common tokenizers and takes the higher count, as the tools do for their
// own limits. It is safe for concurrent use.
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
