package mcpclient

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/resources"
	"sextant/backend/toolprovider/results"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// resourceServer is a server with resources and prompts, some of them hostile.
func resourceServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "library", Version: "1"}, &sdk.ServerOptions{
		SubscribeHandler:   func(context.Context, *sdk.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *sdk.UnsubscribeRequest) error { return nil },
		CompletionHandler: func(_ context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
			return &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{req.Params.Ref.Type +
				" " + req.Params.Argument.Value + "a"}}}, nil
		},
	})
	var reads atomic.Int32
	read := func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		one := &sdk.ResourceContents{URI: req.Params.URI, MIMEType: "text/plain", Text: "words of " + req.Params.URI}
		switch req.Params.URI {
		case "note:long":
			one.Text = strings.Repeat("ü", results.MaxText/2+10)
		case "note:picture":
			one.Text, one.Blob, one.MIMEType = "", []byte{1, 2, 3}, "image/png"
		case "note:live":
			one.Text = "read " + string('0'+reads.Add(1)) + " times"
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{one}}, nil
	}
	for _, uri := range []string{"note:a", "note:long", "note:picture", "note:live", "ui://app/page"} {
		s.AddResource(&sdk.Resource{URI: uri, Name: "Name\u202e of " + uri}, read)
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "note:{id}", Name: "A note"}, read)
	s.AddPrompt(&sdk.Prompt{Name: "review", Arguments: []*sdk.PromptArgument{{Name: "file", Required: true}}},
		func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: "Review " + req.Params.Arguments["file"] +
					".\U000e0041\nAll of it."}},
				{Role: "user", Content: &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{
					URI:  "note:a",
					Text: "inside",
				}}},
				{Role: "user", Content: &sdk.ImageContent{MIMEType: "image/png", Data: []byte{1}}},
			}}, nil
		})
	s.AddTool(&sdk.Tool{Name: "change", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			s.AddResource(&sdk.Resource{URI: "note:new", Name: "New"}, read)
			err := s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "note:live"})
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "changed"}}}, err
		})
	return s
}

func startResourceServer(t *testing.T) (*Servers, *journal) {
	t.Helper()
	s, j, _ := started(t, configText(`"Shelf": `+stdio(t, "library", "")))
	waitForState(t, s, "Shelf", stateReady)
	return s, j
}

func TestOffers(t *testing.T) {
	s, _ := startResourceServer(t)
	got, err := s.Offers(t.Context(), "Shelf")
	if err != nil || len(got.Resources) != 4 || len(got.Templates) != 1 || len(got.Prompts) != 1 || !got.CanComplete ||
		!got.CanSubscribe {
		t.Fatalf("%+v, %v", got, err)
	}
	if name := got.Resources[0].Name; strings.Contains(name, "\u202e") || !strings.Contains(name, `\u202e`) {
		t.Errorf("a name that turns the line is shown as %q", name)
	}
	if _, err := s.Offers(t.Context(), "nobody"); !IsUnknownServer(err) {
		t.Errorf("got %v", err)
	}
	read, err := s.Contents(t.Context(), "Shelf", "note:b")
	if err != nil || len(read.Parts) != 1 || read.Parts[0].Text != "words of note:b" || read.Truncated {
		t.Errorf("by a template: %+v, %v", read, err)
	}
	read, err = s.Contents(t.Context(), "Shelf", "note:picture")
	if err != nil || read.Parts[0].Blob != "AQID" || read.Parts[0].Bytes != 3 {
		t.Errorf("a picture: %+v, %v", read, err)
	}
	read, err = s.Contents(t.Context(), "Shelf", "note:long")
	if err != nil || !read.Truncated || len(read.Parts) != 1 || len(read.Parts[0].Text) > results.MaxText {
		t.Errorf("a long one: %d parts, cut %v, %v", len(read.Parts), read.Truncated, err)
	}
	values, err := s.Complete(t.Context(), "Shelf", sdk.CompleteReference{Type: "ref/resource", URI: "note:{id}"}, "id",
		"b", nil)
	if err != nil || len(values) != 1 || values[0] != "ref/resource ba" {
		t.Errorf("completion %v, %v", values, err)
	}
}

func TestDraftFromPrompt(t *testing.T) {
	s, _ := startResourceServer(t)
	got, err := s.Draft(t.Context(), "Shelf", "review", map[string]string{"file": "main.go"})
	if err != nil || got.Text != "Review main.go.\nAll of it." {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(got.Attachments) != 1 || got.Attachments[0] != (resources.ServerAttachment{
		Server: "Shelf", Title: "note:a",
		Text: "inside",
	}) || len(got.Omitted) != 1 {
		t.Errorf("%+v", got)
	}
	if _, err := s.Draft(t.Context(), "Shelf", "none", nil); err == nil {
		t.Error("a prompt that is not there was filled in")
	}
}

func TestResourceTools(t *testing.T) {
	s, _ := startResourceServer(t)
	list := call(t, s, "shelf__resources__list", `{"query":"LIVE"}`)
	if text := list.ModelText(); !strings.Contains(text, "note:live") || strings.Contains(text, "note:a") ||
		list.Sources[0] != "mcp:Shelf" {
		t.Errorf("%s, from %v", text, list.Sources)
	}
	if r := call(t, s, "shelf__resources__read", `{"uri":"note:a"}`); r.ModelText() != "words of note:a" ||
		r.Sources[0] != "mcp:Shelf" {
		t.Errorf("%s, from %v", r.ModelText(), r.Sources)
	}
	if r := call(t, s, "shelf__resources__read", `{"uri":"note:picture"}`); len(r.Images) != 1 {
		t.Errorf("%+v", r)
	}
	mustFail(t, call(t, s, "shelf__resources__read", `{"uri":"ui://app/page"}`), toolspec.UserError, "app")
	mustFail(t, call(t, s, "shelf__resources__read", `{"uri":"other:1"}`), toolspec.UserError, "other:1")
	defs := s.Definitions("")
	if len(defs) != 3 || defs[1].Name != "shelf__resources__list" || defs[2].Name != "shelf__resources__read" {
		t.Errorf("%+v", defs)
	}
	for _, d := range defs {
		if !d.Hints.Confirm || d.Hints.ReadOnly || d.Owner != "Shelf" {
			t.Errorf("%s is %+v of %s", d.Name, d.Hints, d.Owner)
		}
	}
	// A server can't be called by our names past those tools.
	mustFail(t, s.Call(t.Context(), "Shelf", "resources__read", json.RawMessage(`{}`)), toolspec.UserError, "no tool")
}

func TestResourceSubscriptions(t *testing.T) {
	s, j := startResourceServer(t)
	for _, uri := range []string{"note:live", "note:live", "note:a"} {
		if on, err := s.Watch(t.Context(), "Shelf", uri, true); !on || err != nil {
			t.Fatal(on, err)
		}
	}
	call(t, s, "shelf__change", `{}`)
	heard := func() (h event.ServerNotifications) {
		j.mu.Lock()
		defer j.mu.Unlock()
		for _, e := range j.events {
			var notified event.MCPNotifications
			if e.Kind == event.MCPNotified && json.Unmarshal(e.Data, &notified) == nil {
				h = notified.Servers[0]
			}
		}
		return h
	}
	eventually(
		t,
		"the change is published",
		func() bool { h := heard(); return h.Lists > 0 && h.Updates["note:live"] == 1 },
	)
	if h := heard(); h.Updates["note:a"] != 0 || h.Name != "Shelf" {
		t.Errorf("%+v", h)
	}
	if on, err := s.Watch(t.Context(), "Shelf", "note:live", false); on || err != nil {
		t.Fatal(on, err)
	}
}
