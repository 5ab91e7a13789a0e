package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sextant/backend/agent/loop"
	"sextant/backend/api/pages"
	"sextant/backend/mcp/apps"
	"sextant/backend/mcp/client"
	"sextant/backend/policy"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// appRoom is what the pages of MCP servers (MCP Apps) get by way of the window.
type appRoom struct {
	sys  *System
	gate apps.RequestLimiter
	noes apps.DenialLimiter
	// shelf holds the pages, told what they tell the model.
	shelf apps.PageCache
	told  apps.ModelContext
}

// Show reads the page of a tool anew and says where it is served.
func (a *appRoom) Show(ctx context.Context, server, tool string) (wire.App, error) {
	page, shown, err := a.sys.MCP.App(ctx, server, tool)
	if err != nil {
		return wire.App{}, err
	}
	allowed, err := a.sys.MCP.AppDomains(ctx, server)
	if err != nil {
		return wire.App{}, err
	}
	a.noes.Reset(server)
	id := a.shelf.Put(server, page, allowed)
	out := wire.App{
		URL: a.sys.Pages.URL(id, pages.Entry), Border: page.Border, Tool: forWire(shown), Tools: []wire.AppTool{},
		Allowed: []string{}, Wants: []string{},
	}
	for _, t := range a.sys.MCP.AppTools(server) {
		out.Tools = append(out.Tools, forWire(t))
	}
	for _, use := range page.Domains.Uses() {
		if slices.Contains(allowed, use) {
			out.Allowed = append(out.Allowed, use)
		} else {
			out.Wants = append(out.Wants, use)
		}
	}
	a.sys.Log.Info("page of an MCP server is shown", "server", server, "page", page.URI, "reaches", out.Allowed,
		"wants", out.Wants, "permissions", page.Permissions)
	return out, nil
}

func forWire(t mcp.AppTool) wire.AppTool {
	return wire.AppTool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}
}

// Allow lets the pages of a server reach origins from now on, each for one use.
func (a *appRoom) Allow(ctx context.Context, server string, uses []string) error {
	return a.sys.MCP.AllowAppDomains(ctx, server, uses)
}

// Reach is what the pages of a server may reach.
func (a *appRoom) Reach(ctx context.Context, server string) ([]string, error) {
	return a.sys.MCP.AppDomains(ctx, server)
}

// Revoke takes one of those back. Pages that are shown reach it no longer.
func (a *appRoom) Revoke(ctx context.Context, server, use string) error {
	defer a.shelf.Drop(server)
	return a.sys.MCP.RevokeAppDomain(ctx, server, use)
}

// Call makes a call that a server's page asks for, by the server's own name of the tool: that of the
// app and never the person's, judged, asked about and written down as any other. The answer is the
// server's, or in its form why there is none.
func (a *appRoom) Call(ctx context.Context, server, tool, conversation string, args json.RawMessage) json.RawMessage {
	leave, err := a.gate.Begin(server)
	if err == nil {
		if err = a.noes.Check(server); err != nil {
			leave()
		}
	}
	if err != nil {
		return failedAnswer(toolspec.Fail(toolspec.UserError, err.Error(), ""))
	}
	defer leave()
	name, ok := a.sys.MCP.ToolName(server, tool)
	if !ok {
		name = tool
	}
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	r := a.sys.Pipeline.Do(ctx, toolspec.Call{Tool: name, Args: args, From: toolspec.Provenance{
		Caller: toolspec.CallerApp, Client: server, Conversation: conversation, Interactive: a.sys.hub.Watched(),
		Unpaged: true,
		Outside: []string{policy.AppSource(server)},
	}})
	if r.ErrorType == toolspec.PermissionError {
		a.noes.Denied(server)
	}
	if len(r.App) > 0 {
		return r.App
	}
	if !r.Success {
		return failedAnswer(r)
	}
	return textAnswer(r.ModelText(), false)
}

func failedAnswer(r toolspec.Result) json.RawMessage {
	return textAnswer(r.ModelText(), true)
}

// textAnswer is a tools/call result in MCP's form with one text.
func textAnswer(text string, failed bool) json.RawMessage {
	type block struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	raw, err := json.Marshal(struct {
		Content []block `json:"content"`
		IsError bool    `json:"isError,omitempty"`
	}{[]block{{"text", text}}, failed})
	if err != nil {
		return json.RawMessage(`{"content":[],"isError":true}`) // a struct of strings is always written
	}
	return raw
}

// Read is the answer to resources/read that a server's page asks for, of that server alone.
func (a *appRoom) Read(ctx context.Context, server, uri string) (json.RawMessage, error) {
	leave, err := a.gate.Begin(server)
	if err != nil {
		return nil, err
	}
	defer leave()
	return a.sys.MCP.ReadForApp(ctx, server, uri)
}

// Tell keeps what a server's page tells the model in a conversation.
func (a *appRoom) Tell(server, conversation string, content, structured json.RawMessage) error {
	if conversation == "" {
		return errors.New("there is no conversation to tell it in")
	}
	return a.told.Put("conversation "+conversation, policy.AppSource(server), content, structured)
}

// TellAsPanel keeps what the page of a panel tells the model while the panel is in front.
func (a *appRoom) TellAsPanel(panel string, content, structured json.RawMessage) error {
	return a.told.Put("panel "+panel, policy.PanelSource(panel), content, structured)
}

// tells is what pages say to the model in a conversation with that panel in front.
func (a *appRoom) tells(conversation, panel string) []loop.PageContext {
	var all []loop.PageContext
	for _, t := range append(a.told.Latest("conversation "+conversation), a.told.Latest("panel "+panel)...) {
		if server, app := strings.CutPrefix(t.Source, policy.AppSource("")); app && !a.sys.MCP.IsConnected(server) {
			t.Text = "" // what it showed went with it
		}
		all = append(all, loop.PageContext{Source: t.Source, Text: a.sys.Secrets.Mask(t.Text)})
	}
	return all
}

// Note puts a line that a server's page logs into the server's log.
func (a *appRoom) Note(server, line string) error { return a.sys.MCP.AppLog(server, line) }

// mailParts are what an address of mail may say beside who it is for: some programs attach files that
// an address names.
var mailParts = []string{"to", "cc", "bcc", "subject", "body"}

// mailAddress is an address of mail with nothing else in it.
func mailAddress(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mailto" || len(address) > 2000 || strings.HasPrefix(u.Opaque, "-") {
		return "", fmt.Errorf("%.80q is no address of mail", address)
	}
	said, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return "", fmt.Errorf("%.80q is no address of mail", address)
	}
	var parts []string
	for name, values := range said {
		if name = strings.ToLower(name); len(values) > 0 && slices.Contains(mailParts, name) {
			// Programs for mail read a plus as a plus.
			parts = append(parts, name+"="+strings.ReplaceAll(url.QueryEscape(values[0]), "+", "%20"))
		}
	}
	slices.Sort(parts)
	return (&url.URL{Scheme: "mailto", Opaque: u.Opaque, RawQuery: strings.Join(parts, "&")}).String(), nil
}

// Mail opens the person's own program for mail, after they agreed.
func (a *appRoom) Mail(address string) error {
	plain, err := mailAddress(address)
	if err != nil {
		return err
	}
	if err := opens(plain, ""); err != nil {
		return fmt.Errorf("no program for mail could be opened: %w", err)
	}
	return nil
}

// page is what the second origin serves for an id of the shelf.
func (a *appRoom) page(id string) (pages.Source, bool) {
	shown, ok := a.shelf.Page(id)
	ok = ok && a.sys.MCP.IsConnected(shown.Server)
	return pages.Source{Document: shown.HTML, Grants: appGrants(shown.Domains)}, ok
}

// mayReach reports whether a page that was shown, of a server that runs, may reach host.
func (a *appRoom) mayReach(host string) bool {
	return slices.ContainsFunc(a.shelf.All(), func(p apps.CachedPage) bool {
		return a.sys.MCP.IsConnected(p.Server) && appGrants(p.Domains).Allows(host)
	})
}

func appGrants(d apps.Domains) pages.Grants {
	return pages.Grants{Connect: d.Connect, Resource: d.Resource, Frame: d.Frame, Base: d.Base, Eval: true}
}
