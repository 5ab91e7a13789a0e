// Package resources reads what MCP servers offer besides their tools: resources, templates of addresses, and
// prompts. Reader returns them as the protocol defines them, and as a person sees them (Offers, Contents,
// Draft). It also has the two tools with which a model lists and reads a server's resources. Everything is text from
// outside.
package resources

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/inflight"
	"sextant/backend/toolprovider/results"
	"sextant/shared/excerpt"
)

const (
	maxListed      = 500
	maxCompletions = 100
	listLimit      = 20 * time.Second
	readLimit      = 2 * time.Minute
	// MaxURI bounds the address of a resource in bytes.
	MaxURI = 4096
)

// Sessions provides the sessions of running servers.
type Sessions interface {
	// Session returns the session of a server, and a context that ends with ctx and with the session. The error
	// says why there is no session. Without an error, the caller must call done.
	Session(ctx context.Context, server string) (inner context.Context, session *sdk.ClientSession, done func(),
		err error)
}

// Reader reads what servers offer. Its methods may be called concurrently.
type Reader struct{ sessions Sessions }

// New returns a Reader for the servers of these sessions.
func New(sessions Sessions) Reader { return Reader{sessions} }

// Capabilities returns the capabilities of a session's server, nil if it declares none.
func Capabilities(session *sdk.ClientSession) *sdk.ServerCapabilities {
	if initialized := session.InitializeResult(); initialized != nil {
		return initialized.Capabilities
	}
	return nil
}

func hasResources(c *sdk.ServerCapabilities) bool { return c.Resources != nil }

func hasPrompts(c *sdk.ServerCapabilities) bool { return c.Prompts != nil }

func list[T any](
	ctx context.Context, r Reader, server, kind string, has func(*sdk.ServerCapabilities) bool,
	ask func(context.Context, *sdk.ClientSession) iter.Seq2[*T, error],
) ([]*T, error) {
	ctx, session, done, err := r.sessions.Session(ctx, server)
	if err != nil {
		return nil, err
	}
	defer done()
	if can := Capabilities(session); can == nil || !has(can) {
		return []*T{}, nil
	}
	found, err := inflight.Await(ctx, listLimit, func(ctx context.Context) ([]*T, error) {
		return collect(ask(ctx, session))
	})
	if err != nil {
		return nil, fmt.Errorf("asking %s for its %s: %w", server, kind, err)
	}
	return found, nil
}

func collect[T any](all iter.Seq2[*T, error]) ([]*T, error) {
	found := []*T{}
	for one, err := range all {
		if err != nil {
			return nil, err
		}
		if one == nil {
			continue
		}
		if found = append(found, one); len(found) >= maxListed {
			break
		}
	}
	return found, nil
}

// Resources lists what a server offers to read, at most 500; none if it does not support resources.
func (r Reader) Resources(ctx context.Context, server string) ([]*sdk.Resource, error) {
	return list(ctx, r, server, "resources", hasResources,
		func(ctx context.Context, c *sdk.ClientSession) iter.Seq2[*sdk.Resource, error] {
			return c.Resources(ctx, nil)
		})
}

// Templates lists the templates of addresses that a server can read, at most 500; none if it does not support
// resources.
func (r Reader) Templates(ctx context.Context, server string) ([]*sdk.ResourceTemplate, error) {
	return list(ctx, r, server, "templates", hasResources,
		func(ctx context.Context, c *sdk.ClientSession) iter.Seq2[*sdk.ResourceTemplate, error] {
			return c.ResourceTemplates(ctx, nil)
		})
}

// Prompts lists the prompts of a server, at most 500; none if it does not support prompts.
func (r Reader) Prompts(ctx context.Context, server string) ([]*sdk.Prompt, error) {
	return list(ctx, r, server, "prompts", hasPrompts,
		func(ctx context.Context, c *sdk.ClientSession) iter.Seq2[*sdk.Prompt, error] {
			return c.Prompts(ctx, nil)
		})
}

// Read reads one resource of a server and leaves out what is beyond 4 MB.
func (r Reader) Read(ctx context.Context, server, uri string) ([]*sdk.ResourceContents, error) {
	contents, _, err := r.read(ctx, server, uri)
	return contents, err
}

func (r Reader) read(
	ctx context.Context, server, uri string,
) (contents []*sdk.ResourceContents, truncated bool, err error) {
	ctx, session, done, err := r.sessions.Session(ctx, server)
	if err != nil {
		return nil, false, err
	}
	defer done()
	answer, err := inflight.Await(ctx, readLimit, func(ctx context.Context) (*sdk.ReadResourceResult, error) {
		return session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return nil, false, fmt.Errorf("reading %s of %s: %w", excerpt.TruncateRunes(uri, 200), server, err)
	}
	left := results.MaxText
	contents = []*sdk.ResourceContents{}
	for _, c := range answer.Contents {
		if c == nil {
			continue
		}
		if size := len(c.Text) + len(c.Blob); size > left {
			if part := *c; len(c.Blob) == 0 && left > 0 {
				part.Text = strings.ToValidUTF8(c.Text[:left], "")
				contents = append(contents, &part)
			}
			return contents, true, nil
		}
		left -= len(c.Text) + len(c.Blob)
		contents = append(contents, c)
	}
	return contents, false, nil
}

// Prompt returns a prompt of a server with args filled in.
func (r Reader) Prompt(
	ctx context.Context, server, name string, args map[string]string,
) (*sdk.GetPromptResult, error) {
	ctx, session, done, err := r.sessions.Session(ctx, server)
	if err != nil {
		return nil, err
	}
	defer done()
	answer, err := inflight.Await(ctx, readLimit, func(ctx context.Context) (*sdk.GetPromptResult, error) {
		return session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
	})
	if err != nil {
		return nil, fmt.Errorf("asking %s for the prompt %s: %w", server, excerpt.TruncateRunes(name, 80), err)
	}
	return answer, nil
}

// Complete returns a server's proposals for an argument, at most 100, none if it does not support completion. ref
// names a prompt ("ref/prompt") or a template ("ref/resource"), typed is the value so far, and others are the
// arguments filled in already.
func (r Reader) Complete(
	ctx context.Context, server string, ref sdk.CompleteReference, argument, typed string, others map[string]string,
) ([]string, error) {
	ctx, session, done, err := r.sessions.Session(ctx, server)
	if err != nil {
		return nil, err
	}
	defer done()
	if can := Capabilities(session); can == nil || can.Completions == nil {
		return []string{}, nil
	}
	params := &sdk.CompleteParams{Ref: &ref, Argument: sdk.CompleteParamsArgument{Name: argument, Value: typed}}
	if len(others) > 0 {
		params.Context = &sdk.CompleteContext{Arguments: others}
	}
	answer, err := inflight.Await(ctx, listLimit, func(ctx context.Context) (*sdk.CompleteResult, error) {
		return session.Complete(ctx, params)
	})
	if err != nil {
		return nil, fmt.Errorf("asking %s to complete %s: %w", server, excerpt.TruncateRunes(argument, 80), err)
	}
	values := answer.Completion.Values
	return values[:min(len(values), maxCompletions)], nil
}
