// Package batchroutes contains the routes of batches and their rows.
package batchroutes

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/batch"
	"sextant/backend/batch/table"
	"sextant/backend/surface"
	data "sextant/shared/batch"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// ListedBatch is a batch with how far its rows are.
type ListedBatch struct {
	Batch  data.Batch  `json:"batch"`
	Counts data.Counts `json:"counts"`
	// Proposal is a wider card that the person can sign, if rows were parked.
	Proposal *batch.Proposal `json:"proposal,omitempty"`
}

// BatchList is the answer of the list, newest first.
type BatchList struct {
	Batches []ListedBatch `json:"batches"`
}

// BatchRows is rows of a batch in their order.
type BatchRows struct {
	Rows []data.Row `json:"rows"`
}

// Retried says how many rows wait again. If Acted is not 0, none does: so many may have done something already, and the
// person decides.
type Retried struct {
	Rows  int `json:"rows"`
	Acted int `json:"acted"`
}

// TakenOver names the session whose page a live view can show.
type TakenOver struct {
	Session string `json:"session"`
}

// Picture returns a picture of the page of a session. It is empty if there is none yet, or the session has ended.
type Picture func(ctx context.Context, session string) (surface.Picture, error)

// Routes are the routes with what they call.
type Routes struct {
	API     huma.API
	Batches *batch.Batches
	Picture Picture
}

type byRow struct {
	route.ByID
	Row int `path:"row" minimum:"1"`
}

// Register adds the routes to the API.
func (r Routes) Register() {
	const path = "/api/batches"
	route.Add(r.API, http.MethodGet, path, "The batches, newest first", http.StatusOK, r.list)
	huma.Register(r.API, huma.Operation{
		OperationID: route.OperationID(http.MethodPost, path), Method: http.MethodPost, Path: path,
		Summary: "Add a batch, which waits until it is signed", DefaultStatus: http.StatusOK,
		MaxBodyBytes: 2 * table.MaxBytes,
	}, r.add)
	route.Add(r.API, http.MethodGet, path+"/{id}/rows", "Rows of a batch", http.StatusOK, r.rows)
	route.Add(r.API, http.MethodGet, path+"/{id}/table", "The table with the results as CSV", http.StatusOK, r.table)
	route.Add(r.API, http.MethodPost, path+"/{id}/sign", "Allow what the rows need, and start", http.StatusOK, r.sign)
	route.Add(r.API, http.MethodPost, path+"/{id}/start", "Let a stopped batch go on", http.StatusOK, r.start)
	route.Add(r.API, http.MethodPost, path+"/{id}/stop", "Stop a batch", http.StatusOK, r.stop)
	route.Add(r.API, http.MethodPost, path+"/{id}/retry", "Let rows run again", http.StatusOK, r.retry)
	route.Add(r.API, http.MethodGet, path+"/{id}/rows/{row}/picture", "What a row that runs shows", http.StatusOK,
		r.picture)
	route.Add(r.API, http.MethodPost, path+"/{id}/rows/{row}/take-over", "Act on the page of a row that runs",
		http.StatusOK, r.takeOver)
	route.Add(r.API, http.MethodPost, path+"/{id}/rows/{row}/give-back", "Let the row go on", http.StatusOK, r.giveBack)
	route.Add(r.API, http.MethodDelete, path+"/{id}", "Delete a batch with its rows", http.StatusOK, r.remove)
}

func (r Routes) list(ctx context.Context, _ *route.Empty) (*route.Body[BatchList], error) {
	answer := BatchList{Batches: []ListedBatch{}}
	for _, one := range r.Batches.Batches() {
		l := ListedBatch{Batch: one}
		var err error
		if l.Counts, err = r.Batches.Counts(ctx, one.ID); err == nil && l.Counts[data.StatusParked] > 0 {
			l.Proposal, err = r.Batches.Proposal(ctx, one)
		}
		if err != nil {
			return nil, unreadable(err)
		}
		answer.Batches = append(answer.Batches, l)
	}
	return route.Answer(answer), nil
}

func unreadable(err error) error {
	return route.InternalError("The rows could not be read. Nothing was changed.", err)
}

func (r Routes) add(ctx context.Context, in *struct {
	Body struct {
		Name     string            `json:"name,omitempty" maxLength:"200" doc:"Empty for the name of the recipe"`
		Recipe   string            `json:"recipe" maxLength:"40"`
		Table    []byte            `json:"table" doc:"Comma-separated values whose first line names the columns"`
		Values   map[string]string `json:"values,omitempty" doc:"Values that are the same in each row"`
		Browsers int               `json:"browsers" minimum:"1" maximum:"32"`
		PerHost  int               `json:"per_host,omitempty" minimum:"0" maximum:"32"`
	}
},
) (*route.Body[ListedBatch], error) {
	b := in.Body
	one, err := r.Batches.Add(ctx, batch.New{
		Name: b.Name, Recipe: b.Recipe, Table: b.Table, Values: b.Values, Browsers: b.Browsers, PerHost: b.PerHost,
	})
	if err != nil {
		return nil, refusal(err)
	}
	counts, err := r.Batches.Counts(ctx, one.ID)
	if err != nil {
		return nil, unreadable(err)
	}
	return route.Answer(ListedBatch{Batch: one, Counts: counts}), nil
}

// refusal returns the answer for an error of the batches.
func refusal(err error) error {
	switch {
	case errors.Is(err, batch.ErrNotFound):
		return route.NotFound("There is no such batch. It may have been deleted.")
	case errors.Is(err, batch.ErrUnsigned), errors.Is(err, batch.ErrChanged), errors.Is(err, batch.ErrRunning):
		return huma.NewError(http.StatusConflict, sentence(err))
	}
	return route.BadRequest(sentence(err) + " Nothing was changed.")
}

func sentence(err error) string {
	text := excerpt.Sentence(err.Error())
	return strings.ToUpper(text[:1]) + text[1:]
}

func (r Routes) rows(ctx context.Context, in *struct {
	route.ByID
	After  int         `query:"after" minimum:"0" doc:"The number of the row before the first one"`
	Limit  int         `query:"limit" minimum:"1" maximum:"1000" default:"200"`
	Status data.Status `query:"status" enum:",queued,running,done,failed,parked,unknown" doc:"Only rows of this status"`
},
) (*route.Body[BatchRows], error) {
	var statuses []data.Status
	if in.Status != "" {
		statuses = []data.Status{in.Status}
	}
	rows, err := r.Batches.Rows(ctx, in.ID, in.After, in.Limit, statuses...)
	if err != nil {
		return nil, unreadable(err)
	}
	return route.Answer(BatchRows{rows}), nil
}

func (r Routes) table(ctx context.Context, in *route.ByID) (*huma.StreamResponse, error) {
	columns, rows, err := r.Batches.Table(ctx, in.ID)
	if errors.Is(err, batch.ErrNotFound) {
		return nil, refusal(err)
	}
	var text bytes.Buffer
	if err == nil {
		err = table.Write(&text, columns, rows)
	}
	if err != nil {
		return nil, unreadable(err)
	}
	return stream("text/csv; charset=utf-8", text.Bytes()), nil
}

func stream(media string, body []byte) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", media)
		ctx.SetHeader("Cache-Control", "no-store")
		ctx.SetHeader("X-Content-Type-Options", "nosniff")
		_, _ = ctx.BodyWriter().Write(body)
	}}
}

func (r Routes) sign(ctx context.Context, in *struct {
	route.ByID
	Body struct {
		Digest string        `json:"digest" maxLength:"64" doc:"The digest of the batch that the person saw"`
		Card   toolspec.Card `json:"card"`
	}
},
) (*route.Empty, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	return done(r.Batches.Sign(ctx, in.ID, in.Body.Digest, in.Body.Card))
}

func done(err error) (*route.Empty, error) {
	if err != nil {
		return nil, refusal(err)
	}
	return &route.Empty{}, nil
}

func (r Routes) start(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	return done(r.Batches.Start(ctx, in.ID))
}

func (r Routes) stop(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	return done(r.Batches.Stop(ctx, in.ID, "It was stopped."))
}

func (r Routes) retry(ctx context.Context, in *struct {
	route.ByID
	Body struct {
		Row      int           `json:"row,omitempty" minimum:"0" doc:"0 for all rows with one of the statuses"`
		Acted    bool          `json:"acted,omitempty" doc:"Also rows that may have done something already"`
		Statuses []data.Status `json:"statuses,omitempty" enum:"done,failed,parked,unknown"`
	}
},
) (*route.Body[Retried], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	if in.Body.Row == 0 && len(in.Body.Statuses) == 0 {
		return nil, route.BadRequest("Say which rows shall run again. Nothing was changed.")
	}
	n, err := r.Batches.Retry(ctx, in.ID, in.Body.Row, in.Body.Acted, in.Body.Statuses...)
	var acted batch.ActedError
	if errors.As(err, &acted) {
		return route.Answer(Retried{Acted: acted.Rows}), nil
	}
	if err != nil {
		return nil, refusal(err)
	}
	return route.Answer(Retried{Rows: n}), nil
}

func (r Routes) picture(ctx context.Context, in *byRow) (*huma.StreamResponse, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	picture, err := r.Picture(ctx, batch.Session(in.ID, in.Row))
	if err != nil {
		return nil, route.InternalError("No picture could be taken. The row goes on.", err)
	}
	return stream(cmp.Or(picture.MIME, "image/png"), picture.Data), nil
}

func (r Routes) takeOver(ctx context.Context, in *byRow) (*route.Body[TakenOver], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	if err := r.Batches.TakeOver(in.ID, in.Row); err != nil {
		return nil, route.BadRequest("The row was not taken over: " + excerpt.Sentence(err.Error()))
	}
	return route.Answer(TakenOver{batch.Session(in.ID, in.Row)}), nil
}

func (r Routes) giveBack(ctx context.Context, in *byRow) (*route.Empty, error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	r.Batches.GiveBack(in.ID, in.Row)
	return &route.Empty{}, nil
}

func (r Routes) remove(ctx context.Context, in *route.ByID) (*route.Empty, error) {
	return done(r.Batches.Delete(ctx, in.ID))
}
