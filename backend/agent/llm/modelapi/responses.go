package modelapi

import (
	"encoding/json"

	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
)

// responsesBody returns the body of a Responses API request for req
// (https://platform.openai.com/docs/api-reference/responses-streaming). It asks the service not to store the
// response.
func responsesBody(m *Client, req llm.Request) (any, error) {
	p := responses.ResponseNewParams{Model: m.Model, Store: param.NewOpt(false)}
	if req.System != "" {
		p.Instructions = param.NewOpt(req.System)
	}
	if req.MaxTokens > 0 {
		p.MaxOutputTokens = param.NewOpt(int64(req.MaxTokens))
	}
	for _, msg := range req.Messages {
		p.Input.OfInputItemList = append(p.Input.OfInputItemList, responsesItems(msg)...)
	}
	for _, t := range req.Tools {
		schema, err := schemaOf(t)
		if err != nil {
			return p, err
		}
		if schema == nil {
			schema = map[string]any{"type": "object", "properties": map[string]any{}}
		}
		p.Tools = append(p.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: t.Function.Name, Description: param.NewOpt(t.Function.Description), Parameters: schema,
			Strict: param.NewOpt(false),
		}})
	}
	p.SetExtraFields(map[string]any{"stream": true})
	return p, nil
}

func responsesItems(msg chat.Message) []responses.ResponseInputItemUnionParam {
	var items []responses.ResponseInputItemUnionParam
	switch msg.Role {
	case chat.RoleUser:
		if len(msg.Images) == 0 {
			return append(
				items,
				responses.ResponseInputItemParamOfMessage(msg.Text, responses.EasyInputMessageRoleUser),
			)
		}
		parts := responses.ResponseInputMessageContentListParam{
			responses.ResponseInputContentParamOfInputText(msg.Text),
		}
		for _, img := range msg.Images {
			parts = append(
				parts,
				responses.ResponseInputContentUnionParam{OfInputImage: &responses.ResponseInputImageParam{
					ImageURL: param.NewOpt(dataURL(img)), Detail: responses.ResponseInputImageDetailAuto,
				}},
			)
		}
		return append(items, responses.ResponseInputItemParamOfMessage(parts, responses.EasyInputMessageRoleUser))
	case chat.RoleTool:
		out := &responses.ResponseInputItemFunctionCallOutputParam{CallID: param.NewOpt(msg.CallID)}
		if len(msg.Images) == 0 {
			out.Output.OfString = param.NewOpt(msg.Text)
			return append(items, responses.ResponseInputItemUnionParam{OfFunctionCallOutput: out})
		}
		parts := responses.ResponseFunctionCallOutputItemListParam{
			{OfInputText: &responses.ResponseInputTextContentParam{Text: msg.Text}},
		}
		for _, img := range msg.Images {
			parts = append(parts, responses.ResponseFunctionCallOutputItemUnionParam{
				OfInputImage: &responses.ResponseInputImageContentParam{ImageURL: param.NewOpt(dataURL(img))},
			})
		}
		out.Output.OfResponseFunctionCallOutputItemArray = parts
		return append(items, responses.ResponseInputItemUnionParam{OfFunctionCallOutput: out})
	}
	if msg.Text != "" {
		items = append(
			items,
			responses.ResponseInputItemParamOfMessage(msg.Text, responses.EasyInputMessageRoleAssistant),
		)
	}
	for _, c := range msg.Calls {
		items = append(items, responses.ResponseInputItemParamOfFunctionCall(argsOf(c), c.ID, c.Name))
	}
	return items
}

type responsesReader struct{ calls map[int]*partialCall }

type responsesEvent struct {
	Type        string  `json:"type"`
	OutputIndex *int    `json:"output_index"`
	Delta       *string `json:"delta"`
	Arguments   *string `json:"arguments"`
	Item        *struct {
		Type      string  `json:"type"`
		CallID    string  `json:"call_id"`
		Name      string  `json:"name"`
		Arguments *string `json:"arguments"`
	} `json:"item"`
	Response *struct {
		Status     string `json:"status"`
		Incomplete *struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Usage *struct {
			Input   int `json:"input_tokens"`
			Output  int `json:"output_tokens"`
			Details struct {
				Cached int `json:"cached_tokens"`
			} `json:"input_tokens_details"`
		} `json:"usage"`
		Error json.RawMessage `json:"error"`
	} `json:"response"`
}

func (r *responsesReader) read(e sseEvent, a *answer) error {
	if string(e.data) == "[DONE]" { // some compatible services add this
		a.done = true
		return nil
	}
	var v responsesEvent
	if err := json.Unmarshal(e.data, &v); err != nil {
		return malformed("an event is not valid JSON")
	}
	if e.name != "" && e.name != v.Type || v.Type == "" {
		return malformed("an event contradicts its name")
	}
	switch v.Type {
	case "response.output_text.delta",
		"response.refusal.delta",
		"response.reasoning_summary_text.delta",
		"response.reasoning_text.delta":
		switch {
		case v.Delta == nil:
			return malformed("a delta is empty")
		case v.Type == "response.output_text.delta" || v.Type == "response.refusal.delta":
			a.addText(*v.Delta)
		default:
			a.addThought(*v.Delta)
		}
	case "response.output_item.added", "response.output_item.done":
		if v.Item == nil || v.OutputIndex == nil {
			return malformed("an item has no content or number")
		}
		return r.item(&v, a)
	case "response.function_call_arguments.delta":
		if v.OutputIndex == nil || v.Delta == nil || r.calls[*v.OutputIndex] == nil {
			return malformed("a piece of a call comes without its beginning")
		}
		a.addArguments(r.calls[*v.OutputIndex], *v.Delta)
	case "response.completed", "response.incomplete", "response.failed":
		return r.finish(&v, e.data, a)
	case "error":
		return newServiceError(e.data)
	}
	return nil
}

// item handles the start of a call, and its end, which contains all its arguments.
func (r *responsesReader) item(v *responsesEvent, a *answer) error {
	if v.Item.Type != "function_call" {
		return nil
	}
	f := r.calls[*v.OutputIndex]
	if f == nil {
		if r.calls == nil {
			r.calls = map[int]*partialCall{}
		}
		f = a.addCall(v.Item.CallID, v.Item.Name)
		f.problem = incompleteCall
		r.calls[*v.OutputIndex] = f
	}
	if v.Type == "response.output_item.added" {
		return nil
	}
	if v.Item.Arguments == nil || v.Item.Name == "" {
		return malformed("the end of a call does not hold it")
	}
	f.id, f.name, f.problem = v.Item.CallID, v.Item.Name, ""
	f.args.Reset()
	a.addArguments(f, *v.Item.Arguments)
	return nil
}

func (r *responsesReader) finish(v *responsesEvent, data []byte, a *answer) error {
	if v.Response == nil {
		return malformed("the end of the answer is empty")
	}
	if u := v.Response.Usage; u != nil {
		a.usage = chat.Usage{Input: u.Input, Output: u.Output, Cached: u.Details.Cached}
	}
	a.done = true
	switch {
	case v.Type == "response.failed":
		var outer struct {
			Response json.RawMessage `json:"response"`
		}
		_ = json.Unmarshal(data, &outer)
		return newServiceError(outer.Response)
	case v.Type == "response.completed":
		a.finish(llm.StopDone)
	case v.Response.Incomplete != nil && v.Response.Incomplete.Reason == "content_filter":
		a.finish(llm.StopFilter)
	default:
		a.finish(llm.StopLength)
	}
	return nil
}
