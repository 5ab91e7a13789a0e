package mcpserver

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// subscribe makes a subscription that stays even when the client's last one ends, because unsubscribing in the SDK
// would end notifications about lists too.
func (r *relay) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	r.mu.Lock()
	if _, known := r.subscribed[uri]; !known && len(r.subscribed) >= maxSubscribed {
		r.mu.Unlock()
		return errFull
	}
	r.mu.Unlock()
	_, err := forward(ctx, r, req, func(s *sdk.ClientSession) (struct{}, error) {
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

func (r *relay) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.subscribed[req.Params.URI]--; r.subscribed[req.Params.URI] <= 0 {
		delete(r.subscribed, req.Params.URI)
	}
	return nil
}

func (r *relay) resourceUpdated(uri string) {
	r.mu.Lock()
	subscribed := r.subscribed[uri] > 0
	r.mu.Unlock()
	if subscribed {
		r.queueChange(Change{URI: uri})
	}
}
