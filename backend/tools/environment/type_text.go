package environment

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"sextant/backend/guard/secrets"
	"sextant/backend/guard/veil"
	"sextant/backend/surface"
	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed type_text.md
var typeAbout string

type typeParams struct {
	ID     int    `json:"annotationId" required:"true" min:"1"`
	Text   string `json:"text" required:"true"`
	Clear  bool   `json:"clear" default:"true"`
	Submit bool   `json:"submit" doc:"press Enter after"`
	Human  bool   `json:"human" doc:"type slowly"`
}

// maxTyped bounds one call; a longer text belongs into a file upload.
const maxTyped = 100_000

func (t *Tools) typeText() tool {
	return build(tool{
		name: "type_text", about: about(typeAbout), hints: toolspec.Hints{OpenWorld: true}, timeout: 120_000, secret: []string{"text"},
		examples: []string{`{"annotationId":13,"text":"10437"}`, `{"annotationId":4,"text":"desk lamp","submit":true}`, `{"annotationId":7,"text":" and more","clear":false}`},
	}, func(s session, p typeParams) toolspec.Description {
		d := giving(s, present(s, "Typing into", p.ID), p.Text)
		for _, name := range secrets.Names(p.Text) {
			d.Secrets = append(d.Secrets, toolspec.SecretUse{Name: name, Place: string(secrets.Field), Origin: s.OriginOf(p.ID).Origin})
		}
		// The name of a secret is for showing, wherever it goes.
		if hides(s, p.ID) && !secrets.Only(p.Text) {
			d.Secret = []string{"text"}
		}
		return d
	}, func(ctx context.Context, s session, p typeParams) (toolspec.Result, error) {
		if len(p.Text) > maxTyped {
			return toolspec.Result{}, &argumentError{fmt.Sprintf("the text is %d bytes long, more than %d", len(p.Text), maxTyped), "send it in parts with clear: false"}
		}
		o, err := t.filled(s, p)
		if err != nil {
			return toolspec.Result{}, err
		}
		sentence := typed(s, p)
		hidden := hides(s, p.ID)
		a, err := s.Type(ctx, o)
		if err != nil {
			return toolspec.Result{}, err
		}
		if hidden {
			a.Outcome = unsaid(a.Outcome, p.ID)
		}
		return t.answered(a, "", defaultTokens, sentence), nil
	})
}

// filled are the browser's options, with the values of secrets in the text. Then the field has to stand in a
// document of the origin that they were given for.
func (t *Tools) filled(s session, p typeParams) (surface.TypeOptions, error) {
	o := surface.TypeOptions{ID: p.ID, Text: p.Text, Clear: p.Clear, Submit: p.Submit, Human: p.Human}
	if len(secrets.Names(p.Text)) == 0 || t.opts.Secrets == nil {
		return o, nil
	}
	o.SecretFor = s.OriginOf(p.ID).Origin
	var err error
	o.Text, err = t.opts.Secrets.Fill(p.Text, secrets.Sink{Place: secrets.Field, Origin: o.SecretFor}, nil)
	return o, err
}

// unsaid is the outcome of typing into the element id without what was typed.
func unsaid(outcome string, id int) string {
	if i := strings.LastIndex(outcome, fmt.Sprintf(" into [%d]", id)); i >= 0 {
		return "typed text" + outcome[i:]
	}
	return fmt.Sprintf("typed text into [%d]", id)
}

// typed is the sentence of a finished call; what went into a password field stays out of it.
func typed(s session, p typeParams) string {
	text := annotator.Clean(p.Text, 40)
	switch {
	case p.Text == "" && p.Clear:
		return "Emptied " + called(s, p.ID)
	case hides(s, p.ID) && !secrets.Only(p.Text):
		text = "text"
	}
	return "Typed " + text + " into " + called(s, p.ID)
}

// hides reports whether what is typed into the element id is not for showing: the browser saw
// that it hides it, or does not know it, or its name says so.
func hides(s session, id int) bool {
	if s.OriginOf(id).Secret {
		return true
	}
	e, known := elementOf(s, id)
	return known && secret(e)
}

// secret: its value or its name says that what stands in it is not for showing.
func secret(e annotator.Element) bool {
	return veil.Asks(e.Name) || e.Value != "" && strings.Trim(e.Value, "•") == ""
}
