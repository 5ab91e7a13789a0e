package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/agent/loop"
	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/pipeline/approval"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Conversations is the answer of GET /api/conversations.
type Conversations struct {
	Conversations []chat.Conversation `json:"conversations"`
}

type titleBody struct {
	Title string `json:"title,omitempty" maxLength:"200"`
}

func (s *Server) conversationRoutes() {
	route.Add(s.api, http.MethodGet, "/api/conversations", "Conversations, newest first", http.StatusOK,
		func(ctx context.Context, _ *route.Empty) (*route.Body[Conversations], error) {
			list, err := s.services.Store.Conversations(ctx)
			if err != nil {
				return nil, route.InternalError("The conversations could not be read.", err)
			}
			return route.Answer(Conversations{Conversations: list}), nil
		})
	route.Add(s.api, http.MethodPost, "/api/conversations", "Start a conversation", http.StatusCreated,
		func(ctx context.Context, in *struct{ Body titleBody }) (*route.Body[chat.Conversation], error) {
			c, err := s.services.Loop.NewConversation(ctx, in.Body.Title)
			if err != nil {
				return nil, route.InternalError("The conversation could not be stored. Nothing else is affected.", err)
			}
			return route.Answer(c), nil
		})
	route.Add(s.api, http.MethodGet, "/api/conversations/{id}", "A conversation, or a part of it, as its events",
		http.StatusOK, s.conversationTranscript)
	route.Add(s.api, http.MethodPatch, "/api/conversations/{id}",
		"Rename, pin, archive or file a conversation", http.StatusOK, s.changeConversation)
	route.Add(s.api, http.MethodDelete, "/api/conversations/{id}", "Delete a conversation", http.StatusNoContent,
		s.deleteConversation)
	route.Add(s.api, http.MethodPost, "/api/conversations/{id}/messages", "Ask the assistant", http.StatusAccepted,
		s.sendMessage)
	route.Add(s.api, http.MethodGet, "/api/conversations/{id}/bill",
		"What a conversation cost, and what is left of its budgets", http.StatusOK, s.conversationBill)
	route.Add(s.api, http.MethodPut, "/api/conversations/{id}/shared",
		"Let other programs read a conversation over MCP, or no longer", http.StatusNoContent, s.shareConversation)
	s.attachmentRoutes()
	s.queuedMessageRoutes()
	s.branchRoutes()
	route.Add(s.api, http.MethodPost, "/api/conversations/{id}/stop", "Stop the running turn", http.StatusNoContent,
		func(_ context.Context, in *route.ByID) (*route.Empty, error) {
			s.services.Loop.Stop(in.ID)
			return nil, nil
		})
	route.Add(s.api, http.MethodPut, "/api/conversations/{id}/summaries/{message}",
		"Send the model a summary, or the messages it replaced", http.StatusNoContent, s.useSummary)
	route.Add(s.api, http.MethodPost, "/api/approvals/{id}", "Answer an approval", http.StatusNoContent,
		s.answerApproval)
}

func (s *Server) conversation(ctx context.Context, id string) (chat.Conversation, error) {
	c, err := s.services.Store.Conversation(ctx, id)
	if errors.Is(err, sqlite.ErrNotFound) {
		return c, route.NotFound("There is no conversation " + id + ".")
	}
	if err != nil {
		return c, route.InternalError("The conversation could not be read.", err)
	}
	return c, nil
}

// transcriptQuery selects what GET /api/conversations/{id} returns: with a Limit the newest messages, or those on a
// side of an event.
type transcriptQuery struct {
	ID     string `path:"id" maxLength:"128"`
	Limit  int    `query:"limit" minimum:"0" maximum:"500" doc:"About how many messages; 0 returns all events."`
	Before int64  `query:"before" minimum:"0" doc:"Return the messages before this event."`
	After  int64  `query:"after" minimum:"0" doc:"Return the messages after this event."`
	Around int64  `query:"around" minimum:"0" doc:"Return as many messages on each side of this event."`
}

func (s *Server) conversationTranscript(
	ctx context.Context, in *transcriptQuery,
) (*route.Body[wire.Transcript], error) {
	c, err := s.conversation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	answer := wire.Transcript{Seq: s.services.Events.LastSeq(), Conversation: c}
	unsaved := s.services.Loop.UnsavedEvents(in.ID) // read first: an event stored meanwhile then appears twice
	if in.Limit == 0 {
		answer.Events, err = s.services.Events.EventsOfConversation(ctx, in.ID)
	} else {
		answer.Events, answer.Part, err = s.transcriptPart(ctx, in)
	}
	if err != nil {
		return nil, route.InternalError("The conversation could not be read.", err)
	}
	if n := len(answer.Events); n > 0 {
		answer.Seq = max(answer.Seq, answer.Events[n-1].Seq)
	}
	if answer.Part == nil || answer.Part.Until == 0 {
		answer.Events = append(answer.Events, unsaved...)
	}
	return route.Answer(answer), nil
}

func (s *Server) transcriptPart(
	ctx context.Context, in *transcriptQuery,
) (events []event.Event, part *wire.TranscriptPart, err error) {
	store := s.services.Store
	t, err := store.Transcript(ctx, in.ID,
		sqlite.Page{Before: in.Before, After: in.After, Around: in.Around, Limit: in.Limit})
	if err != nil {
		return nil, nil, err
	}
	part = &wire.TranscriptPart{From: t.From, Until: t.Until, Branch: t.Branch}
	if part.Branches, err = store.BranchTree(ctx, in.ID); err != nil {
		return nil, nil, err
	}
	if part.EarlierSources, err = store.EarlierSources(ctx, in.ID, t.From); err != nil {
		return nil, nil, err
	}
	part.Waiting, err = store.WaitingMessages(ctx, in.ID)
	return eventlog.Compact(t.Events), part, err
}

func (s *Server) changeConversation(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Title    string  `json:"title,omitempty" maxLength:"200"`
		Pinned   *bool   `json:"pinned,omitempty"`
		Archived *bool   `json:"archived,omitempty"`
		Folder   *string `json:"folder,omitempty" maxLength:"80" doc:"Empty for none"`
	}
},
) (*route.Body[chat.Conversation], error) {
	c, err := s.conversation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	isFiled := in.Body.Pinned != nil || in.Body.Archived != nil || in.Body.Folder != nil
	if title := strings.TrimSpace(in.Body.Title); title != "" {
		c.Title = title
	} else if !isFiled {
		return nil, route.BadRequest("A conversation needs a title.")
	}
	if isFiled && c.Parent != "" {
		return nil, huma.NewError(http.StatusConflict,
			"This is a subagent's conversation. Change the conversation that it works for.")
	}
	if in.Body.Pinned != nil {
		c.Pinned = *in.Body.Pinned
	}
	if in.Body.Archived != nil {
		c.Archived = *in.Body.Archived
	}
	if in.Body.Folder != nil {
		c.Folder = strings.Join(strings.Fields(*in.Body.Folder), " ")
	}
	if _, err := s.services.Events.Publish(ctx, event.New(event.ConversationUpdated, c).InTurn(c.ID, "")); err != nil {
		return nil, route.InternalError("The change was not stored. The conversation is as before.", err)
	}
	return route.Answer(c), nil
}

func (s *Server) shareConversation(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Shared bool `json:"shared"`
	}
},
) (*route.Empty, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	c, err := s.conversation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if c.Parent != "" {
		return nil, huma.NewError(http.StatusConflict,
			"This is a subagent's conversation. Share the conversation that it works for.")
	}
	if _, err := s.services.Events.Publish(ctx, event.New(event.ConversationShared,
		event.Sharing{ID: c.ID, Shared: in.Body.Shared}).InTurn(c.ID, "")); err != nil {
		return nil, route.InternalError("Nothing changed. The conversation is "+
			map[bool]string{true: "shared.", false: "not shared."}[c.Shared], err)
	}
	return nil, nil
}

func (s *Server) deleteConversation(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	if _, err := s.conversation(ctx, in.ID); err != nil {
		return nil, err
	}
	s.services.Loop.Stop(in.ID)
	err := s.services.Loop.Delete(ctx, in.ID, func(ctx context.Context) ([]string, error) {
		return s.subagentConversations(ctx, in.ID)
	})
	switch {
	case errors.Is(err, loop.ErrBusy):
		return nil, huma.NewError(http.StatusConflict,
			"A call of this conversation is still stopping. Nothing was deleted; try again in a moment.")
	case err != nil:
		return nil, route.InternalError("The conversation was not deleted.", err)
	}
	return nil, nil
}

func (s *Server) subagentConversations(ctx context.Context, id string) ([]string, error) {
	all, err := s.services.Store.Conversations(ctx)
	below := map[string]bool{id: true}
	var found []string
	for more := true; more; {
		more = false
		for _, c := range all {
			if below[c.Parent] && !below[c.ID] {
				below[c.ID], more = true, true
				found = append(found, c.ID)
			}
		}
	}
	return found, err
}

// TurnRef contains the id of the turn that a message started, or the id of the message while it waits for the
// running turn.
type TurnRef struct {
	Turn           string `json:"turn"`
	WaitingMessage string `json:"waiting,omitempty"`
}

func (s *Server) sendMessage(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Text  string `json:"text" minLength:"1" maxLength:"200000"`
		Model string `json:"model,omitempty" maxLength:"200"`
		Panel string `json:"panel,omitempty" maxLength:"64"`
		When  string `json:"when,omitempty" enum:"now,next" doc:"While a turn runs: now adds to it at its next safe point, next sends after it. Without it a running turn is a conflict."`
		Raise bool   `json:"raise,omitempty" doc:"Raise the conversation's budget by its amount. Only a window may."`
		MessageSources
	}
},
) (*route.Body[TurnRef], error) {
	if _, err := s.conversation(ctx, in.ID); err != nil {
		return nil, err
	}
	ask := s.newAsk(ctx, in.ID, in.Body.Text, in.Body.Model, in.Body.Panel)
	if err := s.addSources(ctx, &ask, in.Body.MessageSources); err != nil {
		return nil, err
	}
	if ask.RaiseBudget = in.Body.Raise; ask.RaiseBudget {
		if err := access.RequireWindow(ctx); err != nil {
			return nil, err
		}
	}
	ctx = context.WithoutCancel(ctx)
	var sent loop.SendResult
	var err error
	if in.Body.When == "" {
		sent.Turn, err = s.services.Loop.Start(ctx, ask)
	} else {
		sent, err = s.services.Loop.Send(ctx, ask, event.Moment(in.Body.When))
	}
	if err != nil {
		return nil, messageProblem(err)
	}
	return route.Answer(TurnRef{Turn: sent.Turn, WaitingMessage: sent.WaitingID}), nil
}

func (s *Server) newAsk(ctx context.Context, conversation, text, model, panel string) loop.TurnRequest {
	if model == "" {
		model = s.services.Settings.Get("model")
	}
	ask := loop.TurnRequest{
		Conversation: conversation, Text: text, Model: model, Panel: panel, Caller: callerOf(ctx),
		Interactive: true,
	}
	if ask.Caller == toolspec.CallerHTTP {
		ask.Interactive = s.services.HasWindow()
	}
	return ask
}

func messageProblem(err error) error {
	switch {
	case errors.Is(err, loop.ErrBusy):
		return huma.NewError(http.StatusConflict,
			"A turn is running in this conversation. Stop it, wait for its end, or send with when: now or next.")
	case errors.Is(err, loop.ErrSubagent):
		return huma.NewError(http.StatusConflict,
			"This is a subagent's conversation, which is read-only. Write in the conversation it works for.")
	case errors.Is(err, loop.ErrQueueFull):
		return huma.NewError(http.StatusConflict,
			"20 messages wait in this conversation already. Remove one, or wait until some were sent.")
	case errors.Is(err, loop.ErrNotWaiting):
		return route.NotFound("This message no longer waits: it was sent or removed.")
	case errors.Is(err, loop.ErrNotOwner):
		return huma.NewError(http.StatusForbidden, "A program may change only what a program sent.")
	}
	return route.RequestError(err)
}

func (s *Server) useSummary(ctx context.Context, in *struct {
	ID      string `path:"id" maxLength:"128"`
	Message string `path:"message" maxLength:"128"`
	Body    struct {
		Use bool `json:"use"`
	}
},
) (*route.Empty, error) {
	err := s.services.Loop.UseSummary(ctx, in.ID, in.Message, in.Body.Use)
	switch {
	case errors.Is(err, loop.ErrBusy):
		return nil, huma.NewError(http.StatusConflict,
			"A turn is running in this conversation. Stop it or wait for its end.")
	case errors.Is(err, loop.ErrNoSummary):
		return nil, route.NotFound("There is no such summary in this conversation.")
	case err != nil:
		return nil, route.InternalError("What the model is sent did not change.", err)
	}
	return nil, nil
}

func (s *Server) answerApproval(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Answer event.Answer `json:"answer" enum:"once,file,folder,host,program,conversation,like,always,deny"`
		Reason string       `json:"reason,omitempty" maxLength:"2000"`
		Hash   string       `json:"hash" maxLength:"128"`
		// Edited is the new value of the argument that the question lets the person edit.
		Edited *string `json:"edited,omitempty" maxLength:"1048576"`
		// Filled contains the values of a form's fields, by name.
		Filled map[string]any `json:"filled,omitempty"`
	}
},
) (*route.Empty, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	err := s.services.Approvals.AnswerWith(ctx, in.ID, approval.Reply{
		Answer: in.Body.Answer, Reason: in.Body.Reason, Hash: in.Body.Hash, FormValues: in.Body.Filled,
		EditedText: in.Body.Edited,
	})
	switch {
	case errors.Is(err, approval.ErrNotFound):
		return nil, route.NotFound("This question is no longer open.")
	case errors.Is(err, approval.ErrAnswered):
		return nil, huma.NewError(http.StatusConflict, "This question was answered already; the first answer counts.")
	case err != nil:
		return nil, route.RequestError(err)
	}
	return nil, nil
}
