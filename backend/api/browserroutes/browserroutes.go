// Package browserroutes contains the routes with which the person in a window uses the page of the controlled browser.
// What goes with the picture of the page, such as presses and keys, comes over the WebSocket instead.
package browserroutes

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/browser"
	"sextant/backend/surface"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// PastePath is the route for what is pasted, which may be up to MaxPaste bytes of JSON.
const (
	PastePath = "/api/browser/paste"
	MaxPaste  = 32 << 20
)

// Routes are the routes with what they call.
type Routes struct {
	API     huma.API
	Browser *browser.Browser
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
	route.Add(r.API, http.MethodPost, "/api/browser/copied", "Take what the person copied last on the page",
		http.StatusOK, access.WindowOnly(r.copied))
	huma.Register(r.API, huma.Operation{
		OperationID: route.OperationID(http.MethodPost, PastePath), Method: http.MethodPost, Path: PastePath,
		Summary: "Paste into the page", DefaultStatus: http.StatusNoContent, MaxBodyBytes: MaxPaste,
	}, access.WindowOnly(func(ctx context.Context, in *struct{ Body wire.Clipboard }) (*route.Empty, error) {
		return nil, problem(r.Browser.Paste(ctx, in.Body))
	}))
	route.Add(r.API, http.MethodPost, "/api/browser/pick", "Choose in the list that is open on the page",
		http.StatusNoContent, access.WindowOnly(r.pick))
	route.Add(r.API, http.MethodPost, "/api/browser/find", "Find text in the page", http.StatusOK,
		access.WindowOnly(r.find))
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
