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
	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Conversations is the list of GET /api/conversations, newest first.
type Conversations struct {
	Conversations []chat.Conversation `json:"conversations"`
}

// titleBody carries a title.
type titleBody struct {
	Title string `json:"title,omitempty" maxLength:"200"`
}

// talkRoutes are the routes of conversations, turns and questions.
func (s *Server) talkRoutes() {
	route.Add(s.api, http.MethodGet, "/api/conversations", "Conversations, newest first", http.StatusOK,
		func(ctx context.Context, _ *route.Empty) (*route.Body[Conversations], error) {
			list, err := s.rooms.Store.Conversations(ctx)
			if err != nil {
				return nil, route.Failed("The conversations could not be read.", err)
			}
			return route.Answer(Conversations{Conversations: list}), nil
		})
	route.Add(s.api, http.MethodPost, "/api/conversations", "Start a conversation", http.StatusCreated,
		func(ctx context.Context, in *struct{ Body titleBody }) (*route.Body[chat.Conversation], error) {
			c, err := s.rooms.Loop.NewConversation(ctx, in.Body.Title)
			if err != nil {
				return nil, route.Failed("The conversation could not be kept. Nothing else is affected.", err)
			}
			return route.Answer(c), nil
		})
	route.Add(s.api, http.MethodGet, "/api/conversations/{id}", "One conversation as its events", http.StatusOK,
		s.transcript)
	route.Add(s.api, http.MethodPatch, "/api/conversations/{id}", "Rename a conversation", http.StatusOK, s.rename)
	route.Add(s.api, http.MethodDelete, "/api/conversations/{id}", "Delete a conversation", http.StatusNoContent,
		s.remove)
	route.Add(s.api, http.MethodPost, "/api/conversations/{id}/messages", "Ask the assistant", http.StatusAccepted,
		s.ask)
	route.Add(s.api, http.MethodGet, "/api/conversations/{id}/bill",
		"What a conversation cost, and how its budgets stand", http.StatusOK, s.bill)
	route.Add(s.api, http.MethodPut, "/api/conversations/{id}/shared",
		"Let other programs read a conversation over MCP, or not any more", http.StatusNoContent, s.share)
	s.waitingRoutes()
	s.branchRoutes()
	route.Add(s.api, http.MethodPost, "/api/conversations/{id}/stop", "Stop the running turn", http.StatusNoContent,
		func(_ context.Context, in *route.ByID) (*route.Empty, error) {
			s.rooms.Loop.Stop(in.ID)
			return nil, nil
		})
	route.Add(s.api, http.MethodPut, "/api/conversations/{id}/summaries/{message}",
		"Send the model a summary, or what it stands for", http.StatusNoContent, s.useSummary)
	route.Add(s.api, http.MethodPost, "/api/approvals/{id}", "Answer a question", http.StatusNoContent, s.approve)
}

// conversation reads one or says that there is none.
func (s *Server) conversation(ctx context.Context, id string) (chat.Conversation, error) {
	c, err := s.rooms.Store.Conversation(ctx, id)
	if errors.Is(err, sqlite.ErrNotFound) {
		return c, route.NotFound("There is no conversation " + id + ".")
	}
	if err != nil {
		return c, route.Failed("The conversation could not be read.", err)
	}
	return c, nil
}

func (s *Server) transcript(ctx context.Context, in *route.ByID) (*route.Body[wire.Transcript], error) {
	c, err := s.conversation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	seq := s.rooms.Events.Last()
	owed := s.rooms.Loop.Unsaved(in.ID) // read first: what is recorded meanwhile comes twice, not never
	list, err := s.rooms.Events.OfConversation(ctx, in.ID)
	if err != nil {
		return nil, route.Failed("The conversation could not be read.", err)
	}
	if list == nil {
		list = []event.Event{}
	}
	if n := len(list); n > 0 && list[n-1].Seq > seq {
		seq = list[n-1].Seq
	}
	return route.Answer(wire.Transcript{Seq: seq, Conversation: c, Events: append(list, owed...)}), nil
}

func (s *Server) rename(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body titleBody
},
) (*route.Body[chat.Conversation], error) {
	c, err := s.conversation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	title := strings.TrimSpace(in.Body.Title)
	if title == "" {
		return nil, route.BadRequest("A conversation needs a title.")
	}
	c.Title = title
	if _, err := s.rooms.Events.Publish(ctx, event.New(event.ConversationUpdated, c).In(c.ID, "")); err != nil {
		return nil, route.Failed("The title was not kept.", err)
	}
	return route.Answer(c), nil
}

func (s *Server) share(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Shared bool `json:"shared"`
	}
},
) (*route.Empty, error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	c, err := s.conversation(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if c.Parent != "" {
		return nil, huma.NewError(http.StatusConflict,
			"This is the talk of a subagent. Share the conversation that it worked for.")
	}
	if _, err := s.rooms.Events.Publish(ctx, event.New(event.ConversationShared,
		event.Shared{ID: c.ID, Shared: in.Body.Shared}).In(c.ID, "")); err != nil {
		return nil, route.Failed("It stays as it was: "+
			map[bool]string{true: "shared.", false: "not shared."}[c.Shared], err)
	}
	return nil, nil
}

func (s *Server) remove(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	if _, err := s.conversation(ctx, in.ID); err != nil {
		return nil, err
	}
	s.rooms.Loop.Stop(in.ID)
	err := s.rooms.Loop.Delete(ctx, in.ID, func(ctx context.Context) ([]string,
		error,
	) {
		return s.talksBelow(ctx, in.ID)
	})
	switch {
	case errors.Is(err, loop.ErrBusy):
		return nil, huma.NewError(http.StatusConflict,
			"A call of this conversation is still stopping. Nothing was deleted; try again in a moment.")
	case err != nil:
		return nil, route.Failed("The conversation was not deleted.", err)
	}
	return nil, nil
}

// talksBelow are the talks of the subagents that work for a conversation, and of theirs.
func (s *Server) talksBelow(ctx context.Context, id string) ([]string, error) {
	all, err := s.rooms.Store.Conversations(ctx)
	below := map[string]bool{id: true}
	var talks []string
	for more := true; more; {
		more = false
		for _, c := range all {
			if below[c.Parent] && !below[c.ID] {
				below[c.ID], more = true, true
				talks = append(talks, c.ID)
			}
		}
	}
	return talks, err
}

// TurnRef is the answer to a question put to the assistant: the turn it began, or the id under
// which it waits for the one that runs.
type TurnRef struct {
	Turn    string `json:"turn"`
	Waiting string `json:"waiting,omitempty"`
}

func (s *Server) ask(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Text  string `json:"text" minLength:"1" maxLength:"200000"`
		Model string `json:"model,omitempty" maxLength:"200"`
		Panel string `json:"panel,omitempty" maxLength:"64"`
		When  string `json:"when,omitempty" enum:"now,next" doc:"While a turn runs: now waits for its next safe point, next for the turn after it. Without it a running turn is a conflict."`
		Raise bool   `json:"raise,omitempty" doc:"Allow the conversation what its budget is once more. Only a window may."`
		Given
	}
},
) (*route.Body[TurnRef], error) {
	if _, err := s.conversation(ctx, in.ID); err != nil {
		return nil, err
	}
	ask := s.asked(ctx, in.ID, in.Body.Text, in.Body.Model, in.Body.Panel)
	if err := s.with(&ask, in.Body.Given); err != nil {
		return nil, err
	}
	if ask.Raise = in.Body.Raise; ask.Raise {
		if err := access.WindowOnly(ctx); err != nil {
			return nil, err
		}
	}
	ctx = context.WithoutCancel(ctx)
	var sent loop.SendResult
	var err error
	if in.Body.When == "" {
		sent.Turn, err = s.rooms.Loop.Start(ctx, ask)
	} else {
		sent, err = s.rooms.Loop.Send(ctx, ask, event.Moment(in.Body.When))
	}
	if err != nil {
		return nil, talkProblem(err)
	}
	return route.Answer(TurnRef{Turn: sent.Turn, Waiting: sent.Waiting}), nil
}

// asked is what a request asks the assistant; "" is the model of the settings.
func (s *Server) asked(ctx context.Context, conversation, text, model, panel string) loop.Ask {
	if model == "" {
		model = s.rooms.Settings.Get("model")
	}
	ask := loop.Ask{
		Conversation: conversation, Text: text, Model: model, Panel: panel, Caller: asking(ctx),
		Interactive: true,
	}
	if ask.Caller == toolspec.CallerHTTP {
		ask.Interactive = s.rooms.Watched()
	}
	return ask
}

// talkProblem is the answer to a message that was not taken.
func talkProblem(err error) error {
	switch {
	case errors.Is(err, loop.ErrBusy):
		return huma.NewError(http.StatusConflict,
			"A turn is running in this conversation. Stop it, wait for its end, or send with when: now or next.")
	case errors.Is(err, loop.ErrSubagent):
		return huma.NewError(http.StatusConflict,
			"This is a subagent's conversation, which takes no messages. Write in the conversation it works for.")
	case errors.Is(err, loop.ErrQueueFull):
		return huma.NewError(http.StatusConflict,
			"20 messages wait in this conversation already. Remove one, or wait until some are taken.")
	case errors.Is(err, loop.ErrNotWaiting):
		return route.NotFound("This message does not wait any more: it was taken or removed.")
	case errors.Is(err, loop.ErrNotOwner):
		return huma.NewError(http.StatusForbidden, "A program may change only what a program sent.")
	}
	return route.Refused(err)
}

func (s *Server) useSummary(ctx context.Context, in *struct {
	ID      string `path:"id" maxLength:"128"`
	Message string `path:"message" maxLength:"128"`
	Body    struct {
		Use bool `json:"use"`
	}
},
) (*route.Empty, error) {
	err := s.rooms.Loop.UseSummary(ctx, in.ID, in.Message, in.Body.Use)
	switch {
	case errors.Is(err, loop.ErrBusy):
		return nil, huma.NewError(http.StatusConflict,
			"A turn is running in this conversation. Stop it or wait for its end.")
	case errors.Is(err, loop.ErrNoSummary):
		return nil, route.NotFound("There is no such summary in this conversation.")
	case err != nil:
		return nil, route.Failed("What the model is sent did not change.", err)
	}
	return nil, nil
}

func (s *Server) approve(ctx context.Context, in *struct {
	ID   string `path:"id" maxLength:"128"`
	Body struct {
		Answer event.Answer `json:"answer" enum:"once,conversation,always,like,deny"`
		Reason string       `json:"reason,omitempty" maxLength:"2000"`
		Hash   string       `json:"hash" maxLength:"128"`
		// Filled is what a yes to a form fills in, by the names of its fields.
		Filled map[string]any `json:"filled,omitempty"`
	}
},
) (*route.Empty, error) {
	if err := access.WindowOnly(ctx); err != nil {
		return nil, err
	}
	err := s.rooms.Desk.AnswerForm(ctx, in.ID, in.Body.Answer, in.Body.Filled, in.Body.Reason, in.Body.Hash)
	switch {
	case errors.Is(err, approval.ErrUnknown):
		return nil, route.NotFound("This question does not wait any more.")
	case errors.Is(err, approval.ErrAnswered):
		return nil, huma.NewError(http.StatusConflict, "This question was answered already; the first answer holds.")
	case err != nil:
		return nil, route.Refused(err)
	}
	return nil, nil
}
