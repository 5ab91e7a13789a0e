package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/apps"
	"sextant/backend/mcp/definitions"
	"sextant/backend/mcp/inflight"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

const (
	pageLimit  = 20 * time.Second
	maxAnswer  = 4 << 20
	maxLine    = 2000
	maxDomains = 128
)

// AppTool describes a tool to a page of its server.
type AppTool struct {
	// Name is the server's name for the tool.
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// AppDefinitions returns the tools that a server's pages may call, under their names in the catalog.
func (s *Servers) AppDefinitions(server string) []toolspec.Definition {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.servers[server]
	if v == nil {
		return nil
	}
	var defs []toolspec.Definition
	for _, t := range v.tools {
		if t.ui.AppCanCall {
			def := t.def
			def.Name = t.public(v.prefix)
			defs = append(defs, def)
		}
	}
	return defs
}

// AppTools returns the tools of AppDefinitions under the server's names for them.
func (s *Servers) AppTools(server string) []AppTool {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []AppTool{}
	if v := s.servers[server]; v != nil {
		for _, t := range v.tools {
			if t.ui.AppCanCall {
				list = append(list, t.appTool())
			}
		}
	}
	return list
}

func (t tool) appTool() AppTool {
	return AppTool{Name: t.theirs, Description: t.def.Description, InputSchema: t.def.Parameters}
}

// App returns the page that shows calls of a tool, and the tool. name is the server's name for the tool, or its
// name in the catalog. For a connected server, the error wraps apps.ErrNoPage if the tool has no page, or if what the
// server returns is no page.
func (s *Servers) App(ctx context.Context, server, name string) (apps.Page, AppTool, error) {
	s.mu.Lock()
	v := s.servers[server]
	found := tool{}
	if v != nil {
		for _, t := range v.tools {
			if t.ui.URI != "" && (t.theirs == name || t.public(v.prefix) == name) {
				found = t
			}
		}
	}
	s.mu.Unlock()
	if found.ui.URI == "" {
		if why := s.notCallable(server, name); v == nil || v.session == nil {
			return apps.Page{}, AppTool{}, fmt.Errorf("%s. %s", why.Error, why.Suggestion)
		}
		return apps.Page{}, AppTool{}, fmt.Errorf("%w: %s of %s has no page", apps.ErrNoPage,
			excerpt.TruncateRunes(name, definitions.MaxName), server)
	}
	contents, err := s.readForPage(ctx, server, found.ui.URI)
	if err != nil {
		return apps.Page{}, AppTool{}, err
	}
	page, err := apps.ParsePage(found.ui.URI, contents, s.listedMeta(ctx, server, found.ui.URI, contents))
	if err != nil {
		return apps.Page{}, AppTool{}, fmt.Errorf("the page of %s: %w", server, err)
	}
	return page, found.appTool(), nil
}

func (s *Servers) listedMeta(ctx context.Context, server, uri string, contents []*sdk.ResourceContents) sdk.Meta {
	for _, c := range contents {
		if _, declared := c.Meta["ui"]; declared {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, pageLimit/4)
	defer cancel()
	list, err := s.Resources(ctx, server)
	if err != nil {
		return nil // the list need not name pages, and may be missing
	}
	for _, r := range list {
		if r.URI == uri {
			return r.Meta
		}
	}
	return nil
}

func (s *Servers) readForPage(ctx context.Context, server, uri string) ([]*sdk.ResourceContents, error) {
	ctx, session, done, err := s.Session(ctx, server)
	if err != nil {
		return nil, err
	}
	defer done()
	answer, err := inflight.Await(ctx, pageLimit, func(ctx context.Context) (*sdk.ReadResourceResult, error) {
		return session.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s of %s: %w", excerpt.TruncateRunes(uri, 200), server, err)
	}
	left := apps.MaxPage + 1
	read := []*sdk.ResourceContents{}
	for _, c := range answer.Contents {
		if c == nil {
			continue
		}
		if left -= len(c.Text) + len(c.Blob); left < 0 {
			return nil, fmt.Errorf("%s of %s is larger than %d MB", excerpt.TruncateRunes(uri, 200), server,
				apps.MaxPage>>20)
		}
		read = append(read, c)
	}
	return read, nil
}

// ReadForApp reads a resource and returns the result of resources/read as JSON, with the person's secrets masked.
func (s *Servers) ReadForApp(ctx context.Context, server, uri string) (json.RawMessage, error) {
	contents, err := s.readForPage(ctx, server, uri)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(sdk.ReadResourceResult{Contents: contents})
	if err != nil {
		return nil, fmt.Errorf("reading %s of %s: %w", excerpt.TruncateRunes(uri, 200), server, err)
	}
	return s.cfg.Secrets.MaskJSON(raw), nil
}

func (v *server) answerForPage(call toolspec.Call, theirs string, answer *sdk.CallToolResult) json.RawMessage {
	if call.From.Caller != toolspec.CallerApp && !v.hasPage(theirs) {
		return nil
	}
	raw, err := json.Marshal(answer)
	if err != nil || len(raw) > maxAnswer {
		v.log.Warn("an answer is too large for its page", "tool", theirs, "bytes", len(raw), "err", err)
		return nil
	}
	return raw
}

func (v *server) hasPage(theirs string) bool {
	v.owner.mu.Lock()
	defer v.owner.mu.Unlock()
	return slices.ContainsFunc(v.tools, func(t tool) bool { return t.theirs == theirs && t.ui.URI != "" })
}

// AppDomains returns the uses of origins that the person allowed the pages of a server, in the form of
// apps.Domains.Uses.
func (s *Servers) AppDomains(ctx context.Context, server string) ([]string, error) {
	v, err := s.server(server)
	if err != nil {
		return nil, err
	}
	known, err := v.known(ctx)
	return known.Domains, err
}

// AllowAppDomains adds uses to those of AppDomains. Only the person may decide that. If a use is malformed or there
// are too many, it returns an error and adds none.
func (s *Servers) AllowAppDomains(ctx context.Context, server string, uses []string) error {
	v, err := s.server(server)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(uses, func(use string) bool { return !apps.IsUse(use) }); i >= 0 {
		return fmt.Errorf(`%.80q is not a use and an origin, such as "connect https://api.example.com"`, uses[i])
	}
	full := false
	err = v.remember(ctx, func(k *wire.KnownServer) {
		all := slices.Concat(slices.DeleteFunc(k.Domains, func(use string) bool { return !apps.IsUse(use) }), uses)
		slices.Sort(all)
		if all = slices.Compact(all); len(all) > maxDomains {
			full = true
			return
		}
		k.Domains = all
	})
	if full {
		return fmt.Errorf("pages of %s may already reach %d origins, the most possible", server, maxDomains)
	}
	return err
}

// RevokeAppDomain removes one use from those of AppDomains. A missing one is no error.
func (s *Servers) RevokeAppDomain(ctx context.Context, server, use string) error {
	v, err := s.server(server)
	if err != nil {
		return err
	}
	return v.remember(ctx, func(k *wire.KnownServer) {
		k.Domains = slices.DeleteFunc(slices.Clone(k.Domains), func(one string) bool { return one == use })
	})
}

// WriteAppLog writes a line from a server's page to the server's log, at most 2,000 bytes of it.
func (s *Servers) WriteAppLog(server, line string) error {
	v, err := s.server(server)
	if err != nil {
		return err
	}
	if len(line) > maxLine {
		line = line[:maxLine]
	}
	_, err = v.tail.Write([]byte("app: " + strings.Join(strings.Fields(strings.ToValidUTF8(line, "")), " ") + "\n"))
	return err
}
