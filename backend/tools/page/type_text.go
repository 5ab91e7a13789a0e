package page

import (
	"context"
	"fmt"
	"strings"

	"sextant/backend/policy/redact"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type typeParams struct {
	ID     int    `json:"annotationId" required:"true" min:"1"`
	Text   string `json:"text" required:"true"`
	Clear  bool   `json:"clear" default:"true"`
	Submit bool   `json:"submit" doc:"then press Enter"`
	Human  bool   `json:"human" doc:"type slowly"`
}

const maxTyped = 100_000

func (t *Tools) typeText() tool {
	return build(tool{
		name: "type_text", hints: toolspec.Hints{OpenWorld: true}, timeout: 120_000, secret: []string{"text"},
		examples: []string{
			`{"annotationId":13,"text":"10437"}`, `{"annotationId":4,"text":"desk lamp","submit":true}`,
			`{"annotationId":7,"text":" and more","clear":false}`,
		},
	}, func(s session, p typeParams) toolspec.Description {
		d := withData(s, describeElement(s, "Typing into", p.ID), p.Text)
		for _, name := range secrets.ReferencedNames(p.Text) {
			d.Secrets = append(d.Secrets, toolspec.SecretUse{
				Name: name, Place: string(secrets.PlaceField),
				Origin: s.OriginOf(p.ID).Origin,
			})
		}
		// The name of a secret may always be shown.
		if concealed(s, p.ID) && !secrets.HasOnlyReferences(p.Text) {
			d.SecretArgs = []string{"text"}
		}
		if p.Submit {
			return withEffect(s, d, p.ID, enterEffect(s, p.ID))
		}
		return d
	}, func(ctx context.Context, s session, p typeParams) (toolspec.Result, error) {
		if len(p.Text) > maxTyped {
			return toolspec.Result{}, &argumentError{fmt.Sprintf("the text is %d bytes long, more than %d",
				len(p.Text), maxTyped), "send it in parts with clear: false"}
		}
		o, err := t.typeOptions(s, p)
		if err != nil {
			return toolspec.Result{}, err
		}
		sentence := typedSentence(s, p)
		hidden := concealed(s, p.ID)
		a, err := s.Type(ctx, o)
		if err != nil {
			return toolspec.Result{}, err
		}
		if hidden {
			a.Outcome = withoutText(a.Outcome, p.ID)
		}
		return t.result(a, sentence), nil
	})
}

// A text with secrets may only be typed in a document with the origin that the secrets belong to.
func (t *Tools) typeOptions(s session, p typeParams) (surface.TypeOptions, error) {
	o := surface.TypeOptions{ID: p.ID, Text: p.Text, Clear: p.Clear, Submit: p.Submit, Human: p.Human}
	if len(secrets.ReferencedNames(p.Text)) == 0 || t.opts.Secrets == nil {
		return o, nil
	}
	o.SecretFor = s.OriginOf(p.ID).Origin
	var err error
	o.Text, err = t.opts.Secrets.Fill(p.Text, secrets.Sink{Place: secrets.PlaceField, Origin: o.SecretFor}, nil)
	return o, err
}

func withoutText(outcome string, id int) string {
	if i := strings.LastIndex(outcome, fmt.Sprintf(" into [%d]", id)); i >= 0 {
		return "typed text" + outcome[i:]
	}
	return fmt.Sprintf("typed text into [%d]", id)
}

func typedSentence(s session, p typeParams) string {
	text := annotation.Clean(p.Text, 40)
	switch {
	case p.Text == "" && p.Clear:
		return "Emptied " + nameOf(s, p.ID)
	case concealed(s, p.ID) && !secrets.HasOnlyReferences(p.Text):
		text = "text"
	}
	return "Typed " + text + " into " + nameOf(s, p.ID)
}

func concealed(s session, id int) bool {
	if s.OriginOf(id).Secret {
		return true
	}
	e, known := s.Element(id)
	return known && holdsSecret(e)
}

func holdsSecret(e annotation.Element) bool {
	return redact.AsksForSecret(e.Name) || e.Value != "" && strings.Trim(e.Value, "•") == ""
}
