package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const maxSubscribed = 64

var errFull = &jsonrpc.Error{
	Code:    jsonrpc.CodeInvalidParams,
	Message: fmt.Sprintf("you are subscribed to %d resources, the maximum. Unsubscribe from one first.", maxSubscribed),
}

// SubscriptionChecker is implemented by a ResourceProvider that knows which resources can be subscribed to.
// Without it, a client may subscribe to any URI.
type SubscriptionChecker interface {
	// CheckSubscription returns an error for an unknown URI, as Read does.
	CheckSubscription(ctx context.Context, uri string) error
}

type subscriptions struct {
	server *toolServer

	mu       sync.Mutex
	closed   bool
	sessions map[*sdk.ServerSession]map[string]bool
	count    int
	// unfollow is nil while nobody is subscribed to the page.
	unfollow context.CancelFunc
	busy     sync.WaitGroup
}

func (s *subscriptions) add(ctx context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	if w, ok := s.server.resources.(SubscriptionChecker); ok {
		if err := w.CheckSubscription(ctx, uri); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errors.New("this connection is closing")
	case s.sessions[req.Session][uri]:
		return nil
	case s.count >= maxSubscribed:
		return errFull
	}
	if s.sessions == nil {
		s.sessions = map[*sdk.ServerSession]map[string]bool{}
	}
	if s.sessions[req.Session] == nil {
		s.sessions[req.Session] = map[string]bool{}
	}
	s.sessions[req.Session][uri] = true
	s.count++
	s.follow()
	return nil
}

func (s *subscriptions) remove(_ context.Context, req *sdk.UnsubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sessions[req.Session][req.Params.URI] {
		return nil
	}
	delete(s.sessions[req.Session], req.Params.URI)
	if len(s.sessions[req.Session]) == 0 {
		delete(s.sessions, req.Session)
	}
	s.count--
	if s.unfollow != nil && len(s.subscribedPages()) == 0 {
		s.unfollow()
		s.unfollow = nil
	}
	return nil
}

// follow requires mu.
func (s *subscriptions) follow() {
	if s.server.cfg.FollowPage == nil || s.unfollow != nil || len(s.subscribedPages()) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.unfollow = cancel
	s.busy.Go(func() {
		s.server.cfg.FollowPage(ctx, func() {
			s.mu.Lock()
			pages := s.subscribedPages()
			s.mu.Unlock()
			for _, uri := range pages {
				select {
				case s.server.resourceChanges <- uri:
				case <-ctx.Done():
				}
			}
		})
	})
}

// subscribedPages requires mu.
func (s *subscriptions) subscribedPages() (list []string) {
	seen := map[string]bool{}
	for _, uris := range s.sessions {
		for uri := range uris {
			if strings.HasPrefix(uri, pagePrefix) && !seen[uri] {
				seen[uri] = true
				list = append(list, uri)
			}
		}
	}
	return list
}

func (s *subscriptions) close() {
	s.mu.Lock()
	s.closed = true
	if s.unfollow != nil {
		s.unfollow()
		s.unfollow = nil
	}
	s.mu.Unlock()
	s.busy.Wait()
}

// CheckSubscription implements SubscriptionChecker.
func (b *builtinResources) CheckSubscription(ctx context.Context, uri string) error {
	if name, ok := strings.CutPrefix(uri, pagePrefix); ok {
		for _, v := range b.offeredViews() {
			if v.name == name {
				return nil
			}
		}
	}
	if id, ok := strings.CutPrefix(uri, conversationPrefix); ok && b.server.cfg.Conversations != nil {
		list, err := b.server.cfg.Conversations.List(ctx)
		if err != nil || slices.ContainsFunc(list, func(c Conversation) bool { return c.ID == id }) {
			return err
		}
	}
	return sdk.ResourceNotFoundError(uri)
}
