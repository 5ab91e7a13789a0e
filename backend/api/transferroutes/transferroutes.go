// Package transferroutes contains the routes that export a conversation and import the conversations of a file.
package transferroutes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/agent/loop"
	"sextant/backend/api/route"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/sqlite"
	"sextant/backend/store/transfer"
	"sextant/shared/chat"
)

// Imported is the answer of POST /api/conversations/import. It contains the imported conversations.
type Imported struct {
	Conversations []chat.Conversation `json:"conversations"`
	// Known is how many conversations of another program were here already. LeftOut says why others were not imported.
	Known   int      `json:"known,omitempty"`
	LeftOut []string `json:"left_out,omitempty"`
}

// ImportPath accepts a file of at most transfer.MaxFile bytes.
const ImportPath = "/api/conversations/import"

// HiddenHeader is the header with the number of hidden secrets in an export.
const HiddenHeader = "Sextant-Hidden"

// Routes are the routes with what they call.
type Routes struct {
	API    huma.API
	Store  *sqlite.Store
	Events *eventlog.Recorder
	// Secrets hides the values of secrets.
	Secrets *secrets.Vault
	// Conversation returns a stored conversation, or the error to answer with.
	Conversation func(ctx context.Context, id string) (chat.Conversation, error)
}

// Register adds the routes to the API.
func (r Routes) Register() {
	route.Add(r.API, http.MethodGet, "/api/conversations/{id}/export",
		"A conversation as a file, with those of its subagents", http.StatusOK, r.exportConversation)
	huma.Register(r.API, huma.Operation{
		OperationID: route.OperationID(http.MethodPost, ImportPath), Method: http.MethodPost, Path: ImportPath,
		Summary:       "Add the conversations of a JSON export of Sextant, or of an export of ChatGPT or Claude",
		DefaultStatus: http.StatusCreated,
		MaxBodyBytes:  transfer.MaxFile, SkipValidateBody: true, // transfer.Read checks the file
	}, r.importConversations)
}

func (r Routes) exportConversation(ctx context.Context, in *struct {
	ID     string `path:"id" maxLength:"128"`
	Format string `query:"format" enum:"json,markdown,html" default:"json" doc:"json can be imported; the others contain the branch that is shown"`
	Veil   bool   `query:"veil" doc:"Hide secrets, for a file that others read"`
},
) (*huma.StreamResponse, error) {
	list, err := transfer.Collect(ctx, r.Store, in.ID)
	switch {
	case errors.Is(err, transfer.ErrNotFound):
		return nil, route.NotFound("There is no conversation " + in.ID + ".")
	case errors.Is(err, transfer.ErrRunning):
		return nil, huma.NewError(http.StatusConflict,
			"A turn is running in this conversation. Stop it or wait for its end, then export.")
	case err != nil:
		return nil, route.InternalError("The conversation could not be read.", err)
	}
	hidden := 0
	if in.Veil {
		if list, hidden, err = transfer.Veil(list, r.Secrets.Mask); err != nil {
			return nil, route.InternalError("Secrets could not be hidden, so nothing was exported.", err)
		}
	}
	var file bytes.Buffer
	media, err := transfer.WriteAs(&file, in.Format, list)
	if err != nil {
		return nil, route.InternalError("The file could not be written.", err)
	}
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", media)
		ctx.SetHeader("Cache-Control", "no-store")
		ctx.SetHeader("Content-Disposition", "attachment")
		ctx.SetHeader("X-Content-Type-Options", "nosniff")
		ctx.SetHeader(HiddenHeader, fmt.Sprint(hidden))
		_, _ = file.WriteTo(ctx.BodyWriter())
	}}, nil
}

func (r Routes) importConversations(ctx context.Context, in *struct {
	RawBody []byte `contentType:"application/json"`
},
) (*route.Body[Imported], error) {
	file, err := transfer.Read(bytes.NewReader(in.RawBody))
	var wrong transfer.FormatError
	if errors.As(err, &wrong) {
		return nil, route.BadRequest(wrong.Error() + " Nothing was imported.")
	}
	if err != nil {
		return nil, route.InternalError("Nothing was imported.", err)
	}
	answer := Imported{Conversations: []chat.Conversation{}, LeftOut: file.LeftOut}
	if file.Foreign {
		if file, answer.Known, err = r.Store.WithoutKnown(ctx, file); err != nil {
			return nil, route.InternalError("Nothing was imported.", err)
		}
	}
	table, id, err := r.Store.KnownID(ctx, file)
	if err != nil {
		return nil, route.InternalError("Nothing was imported.", err)
	}
	if table != "" {
		return nil, huma.NewError(http.StatusConflict, fmt.Sprintf(
			"Nothing was imported: %s %s of the file is here already. Delete the conversation first to import it "+
				"again.",
			map[string]string{
				transfer.Conversations: "conversation", transfer.Messages: "message", transfer.Turns: "turn",
				transfer.Branches: "branch", transfer.Calls: "call",
			}[table], id))
	}
	if _, err := r.Events.Publish(context.WithoutCancel(ctx), file.Events(loop.NewSecret)...); err != nil {
		return nil, route.InternalError("Nothing was imported.", err)
	}
	for _, c := range file.Conversations {
		one, err := r.Conversation(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		answer.Conversations = append(answer.Conversations, one)
	}
	return route.Answer(answer), nil
}
