package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/tools/panels/jsonpos"
	"sextant/shared/toolspec"
)

// Consents are what a person allows a server to ask Sextant for, as its entry in the config says. Nil is
// not said yet: then a call in which it asks puts the question, and the answer is written there.
type Consents struct {
	// Roots is whether it may know the folder the person works in.
	Roots *bool `json:"roots,omitempty"`
	// Sampling false keeps it from putting questions to the person's model; else each one is asked
	// about.
	Sampling *bool `json:"sampling,omitempty"`
}

// RootsAsked is a server that wants to know the folder the person works in, in the middle of a call.
type RootsAsked struct {
	Server, Folder string
	Call           toolspec.Call
}

func is(p *bool, want bool) bool { return p != nil && *p == want }

// consents are the person's for the server, as the config says now.
func (v *server) consents() Consents {
	v.owner.mu.Lock()
	defer v.owner.mu.Unlock()
	return v.owner.consents[v.name]
}

// Consent writes down what a server may ask for; nil members stay as they are. A server that runs goes
// on; what it may declare is told when it connects again.
func (s *Servers) Consent(name string, c Consents) error {
	s.change.Lock()
	defer s.change.Unlock()
	text, err := readConfig(s.cfg.Path)
	if err != nil {
		return err
	}
	for member, said := range map[string]*bool{"roots": c.Roots, "sampling": c.Sampling} {
		if said == nil {
			continue
		}
		if text, err = setMember(text, name, member, fmt.Sprintf("%t", *said), false); err != nil {
			return err
		}
	}
	return s.write(text)
}

// offer adds to o what the server may ask for.
func (v *server) offer(o *sdk.ClientOptions) {
	may, cfg := v.consents(), &v.owner.cfg
	if cfg.Folder != nil && cfg.Folder() != "" && !is(may.Roots, false) && (is(may.Roots, true) || cfg.AskRoots != nil) {
		o.Capabilities.RootsV2 = &sdk.RootCapabilities{}
	}
	if cfg.Sample != nil && !is(may.Sampling, false) && (cfg.CanSample == nil || cfg.CanSample()) {
		o.CreateMessageHandler = v.sample
	}
}

// answering has client answer what the server asks for as the person said.
func (v *server) answering(client *sdk.Client) {
	client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if method != "roots/list" {
				return next(ctx, method, req)
			}
			roots, err := v.roots(ctx, req.GetParams())
			if err != nil {
				return nil, err
			}
			return &sdk.ListRootsResult{Roots: roots}, nil
		}
	})
	// In the newest revision a question comes back as part of an answer, and the SDK answers with these.
	if v.owner.cfg.Folder != nil && is(v.consents().Roots, true) {
		client.AddRoots(root(v.owner.cfg.Folder())...)
	}
}

func root(folder string) []*sdk.Root {
	if folder == "" {
		return nil
	}
	return []*sdk.Root{{URI: (&url.URL{Scheme: "file", Path: filepath.ToSlash(folder)}).String(), Name: filepath.Base(folder)}}
}

// unconsented is what a server hears that may not have what it asks for.
func unconsented(why string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: why}
}

// roots are the folders that the server may know: the one the person works in, once they said so. One
// that asks outside of a call is not put to the person, who did nothing that it could be about.
func (v *server) roots(ctx context.Context, params sdk.Params) ([]*sdk.Root, error) {
	cfg := &v.owner.cfg
	may := v.consents()
	switch {
	case cfg.Folder == nil || cfg.Folder() == "":
		return []*sdk.Root{}, nil
	case is(may.Roots, true):
		return root(cfg.Folder()), nil
	case is(may.Roots, false):
		return nil, unconsented("the person does not share their folder with this server")
	}
	var meta map[string]any
	if p, ok := params.(*sdk.ListRootsParams); ok && p != nil {
		meta = p.Meta
	}
	one := v.flying.asker(ctx, meta)
	if one == nil || cfg.AskRoots == nil {
		return nil, unconsented("the person has not allowed this server to know their folder; it can be allowed in the panel of MCP servers")
	}
	ctx, done := one.join(ctx)
	defer done()
	leave, ok := one.turn(ctx)
	if !ok {
		return nil, unconsented("it asks too much in one call")
	}
	defer leave()
	if said := v.consents().Roots; said != nil { // by the question before
		return v.roots(ctx, params)
	}
	yes, err := cfg.AskRoots(ctx, RootsAsked{Server: v.name, Folder: cfg.Folder(), Call: one.call})
	if err != nil {
		v.log.Info("MCP server's wish to know the folder was not answered", "error", err)
		return nil, unconsented("nobody answered whether this server may know the folder")
	}
	v.owner.remember(v, Consents{Roots: &yes})
	if !yes {
		return nil, unconsented("the person does not share their folder with this server")
	}
	return root(cfg.Folder()), nil
}

// remember takes what the person said of v for as long as the config says nothing else, and writes it
// there by and by: who changes the config may wait for v to end, and v for the request that asks here.
func (s *Servers) remember(v *server, c Consents) {
	s.mu.Lock()
	had := s.consents[v.name]
	if c.Roots != nil {
		had.Roots = c.Roots
	}
	if s.consents == nil {
		s.consents = map[string]Consents{}
	}
	s.consents[v.name] = had
	s.mu.Unlock()
	s.writing.Go(func() {
		if err := s.Consent(v.name, c); err != nil {
			v.log.Warn("what a server may know could not be written down and is asked again", "error", err)
		}
	})
}

// allowed are the consents of entries that say any.
func allowed(entries map[string]Entry) map[string]Consents {
	out := map[string]Consents{}
	for name, e := range entries {
		if e.Consents != (Consents{}) {
			out[name] = e.Consents
		}
	}
	return out
}

// setMember changes only one member of one server in text, which is added where it is missing, unless
// missing says that its absence means the same; everything else, order and spacing too, stays as the
// person wrote it. The error is errUnknownServer where there is none of that name.
func setMember(text []byte, name, member, value string, missing bool) ([]byte, error) {
	index, err := jsonpos.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("mcp-config.json is not valid JSON at %w", err)
	}
	server := jsonpos.Pointer("/mcpServers", name)
	span, ok := index.Values[server]
	if !ok || text[span.Start] != '{' {
		return nil, fmt.Errorf("%w: %s", errUnknownServer, name)
	}
	if old, ok := index.Values[jsonpos.Pointer(server, member)]; ok {
		return splice(text, old.Start, old.End, value), nil
	}
	if missing {
		return text, nil
	}
	quoted, err := json.Marshal(member)
	if err != nil {
		return nil, errors.New("a member's name is not text")
	}
	return insert(text, index, server, span, string(quoted)+": "+value), nil
}
