package mcpserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/toolspec"
)

// sharedConversations are conversations that the person shared.
type sharedConversations map[string]string

func (s sharedConversations) List(context.Context) ([]Conversation, error) {
	list := []Conversation{}
	for id, title := range s {
		list = append(list, Conversation{ID: id, Title: title})
	}
	slices.SortFunc(list, func(a, b Conversation) int { return strings.Compare(a.ID, b.ID) })
	return list, nil
}

func (s sharedConversations) Text(_ context.Context, id string) (string, bool, error) {
	title, ok := s[id]
	return "# " + title, ok, nil
}

func TestReadPageResourceCallsTool(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			h := startHost(t, nil)
			c := h.connect(t, "editor", "", revision, nil)
			list, err := c.ListResources(t.Context(), nil)
			if err != nil || len(list.Resources) != 1 || list.Resources[0].URI != "sextant://page/elements" {
				t.Fatalf("with annotate_page alone: %+v %v", list, err)
			}
			got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "sextant://page/elements"})
			if err != nil || len(got.Contents) != 1 || got.Contents[0].MIMEType != "image/png" ||
				string(got.Contents[0].Blob) != "\x01\x02" {
				t.Fatalf("%+v %v", got, err)
			}
			call := h.calls.last()
			if call.Tool != "annotate_page" || call.From.Caller != toolspec.CallerMCP || call.From.Client != "editor" ||
				call.From.Session != "s0" || call.From.Interactive {
				t.Errorf("it was read by %+v", call)
			}
			for _, uri := range []string{
				"sextant://page/screenshot", "sextant://page/", "sextant://conversation/1",
				"file:///etc/passwd", entryURI,
			} {
				_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
				var said *jsonrpc.Error
				if !errors.As(err, &said) || said.Code != jsonrpc.CodeInvalidParams {
					t.Errorf("%s: %v", uri, err)
				}
			}
		})
	}
}

func TestRefusedReadSaysWhy(t *testing.T) {
	a := &askingCaller{asks: 1}
	h := startHost(t, a.config)
	_, err := h.connect(t, "editor", "", "2026-07-28", userAnswers(t, allowOnce())).ReadResource(t.Context(),
		&sdk.ReadResourceParams{URI: "sextant://page/elements"})
	if err == nil || !strings.Contains(err.Error(), "nobody to ask") || a.ran != 0 {
		t.Errorf("got %v", err)
	}
}

func TestOnlySharedConversationsAreReadable(t *testing.T) {
	h := startHost(t, func(cfg *Config) { cfg.Conversations = sharedConversations{"c1": "Lamps", "c2": "Chairs"} })
	c := h.connect(t, "editor", "", "2026-07-28", nil)
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 3 || list.Resources[1].URI != "sextant://conversation/c1" ||
		list.Resources[1].Title != "Lamps" {
		t.Fatalf("%+v %v", list, err)
	}
	got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "sextant://conversation/c2"})
	if err != nil || got.Contents[0].Text != "# Chairs" || got.Contents[0].MIMEType != "text/markdown" {
		t.Errorf("%+v %v", got, err)
	}
	if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "sextant://conversation/c3"}); err == nil {
		t.Error("one that is not shared was read")
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		t.Errorf("%+v %v", templates, err)
	}
	for _, w := range []struct {
		uri, value string
		want       []string
	}{
		{"sextant://conversation/{id}", "c", []string{"c1", "c2"}},
		{"sextant://page/{form}", "el", []string{"elements"}},
		{"sextant://page/{form}", "x", []string{}},
		{"other://{id}", "", []string{}},
	} {
		t.Run(w.uri+" "+w.value, func(t *testing.T) {
			got, err := c.Complete(t.Context(), &sdk.CompleteParams{Ref: &sdk.CompleteReference{
				Type: "ref/resource",
				URI:  w.uri,
			}, Argument: sdk.CompleteParamsArgument{Name: "id", Value: w.value}})
			if err != nil || got.Completion.Total != len(w.want) {
				t.Errorf("%s %q: %+v %v", w.uri, w.value, got, err)
				return
			}
			if diff := cmp.Diff(w.want, got.Completion.Values); diff != "" {
				t.Errorf("%s %q: %s", w.uri, w.value, diff)
			}
		})
	}
}

func TestPromptContainsPage(t *testing.T) {
	h := startHost(t, func(cfg *Config) { cfg.Caller = textCaller("Page: Shop") })
	c := h.connect(t, "editor", "", "2025-11-25", nil)
	list, err := c.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 3 {
		t.Fatalf("%+v %v", list, err)
	}
	get := func(name string, args map[string]string) (*sdk.GetPromptResult, error) {
		return c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: name, Arguments: args})
	}
	got, err := get("do_on_page", map[string]string{"task": "Buy a {url} lamp", "url": "shop.example"})
	if err != nil || !strings.HasPrefix(got.Messages[0].Content.(*sdk.TextContent).Text, "Open shop.example with "+
		"navigate_page. Buy a {url} lamp\n") {
		t.Errorf("%+v %v", got, err)
	}
	if got, err = get("check_form", nil); err != nil ||
		got.Messages[1].Content.(*sdk.EmbeddedResource).Resource.Text != "Page: Shop" {
		t.Errorf("%+v %v", got, err)
	}
	if _, err = get("do_on_page", nil); err == nil || !strings.Contains(err.Error(), "needs the argument task") {
		t.Errorf("without its argument: %v", err)
	}
	if _, err = get(entryName, nil); err == nil || !strings.Contains(err.Error(), "unknown prompt") {
		t.Errorf("one there is not: %v", err)
	}
	if _, err = get("sum_up_page", nil); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("one whose tool is not offered: %v", err)
	}
}

func TestRefusalIsLoggedToClient(t *testing.T) {
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			heard := make(chan *sdk.LoggingMessageParams, 10)
			a := &askingCaller{asks: 1}
			h := startHost(t, a.config)
			c := h.connect(t, "editor", "", revision,
				&sdk.ClientOptions{LoggingMessageHandler: func(_ context.Context,
					r *sdk.LoggingMessageRequest,
				) {
					heard <- r.Params
				}})
			params := &sdk.CallToolParams{Name: "bash"}
			if revision < sinceStateless {
				//nolint:staticcheck // how older revisions ask for logs
				if err := c.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "warning"}); err != nil {
					t.Fatal(err)
				}
			} else {
				params.Meta = sdk.Meta{sdk.MetaKeyLogLevel: "warning"}
			}
			if _, err := c.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			if got := <-heard; got.Level != "warning" || got.Data != "bash was refused: there is nobody to ask" {
				t.Errorf("heard %+v", got)
			}
		})
	}
}
