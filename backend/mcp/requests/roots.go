package requests

import (
	"context"
	"net/url"
	"path/filepath"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/config"
	"sextant/shared/toolspec"
)

// RootsQuestion asks whether a server may know the folder that the person works in.
type RootsQuestion struct {
	Server, Folder string
	Call           toolspec.Call
}

// ServeRoots makes client answer roots/list as the person decided.
func (h *Handler) ServeRoots(client *sdk.Client) {
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method != "roots/list" {
				return next(ctx, method, req)
			}
			roots, err := h.roots(ctx, req.GetParams())
			if err != nil {
				return nil, err
			}
			return &sdk.ListRootsResult{Roots: roots}, nil
		}
	})
	// In revision 2026-07-28 a result asks for the roots; the SDK then answers from these and bypasses the
	// middleware above.
	if h.Folder != nil && config.DecidedAs(h.Consents().Roots, true) {
		client.AddRoots(rootOf(h.Folder())...)
	}
}

func rootOf(folder string) []*sdk.Root {
	if folder == "" {
		return nil
	}
	return []*sdk.Root{{
		URI:  (&url.URL{Scheme: "file", Path: filepath.ToSlash(folder)}).String(),
		Name: filepath.Base(folder),
	}}
}

const notShared = "the person does not share their folder with this server"

// roots asks nobody outside of a call, because the person would not know what the question is about.
func (h *Handler) roots(ctx context.Context, params sdk.Params) ([]*sdk.Root, error) {
	consents := h.Consents()
	switch {
	case h.Folder == nil || h.Folder() == "":
		return []*sdk.Root{}, nil
	case config.DecidedAs(consents.Roots, true):
		return rootOf(h.Folder()), nil
	case config.DecidedAs(consents.Roots, false):
		return nil, refused(notShared)
	}
	var meta map[string]any
	if p, ok := params.(*sdk.ListRootsParams); ok && p != nil {
		meta = p.Meta
	}
	call := h.Calls.Find(ctx, meta)
	if call == nil || h.AskRoots == nil {
		return nil, refused("the person has not allowed this server to know their folder; " +
			"it can be allowed in the MCP servers panel")
	}
	ctx, resume := call.Pause(ctx)
	defer resume()
	done, ok := call.BeginQuestion(ctx)
	if !ok {
		return nil, refused("it asks too much in one call")
	}
	defer done()
	if h.Consents().Roots != nil { // decided by an earlier question
		return h.roots(ctx, params)
	}
	allowed, err := h.AskRoots(ctx, RootsQuestion{Server: h.Server, Folder: h.Folder(), Call: call.Request})
	if err != nil {
		h.Log.Info("whether an MCP server may know the folder was not answered", "err", err)
		return nil, refused("nobody answered whether this server may know the folder")
	}
	h.SaveConsents(config.Consents{Roots: &allowed})
	if !allowed {
		return nil, refused(notShared)
	}
	return rootOf(h.Folder()), nil
}
