package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/inflight"
	"sextant/backend/mcp/resources"
	"sextant/backend/mcp/servertext"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

const (
	maxWatched = 8
	// notifyInterval collects notifications for one event, because a server may send many.
	notifyInterval = 200 * time.Millisecond

	maxLogged   = 1000
	levelLimit  = 10 * time.Second
	loggedLevel = "info"
)

// notifications counts a server's notifications about its resources and prompts. owner.mu guards it.
type notifications struct {
	lists   int
	updates map[string]int
	// watched are the URIs that the session watches, the least recently requested first.
	watched []string
}

func (v *server) handleNotifications(o *sdk.ClientOptions) {
	listsChanged := func() {
		v.set(func() { v.notified.lists++ })
		v.owner.notify()
	}
	o.ResourceListChangedHandler = func(context.Context, *sdk.ResourceListChangedRequest) { listsChanged() }
	o.PromptListChangedHandler = func(context.Context, *sdk.PromptListChangedRequest) { listsChanged() }
	o.ResourceUpdatedHandler = func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
		if r.Params != nil {
			v.resourceUpdated(r.Params.URI)
		}
	}
}

func (v *server) resourceUpdated(uri string) {
	watched := false
	v.set(func() {
		if watched = slices.Contains(v.notified.watched, uri); watched {
			v.notified.updates[uri]++
		}
	})
	if watched {
		v.owner.notify()
	}
}

func (s *Servers) notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cfg.Journal == nil || s.notifyPending {
		return
	}
	s.notifyPending = true
	time.AfterFunc(notifyInterval, func() {
		s.mu.Lock()
		s.notifyPending = false
		closed := s.life != nil && s.life.Err() != nil
		all := event.MCPNotifications{Servers: []event.ServerNotifications{}}
		for _, name := range slices.Sorted(maps.Keys(s.servers)) {
			n := s.servers[name].notified
			all.Servers = append(all.Servers, event.ServerNotifications{
				Name: name, Lists: n.lists,
				Updates: maps.Clone(n.updates),
			})
		}
		s.mu.Unlock()
		if !closed {
			s.cfg.Journal.Publish(event.New(event.MCPNotified, all))
		}
	})
}

// Watch asks a server to report changes of a resource as event.MCPNotified, or stops that if on is false. Watching
// ends with the session, or when 8 other resources of the server were requested since. If the server does not support
// it, watched is false without an error.
func (s *Servers) Watch(ctx context.Context, server, uri string, on bool) (watched bool, err error) {
	if uri == "" || len(uri) > resources.MaxURI {
		return false, errors.New("the address of a resource has 1 to 4096 bytes")
	}
	ctx, session, done, err := s.Session(ctx, server)
	if err != nil {
		return false, err
	}
	defer done()
	if can := resources.Capabilities(session); can == nil || can.Resources == nil || !can.Resources.Subscribe {
		return false, nil
	}
	v, err := s.server(server)
	if err != nil {
		return false, err
	}
	drop, already := v.changeWatched(uri, on)
	for _, old := range drop {
		_ = subscribe(ctx, session, old, false) // if it still reports, it is ignored
	}
	if !on || already {
		return on, nil
	}
	if err = subscribe(ctx, session, uri, true); err != nil {
		v.set(func() {
			v.notified.watched = slices.DeleteFunc(v.notified.watched, func(one string) bool { return one == uri })
		})
		return false, fmt.Errorf("watching %s of %s: %w", excerpt.TruncateRunes(uri, 200), server, err)
	}
	return true, nil
}

func (v *server) changeWatched(uri string, on bool) (drop []string, already bool) {
	v.set(func() {
		n := &v.notified
		already = slices.Contains(n.watched, uri)
		n.watched = slices.DeleteFunc(n.watched, func(one string) bool { return one == uri })
		if !on {
			delete(n.updates, uri)
			if already {
				drop = []string{uri}
			}
			return
		}
		for len(n.watched) >= maxWatched {
			drop = append(drop, n.watched[0])
			delete(n.updates, n.watched[0])
			n.watched = n.watched[1:]
		}
		n.watched = append(n.watched, uri)
		if n.updates == nil {
			n.updates = map[string]int{}
		}
	})
	return drop, already
}

func subscribe(ctx context.Context, session *sdk.ClientSession, uri string, on bool) error {
	_, err := inflight.Await(ctx, listLimit, func(ctx context.Context) (struct{}, error) {
		if on {
			return struct{}{}, session.Subscribe(ctx, &sdk.SubscribeParams{URI: uri})
		}
		return struct{}{}, session.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: uri})
	})
	return err
}

// requestLogs skips servers of the newest revision, which deprecates log messages (SEP-2577).
func (v *server) requestLogs(session *sdk.ClientSession, group *sessionGroup) {
	initialized := session.InitializeResult()
	if initialized == nil || initialized.Capabilities == nil || initialized.Capabilities.Logging == nil ||
		initialized.ProtocolVersion >= statelessRevision {
		return
	}
	group.goDo(func() {
		ctx, cancel := context.WithTimeout(group.ctx, levelLimit)
		defer cancel()
		if err := session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: loggedLevel}); err != nil {
			v.log.Info("MCP server accepts no log level", "err", err)
		}
	})
}

func (v *server) logMessage(_ context.Context, req *sdk.LoggingMessageRequest) {
	text, plain := req.Params.Data.(string)
	if !plain {
		b, err := json.Marshal(req.Params.Data)
		if err != nil {
			return
		}
		text = string(b)
	}
	line := []string{string(req.Params.Level)}
	if req.Params.Logger != "" {
		line = append(line, req.Params.Logger)
	}
	_, _ = v.tail.Write([]byte(servertext.OneLine(strings.Join(append(line, text), " "), maxLogged) + "\n"))
}
