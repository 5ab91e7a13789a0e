package mcp

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/tools/panels/accepted"
	"sextant/shared/annotator"
)

// Bounds of what a server says of one thing that it offers.
const (
	maxTitle     = 200
	maxAbout     = 2000
	maxURI       = 4096
	maxArguments = 32
	// maxDraft is how much of a prompt's text becomes a draft, in bytes, and maxAttached how many of its
	// resources go with it.
	maxDraft    = 100_000
	maxAttached = 8
)

// Offers are what a server has beside its tools. All words in it are the server's, with what
// cannot be seen written out.
type Offers struct {
	Resources []Resource     `json:"resources"`
	Templates []Template     `json:"templates"`
	Prompts   []ServerPrompt `json:"prompts"`
	// Completes says that arguments can be completed, Watches that a resource can be watched.
	Completes bool `json:"completes"`
	Watches   bool `json:"watches"`
}

// Resource is one thing a server can read.
type Resource struct {
	URI   string `json:"uri"`
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
	MIME  string `json:"mime,omitempty"`
	// Bytes is how large it is as the server says, 0 for unknown.
	Bytes int64 `json:"bytes,omitempty"`
}

// Template is a form of addresses with names in braces.
type Template struct {
	URI   string `json:"uri"`
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
	MIME  string `json:"mime,omitempty"`
}

// ServerPrompt is a text that a server fills in.
type ServerPrompt struct {
	Name      string           `json:"name"`
	Title     string           `json:"title"`
	About     string           `json:"about,omitempty"`
	Arguments []PromptArgument `json:"arguments"`
}

// PromptArgument is one word or text a prompt takes.
type PromptArgument struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	About    string `json:"about,omitempty"`
	Required bool   `json:"required,omitempty"`
}

// Content is a part of a resource: its text, or its bytes in Base64.
type Content struct {
	URI  string `json:"uri"`
	MIME string `json:"mime,omitempty"`
	Text string `json:"text,omitempty"`
	Blob string `json:"blob,omitempty"`
	// Bytes is how large it is.
	Bytes int `json:"bytes"`
}

// Contents is what a resource says.
type Contents struct {
	Contents []Content `json:"contents"`
	// Cut is true when there was more than is shown here.
	Cut bool `json:"cut,omitempty"`
}

// Draft is a filled-in prompt as a person may send it.
type Draft struct {
	Text string `json:"text"`
	// Attached are the resources that came with it.
	Attached []Attachment `json:"attached"`
	// Left says what else came and cannot be sent: pictures and sound.
	Left []string `json:"left"`
}

// Attachment is text of a server that goes with a message.
type Attachment struct {
	Server string `json:"server" maxLength:"128"`
	Title  string `json:"title" maxLength:"400"`
	Text   string `json:"text" maxLength:"200000"`
}

// one is a server's word or sentence on one line, many its text; both at most n characters.
func one(text string, n int) string {
	return accepted.Shown(shorten(strings.Join(strings.Fields(text), " "), n))
}

func many(text string, n int) string {
	lines := strings.Split(shorten(strings.ReplaceAll(text, "\r\n", "\n"), n), "\n")
	for i, line := range lines {
		lines[i] = accepted.Shown(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(lines, "\n")
}

// isApp reports whether an address is that of an app's page, which is shown and not read.
func isApp(uri string) bool { return strings.HasPrefix(uri, "ui://") }

// Offers asks a server for its resources, templates and prompts. Pages of apps are left out.
func (s *Servers) Offers(ctx context.Context, server string) (Offers, error) {
	out := Offers{Resources: []Resource{}, Templates: []Template{}, Prompts: []ServerPrompt{}}
	resources, err := s.Resources(ctx, server)
	if err != nil {
		return out, err
	}
	templates, err := s.Templates(ctx, server)
	if err != nil && len(resources) == 0 {
		return out, err // many servers that have resources know no templates
	}
	prompts, err := s.Prompts(ctx, server)
	if err != nil {
		return out, err
	}
	for _, r := range resources {
		if r.URI != "" && len(r.URI) <= maxURI && !isApp(r.URI) {
			out.Resources = append(out.Resources, Resource{
				URI: r.URI, Name: one(cmp.Or(r.Title, r.Name, r.URI), maxTitle), About: one(r.Description, maxAbout), MIME: one(r.MIMEType, 100), Bytes: max(r.Size, 0),
			})
		}
	}
	for _, t := range templates {
		if t.URITemplate != "" && len(t.URITemplate) <= maxURI && !isApp(t.URITemplate) {
			out.Templates = append(out.Templates, Template{
				URI: t.URITemplate, Name: one(cmp.Or(t.Title, t.Name, t.URITemplate), maxTitle), About: one(t.Description, maxAbout), MIME: one(t.MIMEType, 100),
			})
		}
	}
	for _, p := range prompts {
		if p.Name == "" || len(p.Name) > maxTitle {
			continue
		}
		shown := ServerPrompt{Name: p.Name, Title: one(cmp.Or(p.Title, p.Name), maxTitle), About: one(p.Description, maxAbout), Arguments: []PromptArgument{}}
		for _, a := range p.Arguments {
			if a != nil && a.Name != "" && len(a.Name) <= maxTitle && len(shown.Arguments) < maxArguments {
				shown.Arguments = append(shown.Arguments, PromptArgument{
					Name: a.Name, Title: one(cmp.Or(a.Title, a.Name), maxTitle), About: one(a.Description, maxAbout), Required: a.Required,
				})
			}
		}
		out.Prompts = append(out.Prompts, shown)
	}
	if can := s.capabilities(server); can != nil {
		out.Completes, out.Watches = can.Completions != nil, can.Resources != nil && can.Resources.Subscribe
	}
	return out, nil
}

// capabilities are what a server that runs says it can do, nil for none.
func (s *Servers) capabilities(server string) *sdk.ServerCapabilities {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.servers[server]
	if v == nil || v.session == nil {
		return nil
	}
	is := v.session.InitializeResult()
	if is == nil {
		return nil
	}
	return is.Capabilities
}

// Contents reads a resource for a person to look at.
func (s *Servers) Contents(ctx context.Context, server, uri string) (Contents, error) {
	out := Contents{Contents: []Content{}}
	if uri == "" || len(uri) > maxURI {
		return out, errors.New("a resource needs an address of at most 4096 bytes")
	}
	read, cut, err := s.whole(ctx, server, uri)
	if err != nil {
		return out, err
	}
	for _, c := range read {
		part := Content{URI: shorten(cmp.Or(c.URI, uri), maxURI), MIME: one(c.MIMEType, 100), Text: strings.ToValidUTF8(c.Text, "�"), Bytes: len(c.Text)}
		if len(c.Blob) > 0 {
			part.Blob, part.Bytes = base64.StdEncoding.EncodeToString(c.Blob), len(c.Blob)
		}
		out.Contents = append(out.Contents, part)
	}
	out.Cut = cut
	return out, nil
}

// Draft fills in a prompt. What stands in it is the server's: who sends it as their own words has
// to have seen it.
func (s *Servers) Draft(ctx context.Context, server, name string, args map[string]string) (Draft, error) {
	out := Draft{Attached: []Attachment{}, Left: []string{}}
	answer, err := s.Prompt(ctx, server, name, args)
	if err != nil {
		return out, err
	}
	roles := false
	for _, m := range answer.Messages {
		roles = roles || m != nil && m.Role == "assistant"
	}
	var said []string
	for _, m := range answer.Messages {
		if m == nil {
			continue
		}
		text := out.take(server, m.Content)
		if text == "" {
			continue
		}
		if roles {
			text = map[bool]string{true: "Assistant:\n", false: "User:\n"}[m.Role == "assistant"] + text
		}
		said = append(said, text)
	}
	out.Text = many(strings.Join(said, "\n\n"), maxDraft)
	if len(out.Text) > maxDraft {
		out.Text = strings.ToValidUTF8(out.Text[:maxDraft], "")
	}
	if out.Text == "" && len(out.Attached) == 0 {
		return out, fmt.Errorf("the prompt %s of %s came back without a text", shorten(name, 80), server)
	}
	return out, nil
}

// take is the text of a part of a prompt; what is none is attached or named among what is left.
func (d *Draft) take(server string, c sdk.Content) string {
	left := func(kind, mime string, size int) {
		if len(d.Left) < maxAttached {
			d.Left = append(d.Left, fmt.Sprintf("%s, %s, %d bytes", kind, one(mime, 100), size))
		}
	}
	switch c := c.(type) {
	case *sdk.TextContent:
		return strings.TrimSpace(annotator.Seen(c.Text))
	case *sdk.EmbeddedResource:
		switch {
		case c.Resource == nil:
		case c.Resource.Text == "" || len(d.Attached) >= maxAttached:
			left("a resource", c.Resource.MIMEType, len(c.Resource.Text)+len(c.Resource.Blob))
		default:
			d.Attached = append(d.Attached, Attachment{Server: server, Title: one(c.Resource.URI, maxTitle), Text: shorten(c.Resource.Text, maxDraft)})
		}
	case *sdk.ResourceLink:
		return one(annotator.Seen(strings.TrimSpace(c.Name+" "+c.URI)), maxAbout)
	case *sdk.ImageContent:
		left("a picture", c.MIMEType, len(c.Data))
	case *sdk.AudioContent:
		left("a sound", c.MIMEType, len(c.Data))
	}
	return ""
}
