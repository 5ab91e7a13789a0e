// Package kept holds the tool that reads what was too long to be handed out in one piece:
// read_result.
//
// The Pipeline keeps such results under a handle (record/results). What is read of one here is as
// much from outside, and as much copied from files, as the whole was: the Result says so again.
// Only whose the result is reads it, and a person everything.
package kept

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"sextant/backend/record/results"
	"sextant/backend/record/store"
	"sextant/backend/tools/room"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Talk gives the messages of conversations; *store.Store is one. An old result that a model is not
// sent any more is read again by the id of its message.
type Talk interface {
	Message(ctx context.Context, id string) (chat.Message, error)
}

// Store keeps results; *results.Store is one.
type Store interface {
	Open(ctx context.Context, id string) (*os.File, wire.KeptResult, error)
}

// Tools are the tools of the room. Safe for concurrent use.
type Tools struct {
	room.List[tool]
	store Store
	talk  Talk
}

// tool is one tool: its definition, how a call is told, and what it does.
type tool struct {
	def      toolspec.Definition
	describe func(call toolspec.Call) toolspec.Description
	run      func(ctx context.Context, t *Tools, call toolspec.Call) (toolspec.Result, error)
}

// New makes the tools.
func New(store Store, talk Talk) *Tools {
	return &Tools{store: store, talk: talk, List: room.List[tool]{readResult()}}
}

// Definition implements room.Tool.
func (x tool) Definition() toolspec.Definition { return x.def }

// Describe says what call would do.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	return x.describe(call)
}

// Execute runs one call. The error is our own fault; what the caller can mend is in the Result.
func (t *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string)) (toolspec.Result, error) {
	x, ok := t.Find(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.UserError, "there is no tool "+call.Tool+" here", "Look at the list of tools again."), nil
	}
	return x.run(ctx, t, call)
}

// open opens the result of a handle for who calls. What is somebody else's is told as what is not
// there: who guesses learns nothing.
func (t *Tools) open(ctx context.Context, call toolspec.Call, handle string) (io.ReadCloser, wire.KeptResult, *toolspec.Result, error) {
	f, about, err := t.find(ctx, handle)
	if err == nil && about.Owner != call.From.Owner() && call.From.Caller != toolspec.CallerPerson {
		_ = f.Close()
		err = results.ErrUnknown
	}
	switch {
	case errors.Is(err, results.ErrUnknown):
		return nil, about, room.Fail(toolspec.UserError, fmt.Sprintf("no result %.40q is kept here", handle),
			"Send a handle as a result of this conversation told it (r_…). An old one may be gone: make the call again."), nil
	case err != nil:
		return nil, about, nil, fmt.Errorf("reading a result: %w", err)
	}
	return f, about, nil, nil
}

// find opens the result of a handle, whosever it is.
func (t *Tools) find(ctx context.Context, handle string) (io.ReadCloser, wire.KeptResult, error) {
	if !strings.HasPrefix(handle, "m_") {
		f, about, err := t.store.Open(ctx, handle)
		if err != nil {
			return nil, about, err
		}
		return f, about, nil
	}
	m, err := t.talk.Message(ctx, handle)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.Role != chat.RoleTool {
		return nil, wire.KeptResult{}, results.ErrUnknown
	}
	about := wire.KeptResult{
		ID: m.ID, Owner: toolspec.Provenance{Conversation: m.Conversation}.Owner(), Conversation: m.Conversation,
		Tool: "an earlier call", Call: m.CallID, Bytes: int64(len(m.Text)), Lines: strings.Count(m.Text, "\n"), Sources: m.Outside, Time: m.Time,
	}
	if m.Text != "" && !strings.HasSuffix(m.Text, "\n") {
		about.Lines++
	}
	if len(m.Outside) == 0 {
		// It may be a file's; what was read is to be known on its way out.
		about.Read = []string{"an earlier result"}
	}
	return io.NopCloser(strings.NewReader(m.Text)), about, err
}
