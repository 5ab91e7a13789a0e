package modelapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// chatBody returns the body of a chat completions request for req
// (https://platform.openai.com/docs/api-reference/chat-streaming).
func chatBody(m *Client, req llm.Request) (any, error) {
	p := openai.ChatCompletionNewParams{
		Model:         m.Model,
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
	}
	switch {
	case req.MaxTokens <= 0:
	case m.Endpoint.BaseURL == openAIBase: // its reasoning models refuse the older name
		p.MaxCompletionTokens = param.NewOpt(int64(req.MaxTokens))
	default: // known to every compatible server
		p.MaxTokens = param.NewOpt(int64(req.MaxTokens))
	}
	if req.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(req.System))
	}
	var seen []chat.Image // images of results, which in this format can only contain text
	for i, msg := range req.Messages {
		if out, ok := chatMessage(msg, req.SendReasoning); ok {
			p.Messages = append(p.Messages, out)
		}
		if msg.Role == chat.RoleTool {
			seen = append(seen, msg.Images...)
		}
		if len(seen) > 0 && (i+1 == len(req.Messages) || req.Messages[i+1].Role != chat.RoleTool) {
			p.Messages = append(p.Messages, userMessageWithImages("The images of the results above, in order.", seen))
			seen = nil
		}
	}
	for _, t := range req.Tools {
		params, err := schemaOf(t)
		if err != nil {
			return p, err
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Function.Name, Description: param.NewOpt(t.Function.Description), Parameters: params,
		}))
	}
	extra := map[string]any{"stream": true}
	if m.Endpoint.reportsCost() {
		extra["usage"] = map[string]any{"include": true}
	}
	p.SetExtraFields(extra)
	return p, nil
}

// chatMessage converts msg; it returns false for an empty assistant message. If withReasoning is set,
// a message with calls also contains the reasoning before them: some services refuse a message without it
// (https://api-docs.deepseek.com/guides/thinking_mode).
func chatMessage(msg chat.Message, withReasoning bool) (openai.ChatCompletionMessageParamUnion, bool) {
	switch {
	case msg.Role == chat.RoleUser && len(msg.Images) > 0:
		return userMessageWithImages(msg.Text, msg.Images), true
	case msg.Role == chat.RoleUser:
		return openai.UserMessage(msg.Text), true
	case msg.Role == chat.RoleTool:
		return openai.ToolMessage(msg.Text, msg.CallID), true
	case msg.Text == "" && len(msg.Calls) == 0:
		return openai.ChatCompletionMessageParamUnion{}, false
	}
	var a openai.ChatCompletionAssistantMessageParam
	if msg.Text != "" {
		a.Content.OfString = param.NewOpt(msg.Text)
	}
	for _, c := range msg.Calls {
		f := &openai.ChatCompletionMessageFunctionToolCallParam{
			ID:       c.ID,
			Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Name, Arguments: argsOf(c)},
		}
		if c.Signature != "" { // https://ai.google.dev/gemini-api/docs/thought-signatures
			f.SetExtraFields(
				map[string]any{
					"extra_content": map[string]any{"google": map[string]any{"thought_signature": c.Signature}},
				},
			)
		}
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: f})
	}
	if withReasoning && len(msg.Calls) > 0 {
		a.SetExtraFields(map[string]any{"reasoning_content": msg.Reasoning})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &a}, true
}

func userMessageWithImages(text string, images []chat.Image) openai.ChatCompletionMessageParamUnion {
	parts := []openai.ChatCompletionContentPartUnionParam{openai.TextContentPart(text)}
	for _, img := range images {
		parts = append(
			parts,
			openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: dataURL(img)}),
		)
	}
	return openai.UserMessage(parts)
}

func dataURL(img chat.Image) string {
	return "data:" + img.MIME + ";base64," + base64.StdEncoding.EncodeToString(img.Data)
}

func argsOf(c chat.ToolCall) string {
	if len(c.Args) == 0 {
		return "{}"
	}
	return string(c.Args)
}

func schemaOf(t toolspec.Function) (map[string]any, error) {
	var schema map[string]any
	if len(t.Function.Parameters) > 0 {
		if err := json.Unmarshal(t.Function.Parameters, &schema); err != nil {
			return nil, fmt.Errorf("reading parameters of %s: %w", t.Function.Name, err)
		}
	}
	return schema, nil
}

// chatReader assembles the chunks of one answer. A call comes in pieces: the first has the id and name, the
// others continue the arguments. Servers differ in the index (some send 0 for every call, some send none), so a
// new id at a known index starts a new call.
type chatReader struct {
	byIndex      map[int]*partialCall
	last         *partialCall
	hasReasoning bool
	readsCost    bool
}

type chatChunk struct {
	Choices *[]struct {
		Delta        json.RawMessage `json:"delta"`
		FinishReason string          `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Details    struct {
			Cached  int `json:"cached_tokens"`
			Written int `json:"cache_write_tokens"`
		} `json:"prompt_tokens_details"`
		// CacheHit is DeepSeek's name for cached tokens.
		CacheHit int `json:"prompt_cache_hit_tokens"`
		serviceCost
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatDelta struct {
	Role    *string         `json:"role"`
	Content json.RawMessage `json:"content"`
	Refusal *string         `json:"refusal"`
	// Services send reasoning under one of two names.
	Reasoning        *string    `json:"reasoning"`
	ReasoningContent *string    `json:"reasoning_content"`
	ToolCalls        []chatCall `json:"tool_calls"`
}

type chatCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"function"`
	Extra struct {
		Google struct {
			Signature string `json:"thought_signature"`
		} `json:"google"`
	} `json:"extra_content"`
}

func (r *chatReader) read(e sseEvent, a *answer) error {
	if string(e.data) == "[DONE]" {
		a.done = true
		return nil
	}
	var c chatChunk
	if err := json.Unmarshal(e.data, &c); err != nil {
		return malformed("a chunk is not valid JSON")
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return newServiceError(e.data)
	}
	if c.Usage != nil {
		a.usage = chat.Usage{
			Input: c.Usage.Prompt, Output: c.Usage.Completion,
			Cached: max(c.Usage.Details.Cached, c.Usage.CacheHit), CacheWritten: c.Usage.Details.Written,
		}
		if r.readsCost {
			a.cost = c.Usage.money()
		}
	}
	if c.Choices == nil {
		if c.Usage == nil {
			return malformed("a chunk holds nothing that is known")
		}
		return nil
	}
	for _, choice := range *c.Choices { // only one choice was requested, so all pieces belong to it
		if len(choice.Delta) == 0 && choice.FinishReason == "" {
			return malformed("a chunk has no delta")
		}
		if err := r.delta(choice.Delta, choice.FinishReason != "", a); err != nil {
			return err
		}
		if choice.FinishReason != "" {
			if err := r.finish(choice.FinishReason, e.data, a); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *chatReader) delta(raw json.RawMessage, last bool, a *answer) error {
	if len(raw) == 0 {
		return nil
	}
	var d chatDelta
	if err := json.Unmarshal(raw, &d); err != nil {
		return malformed("a delta is not valid")
	}
	if d.Role == nil && d.Content == nil && d.Refusal == nil && d.Reasoning == nil && d.ReasoningContent == nil &&
		d.ToolCalls == nil {
		// Services add their own fields. While a call is being sent, an unknown field alone may be a piece of it.
		if r.last != nil && !last && len(strings.Trim(string(raw), "{} \t\r\n")) > 0 {
			return malformed("a delta in a call holds nothing that is known")
		}
		return nil
	}
	r.hasReasoning = r.hasReasoning || d.ReasoningContent != nil && *d.ReasoningContent != ""
	for _, s := range []*string{d.ReasoningContent, d.Reasoning} {
		if s != nil && *s != "" {
			a.addThought(*s)
			break
		}
	}
	if err := content(d.Content, a); err != nil {
		return err
	}
	if d.Refusal != nil {
		a.addText(*d.Refusal)
	}
	for _, c := range d.ToolCalls {
		if err := r.addPiece(c, a); err != nil {
			return err
		}
	}
	return nil
}

// content adds the text of a delta, which a few services send as a list of parts.
func content(raw json.RawMessage, a *answer) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		a.addText(text)
		return nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking []struct {
			Text string `json:"text"`
		} `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return malformed("the content of a delta is no text")
	}
	for _, p := range parts {
		a.addText(p.Text)
		for _, t := range p.Thinking {
			a.addThought(t.Text)
		}
	}
	return nil
}

func (r *chatReader) addPiece(c chatCall, a *answer) error {
	f := r.last
	if c.Index != nil {
		f = r.byIndex[*c.Index]
	} else if c.ID != "" || c.Function.Name != "" {
		f = nil
	}
	begins := c.ID != "" || c.Function.Name != ""
	switch {
	case f == nil && !begins:
		return malformed("a piece of a call comes without its beginning")
	case !begins && c.Function.Arguments == nil:
		return malformed("a piece of a call is empty")
	case f == nil || c.ID != "" && f.id != "" && c.ID != f.id:
		if r.byIndex == nil {
			r.byIndex = map[int]*partialCall{}
		}
		f = a.addCall(c.ID, c.Function.Name)
		if c.Index != nil {
			r.byIndex[*c.Index] = f
		}
	}
	r.last = f
	if f.id == "" {
		f.id = c.ID
	}
	// The first piece contains the whole name; some servers repeat it in every piece.
	if f.name == "" {
		f.name = c.Function.Name
	}
	if c.Extra.Google.Signature != "" {
		f.signature = c.Extra.Google.Signature
	}
	if c.Function.Arguments != nil {
		a.addArguments(f, *c.Function.Arguments)
	}
	return nil
}

func (r *chatReader) finish(reason string, data []byte, a *answer) error {
	switch reason {
	case "length":
		a.finish(llm.StopLength)
	case "content_filter":
		a.finish(llm.StopFilter)
	case "error":
		return newServiceError(data)
	case "tool_calls", "function_call":
		return a.finishWithCalls()
	default:
		a.finish(llm.StopDone)
	}
	return nil
}
