// Package instructionroutes contains the routes for the person's own instructions and for the prompt notes of the
// assistant.
package instructionroutes

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/agent/instructions"
	"sextant/backend/api/access"
	"sextant/backend/api/route"
)

// PromptAdditions is everything that is added to the assistant's built-in prompt.
type PromptAdditions struct {
	// Folder is the folder that the assistant works in now.
	Folder       string                    `json:"folder"`
	Instructions []instructions.FolderText `json:"instructions"`
	// Notes are the prompt notes, which the assistant adds on request, oldest first.
	Notes []string `json:"notes"`
	// MaxText and MaxNote are the maximum lengths in characters of instructions and of a note.
	MaxText int `json:"max_text"`
	MaxNote int `json:"max_note"`
}

// Notes are the prompt notes.
type Notes interface {
	PromptNotes() []string
	// ReplaceNote replaces the note old by text, or removes it if text is blank. Errors are for the person.
	ReplaceNote(ctx context.Context, old, text string) error
}

// Routes are the routes with what they call.
type Routes struct {
	API          huma.API
	Instructions *instructions.Instructions
	Notes        Notes
	MaxNote      int
	Folder       func() string
}

// Register adds the routes to the API.
func (r Routes) Register() {
	route.Add(r.API, http.MethodGet, "/api/instructions", "The person's instructions and the prompt notes",
		http.StatusOK, func(ctx context.Context, _ *route.Empty) (*route.Body[PromptAdditions], error) {
			return r.answer(ctx, func() error { return nil })
		})
	route.Add(r.API, http.MethodPut, "/api/instructions",
		"Change the instructions for a folder, or for everywhere if folder is empty; an empty text removes them",
		http.StatusOK, func(ctx context.Context, in *struct{ Body instructions.FolderText },
		) (*route.Body[PromptAdditions], error) {
			return r.answer(ctx, func() error { return r.Instructions.Set(ctx, in.Body.Folder, in.Body.Text) })
		})
	route.Add(r.API, http.MethodPut, "/api/prompt-notes", "Change a prompt note; an empty text removes it",
		http.StatusOK, func(ctx context.Context, in *struct {
			Body struct {
				Note string `json:"note" doc:"The note as it is"`
				Text string `json:"text"`
			}
		},
		) (*route.Body[PromptAdditions], error) {
			return r.answer(ctx, func() error { return r.Notes.ReplaceNote(ctx, in.Body.Note, in.Body.Text) })
		})
}

// answer makes a change for the person and answers with everything.
func (r Routes) answer(ctx context.Context, change func() error) (*route.Body[PromptAdditions], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	if err := change(); err != nil {
		return nil, route.RequestError(err)
	}
	o := PromptAdditions{
		Folder: r.Folder(), Instructions: r.Instructions.List(), Notes: r.Notes.PromptNotes(),
		MaxText: instructions.MaxText, MaxNote: r.MaxNote,
	}
	if o.Notes == nil {
		o.Notes = []string{}
	}
	return route.Answer(o), nil
}
