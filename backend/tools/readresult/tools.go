// Package readresult provides read_result, the tool that reads long results in parts.
//
// The pipeline stores a result that is too long for one answer under a handle. Each part that this tool reads has the
// sources of the whole result. Only the owner of a result may read it; a person may read every result.
package readresult

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"sextant/backend/store/results"
	"sextant/backend/store/sqlite"
	"sextant/backend/toolkit"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Messages returns messages of conversations. An old result that is no longer sent to the model has the id of its
// message as its handle. For an unknown id, Message fails with sqlite.ErrNotFound.
type Messages interface {
	Message(ctx context.Context, id string) (chat.Message, error)
}

// Store opens stored results. For an unknown id, Open fails with results.ErrNotFound.
type Store interface {
	Open(ctx context.Context, id string) (*os.File, wire.StoredResult, error)
}

// Tools provides read_result. It is safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	store    Store
	messages Messages
}

type tool struct {
	def      toolspec.Definition
	describe func(call toolspec.Call) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call) (toolspec.Result, error)
}

// New returns the tool.
func New(store Store, messages Messages) *Tools {
	return &Tools{store: store, messages: messages, List: toolkit.List[tool]{readResult()}}
}

func (t tool) Definition() toolspec.Definition { return t.def }

// Describe returns the effect of call.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	return x.describe(call)
}

// Execute runs one call. Failures that the caller can correct are in the Result. The error is an unexpected failure.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.UserError, "there is no tool "+call.Tool, "Read the list of tools again."), nil
	}
	return x.run(ctx, t, call)
}

// open fails for a result of another owner as for a missing result, so that guessing a handle reveals nothing.
func (t *Tools) open(
	ctx context.Context, call toolspec.Call, handle string,
) (io.ReadCloser, wire.StoredResult, *toolspec.Result, error) {
	f, about, err := t.find(ctx, handle)
	if err == nil && about.Owner != call.From.Owner() && call.From.Caller != toolspec.CallerPerson {
		_ = f.Close()
		err = results.ErrNotFound
	}
	switch {
	case errors.Is(err, results.ErrNotFound):
		return nil, about, toolkit.Fail(toolspec.UserError, fmt.Sprintf("there is no stored result %.40q", handle),
			"Send a handle (r_…) that a result of this conversation named. An old one may be deleted: repeat the "+
				"call."), nil
	case err != nil:
		return nil, about, nil, fmt.Errorf("reading a result: %w", err)
	}
	return f, about, nil, nil
}

// find does not check the owner.
func (t *Tools) find(ctx context.Context, handle string) (io.ReadCloser, wire.StoredResult, error) {
	if !strings.HasPrefix(handle, "m_") {
		f, about, err := t.store.Open(ctx, handle)
		if err != nil {
			return nil, about, err
		}
		return f, about, nil
	}
	m, err := t.messages.Message(ctx, handle)
	if errors.Is(err, sqlite.ErrNotFound) || err == nil && m.Role != chat.RoleTool {
		return nil, wire.StoredResult{}, results.ErrNotFound
	}
	about := wire.StoredResult{
		ID: m.ID, Owner: toolspec.Provenance{Conversation: m.Conversation}.Owner(), Conversation: m.Conversation,
		Tool: "an earlier call", Call: m.CallID, Bytes: int64(len(m.Text)), Lines: strings.Count(m.Text, "\n"),
		Sources: m.Outside, Time: m.Time,
	}
	if m.Text != "" && !strings.HasSuffix(m.Text, "\n") {
		about.Lines++
	}
	about.PrivateSources = m.Private
	if len(m.Outside) == 0 && len(m.Private) == 0 {
		// The result may come from a local file.
		about.PrivateSources = []string{"an earlier result"}
	}
	return io.NopCloser(strings.NewReader(m.Text)), about, err
}
