package workspace

import (
	"context"
	"crypto/rand"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

//go:embed developer_note.md
var developerNoteDoc string

const (
	maxDeveloperNote  = 20_000
	maxDeveloperNotes = 2_000
)

type developerNoteParams struct {
	Text  string `json:"text"`
	Title string `json:"title"`
	Kind  string `json:"kind"`
}

func developerNote() tool {
	const name = "developer_note"
	return tool{
		def: define(name, "feedback", developerNoteDoc,
			`{"type":"object","properties":{`+
				`"text":{"type":"string","minLength":1,"maxLength":20000,"description":"What the developers should know, in Markdown."},`+
				`"title":{"type":"string","maxLength":120,"description":"One line."},`+
				`"kind":{"type":"string","enum":["note","bug","idea"],"default":"note"}},"required":["text"],"additionalProperties":false}`,
			toolspec.Hints{}, `{"text":"click_element took 9 s on a page with 40,000 nodes","kind":"bug"}`,
			`{"text":"find_files could sort by time of change","kind":"idea"}`,
			`{"title":"Small links","text":"On https://example.com/lamps the numbers cover links of one letter."}`),
		run: func(t *Tools, _ context.Context, args json.RawMessage) (toolspec.Result, error) {
			var p developerNoteParams
			if bad := toolkit.Decode(args, &p); bad != nil {
				return *bad, nil
			}
			return t.writeNote(p)
		},
		describe: func(args json.RawMessage) toolspec.Description {
			var p developerNoteParams
			_ = json.Unmarshal(args, &p)
			return toolspec.Description{
				Sentence: "Writing a note for the developers",
				Target:   "the folder of developer notes", Data: p.Text,
			}
		},
	}
}

func (t *Tools) writeNote(p developerNoteParams) (toolspec.Result, error) {
	text := strings.TrimSpace(strings.ToValidUTF8(p.Text, "\uFFFD"))
	switch {
	case text == "":
		return toolspec.Fail(toolspec.ValidationError, "developer_note: text is empty",
			`For example {"text":"…","kind":"idea"}.`), nil
	case len(text) > 4*maxDeveloperNote:
		return toolspec.Fail(toolspec.ValidationError,
			fmt.Sprintf("developer_note: text has more than %d characters", maxDeveloperNote),
			"Shorten it, or write several notes."), nil
	}
	if err := os.MkdirAll(t.notesDir, 0o700); err != nil {
		return toolspec.Result{}, fmt.Errorf("creating the folder of developer notes: %w", err)
	}
	if there, err := os.ReadDir(t.notesDir); err == nil && len(there) >= maxDeveloperNotes {
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("developer_note: there are %d notes already", len(there)),
			"Delete some in "+t.notesDir+"."), nil
	}
	now := time.Now().UTC()
	kind := p.Kind
	if kind == "" {
		kind = "note"
	}
	title := strings.Join(strings.Fields(p.Title), " ")
	if title == "" {
		title = "Untitled"
	}
	var tail [3]byte
	_, _ = rand.Read(tail[:]) // never fails
	name := now.Format("20060102-150405") + "-" + slug(kind) + "-" + hex.EncodeToString(tail[:]) + ".md"
	body := fmt.Sprintf("# %s\n\n%s · %s\n\n%s\n", title, kind, now.Format(time.RFC3339), text)
	if err := writeNew(filepath.Join(t.notesDir, name), body); err != nil {
		return toolspec.Result{}, fmt.Errorf("writing a developer note: %w", err)
	}
	return ok(map[string]any{"file": name}, "Wrote the note "+name+".", "Wrote a note for the developers"), nil
}

func writeNew(path, body string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(body)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func slug(s string) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(s))
	return out[:min(len(out), 20)]
}
