// Package attachments provides read_attachment, the tool that reads on in files that a person attached to a message.
//
// It reads only files of the conversation that the call belongs to, so that an id from elsewhere reveals nothing. What
// it returns has the source of the attachment.
package attachments

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sextant/backend/attachment"
	"sextant/backend/toolkit"
	"sextant/shared/chat"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed read_attachment.md
var readAttachmentDoc string

// Messages returns the messages of a conversation.
type Messages interface {
	Messages(ctx context.Context, conversation string) ([]chat.Message, error)
}

// Tools provides read_attachment. It is safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	files    *attachment.Store
	messages Messages
}

type tool struct{ def toolspec.Definition }

func (t tool) Definition() toolspec.Definition { return t.def }

type params struct {
	File    string `json:"file"`
	From    int    `json:"from"`
	Picture bool   `json:"picture"`
}

// New returns the tool.
func New(files *attachment.Store, messages Messages) *Tools {
	def := toolkit.Define(attachment.ToolName, "workspace", readAttachmentDoc,
		`{"type":"object","properties":{`+
			`"file":{"type":"string","minLength":8,"maxLength":64},`+
			`"from":{"type":"integer","minimum":1,"default":1},`+
			`"picture":{"type":"boolean","default":false}`+
			`},"required":["file"],"additionalProperties":false}`,
		toolspec.Hints{ReadOnly: true, Idempotent: true},
		`{"file":"3f9a01c2b4d5","from":4}`, `{"file":"3f9a01c2b4d5","from":2,"picture":true}`,
		`{"file":"3f9a01c2b4d5"}`)
	return &Tools{List: toolkit.List[tool]{{def}}, files: files, messages: messages}
}

// Describe returns the effect of call.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	var p params
	_ = json.Unmarshal(call.Args, &p)
	if p.Picture {
		return toolspec.Description{Sentence: fmt.Sprintf("Looking at page %d of an attached file", max(1, p.From))}
	}
	return toolspec.Description{Sentence: "Reading on in an attached file"}
}

// Execute runs one call. Failures that the caller can correct are in the Result. The error is an unexpected failure.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	p := params{From: 1}
	if bad := toolkit.Decode(call.Args, &p); bad != nil {
		return *bad, nil
	}
	f, sources, err := t.find(ctx, call.From.Conversation, p.File)
	if err != nil {
		return toolspec.Result{}, err
	}
	if f == nil {
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("no attached file of this conversation has the id %.64q",
			p.File),
			"Send the id that the attached text names."), nil
	}
	var r toolspec.Result
	if p.Picture {
		r, err = t.picture(ctx, *f, p.From)
	} else {
		r, err = t.text(ctx, *f, p.From)
	}
	var refused *attachment.RefusedError
	if errors.As(err, &refused) {
		return toolspec.Fail(toolspec.UserError, refused.Reason, ""), nil
	}
	r.Sources = sources
	return r, err
}

func (t *Tools) text(ctx context.Context, f chat.File, from int) (toolspec.Result, error) {
	text, next, err := t.files.ReadFrom(ctx, f, from)
	if err != nil {
		return toolspec.Result{}, err
	}
	r := toolspec.OK(map[string]any{"file": f.Name, "text": text, "next": next})
	r.Text = text
	if next > 0 {
		r.Text += fmt.Sprintf("\n… continue with {\"file\":%q,\"from\":%d}.", f.Blob[:min(len(f.Blob), 12)], next)
	}
	r.Sentence = "Read on in " + f.Name
	r.Preview = excerpt.FirstLines(text, 3, 120)
	return r, nil
}

func (t *Tools) picture(ctx context.Context, f chat.File, page int) (toolspec.Result, error) {
	drawn, err := t.files.PagePicture(ctx, f, page)
	if err != nil {
		return toolspec.Result{}, err
	}
	r := toolspec.OK(map[string]any{"file": f.Name, "page": page})
	r.Text = fmt.Sprintf("Page %d of %s, as a picture.", page, f.Name)
	r.Sentence = fmt.Sprintf("Looked at page %d of %s", page, f.Name)
	r.Images = []toolspec.Image{{MIME: "image/png", Data: drawn}}
	return r, nil
}

// find returns the attached file whose id begins with id, nil if there is none, and the sources of its text.
func (t *Tools) find(ctx context.Context, conversation, id string) (*chat.File, []string, error) {
	if conversation == "" {
		return nil, nil, nil
	}
	messages, err := t.messages.Messages(ctx, conversation)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the conversation: %w", err)
	}
	for _, m := range messages {
		if m.Role != chat.RoleNote {
			continue
		}
		for _, f := range m.Files {
			if strings.HasPrefix(f.Blob, id) {
				return &f, m.Outside, nil
			}
		}
	}
	return nil, nil, nil
}
