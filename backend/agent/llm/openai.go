package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"

	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

const (
	// remoteRetries and maxRetryWait bound what is spent before an error is told.
	remoteRetries = 2
	maxRetryWait  = 5 * time.Second
	// maxErrorBody is how much of an error answer is read.
	maxErrorBody = 64 << 10
	// defaultIdle is how long a stream may be silent. Reading a long prompt on a
	// processor without accelerator takes minutes before the first word.
	defaultIdle = 5 * time.Minute
)

// errStalled is the cause of a stream that was given up.
var errStalled = errors.New("nothing came for too long")

// openAI is a model behind the chat completions protocol
// (https://platform.openai.com/docs/api-reference/chat-streaming).
type openAI struct {
	at   endpoint
	name string
	http *http.Client
	idle time.Duration
}

// Place implements Placed.
func (m *openAI) Place() (base string, native bool) { return m.at.base, m.at.base == openAIBase }

// Stream implements Model.
func (m *openAI) Stream(ctx context.Context, req Request, onDelta func(Delta)) (Response, error) {
	params, err := m.params(req)
	if err != nil {
		return Response{}, err
	}
	watched, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(m.idle, func() { cancel(errStalled) })
	defer idle.Stop()

	var seen refused
	service := m.service(&seen)
	stream := service.NewStreaming(watched, params)
	defer func() { _ = stream.Close() }()
	var answer assembly
	for stream.Next() {
		idle.Reset(m.idle)
		text, err := answer.add(stream.Current())
		if text != "" {
			onDelta(Delta{Text: text})
		}
		if err != nil {
			return Response{Text: answer.text.String()}, err
		}
	}
	if err := m.verdict(watched, stream.Err(), &seen, &answer); err != nil {
		return Response{Text: answer.text.String()}, err
	}
	return answer.response(), nil
}

// verdict decides whether the stream that ended with err is a whole answer.
func (m *openAI) verdict(ctx context.Context, err error, seen *refused, answer *assembly) error {
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), errStalled) {
			return &Error{
				Kind:       Stalled,
				Message:    fmt.Sprintf("%s sent nothing for %s. The text so far is kept", m.at.label, m.idle),
				Suggestion: "Send \"continue\" to try again, or choose a smaller model.",
				Err:        errStalled,
			}
		}
		return ctx.Err()
	}
	if answer.finished() {
		return nil
	}
	var told *ssestream.StreamError
	switch {
	case err == nil:
		return cut(io.ErrUnexpectedEOF)
	case seen.status >= http.StatusBadRequest:
		return m.refusal(seen.status, seen.body)
	case errors.As(err, &told):
		return &Error{
			Kind:       Failed,
			Message:    m.at.label + " ended the answer with an error" + quoted(errorText(told.Event.Data)),
			Suggestion: "The text so far is kept. Send \"continue\" to go on, or choose another model.",
			Err:        err,
		}
	case seen.status == 0:
		return m.unreachable(err)
	}
	return cut(err)
}

// refused remembers the last answer's status and, for an error, the start of its body.
type refused struct {
	status int
	body   []byte
}

func (r *refused) watch(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	r.status, r.body = 0, nil
	res, err := next(req)
	if err != nil {
		return res, err
	}
	r.status = res.StatusCode
	if res.StatusCode >= http.StatusBadRequest {
		r.body, _ = io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		_ = res.Body.Close()
		res.Body = io.NopCloser(bytes.NewReader(r.body))
	}
	return res, nil
}

func (m *openAI) service(seen *refused) openai.ChatCompletionService {
	opts := []option.RequestOption{
		option.WithBaseURL(m.at.base),
		option.WithHTTPClient(m.http),
		option.WithMaxRetries(remoteRetries),
		option.WithMaxRetryDelay(maxRetryWait),
		option.WithMiddleware(seen.watch),
	}
	if m.at.local {
		opts = append(opts, option.WithMaxRetries(0))
	}
	if m.at.key != "" {
		opts = append(opts, option.WithAPIKey(m.at.key))
	}
	return openai.NewChatCompletionService(opts...)
}

func (m *openAI) params(req Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{
		Model:         m.name,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	if req.MaxTokens > 0 {
		// The older name: every compatible server knows it.
		p.MaxTokens = param.NewOpt(int64(req.MaxTokens))
	}
	if req.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(req.System))
	}
	for _, msg := range req.Messages {
		if out, ok := message(msg); ok {
			p.Messages = append(p.Messages, out)
		}
	}
	for _, t := range req.Tools {
		tool, err := function(t)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, tool)
	}
	return p, nil
}

// message is msg in the protocol's form; an empty assistant message is left out.
func message(msg chat.Message) (openai.ChatCompletionMessageParamUnion, bool) {
	switch msg.Role {
	case chat.RoleUser:
		return openai.UserMessage(msg.Text), true
	case chat.RoleTool:
		return openai.ToolMessage(msg.Text, msg.CallID), true
	}
	if msg.Text == "" && len(msg.Calls) == 0 {
		return openai.ChatCompletionMessageParamUnion{}, false
	}
	var a openai.ChatCompletionAssistantMessageParam
	if msg.Text != "" {
		a.Content.OfString = param.NewOpt(msg.Text)
	}
	for _, c := range msg.Calls {
		args := string(c.Args)
		if args == "" {
			args = "{}"
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: args},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &a}, true
}

func function(t toolspec.Function) (openai.ChatCompletionToolUnionParam, error) {
	f := shared.FunctionDefinitionParam{
		Name:        t.Function.Name,
		Description: param.NewOpt(t.Function.Description),
	}
	if len(t.Function.Parameters) > 0 {
		if err := json.Unmarshal(t.Function.Parameters, &f.Parameters); err != nil {
			return openai.ChatCompletionToolUnionParam{}, fmt.Errorf("reading parameters of %s: %w", t.Function.Name, err)
		}
	}
	return openai.ChatCompletionFunctionTool(f), nil
}
