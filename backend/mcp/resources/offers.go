package resources

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/servertext"
	"sextant/shared/annotation"
	"sextant/shared/excerpt"
)

const (
	maxTitle     = 200
	maxAbout     = 2000
	maxArguments = 32
	maxDraft     = 100_000
	maxAttached  = 8
)

// Offers lists what a server has besides its tools. All text in it is the server's. Invisible characters are
// escaped, except in addresses and in the names of prompts and arguments, which are sent back to the server.
type Offers struct {
	Resources    []Resource         `json:"resources"`
	Templates    []ResourceTemplate `json:"templates"`
	Prompts      []ServerPrompt     `json:"prompts"`
	CanComplete  bool               `json:"completes"`
	CanSubscribe bool               `json:"watches"`
}

// Resource is a resource that a server offers to read.
type Resource struct {
	URI   string `json:"uri"`
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
	MIME  string `json:"mime,omitempty"`
	// Bytes is the size that the server states, 0 if unknown.
	Bytes int64 `json:"bytes,omitempty"`
}

// ResourceTemplate is a template of addresses, with names in braces.
type ResourceTemplate struct {
	URI   string `json:"uri"`
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
	MIME  string `json:"mime,omitempty"`
}

// ServerPrompt is a server's prompt with arguments to fill in.
type ServerPrompt struct {
	Name      string           `json:"name"`
	Title     string           `json:"title"`
	About     string           `json:"about,omitempty"`
	Arguments []PromptArgument `json:"arguments"`
}

// PromptArgument is one argument of a prompt.
type PromptArgument struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	About    string `json:"about,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// Content is one part of a resource: text, or bytes in Base64.
type Content struct {
	URI   string `json:"uri"`
	MIME  string `json:"mime,omitempty"`
	Text  string `json:"text,omitempty"`
	Blob  string `json:"blob,omitempty"`
	Bytes int    `json:"bytes"`
}

// Contents is the content of a resource.
type Contents struct {
	Parts []Content `json:"contents"`
	// Truncated is true if the resource has more content.
	Truncated bool `json:"cut,omitempty"`
}

// Draft is a filled-in prompt as a person may send it.
type Draft struct {
	Text        string             `json:"text"`
	Attachments []ServerAttachment `json:"attached"`
	// Omitted describes up to 8 parts that cannot be sent, such as images.
	Omitted []string `json:"left"`
}

// ServerAttachment is text from a server that is sent with a message.
type ServerAttachment struct {
	Server string `json:"server" maxLength:"128"`
	Title  string `json:"title" maxLength:"400"`
	Text   string `json:"text" maxLength:"200000"`
}

func isAppPage(uri string) bool { return strings.HasPrefix(uri, "ui://") }

// Offers asks a server for its resources, templates and prompts. Pages of apps are left out.
func (r Reader) Offers(ctx context.Context, server string) (Offers, error) {
	out := Offers{Resources: []Resource{}, Templates: []ResourceTemplate{}, Prompts: []ServerPrompt{}}
	resources, err := r.Resources(ctx, server)
	if err != nil {
		return out, err
	}
	templates, err := r.Templates(ctx, server)
	if err != nil && len(resources) == 0 {
		return out, err // many servers with resources do not support templates
	}
	prompts, err := r.Prompts(ctx, server)
	if err != nil {
		return out, err
	}
	for _, x := range resources {
		if x.URI != "" && len(x.URI) <= MaxURI && !isAppPage(x.URI) {
			out.Resources = append(out.Resources, Resource{
				URI: x.URI, Name: servertext.OneLine(cmp.Or(x.Title, x.Name, x.URI), maxTitle),
				About: servertext.OneLine(x.Description, maxAbout), MIME: servertext.OneLine(x.MIMEType, 100),
				Bytes: max(x.Size, 0),
			})
		}
	}
	for _, t := range templates {
		if t.URITemplate != "" && len(t.URITemplate) <= MaxURI && !isAppPage(t.URITemplate) {
			out.Templates = append(out.Templates, ResourceTemplate{
				URI: t.URITemplate, Name: servertext.OneLine(cmp.Or(t.Title, t.Name, t.URITemplate), maxTitle),
				About: servertext.OneLine(t.Description, maxAbout), MIME: servertext.OneLine(t.MIMEType, 100),
			})
		}
	}
	for _, p := range prompts {
		if p.Name == "" || len(p.Name) > maxTitle {
			continue
		}
		prompt := ServerPrompt{
			Name: p.Name, Title: servertext.OneLine(cmp.Or(p.Title, p.Name), maxTitle),
			About: servertext.OneLine(p.Description, maxAbout), Arguments: []PromptArgument{},
		}
		for _, a := range p.Arguments {
			if a != nil && a.Name != "" && len(a.Name) <= maxTitle && len(prompt.Arguments) < maxArguments {
				prompt.Arguments = append(prompt.Arguments, PromptArgument{
					Name: a.Name, Title: servertext.OneLine(cmp.Or(a.Title, a.Name), maxTitle),
					About: servertext.OneLine(a.Description, maxAbout), Required: a.Required,
				})
			}
		}
		out.Prompts = append(out.Prompts, prompt)
	}
	if _, session, done, err := r.sessions.Session(ctx, server); err == nil {
		defer done()
		if can := Capabilities(session); can != nil {
			out.CanComplete, out.CanSubscribe = can.Completions != nil, can.Resources != nil && can.Resources.Subscribe
		}
	}
	return out, nil
}

// Contents reads a resource for a person and leaves out what is beyond 4 MB.
func (r Reader) Contents(ctx context.Context, server, uri string) (Contents, error) {
	out := Contents{Parts: []Content{}}
	if uri == "" || len(uri) > MaxURI {
		return out, errors.New("the address of a resource has 1 to 4096 bytes")
	}
	read, truncated, err := r.read(ctx, server, uri)
	if err != nil {
		return out, err
	}
	for _, c := range read {
		part := Content{
			URI: excerpt.TruncateRunes(cmp.Or(c.URI, uri), MaxURI), MIME: servertext.OneLine(c.MIMEType, 100),
			Text: strings.ToValidUTF8(c.Text, "�"), Bytes: len(c.Text),
		}
		if len(c.Blob) > 0 {
			part.Blob, part.Bytes = base64.StdEncoding.EncodeToString(c.Blob), len(c.Blob)
		}
		out.Parts = append(out.Parts, part)
	}
	out.Truncated = truncated
	return out, nil
}

// Draft fills in a prompt. The text is the server's: a person must see it before it is sent as their own.
func (r Reader) Draft(ctx context.Context, server, name string, args map[string]string) (Draft, error) {
	out := Draft{Attachments: []ServerAttachment{}, Omitted: []string{}}
	answer, err := r.Prompt(ctx, server, name, args)
	if err != nil {
		return out, err
	}
	roles := false
	for _, m := range answer.Messages {
		roles = roles || m != nil && m.Role == "assistant"
	}
	var parts []string
	for _, m := range answer.Messages {
		if m == nil {
			continue
		}
		text := out.addPart(server, m.Content)
		if text == "" {
			continue
		}
		if roles {
			speaker := "User:\n"
			if m.Role == "assistant" {
				speaker = "Assistant:\n"
			}
			text = speaker + text
		}
		parts = append(parts, text)
	}
	out.Text = servertext.Lines(strings.Join(parts, "\n\n"), maxDraft)
	if len(out.Text) > maxDraft {
		out.Text = strings.ToValidUTF8(out.Text[:maxDraft], "")
	}
	if out.Text == "" && len(out.Attachments) == 0 {
		return out, fmt.Errorf("the prompt %s of %s has no text", excerpt.TruncateRunes(name, 80), server)
	}
	return out, nil
}

func (d *Draft) addPart(server string, c sdk.Content) string {
	omit := func(kind, mime string, size int) {
		if len(d.Omitted) < maxAttached {
			d.Omitted = append(d.Omitted, fmt.Sprintf("%s, %s, %d bytes", kind, servertext.OneLine(mime, 100), size))
		}
	}
	switch c := c.(type) {
	case *sdk.TextContent:
		return strings.TrimSpace(annotation.StripInvisible(c.Text))
	case *sdk.EmbeddedResource:
		switch {
		case c.Resource == nil:
		case c.Resource.Text == "" || len(d.Attachments) >= maxAttached:
			omit("a resource", c.Resource.MIMEType, len(c.Resource.Text)+len(c.Resource.Blob))
		default:
			d.Attachments = append(d.Attachments, ServerAttachment{
				Server: server, Title: servertext.OneLine(c.Resource.URI, maxTitle),
				Text: excerpt.TruncateRunes(c.Resource.Text,
					maxDraft),
			})
		}
	case *sdk.ResourceLink:
		return servertext.OneLine(annotation.StripInvisible(strings.TrimSpace(c.Name+" "+c.URI)), maxAbout)
	case *sdk.ImageContent:
		omit("an image", c.MIMEType, len(c.Data))
	case *sdk.AudioContent:
		omit("audio", c.MIMEType, len(c.Data))
	}
	return ""
}
