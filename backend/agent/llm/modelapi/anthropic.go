package modelapi

import (
	"encoding/base64"
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
)

const (
	anthropicVersion = "2023-06-01"
	// anthropicMaxTokens limits an answer if the caller sets no limit, because the protocol requires one.
	anthropicMaxTokens = 8192
)

// anthropicBody returns the body of a Messages API request for req
// (https://docs.anthropic.com/en/api/messages-streaming). For the service's cache it marks the ends of what the next
// round repeats: tools, system prompt and conversation.
func anthropicBody(m *Client, req llm.Request) (any, error) {
	p := anthropic.MessageNewParams{Model: m.Model, MaxTokens: anthropicMaxTokens}
	if req.MaxTokens > 0 {
		p.MaxTokens = int64(req.MaxTokens)
	}
	if req.System != "" {
		p.System = []anthropic.TextBlockParam{
			{Text: req.System, CacheControl: anthropic.NewCacheControlEphemeralParam()},
		}
	}
	for i, t := range req.Tools {
		tool := &anthropic.ToolParam{Name: t.Function.Name}
		if t.Function.Description != "" {
			tool.Description = param.NewOpt(t.Function.Description)
		}
		schema, err := schemaOf(t)
		if err != nil {
			return p, err
		}
		delete(schema, "type") // it is always object
		tool.InputSchema.ExtraFields = schema
		if len(schema) == 0 {
			tool.InputSchema.Properties = map[string]any{} // without properties the service would refuse the tool
		}
		if i+1 == len(req.Tools) {
			tool.CacheControl = anthropic.NewCacheControlEphemeralParam()
		}
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: tool})
	}
	for _, msg := range req.Messages {
		role, blocks := anthropicBlocks(msg)
		if len(blocks) == 0 {
			continue
		}
		if n := len(p.Messages); n > 0 && p.Messages[n-1].Role == role {
			p.Messages[n-1].Content = append(p.Messages[n-1].Content, blocks...)
			continue
		}
		p.Messages = append(p.Messages, anthropic.MessageParam{Role: role, Content: blocks})
	}
	if n := len(p.Messages); n > 0 {
		last := p.Messages[n-1].Content
		if mark := last[len(last)-1].GetCacheControl(); mark != nil {
			*mark = anthropic.NewCacheControlEphemeralParam()
		}
	}
	p.SetExtraFields(map[string]any{"stream": true})
	return p, nil
}

// anthropicBlocks converts msg to a role and blocks, none for an empty message. Results have the role user.
func anthropicBlocks(msg chat.Message) (anthropic.MessageParamRole, []anthropic.ContentBlockParamUnion) {
	var blocks []anthropic.ContentBlockParamUnion
	if msg.Role == chat.RoleTool {
		result := &anthropic.ToolResultBlockParam{ToolUseID: msg.CallID}
		if msg.Text != "" {
			result.Content = append(
				result.Content,
				anthropic.ToolResultBlockParamContentUnion{OfText: &anthropic.TextBlockParam{Text: msg.Text}},
			)
		}
		for _, img := range msg.Images {
			result.Content = append(
				result.Content,
				anthropic.ToolResultBlockParamContentUnion{OfImage: anthropicImage(img).OfImage},
			)
		}
		if msg.Status == chat.StatusFailed {
			result.IsError = param.NewOpt(true)
		}
		return anthropic.MessageParamRoleUser, append(blocks, anthropic.ContentBlockParamUnion{OfToolResult: result})
	}
	if msg.Text != "" {
		blocks = append(blocks, anthropic.NewTextBlock(msg.Text))
	}
	if msg.Role == chat.RoleUser {
		for _, img := range msg.Images {
			blocks = append(blocks, anthropicImage(img))
		}
		return anthropic.MessageParamRoleUser, blocks
	}
	for _, c := range msg.Calls {
		blocks = append(blocks, anthropic.NewToolUseBlock(c.ID, json.RawMessage(argsOf(c)), c.Name))
	}
	return anthropic.MessageParamRoleAssistant, blocks
}

func anthropicImage(img chat.Image) anthropic.ContentBlockParamUnion {
	return anthropic.NewImageBlockBase64(img.MIME, base64.StdEncoding.EncodeToString(img.Data))
}

type anthropicReader struct {
	blocks map[int]*anthropicBlock
	usage  anthropicUsage
}

type anthropicBlock struct {
	kind         string
	call         *partialCall
	initialInput json.RawMessage
}

// anthropicUsage is cumulative: a field missing from an event keeps its value.
type anthropicUsage struct {
	Input   int `json:"input_tokens"`
	Output  int `json:"output_tokens"`
	Read    int `json:"cache_read_input_tokens"`
	Written int `json:"cache_creation_input_tokens"`
}

type anthropicEvent struct {
	Type    string `json:"type"`
	Index   *int   `json:"index"`
	Message *struct {
		Usage json.RawMessage `json:"usage"`
	} `json:"message"`
	Block *struct {
		Type     string          `json:"type"`
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Text     string          `json:"text"`
		Thinking string          `json:"thinking"`
		Input    json.RawMessage `json:"input"`
	} `json:"content_block"`
	Delta *struct {
		Type       string  `json:"type"`
		Text       *string `json:"text"`
		Thinking   *string `json:"thinking"`
		JSON       *string `json:"partial_json"`
		StopReason string  `json:"stop_reason"`
	} `json:"delta"`
	Usage json.RawMessage `json:"usage"`
}

func (r *anthropicReader) read(e sseEvent, a *answer) error {
	var v anthropicEvent
	if err := json.Unmarshal(e.data, &v); err != nil {
		return malformed("an event is not valid JSON")
	}
	if e.name != "" && e.name != v.Type || v.Type == "" {
		return malformed("an event contradicts its name")
	}
	switch v.Type {
	case "message_start":
		if v.Message == nil {
			return malformed("the beginning of the answer is empty")
		}
		return r.addUsage(v.Message.Usage, a)
	case "content_block_start":
		return r.startBlock(&v, a)
	case "content_block_delta":
		return r.growBlock(&v, a)
	case "content_block_stop":
		return r.endBlock(&v, a)
	case "message_delta":
		if err := r.addUsage(v.Usage, a); err != nil || v.Delta == nil || v.Delta.StopReason == "" {
			return err
		}
		return r.finish(v.Delta.StopReason, a)
	case "message_stop":
		a.done = true
	case "error":
		return newServiceError(e.data)
	}
	return nil // a ping or an event of a newer protocol version
}

func (r *anthropicReader) addUsage(raw json.RawMessage, a *answer) error {
	if len(raw) == 0 {
		return nil
	}
	if json.Unmarshal(raw, &r.usage) != nil {
		return malformed("the usage is not valid")
	}
	u := r.usage
	a.usage = chat.Usage{Input: u.Input + u.Read + u.Written, Output: u.Output, Cached: u.Read, CacheWritten: u.Written}
	return nil
}

func (r *anthropicReader) startBlock(v *anthropicEvent, a *answer) error {
	if v.Index == nil || v.Block == nil || v.Block.Type == "" || r.blocks[*v.Index] != nil {
		return malformed("a block begins without number or content")
	}
	b := &anthropicBlock{kind: v.Block.Type}
	if b.kind == "tool_use" {
		b.call, b.initialInput = a.addCall(v.Block.ID, v.Block.Name), v.Block.Input
		b.call.problem = incompleteCall
	}
	a.addThought(v.Block.Thinking)
	a.addText(v.Block.Text)
	if r.blocks == nil {
		r.blocks = map[int]*anthropicBlock{}
	}
	r.blocks[*v.Index] = b
	return nil
}

func (r *anthropicReader) growBlock(v *anthropicEvent, a *answer) error {
	if v.Index == nil || v.Delta == nil || r.blocks[*v.Index] == nil {
		return malformed("a delta belongs to no block")
	}
	b := r.blocks[*v.Index]
	if (v.Delta.Type == "input_json_delta") != (b.call != nil) && (b.call != nil || b.kind == "text") {
		return malformed("a delta does not fit its block")
	}
	switch v.Delta.Type {
	case "text_delta":
		if v.Delta.Text == nil {
			return malformed("a delta has no text")
		}
		a.addText(*v.Delta.Text)
	case "thinking_delta":
		if v.Delta.Thinking != nil {
			a.addThought(*v.Delta.Thinking)
		}
	case "input_json_delta":
		if v.Delta.JSON == nil {
			return malformed("a piece of a call is empty")
		}
		if b.call != nil { // otherwise it belongs to a tool that the service itself runs
			a.addArguments(b.call, *v.Delta.JSON)
		}
	}
	return nil
}

// endBlock ends a block; if it is a call, the call is now complete.
func (r *anthropicReader) endBlock(v *anthropicEvent, a *answer) error {
	if v.Index == nil || r.blocks[*v.Index] == nil {
		return malformed("a block ends that did not begin")
	}
	b := r.blocks[*v.Index]
	if b.call == nil {
		return nil
	}
	b.call.problem = ""
	// A call starts with {} if its input follows; an empty input may be complete or truncated.
	if b.call.args.Len() == 0 && len(b.initialInput) > 0 && string(b.initialInput) != "{}" {
		a.addArguments(b.call, string(b.initialInput))
	}
	return nil
}

func (r *anthropicReader) finish(reason string, a *answer) error {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		a.finish(llm.StopLength)
	case "refusal":
		a.finish(llm.StopFilter)
	case "tool_use":
		return a.finishWithCalls()
	default:
		a.finish(llm.StopDone)
	}
	return nil
}
