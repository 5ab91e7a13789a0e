package workspace

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sextant/backend/toolkit"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed enhance_baseline_prompt.md
var enhanceBaselinePromptDoc string

// MaxPromptNote is the maximum length of a prompt note in characters. Notes cost tokens in every request.
const MaxPromptNote = 1_000

const maxPromptNotes = 20

type enhanceBaselinePromptParams struct {
	Note   string `json:"note"`
	Remove int    `json:"remove"`
}

func enhanceBaselinePrompt() tool {
	const name = "enhance_baseline_prompt"
	return tool{
		def: define(name, "feedback", enhanceBaselinePromptDoc,
			`{"type":"object","properties":{`+
				`"note":{"type":"string","minLength":1,"maxLength":1000,"description":"One or two sentences, as an instruction."},`+
				`"remove":{"type":"integer","minimum":1,"description":"Number of the note to remove, from 1."}},`+
				`"minProperties":1,"maxProperties":1,"additionalProperties":false}`,
			toolspec.Hints{}, `{"note":"Answer in Spanish."}`, `{"remove":1}`,
			`{"note":"Ask before you put anything into a basket."}`),
		run: func(t *Tools, ctx context.Context, args json.RawMessage) (toolspec.Result, error) {
			var p enhanceBaselinePromptParams
			if bad := toolkit.Decode(args, &p); bad != nil {
				return *bad, nil
			}
			if p.Remove > 0 {
				return t.removeNote(ctx, p.Remove)
			}
			return t.addNote(ctx, p.Note)
		},
		describe: func(args json.RawMessage) toolspec.Description {
			var p enhanceBaselinePromptParams
			_ = json.Unmarshal(args, &p)
			if p.Remove > 0 {
				return toolspec.Description{
					Sentence: fmt.Sprintf("Removing prompt note %d", p.Remove),
					Target:   "the assistant's instructions",
				}
			}
			return toolspec.Description{
				Sentence: "Adding a prompt note",
				Question: "Add this note to the assistant's instructions?",
				Target:   "the assistant's instructions, in every later turn", Data: p.Note,
			}
		},
	}
}

func (t *Tools) addNote(ctx context.Context, note string) (toolspec.Result, error) {
	const tool = "enhance_baseline_prompt"
	note = oneLine(note)
	notes := t.PromptNotes()
	switch {
	case note == "":
		return toolspec.Fail(toolspec.ValidationError, tool+": note is empty",
			`For example {"note":"Answer in Spanish."}.`), nil
	case utf8.RuneCountInString(note) > MaxPromptNote:
		return toolspec.Fail(toolspec.ValidationError,
			fmt.Sprintf("%s: note has more than %d characters", tool, MaxPromptNote), "Shorten it."), nil
	case slices.Contains(notes, note):
		return ok(map[string]any{"notes": notes}, "The note exists already.", "Kept the prompt notes as they are"), nil
	case len(notes) >= maxPromptNotes:
		return toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("%s: there are %d notes, which is the maximum", tool, maxPromptNotes),
			`Remove one first, for example {"remove":1}.`), nil
	}
	err := t.update(ctx, func(s *state) []event.Event {
		s.Notes = append(s.Notes, note)
		notes = s.Notes
		return nil
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	return ok(map[string]any{"notes": notes},
		fmt.Sprintf("Added as note %d. It applies from the next turn on.", len(notes)), "Added a prompt note"), nil
}

func (t *Tools) removeNote(ctx context.Context, number int) (toolspec.Result, error) {
	notes := t.PromptNotes()
	if number > len(notes) {
		return toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("enhance_baseline_prompt(remove=%d): there are %d notes", number, len(notes)),
			"get_workspace_state lists them."), nil
	}
	if err := t.ReplaceNote(ctx, notes[number-1], ""); err != nil {
		return toolspec.Result{}, err
	}
	return ok(map[string]any{"notes": t.PromptNotes()}, "Removed. It no longer applies from the next turn on.",
		"Removed a prompt note"), nil
}

func oneLine(note string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(note, "\uFFFD")), " ")
}

// ReplaceNote replaces the prompt note old by text, or removes it if text is blank or another note. It does nothing if
// there is no note old, since the assistant may have removed it.
func (w *Workspace) ReplaceNote(ctx context.Context, old, text string) error {
	text = oneLine(text)
	if utf8.RuneCountInString(text) > MaxPromptNote {
		return fmt.Errorf("the note has more than %d characters; shorten it", MaxPromptNote)
	}
	return w.update(ctx, func(s *state) []event.Event {
		at := slices.Index(s.Notes, old)
		switch {
		case at < 0:
		case text == "", text != old && slices.Contains(s.Notes, text):
			s.Notes = slices.Delete(s.Notes, at, at+1)
		default:
			s.Notes[at] = text
		}
		return nil
	})
}
