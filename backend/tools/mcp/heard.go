package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/event"
)

const (
	// maxWatched bounds how many resources of a server are watched; the oldest makes room.
	maxWatched = 8
	// heardPause joins what servers tell within it, so that one that talks much is told of calmly.
	heardPause = 200 * time.Millisecond
)

// heard counts what a server told of what it offers; owner.mu guards it.
type heard struct {
	// lists is how often its resources or prompts changed, updates how often a watched resource did.
	lists   int
	updates map[string]int
	// watched are the addresses that the running session watches, the oldest first.
	watched []string
}

// listsChanged takes a server's word that its resources or prompts are others now.
func (v *server) listsChanged() {
	v.set(func() { v.heard.lists++ })
	v.owner.tell()
}

// resourceUpdated takes a server's word that a resource changed; of one that nobody watches it is none.
func (v *server) resourceUpdated(uri string) {
	known := false
	v.set(func() {
		if known = slices.Contains(v.heard.watched, uri); known {
			v.heard.updates[uri]++
		}
	})
	if known {
		v.owner.tell()
	}
}

// tell lets the windows know, soon, what was heard.
func (s *Servers) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.Journal == nil || s.telled {
		return
	}
	s.telled = true
	time.AfterFunc(heardPause, func() {
		s.mu.Lock()
		s.telled = false
		over := s.life != nil && s.life.Err() != nil
		said := event.MCPHeard{Servers: []event.ServerHeard{}}
		for _, name := range slices.Sorted(maps.Keys(s.servers)) {
			h := s.servers[name].heard
			said.Servers = append(said.Servers, event.ServerHeard{Name: name, Lists: h.lists, Updates: maps.Clone(h.updates)})
		}
		s.mu.Unlock()
		if !over {
			s.cfg.Journal.Publish(event.New(event.MCPTold, said))
		}
	})
}

// Watch asks a server to tell when a resource changes, which then comes as event.MCPTold, or with on
// false to stop that. It lasts as long as the server runs. A server that cannot do so is no error: watched is
// false then.
func (s *Servers) Watch(ctx context.Context, server, uri string, on bool) (watched bool, err error) {
	if uri == "" || len(uri) > maxURI {
		return false, errors.New("a resource needs an address of at most 4096 bytes")
	}
	ctx, session, done, err := s.sessionOf(ctx, server)
	if err != nil {
		return false, err
	}
	defer done()
	if can := s.capabilities(server); can == nil || can.Resources == nil || !can.Resources.Subscribe {
		return false, nil
	}
	v, _ := s.named(server)
	if v == nil {
		return false, fmt.Errorf("%w: %s", errUnknownServer, shorten(server, maxName))
	}
	var drop []string
	already := false
	v.set(func() {
		h := &v.heard
		already = slices.Contains(h.watched, uri)
		h.watched = slices.DeleteFunc(h.watched, func(one string) bool { return one == uri })
		if !on {
			delete(h.updates, uri)
			drop = []string{uri}
			return
		}
		for len(h.watched) >= maxWatched {
			drop = append(drop, h.watched[0])
			delete(h.updates, h.watched[0])
			h.watched = h.watched[1:]
		}
		h.watched = append(h.watched, uri)
		if h.updates == nil {
			h.updates = map[string]int{}
		}
	})
	for _, one := range drop {
		if one != uri || already {
			_, _ = awaited(ctx, listLimit, func(ctx context.Context) (struct{}, error) { // one that still tells is not heard
				return struct{}{}, session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: one})
			})
		}
	}
	if !on || already {
		return on, nil
	}
	_, err = awaited(ctx, listLimit, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, session.Subscribe(ctx, &sdk.SubscribeParams{URI: uri})
	})
	if err != nil {
		v.set(func() {
			v.heard.watched = slices.DeleteFunc(v.heard.watched, func(one string) bool { return one == uri })
		})
		return false, fmt.Errorf("watching %s of %s: %w", shorten(uri, 200), server, err)
	}
	return true, nil
}

// hears adds to o what is listened to beside the tools.
func (v *server) hears(o *sdk.ClientOptions) {
	o.ResourceListChangedHandler = func(context.Context, *sdk.ResourceListChangedRequest) { v.listsChanged() }
	o.PromptListChangedHandler = func(context.Context, *sdk.PromptListChangedRequest) { v.listsChanged() }
	o.ResourceUpdatedHandler = func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
		if r.Params != nil {
			v.resourceUpdated(r.Params.URI)
		}
	}
}
