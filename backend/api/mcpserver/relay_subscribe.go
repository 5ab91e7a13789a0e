package mcpserver

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// subscribe passes a client's wish to be told of a resource on. The Sextant that was joined goes on
// telling after the last one ended: taking it back would end, in the SDK, the news of lists with it.
func (r *relay) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	r.mu.Lock()
	if _, known := r.subscribed[uri]; !known && len(r.subscribed) >= maxSubscribed {
		r.mu.Unlock()
		return errFull
	}
	r.mu.Unlock()
	_, err := asked(ctx, r, req, func(s *sdk.ClientSession) (struct{}, error) {
		return struct{}{}, s.Subscribe(ctx, &sdk.SubscribeParams{URI: uri})
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subscribed[uri]++
	return nil
}

// unsubscribe ends such a wish.
func (r *relay) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.subscribed[req.Params.URI]--; r.subscribed[req.Params.URI] <= 0 {
		delete(r.subscribed, req.Params.URI)
	}
	return nil
}

// heard tells the client of a resource it waits for.
func (r *relay) heard(uri string) {
	r.mu.Lock()
	waits := r.subscribed[uri] > 0
	r.mu.Unlock()
	if waits {
		r.poke(Change{URI: uri})
	}
}
