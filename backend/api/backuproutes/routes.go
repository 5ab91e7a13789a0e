// Package backuproutes contains the routes that list the backups of the data and request that one is restored.
package backuproutes

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/route"
	"sextant/backend/store/backups"
	"sextant/backend/store/sqlite"
)

// BackupList is the answer of each route.
type BackupList struct {
	// Folder is where the backups are.
	Folder string `json:"folder"`
	// Backups has the newest first.
	Backups []backups.Backup `json:"backups"`
	// Requested is the name of the backup that the next start restores, "" for none.
	Requested string `json:"requested"`
}

// Routes are the routes with what they call.
type Routes struct {
	API     huma.API
	Backups backups.Folder
	Store   *sqlite.Store
}

// Register adds the routes to the API.
func (r Routes) Register() {
	const path = "/api/backups"
	route.Add(r.API, http.MethodGet, path, "The backups of the data", http.StatusOK, r.list)
	route.Add(r.API, http.MethodPost, path, "Make today's backup now", http.StatusOK, r.make)
	route.Add(r.API, http.MethodPut, path+"/requested", "Restore a backup at the next start", http.StatusOK, r.request)
}

func (r Routes) answer() (*route.Body[BackupList], error) {
	all, err := r.Backups.List()
	if err != nil {
		return nil, route.InternalError("The backups could not be read.", err)
	}
	return route.Answer(BackupList{Folder: r.Backups.Path(), Backups: all, Requested: r.Backups.Requested()}), nil
}

func (r Routes) list(context.Context, *struct{}) (*route.Body[BackupList], error) { return r.answer() }

func (r Routes) make(ctx context.Context, _ *struct{}) (*route.Body[BackupList], error) {
	if err := r.Backups.Make(ctx, r.Store, time.Now()); err != nil {
		return nil, route.InternalError("The backup was not made. The data and the older backups are as before.", err)
	}
	return r.answer()
}

func (r Routes) request(_ context.Context, in *struct {
	Body struct {
		Name string `json:"name" maxLength:"10" doc:"A backup's name, \"\" to restore none"`
	}
},
) (*route.Body[BackupList], error) {
	err := r.Backups.Request(in.Body.Name)
	switch {
	case errors.Is(err, backups.ErrNotFound):
		return nil, route.NotFound("There is no backup of " + in.Body.Name + ".")
	case err != nil:
		return nil, route.InternalError("The request was not changed.", err)
	}
	return r.answer()
}
