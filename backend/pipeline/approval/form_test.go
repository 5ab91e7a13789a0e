package approval

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"sextant/shared/event"
)

const orderForm = `{"type":"object","required":["mail","size"],"properties":{
	"mail":{"type":"string","format":"email","title":"Your address"},
	"note":{"type":"string","maxLength":5},
	"size":{"type":"string","enum":["s","l"],"enumNames":["Small","Large"],"default":"l"},
	"extras":{"type":"array","items":{"anyOf":[{"const":"bow","title":"A bow"},{"const":"card","title":"A card"}]},"maxItems":1},
	"count":{"type":"integer","minimum":1,"maximum":9,"default":99},
	"gift":{"type":"boolean"}}}`

func TestFieldsListsRequiredFieldsFirst(t *testing.T) {
	fields, err := FormFields([]byte(orderForm))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name+":"+string(f.Kind))
	}
	if got := strings.Join(names,
		" "); got != "mail:text size:choice count:integer extras:choices gift:boolean note:text" {
		t.Errorf("got %s", got)
	}
	if fields[1].Default != "l" || fields[1].Options[0].Title != "Small" || fields[2].Default != nil {
		t.Errorf("got %+v", fields)
	}
	for _, wrong := range []string{
		`{}`, `[]`, `{"properties":{"a":{"type":"object"}}}`,
		`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`,
	} {
		t.Run(wrong, func(t *testing.T) {
			if _, err := FormFields([]byte(wrong)); err == nil {
				t.Errorf("%s was taken for a form", wrong)
			}
		})
	}
}

func TestInvalidFormKeepsQuestionWaiting(t *testing.T) {
	fields, err := FormFields([]byte(orderForm))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, out := context.Background(), &recordedEvents{}
		d := New(out)
		q := lampQuestion()
		q.Form = fields
		done := asking(ctx, d, q)
		for text, says := range map[string]string{
			`{}`: "Your address is required", `{"mail":"nobody","size":"s"}`: "such as ana@example.com",
			`{"mail":"a@b.c","size":"xl"}`:                        "must be one of the choices",
			`{"mail":"a@b.c","size":"s","note":"too long"}`:       "at most 5 characters",
			`{"mail":"a@b.c","size":"s","count":1.5}`:             "a whole number",
			`{"mail":"a@b.c","size":"s","extras":["bow","card"]}`: "at most 1 choices",
			`{"mail":"a@b.c","size":"s","gift":"yes"}`:            "yes or no",
		} {
			var filled map[string]any
			if err := json.Unmarshal([]byte(text), &filled); err != nil {
				t.Fatal(err)
			}
			if err := d.AnswerWith(ctx, "q", Reply{
				Answer: event.AnswerOnce, FormValues: filled, Hash: "right",
			}); !errors.Is(err, ErrInvalidForm) ||
				!strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v", text, err)
			}
		}
		if err := d.AnswerWith(ctx, "q", Reply{
			Answer: event.AnswerOnce, Hash: "right",
			FormValues: map[string]any{"mail": "ana@example.com", "size": "s", "other": "x", "note": ""},
		}); err != nil {
			t.Fatal(err)
		}
		got := <-done
		if got.err != nil || len(got.answer.FormValues) != 2 || got.answer.FormValues["mail"] != "ana@example.com" {
			t.Errorf("%+v", got)
		}
		for _, e := range out.events {
			if strings.Contains(string(e.Data), "ana@example.com") {
				t.Errorf("the values of a form are published: %s", e.Data)
			}
		}
	})
}
