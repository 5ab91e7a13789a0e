package toolcalls

import (
	"context"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Adapter asks a model for tool calls in the model's own format and returns them as llm calls, so that
// callers need not know the format. Safe for concurrent use.
type Adapter struct {
	Model llm.Model
	// Format is the format of the model; "" means FormatNative.
	Format Format
	// AlsoCallable are tools that a call in text may name although the request does not list them.
	AlsoCallable []toolspec.Definition
}

// Stream sends one request with the tools that may be called. A native model gets the tool definitions. For other
// models the system prompt lists the tools, and earlier calls and results are written into the conversation in the
// model's format. The returned text then contains no calls, and each complete call is also passed to onDelta at once,
// so that it can start before the answer ends.
func (a Adapter) Stream(
	ctx context.Context,
	req llm.Request,
	defs []toolspec.Definition,
	onDelta func(llm.Delta),
) (llm.Response, error) {
	if a.Format == FormatNative || a.Format == "" || len(defs) == 0 && !hasCalls(req.Messages) {
		req.Tools = NativeFunctions(defs)
		return a.Model.Stream(ctx, req, onDelta)
	}
	tools := NewToolset(slices.Concat(defs, a.AlsoCallable))
	sent := llm.Request{
		System:      req.System,
		Messages:    a.asText(req.Messages, tools),
		MaxTokens:   req.MaxTokens,
		CallsInText: true,
	}
	if section := PromptSection(a.Format, defs); section != "" {
		sent.System = strings.TrimSpace(req.System + "\n\n" + section)
	}
	var out llm.Response
	var text strings.Builder
	p := NewParser(tools, func(e Event) {
		switch {
		case e.Call != nil:
			call := chat.ToolCall{Name: e.Call.Name, Args: e.Call.Args}
			out.Calls = append(out.Calls, call)
			onDelta(llm.Delta{Call: &call})
		case e.BrokenCall != nil:
			out.BrokenCalls = append(
				out.BrokenCalls,
				llm.BrokenCall{
					Name: e.BrokenCall.Name, Problem: e.BrokenCall.Problem,
					Suggestion: e.BrokenCall.Suggestion,
				},
			)
		default:
			text.WriteString(e.Text)
			onDelta(llm.Delta{Text: e.Text})
		}
	})
	res, err := a.Model.Stream(ctx, sent, func(d llm.Delta) {
		if d.Reasoning != "" || d.Note != "" {
			onDelta(llm.Delta{Reasoning: d.Reasoning, Note: d.Note})
		}
		p.Write(d.Text)
	})
	if err != nil {
		p.Abandon()
		return llm.Response{
			Text: text.String(), Reasoning: res.Reasoning, Usage: res.Usage, AnsweredBy: res.AnsweredBy,
		}, err
	}
	p.Close(res.Stop != llm.StopLength)
	out.Text, out.Reasoning, out.Usage = text.String(), res.Reasoning, res.Usage
	out.Stop, out.AnsweredBy = res.Stop, res.AnsweredBy
	// A server that parses this format itself returns its calls natively.
	out.Calls = append(out.Calls, res.Calls...)
	out.BrokenCalls = append(out.BrokenCalls, res.BrokenCalls...)
	if len(out.Calls) > 0 && out.Stop == llm.StopDone {
		out.Stop = llm.StopCalls
	}
	return out, nil
}

// NativeFunctions converts defs to the functions that are sent to a model with native calls.
func NativeFunctions(defs []toolspec.Definition) []toolspec.Function {
	out := make([]toolspec.Function, len(defs))
	for i, d := range defs {
		out[i] = d.Function()
	}
	return out
}

func hasCalls(messages []chat.Message) bool {
	return slices.ContainsFunc(messages, func(m chat.Message) bool { return len(m.Calls) > 0 })
}

// asText returns the conversation with its calls and results as text. Adjacent messages of one role are joined,
// because many templates of local models require alternating roles.
func (a Adapter) asText(messages []chat.Message, tools *Toolset) []chat.Message {
	var out []chat.Message
	names := map[string]string{}
	var results []Result
	say := func(role chat.Role, text string) {
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Text += "\n\n" + text
			return
		}
		out = append(out, chat.Message{Role: role, Text: text})
	}
	var images []chat.Image
	flush := func() {
		if len(results) > 0 {
			say(chat.RoleUser, printResults(a.Format, results))
			out[len(out)-1].Images = append(out[len(out)-1].Images, images...)
			results, images = nil, nil
		}
	}
	for _, m := range messages {
		if m.Role == chat.RoleTool {
			results = append(results, Result{Name: names[m.CallID], Text: m.Text})
			images = append(images, m.Images...)
			continue
		}
		flush()
		var parts []string
		if m.Text != "" {
			parts = append(parts, m.Text)
		}
		for _, c := range m.Calls {
			names[c.ID] = c.Name
			parts = append(parts, Render(a.Format, Call{Name: c.Name, Args: c.Args}, tools))
		}
		say(m.Role, strings.Join(parts, "\n"))
		out[len(out)-1].Images = append(out[len(out)-1].Images, m.Images...)
	}
	flush()
	return out
}
