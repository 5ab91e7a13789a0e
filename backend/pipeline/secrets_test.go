package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"sextant/backend/sandbox/secrets"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// TestSecretArgumentsAreNeverShownOrStored follows one value through everything that is published and stored:
// only the tool gets it.
func TestSecretArgumentsAreNeverShownOrStored(t *testing.T) {
	h := newFixture(t)
	var got string
	h.add(toolspec.Definition{Name: "write", Hints: toolspec.Hints{Confirm: true}},
		func(_ context.Context, call toolspec.Call, _ func(string, string)) (toolspec.Result, error) {
			got = string(call.Args)
			return toolspec.Fail(toolspec.UserError, "the field is off", "Wait."), nil
		})
	h.descs["write"] = toolspec.Description{Sentence: "Typing", Data: "hunter2", SecretArgs: []string{"x"}}
	done := h.start(called("write", `{"x":"hunter2","url":"seen"}`))
	if q := h.question(); strings.Contains(string(jsonOf(t, q)), "hunter2") ||
		!strings.Contains(string(q.Args), "seen") {
		t.Errorf("the question: %s", jsonOf(t, q))
	}
	h.answer(event.AnswerOnce, "")
	failed := <-done
	if !strings.Contains(got, `"hunter2"`) {
		t.Errorf("the tool got %s", got)
	}
	if !strings.HasPrefix(failed.Error, "write(") || strings.Contains(failed.Error, "hunter2") {
		t.Errorf("the error: %s", failed.Error)
	}
	// Invalid arguments do not reach the tool, and are reported all the same.
	bad := h.do(called("write", `{"x":"hunter2","n":"many"}`))
	if bad.ErrorType != toolspec.ValidationError || strings.Contains(bad.Error+bad.Suggestion, "hunter2") {
		t.Errorf("the refusal: %+v", bad)
	}
	stored, err := h.events.EventsAfter(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range stored {
		if strings.Contains(string(e.Data), "hunter2") {
			t.Errorf("%s tells %s", e.Kind, e.Data)
		}
	}
	if rows := jsonOf(t, h.rows()); len(h.rows()) != 2 || strings.Contains(string(rows), "hunter2") ||
		!strings.Contains(string(rows), "seen") {
		t.Errorf("the rows: %s", rows)
	}
}

func jsonOf(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestNamedSecretsAreCheckedAndMasked uses a tool that repeats the value in every part of its result.
func TestNamedSecretsAreCheckedAndMasked(t *testing.T) {
	h := newFixture(t)
	vault, err := secrets.Open(secrets.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"git", "bank"} {
		if _, err := vault.Put(secrets.Secret{Name: name, Host: name + ".example"}, "hunter22-of-"+name); err != nil {
			t.Fatal(err)
		}
	}
	h.cfg.Secrets = vault
	failing := false
	h.add(toolspec.Definition{Name: "send", Hints: toolspec.Hints{OpenWorld: true}},
		func(_ context.Context, _ toolspec.Call, out func(string, string)) (toolspec.Result, error) {
			out("stdout", "it was hunter2")
			out("stdout", "2-of-git, thanks")
			if failing {
				return toolspec.Result{}, errors.New("cannot send hunter22-of-git")
			}
			return toolspec.Result{
				Success: true, Value: map[string]any{"hunter22-of-git": []any{"hunter22-of-git", 1.5}},
				Text:     "hunter22-of-git",
				Sentence: "Sent hunter22-of-git", Preview: []string{"hunter22-of-git"},
				Sources: []string{"https://git.example/hunter22-of-git"},
			}, nil
		})
	h.descs["send"] = toolspec.Description{
		Sentence: "Sending", Hosts: []string{"git.example"}, Data: "{{secret:git}}",
		Secrets: []toolspec.SecretUse{{Name: "git", Place: "body", Origin: "https://git.example"}},
	}
	run := func(args string) toolspec.Result {
		done := h.start(called("send", args))
		if q := h.question(); !strings.Contains(q.Question, "{{secret:git}}") ||
			strings.Contains(string(jsonOf(t, q)), "hunter") {
			t.Errorf("the question is %s", jsonOf(t, q))
		}
		h.answer(event.AnswerOnce, "")
		return <-done
	}
	r := run(`{"x":"{{secret:git}} and hunter22-of-git"}`)
	if all := string(jsonOf(t, r)) + r.ModelText() + r.Sentence +
		strings.Join(append(r.Preview, r.Sources...), " "); !r.Success || strings.Contains(all, "hunter") ||
		strings.Count(all, "{{secret:git}}") < 6 {
		t.Errorf("it tells %s", all)
	}
	failing = true
	// The person has allowed it for this conversation.
	if r = h.do(called("send", `{"x":"{{secret:git}}"}`)); r.Success || strings.Contains(r.Error, "hunter") ||
		!strings.Contains(r.Error, "cannot send {{secret:git}}") {
		t.Errorf("the failure tells %q", r.Error)
	}
	h.descs["send"] = toolspec.Description{
		Sentence: "Sending",
		Secrets:  []toolspec.SecretUse{{Name: "git", Place: "body", Origin: "https://evil.example"}},
	}
	if r = h.do(called("send", `{"x":"{{secret:git}}"}`)); r.ErrorType != toolspec.SecurityError ||
		!strings.Contains(r.Error, "git.example") {
		t.Errorf("another host: %+v", r)
	}
	h.descs["send"] = toolspec.Description{Sentence: "Sending"}
	if r = h.do(called("send", `{"x":"{{secret:bank}}"}`)); r.ErrorType != toolspec.SecurityError ||
		!strings.Contains(r.Error, "bank.example") {
		t.Errorf("where none is put in: %+v", r)
	}
	h.descs["send"] = toolspec.Description{
		Sentence: "Sending",
		Secrets:  []toolspec.SecretUse{{Name: "nobody", Place: "body", Origin: "https://git.example"}},
	}
	if r = h.do(called("send", `{"x":"{{secret:nobody}}"}`)); r.ErrorType != toolspec.UserError ||
		!strings.Contains(r.Suggestion, "bank, git") {
		t.Errorf("an unknown one: %+v", r)
	}
	stored, err := h.events.EventsAfter(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if all := string(jsonOf(t, stored)) + string(jsonOf(t, h.rows())); strings.Contains(all, "hunter") {
		t.Errorf("stored is %s", all)
	}
}
