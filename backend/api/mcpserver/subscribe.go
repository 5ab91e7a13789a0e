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

// maxSubscribed bounds the subscriptions of one client.
const maxSubscribed = 64

// errFull is the error for one more.
var errFull = &jsonrpc.Error{
	Code:    jsonrpc.CodeInvalidParams,
	Message: fmt.Sprintf("you are subscribed to %d resources, the maximum. Unsubscribe from one first.", maxSubscribed),
}

// SubscriptionChecker is a ResourceProvider that knows which resources can be subscribed to. Without it a client may
// subscribe to any address.
type Watchable interface {
	// CheckSubscription fails for an unknown address, as Read does.
	Watchable(ctx context.Context, uri string) error
}

// subscriptions are the resources that a client subscribed to. Its methods may be called concurrently.
type subscriptions struct {
	door *door

	mu     sync.Mutex
	closed bool
	by     map[*sdk.ServerSession]map[string]bool
	count  int
	// unfollow stops following the active page; nil while nobody subscribed to it.
	unfollow context.CancelFunc
	busy     sync.WaitGroup
}

// add subscribes a session to a resource.
func (s *subscriptions) add(ctx context.Context, req *sdk.SubscribeRequest) error {
	uri := req.Params.URI
	if w, ok := s.door.shelf.(Watchable); ok {
		if err := w.Watchable(ctx, uri); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errors.New("this connection is closing")
	case s.by[req.Session][uri]:
		return nil
	case s.count >= maxSubscribed:
		return errFull
	}
	if s.by == nil {
		s.by = map[*sdk.ServerSession]map[string]bool{}
	}
	if s.by[req.Session] == nil {
		s.by[req.Session] = map[string]bool{}
	}
	s.by[req.Session][uri] = true
	s.count++
	s.follow()
	return nil
}

// remove ends a subscription.
func (s *subscriptions) remove(_ context.Context, req *sdk.UnsubscribeRequest) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.by[req.Session][req.Params.URI] {
		return nil
	}
	delete(s.by[req.Session], req.Params.URI)
	if len(s.by[req.Session]) == 0 {
		delete(s.by, req.Session)
	}
	s.count--
	if s.unfollow != nil && len(s.pages()) == 0 {
		s.unfollow()
		s.unfollow = nil
	}
	return nil
}

// follow starts following the active page, if somebody subscribed to it. The caller holds the lock.
func (s *subscriptions) follow() {
	if s.door.cfg.Follow == nil || s.unfollow != nil || len(s.pages()) == 0 {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.unfollow = cancel
	s.busy.Go(func() {
		s.door.cfg.Follow(ctx, func() {
			s.mu.Lock()
			pages := s.pages()
			s.mu.Unlock()
			for _, uri := range pages {
				select {
				case s.door.stirred <- uri:
				case <-ctx.Done():
				}
			}
		})
	})
}

// subscribedPages are the forms of the active page that somebody subscribed to. The caller holds the lock.
func (s *subscriptions) pages() (list []string) {
	seen := map[string]bool{}
	for _, uris := range s.by {
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

// CheckSubscription allows subscriptions to offered forms of the page and to shared conversations.
func (s *shelf) Watchable(ctx context.Context, uri string) error {
	if name, ok := strings.CutPrefix(uri, pagePrefix); ok {
		for _, v := range s.views() {
			if v.name == name {
				return nil
			}
		}
	}
	if id, ok := strings.CutPrefix(uri, conversationPrefix); ok && s.door.cfg.Shared != nil {
		list, err := s.door.cfg.Shared.Shared(ctx)
		if err != nil || slices.ContainsFunc(list, func(c Conversation) bool { return c.ID == id }) {
			return err
		}
	}
	return sdk.ResourceNotFoundError(uri)
}
