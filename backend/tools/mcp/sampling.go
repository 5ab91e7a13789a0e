package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/tools/panels/accepted"
	"sextant/shared/toolspec"
)

// Bounds of a question that a server puts to the person's model.
const (
	// maxAsked bounds its words in bytes, maxTurns the messages they stand in.
	maxAsked = 64 << 10
	maxTurns = 50
	// maxSampled is the most that is asked of the model, in tokens.
	maxSampled = 8192
)

// Sampling is a question that a server puts to the person's model in the middle of a call. All of it is
// outside text but Server and Call.
type Sampling struct {
	Server, System string
	Turns          []SamplingTurn
	// MaxTokens bounds the answer, more than 0.
	MaxTokens int
	Call      toolspec.Call
}

// SamplingTurn is one message of it: Assistant says that the model is to have said it.
type SamplingTurn struct {
	Assistant bool
	Text      string
}

// Sampled is the model's answer; Cut says that it came to its bound.
type Sampled struct {
	Text, Model string
	Cut         bool
}

// sample has the person's model answer the server, where the person agrees: without tools, and with
// nothing but what the server wrote.
func (v *server) sample(ctx context.Context, req *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	s := Sampling{Server: v.name, System: strings.ToValidUTF8(req.Params.SystemPrompt, "�")}
	size := len(s.System)
	for _, m := range req.Params.Messages {
		var text *sdk.TextContent
		if m != nil {
			text, _ = m.Content.(*sdk.TextContent)
		}
		if text == nil {
			return nil, unconsented("only text is put to the model")
		}
		size += len(text.Text)
		s.Turns = append(s.Turns, SamplingTurn{Assistant: m.Role == "assistant", Text: strings.ToValidUTF8(text.Text, "�")})
	}
	switch {
	case len(s.Turns) == 0:
		return nil, unconsented("there is no message for the model")
	case size > maxAsked || len(s.Turns) > maxTurns:
		return nil, unconsented(fmt.Sprintf("at most %d KB in %d messages are put to the model", maxAsked>>10, maxTurns))
	case s.Turns[len(s.Turns)-1].Assistant:
		return nil, unconsented("the last message has to be the user's")
	}
	s.MaxTokens = int(min(max(req.Params.MaxTokens, 1), maxSampled))
	if is(v.consents().Sampling, false) {
		return nil, unconsented("the person does not let this server ask their model")
	}
	one := v.flying.asker(ctx, req.Params.Meta)
	if one == nil {
		v.log.Warn("MCP server asks the model outside of a call, or in one of several at once; it is not put")
		return nil, unconsented("a model is asked in a call only, and this question belongs to none")
	}
	ctx, done := one.join(ctx)
	defer done()
	leave, ok := one.turn(ctx)
	if !ok {
		v.log.Warn("MCP server asks too much in one call; it is not put", "limit", maxQuestions)
		return nil, unconsented(fmt.Sprintf("at most %d questions are put in one call", maxQuestions))
	}
	defer leave()
	s.Call = one.call
	// What is spent for the call is spent for this, too.
	got, err := v.owner.cfg.Sample(valued{Context: ctx, values: one.ctx}, s)
	if err != nil {
		v.log.Info("MCP server's question to the model was not answered", "error", err)
		return nil, unconsented(shorten(v.owner.cfg.Secrets.Mask(err.Error()), 300))
	}
	v.log.Info("MCP server's question was answered by the model", "model", got.Model, "bytes", len(got.Text))
	v.flying.mu.Lock()
	m := one.meter
	v.flying.mu.Unlock()
	m.say(got.Model + " answered " + v.name + ": " + got.Text)
	stop := "endTurn"
	if got.Cut {
		stop = "maxTokens"
	}
	return &sdk.CreateMessageResult{Role: "assistant", Content: &sdk.TextContent{Text: got.Text}, Model: got.Model, StopReason: stop}, nil
}

// sampleAny is sample for a question in the newer form; tools in it are not given to the model.
func (v *server) sampleAny(ctx context.Context, p *sdk.CreateMessageWithToolsParams) (*sdk.CreateMessageResult, error) {
	if v.owner.cfg.Sample == nil {
		return nil, unconsented("there is no model here that a server could ask")
	}
	base := &sdk.CreateMessageParams{Meta: p.Meta, MaxTokens: p.MaxTokens, SystemPrompt: p.SystemPrompt}
	for _, m := range p.Messages {
		for _, c := range m.Content {
			base.Messages = append(base.Messages, &sdk.SamplingMessage{Role: m.Role, Content: c})
		}
	}
	return v.sample(ctx, &sdk.CreateMessageRequest{Params: base})
}

// valued is a context with the values of another.
type valued struct {
	context.Context //nolint:containedctx // it is one
	values          context.Context
}

// Value looks where the context itself has none.
func (c valued) Value(key any) any {
	if found := c.Context.Value(key); found != nil {
		return found
	}
	return c.values.Value(key)
}

// Bounds of what a server logs over the protocol: one message in characters, and how long it may take to
// hear that it should.
const (
	maxLogged   = 1000
	levelLimit  = 10 * time.Second
	loggedLevel = "info"
)

// listen has a server of an older revision send what it logs, which is kept with what it writes to its
// standard error. One of the newest writes it there.
func (v *server) listen(session *sdk.ClientSession, asking *crowd) {
	is := session.InitializeResult()
	if is == nil || is.Capabilities == nil || is.Capabilities.Logging == nil || is.ProtocolVersion >= modern {
		return
	}
	asking.enter(func() {
		ctx, cancel := context.WithTimeout(asking.life, levelLimit)
		defer cancel()
		if err := session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: loggedLevel}); err != nil {
			v.log.Info("MCP server takes no level of its log", "error", err)
		}
	})
}

// logged keeps a message of the server's log: its tail is bounded.
func (v *server) logged(_ context.Context, req *sdk.LoggingMessageRequest) {
	text, plain := req.Params.Data.(string)
	if !plain {
		b, err := json.Marshal(req.Params.Data)
		if err != nil {
			return
		}
		text = string(b)
	}
	line := []string{string(req.Params.Level)}
	if req.Params.Logger != "" {
		line = append(line, req.Params.Logger)
	}
	words := strings.Join(strings.Fields(strings.Join(append(line, text), " ")), " ")
	_, _ = v.tail.Write([]byte(accepted.Shown(shorten(words, maxLogged)) + "\n"))
}
