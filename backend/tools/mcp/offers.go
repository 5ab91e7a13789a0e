package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxOffers bounds how many resources, templates or prompts of a server are listed.
const maxOffers = 500

// sessionOf is the session of a server that runs, and ctx as far as it lasts, or why there is none.
// Without an error, done must be called.
func (s *Servers) sessionOf(ctx context.Context, server string) (inner context.Context, session *sdk.ClientSession, done func(), err error) {
	s.mu.Lock()
	v := s.servers[server]
	var asking *crowd
	if v != nil {
		session, asking = v.session, v.asking
	}
	s.mu.Unlock()
	if session == nil {
		why := s.absent(server, "")
		if v == nil {
			return nil, nil, nil, fmt.Errorf("%w: %s", errUnknownServer, shorten(server, maxName))
		}
		return nil, nil, nil, fmt.Errorf("%s. %s", why.Error, why.Suggestion)
	}
	inner, done = asking.within(ctx)
	return inner, session, done, nil
}

// gathered reads at most maxOffers of all.
func gathered[T any](all iter.Seq2[*T, error]) ([]*T, error) {
	found := []*T{}
	for one, err := range all {
		if err != nil {
			return nil, err
		}
		if one == nil {
			continue // a server may say null
		}
		if found = append(found, one); len(found) >= maxOffers {
			break
		}
	}
	return found, nil
}

// offered asks a server for a list; one that has nothing of the kind has an empty one.
func offered[T any](ctx context.Context, s *Servers, server, what string, has func(*sdk.ServerCapabilities) bool, ask func(context.Context, *sdk.ClientSession) iter.Seq2[*T, error]) ([]*T, error) {
	ctx, session, done, err := s.sessionOf(ctx, server)
	if err != nil {
		return nil, err
	}
	defer done()
	if is := session.InitializeResult(); is == nil || is.Capabilities == nil || !has(is.Capabilities) {
		return []*T{}, nil
	}
	found, err := awaited(ctx, listLimit, func(ctx context.Context) ([]*T, error) { return gathered(ask(ctx, session)) })
	if err != nil {
		return nil, fmt.Errorf("asking %s for its %s: %w", server, what, err)
	}
	return found, nil
}

// awaited is what ask comes to, but is not waited for longer than limit: a server that reads nothing
// holds up the writing, which knows no deadline. What is left of it ends with the session.
func awaited[T any](ctx context.Context, limit time.Duration, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	came := make(chan outcome[T], 1)
	go func() {
		defer cancel()
		answer, err := ask(ctx)
		came <- outcome[T]{answer, err}
	}()
	if o, ok := settled(ctx, came); ok {
		return o.answer, o.err
	}
	var none T
	return none, ctx.Err()
}

// outcome is what a request comes to.
type outcome[T any] struct {
	answer T
	err    error
}

// settled waits for what comes, which after the end of ctx is given a moment: a request's own way of
// ending, which tells the server, needs one.
func settled[T any](ctx context.Context, came <-chan outcome[T]) (o outcome[T], ok bool) {
	select {
	case o = <-came:
		return o, true
	case <-ctx.Done():
	}
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	select {
	case o = <-came:
		return o, true
	case <-timer.C:
		return o, false
	}
}

func hasResources(c *sdk.ServerCapabilities) bool { return c.Resources != nil }

func hasPrompts(c *sdk.ServerCapabilities) bool { return c.Prompts != nil }

// Resources are what a server offers to read, at most 500. They are outside text.
func (s *Servers) Resources(ctx context.Context, server string) ([]*sdk.Resource, error) {
	return offered(ctx, s, server, "resources", hasResources, func(ctx context.Context, c *sdk.ClientSession) iter.Seq2[*sdk.Resource, error] {
		return c.Resources(ctx, nil)
	})
}

// Templates are the forms of addresses that a server can read, at most 500.
func (s *Servers) Templates(ctx context.Context, server string) ([]*sdk.ResourceTemplate, error) {
	return offered(ctx, s, server, "templates", hasResources, func(ctx context.Context, c *sdk.ClientSession) iter.Seq2[*sdk.ResourceTemplate, error] {
		return c.ResourceTemplates(ctx, nil)
	})
}

// Prompts are the prompts of a server, at most 500.
func (s *Servers) Prompts(ctx context.Context, server string) ([]*sdk.Prompt, error) {
	return offered(ctx, s, server, "prompts", hasPrompts, func(ctx context.Context, c *sdk.ClientSession) iter.Seq2[*sdk.Prompt, error] {
		return c.Prompts(ctx, nil)
	})
}

// Read is what stands in one resource of a server. It is outside text, 4 MB at most.
func (s *Servers) Read(ctx context.Context, server, uri string) ([]*sdk.ResourceContents, error) {
	read, _, err := s.whole(ctx, server, uri)
	return read, err
}

// whole is Read, and says whether there was more than that.
func (s *Servers) whole(ctx context.Context, server, uri string) (read []*sdk.ResourceContents, cut bool, err error) {
	ctx, session, done, err := s.sessionOf(ctx, server)
	if err != nil {
		return nil, false, err
	}
	defer done()
	answer, err := awaited(ctx, callLimit, func(ctx context.Context) (*sdk.ReadResourceResult, error) {
		return session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return nil, false, fmt.Errorf("reading %s of %s: %w", shorten(uri, 200), server, err)
	}
	left := maxText
	read = []*sdk.ResourceContents{}
	for _, c := range answer.Contents {
		if c == nil {
			continue // a server may say null
		}
		if size := len(c.Text) + len(c.Blob); size > left {
			if part := *c; len(c.Blob) == 0 && left > 0 {
				part.Text = strings.ToValidUTF8(c.Text[:left], "")
				read = append(read, &part)
			}
			return read, true, nil
		}
		left -= len(c.Text) + len(c.Blob)
		read = append(read, c)
	}
	return read, false, nil
}

// Prompt is a prompt of a server with args filled in. It is outside text.
func (s *Servers) Prompt(ctx context.Context, server, name string, args map[string]string) (*sdk.GetPromptResult, error) {
	ctx, session, done, err := s.sessionOf(ctx, server)
	if err != nil {
		return nil, err
	}
	defer done()
	answer, err := awaited(ctx, callLimit, func(ctx context.Context) (*sdk.GetPromptResult, error) {
		return session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
	})
	if err != nil {
		return nil, fmt.Errorf("asking %s for the prompt %s: %w", server, shorten(name, 80), err)
	}
	return answer, nil
}

// Complete are a server's proposals for the argument of a prompt (ref "ref/prompt") or of a resource
// template ("ref/resource"), at most 100. One that proposes nothing has none.
func (s *Servers) Complete(ctx context.Context, server string, ref sdk.CompleteReference, argument, typed string, others map[string]string) ([]string, error) {
	ctx, session, done, err := s.sessionOf(ctx, server)
	if err != nil {
		return nil, err
	}
	defer done()
	if is := session.InitializeResult(); is == nil || is.Capabilities == nil || is.Capabilities.Completions == nil {
		return []string{}, nil
	}
	params := &sdk.CompleteParams{Ref: &ref, Argument: sdk.CompleteParamsArgument{Name: argument, Value: typed}}
	if len(others) > 0 {
		params.Context = &sdk.CompleteContext{Arguments: others}
	}
	answer, err := awaited(ctx, listLimit, func(ctx context.Context) (*sdk.CompleteResult, error) { return session.Complete(ctx, params) })
	if err != nil {
		return nil, fmt.Errorf("asking %s to complete %s: %w", server, shorten(argument, 80), err)
	}
	values := answer.Completion.Values
	return values[:min(len(values), 100)], nil
}

// Schema is a tool's schema as its server wrote it, by either of its names.
func (s *Servers) Schema(server, name string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.servers[server]; v != nil {
		for _, t := range v.tools {
			if t.theirs == name || t.ours == name || t.public(v.prefix) == name {
				return t.def.Parameters, true
			}
		}
	}
	return nil, false
}
