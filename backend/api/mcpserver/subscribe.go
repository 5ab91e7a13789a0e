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

// maxSubscribed bounds the resources that the clients of one door may wait for.
const maxSubscribed = 64

// errFull is told to who wants to wait for more.
var errFull = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("%d resources are subscribed to, the most for one client. Unsubscribe from one first.", maxSubscribed)}

// Watchable is a Shelf that knows which of its resources can change. A Shelf that is none lets a
// client subscribe to any address.
type Watchable interface {
	// Watchable fails for an address that is none, as Read does.
	Watchable(ctx context.Context, uri string) error
}

// subscriptions are the resources that clients of one door wait for. Its methods may be called
// concurrently.
type subscriptions struct {
	door *door

	mu     sync.Mutex
	closed bool
	by     map[*sdk.ServerSession]map[string]bool
	count  int
	// unfollow ends following the page in front; nil while nobody waits for it.
	unfollow context.CancelFunc
	busy     sync.WaitGroup
}

// add is a client's wish to be told when a resource changes.
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
		return errors.New("this connection ends")
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

// remove is the end of such a wish.
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

// follow begins to follow the page in front, when somebody waits for it. The caller holds the lock.
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

// pages are the forms of the page in front that somebody waits for. The caller holds the lock.
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

// Watchable implements Watchable: a form of the page that is offered, and a conversation that is
// shared.
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
