// Package browserroutes contains the routes with which the person in a window uses the page of the controlled browser.
// What goes with the picture of the page, such as presses and keys, comes over the WebSocket instead.
package browserroutes

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/browser"
	"sextant/backend/browser/localservers"
	"sextant/backend/browser/sitedata"
	"sextant/backend/browser/upload"
	"sextant/backend/policy/address"
	"sextant/backend/surface"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// FilesPath is the route for the content of a file, which may be up to upload.MaxBytes.
const (
	FilesPath     = "/api/browser/files"
	uploadTimeout = 5 * time.Minute
)

// PastePath is the route for what is pasted, which may be up to MaxPaste bytes of JSON.
const (
	PastePath = "/api/browser/paste"
	MaxPaste  = 32 << 20
)

// maxInputWait limits how long a paste waits for the page to take the input before it.
const maxInputWait = 5 * time.Second

// Routes are the routes with what they call.
type Routes struct {
	API     huma.API
	Browser *browser.Browser
	History History
	Uploads *upload.Store
	// AwaitInput waits until the page has taken the input that windows have sent.
	AwaitInput func(ctx context.Context)
	// Folder returns the workspace.
	Folder func() string
}

// History contains the visited pages.
type History interface {
	Visits(ctx context.Context, query string, suggest bool, limit int) ([]wire.Visit, error)
	DeleteVisits(ctx context.Context, address, site string) error
}

// Register adds the routes to the API.
func (r Routes) Register() {
	route.Add(r.API, http.MethodPost, "/api/browser/control", "Take over the browser or give it back", http.StatusOK,
		access.WindowOnly(r.control))
	route.Add(r.API, http.MethodPost, "/api/browser/start", "Look for Chromium again and start it", http.StatusOK,
		func(ctx context.Context, _ *route.Empty) (*route.Body[event.BrowserState], error) {
			_ = r.Browser.Start(ctx) // the state contains the problem and a suggestion
			return route.Answer(r.Browser.State()), nil
		})
	route.Add(r.API, http.MethodGet, "/api/browser/history", "Visited pages", http.StatusOK,
		access.WindowOnly(r.visits))
	route.Add(r.API, http.MethodGet, "/api/browser/local-servers", "Servers that run in the workspace", http.StatusOK,
		access.WindowOnly(func(context.Context, *route.Empty) (*route.Body[[]wire.LocalServer], error) {
			return route.Answer(localservers.List(r.Folder())), nil
		}))
	route.Add(r.API, http.MethodGet, "/api/browser/sites", "Sites that stored cookies", http.StatusOK,
		access.WindowOnly(r.sites))
	route.Add(r.API, http.MethodDelete, "/api/browser/sites", "Delete the cookies and stored data of all sites",
		http.StatusNoContent, access.WindowOnly(r.clearSites))
	route.Add(r.API, http.MethodDelete, "/api/browser/history", "Delete a visited page, a site, or all",
		http.StatusNoContent, access.WindowOnly(r.forget))
	route.Add(r.API, http.MethodPost, "/api/browser/copied", "Take what the person copied last on the page",
		http.StatusOK, access.WindowOnly(r.copied))
	huma.Register(r.API, huma.Operation{
		OperationID: route.OperationID(http.MethodPost, PastePath), Method: http.MethodPost, Path: PastePath,
		Summary: "Paste into the page", DefaultStatus: http.StatusNoContent, MaxBodyBytes: MaxPaste,
	}, access.WindowOnly(func(ctx context.Context, in *struct{ Body wire.Clipboard }) (*route.Empty, error) {
		wait, cancel := context.WithTimeout(ctx, maxInputWait)
		r.AwaitInput(wait) // a press just before it chooses where to paste
		cancel()
		return nil, problem(r.Browser.Paste(ctx, in.Body))
	}))
	huma.Register(r.API, huma.Operation{
		OperationID: route.OperationID(http.MethodPost, FilesPath), Method: http.MethodPost, Path: FilesPath,
		Summary: "Store a file to give it to the page", DefaultStatus: http.StatusOK, MaxBodyBytes: upload.MaxBytes,
		BodyReadTimeout: uploadTimeout,
	}, access.WindowOnly(r.storeFile))
	route.Add(r.API, http.MethodPost, "/api/browser/give", "Give stored files to the page", http.StatusNoContent,
		access.WindowOnly(r.giveFiles))
	route.Add(r.API, http.MethodPost, "/api/browser/pick", "Choose in the list that is open on the page",
		http.StatusNoContent, access.WindowOnly(r.pick))
	route.Add(r.API, http.MethodPost, "/api/browser/find", "Find text in the page", http.StatusOK,
		access.WindowOnly(r.find))
	route.Add(r.API, http.MethodPost, "/api/browser/tabs/move", "Put a tab at another place", http.StatusNoContent,
		access.WindowOnly(func(_ context.Context, in *struct {
			Body struct {
				Tab int `json:"tab"`
				To  int `json:"to" minimum:"0" doc:"The place among the tabs, counted from 0"`
			}
		},
		) (*route.Empty, error) {
			r.Browser.MoveTab(in.Body.Tab, in.Body.To)
			return nil, nil
		}))
	route.Add(r.API, http.MethodPost, "/api/browser/zoom", "Zoom the page", http.StatusNoContent,
		access.WindowOnly(func(_ context.Context, in *struct {
			Body struct {
				Percent int `json:"percent" minimum:"25" maximum:"500"`
			}
		},
		) (*route.Empty, error) {
			r.Browser.SetZoom(in.Body.Percent)
			return nil, nil
		}))
}

func (r Routes) visits(ctx context.Context, in *struct {
	Query   string `query:"query" maxLength:"200" doc:"Words of the address or title"`
	Suggest bool   `query:"suggest" doc:"Put pages that are visited often before others"`
	Limit   int    `query:"limit" minimum:"1" maximum:"1000" default:"200"`
},
) (*route.Body[wire.VisitList], error) {
	list, err := r.History.Visits(ctx, in.Query, in.Suggest, in.Limit)
	if err != nil {
		return nil, route.InternalError("The history could not be read. It is still there.", err)
	}
	return route.Answer(wire.VisitList{Visits: list}), nil
}

func (r Routes) forget(ctx context.Context, in *struct {
	URL  string `query:"url" maxLength:"2000" doc:"The page to delete"`
	Site string `query:"site" maxLength:"253" doc:"The host of the site to delete, with its cookies and storage"`
},
) (*route.Empty, error) {
	if in.Site != "" {
		visits, err := r.History.Visits(ctx, in.Site, false, 1000)
		if err != nil {
			return nil, route.InternalError("The history could not be read. Nothing was deleted.", err)
		}
		session := r.Browser.Session("").Session
		if err := sitedata.Clear(ctx, session, in.Site, originsOf(in.Site, visits)); err != nil {
			return nil, problem(err)
		}
	}
	if err := r.History.DeleteVisits(ctx, in.URL, in.Site); err != nil {
		return nil, route.InternalError("The history could not be changed.", err)
	}
	return nil, nil
}

func (r Routes) sites(ctx context.Context, _ *route.Empty) (*route.Body[[]wire.SiteData], error) {
	list, err := sitedata.List(ctx, r.Browser.Session("").Session)
	if err != nil {
		return nil, problem(err)
	}
	return route.Answer(list), nil
}

func (r Routes) clearSites(ctx context.Context, _ *route.Empty) (*route.Empty, error) {
	return nil, problem(sitedata.ClearAll(ctx, r.Browser.Session("").Session))
}

// originsOf returns the origins of a host and its subdomains in visits.
func originsOf(host string, visits []wire.Visit) []string {
	var origins []string
	for _, v := range visits {
		scheme, name := address.Origin(v.URL)
		if bare, _, _ := strings.Cut(name, ":"); bare == host || strings.HasSuffix(bare, "."+host) {
			origins = append(origins, scheme+"://"+name)
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

func (r Routes) storeFile(_ context.Context, in *struct {
	Name    string `query:"name" maxLength:"255" required:"true"`
	RawBody []byte `contentType:"application/octet-stream"`
},
) (*route.Body[wire.Upload], error) {
	id, err := r.Uploads.Add(in.Name, in.RawBody)
	if err != nil {
		return nil, route.InternalError("The file was not stored, and the page did not get it.", err)
	}
	return route.Answer(wire.Upload{ID: id}), nil
}

func (r Routes) giveFiles(ctx context.Context, in *struct {
	Body struct {
		Files []string   `json:"files" minItems:"1" maxItems:"50" doc:"The ids of stored files"`
		At    *dropPoint `json:"at,omitempty" doc:"Where they are dropped, else they are for the file chooser"`
	}
},
) (*route.Empty, error) {
	paths := make([]string, len(in.Body.Files))
	for i, id := range in.Body.Files {
		if paths[i] = r.Uploads.Path(id); paths[i] == "" {
			return nil, route.NotFound("There is no such file.")
		}
	}
	var at *browser.Point
	if in.Body.At != nil {
		at = &browser.Point{X: in.Body.At.X, Y: in.Body.At.Y}
	}
	return nil, problem(r.Browser.Session("").GiveFiles(ctx, paths, at))
}

// dropPoint is a point in the viewport in CSS pixels.
type dropPoint struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

func (r Routes) copied(context.Context, *route.Empty) (*route.Body[wire.Clipboard], error) {
	return route.Answer(r.Browser.Copied()), nil
}

func (r Routes) control(_ context.Context, in *struct {
	Body struct {
		Person bool `json:"person"`
	}
},
) (*route.Body[event.BrowserState], error) {
	r.Browser.SetTakenOver(in.Body.Person)
	return route.Answer(r.Browser.State()), nil
}

func (r Routes) pick(ctx context.Context, in *struct {
	Body struct {
		ID       int    `json:"id"`
		Selected int    `json:"selected,omitempty" doc:"The index of the option of a list"`
		Value    string `json:"value,omitempty" maxLength:"100" doc:"The value of another field"`
	}
},
) (*route.Empty, error) {
	return nil, problem(r.Browser.Pick(ctx, in.Body.ID, in.Body.Selected, in.Body.Value))
}

func (r Routes) find(ctx context.Context, in *struct {
	Body struct {
		Text   string `json:"text" minLength:"1" maxLength:"1000"`
		Show   int    `json:"show" minimum:"-1" doc:"The index of the match to show; -1 for the first one from here on"`
		Scroll bool   `json:"scroll" doc:"Scroll to the shown match"`
	}
},
) (*route.Body[wire.Found], error) {
	found, err := r.Browser.Find(ctx, in.Body.Text, in.Body.Show, in.Body.Scroll)
	if err != nil {
		return nil, problem(err)
	}
	return route.Answer(found), nil
}

// problem returns err as a problem that the person can do something about, if it is one.
func problem(err error) error {
	var fault *surface.Fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &fault):
		return huma.NewError(http.StatusConflict, fault.Message+" "+fault.Suggestion)
	}
	return huma.NewError(http.StatusBadGateway, "The page did not answer. Nothing else is affected; try again.", err)
}
