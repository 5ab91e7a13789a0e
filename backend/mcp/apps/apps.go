// Package apps reads what MCP servers declare for MCP Apps (extension io.modelcontextprotocol/ui, revision
// 2026-01-26): which page shows a tool, who may call a tool, and which hosts a page wants to reach. It also
// caches pages, holds the context that apps give the model, and limits the requests of apps.
//
// Declarations are text from outside: malformed ones are ignored. The package talks to no server.
package apps

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// Extension is the name under which both sides declare that they support MCP Apps.
	Extension = "io.modelcontextprotocol/ui"
	// MIME is the only supported type of page.
	MIME   = "text/html;profile=mcp-app"
	scheme = "ui://"
	// MaxPage bounds a page in bytes.
	MaxPage    = 8 << 20
	maxURI     = 1024
	maxDomains = 32
)

// ExtensionSettings returns what a client declares under Extension.
func ExtensionSettings() map[string]any { return map[string]any{"mimeTypes": []string{MIME}} }

// Tool contains a server's declarations about one of its tools.
type Tool struct {
	// URI is the address of the page that shows the tool's calls, "" for none.
	URI                      string
	ModelCanCall, AppCanCall bool
}

// ToolOf reads a tool's _meta.ui, and the older "ui/resourceUri". Without a valid visibility, both the model
// and the app may call the tool.
func ToolOf(meta sdk.Meta) Tool {
	t := Tool{ModelCanCall: true, AppCanCall: true}
	var declared struct {
		UI struct {
			URI        any   `json:"resourceUri"`
			Visibility []any `json:"visibility"`
		} `json:"ui"`
		Old any `json:"ui/resourceUri"`
	}
	if !decode(meta, &declared) {
		return t
	}
	t.URI = address(declared.UI.URI)
	if t.URI == "" {
		t.URI = address(declared.Old)
	}
	if declared.UI.Visibility != nil {
		t.ModelCanCall = slices.Contains(declared.UI.Visibility, any("model"))
		t.AppCanCall = slices.Contains(declared.UI.Visibility, any("app"))
	}
	return t
}

func decode(meta sdk.Meta, into any) bool {
	raw, err := json.Marshal(meta)
	return err == nil && json.Unmarshal(raw, into) == nil
}

func address(uri any) string {
	text, _ := uri.(string)
	if !strings.HasPrefix(text, scheme) || len(text) <= len(scheme) || len(text) > maxURI ||
		strings.ContainsFunc(text, isInvisible) {
		return ""
	}
	return text
}

func isInvisible(r rune) bool { return r <= ' ' || r == 0x7f }

// Domains lists the origins that a page may use, by purpose.
type Domains struct {
	Connect  []string `json:"connect,omitempty"`
	Resource []string `json:"resource,omitempty"`
	Frame    []string `json:"frame,omitempty"`
	Base     []string `json:"base,omitempty"`
}

func (d *Domains) lists() map[string]*[]string {
	return map[string]*[]string{"connect": &d.Connect, "resource": &d.Resource, "frame": &d.Frame, "base": &d.Base}
}

// Uses returns the origins of d, each with its use ("connect https://api.example.com"), sorted. The person
// allows each use separately: a page that may send data to an origin may not run scripts from it.
func (d Domains) Uses() []string {
	var all []string
	for use, list := range d.lists() {
		for _, o := range *list {
			all = append(all, use+" "+o)
		}
	}
	slices.Sort(all)
	return all
}

func (d Domains) among(allowed []string) Domains {
	var out Domains
	into := out.lists()
	for use, list := range d.lists() {
		for _, o := range *list {
			if slices.Contains(allowed, use+" "+o) {
				*into[use] = append(*into[use], o)
			}
		}
	}
	return out
}

// IsUse reports whether text has the form of a use that Uses returns.
func IsUse(text string) bool {
	use, o, _ := strings.Cut(text, " ")
	return (&Domains{}).lists()[use] != nil && slices.Equal(origins([]any{o}), []string{o})
}

// Page is the page of an app.
type Page struct {
	URI  string
	HTML []byte
	// Domains are the origins that the page wants to use.
	Domains Domains
	// PrefersBorder is nil if the page does not say.
	PrefersBorder *bool
	// Permissions are the browser features that the page asks for.
	Permissions []string
}

// ErrNoPage means that there is no page that can be shown.
var ErrNoPage = errors.New("it is no page that can be shown")

// ParsePage reads the answer to resources/read for uri. listed is the page's _meta in the list of resources, which
// applies if the answer has no _meta.ui. The error wraps ErrNoPage.
func ParsePage(uri string, contents []*sdk.ResourceContents, listed sdk.Meta) (Page, error) {
	at := slices.IndexFunc(contents, func(c *sdk.ResourceContents) bool { return c != nil && c.URI == uri })
	if at < 0 {
		return Page{}, fmt.Errorf("%w: the server's answer does not contain %s", ErrNoPage, uri)
	}
	c := contents[at]
	if !isPage(c.MIMEType) {
		return Page{}, fmt.Errorf("%w: its type is %.80q, not %q", ErrNoPage, c.MIMEType, MIME)
	}
	html := c.Blob
	if c.Text != "" {
		html = []byte(c.Text)
	}
	switch {
	case len(html) == 0:
		return Page{}, fmt.Errorf("%w: it is empty", ErrNoPage)
	case len(html) > MaxPage:
		return Page{}, fmt.Errorf("%w: it is larger than %d MB", ErrNoPage, MaxPage>>20)
	}
	p := Page{URI: uri, HTML: html}
	if !p.applyMeta(c.Meta) {
		p.applyMeta(listed)
	}
	return p, nil
}

func isPage(mime string) bool {
	return strings.EqualFold(strings.ReplaceAll(mime, " ", ""), MIME)
}

func (p *Page) applyMeta(meta sdk.Meta) bool {
	if _, declared := meta["ui"]; !declared {
		return false
	}
	// Read the parts separately, so that a malformed one does not invalidate the others.
	var csp struct {
		UI struct {
			CSP struct {
				Connect  []any `json:"connectDomains"`
				Resource []any `json:"resourceDomains"`
				Frame    []any `json:"frameDomains"`
				Base     []any `json:"baseUriDomains"`
			} `json:"csp"`
		} `json:"ui"`
	}
	if decode(meta, &csp) {
		c := csp.UI.CSP
		p.Domains = Domains{
			Connect: origins(c.Connect), Resource: origins(c.Resource), Frame: origins(c.Frame),
			Base: origins(c.Base),
		}
	}
	var rest struct {
		UI struct {
			Border any `json:"prefersBorder"`
			Asks   any `json:"permissions"`
		} `json:"ui"`
	}
	if decode(meta, &rest) {
		if border, ok := rest.UI.Border.(bool); ok {
			p.PrefersBorder = &border
		}
		if asks, ok := rest.UI.Asks.(map[string]any); ok {
			for _, name := range []string{"camera", "clipboardWrite", "geolocation", "microphone"} {
				if _, wanted := asks[name]; wanted {
					p.Permissions = append(p.Permissions, name)
				}
			}
		}
	}
	return true
}

// originPattern matches an origin over TLS, optionally with "*.". An origin with a path does not match, because a
// content security policy would not apply the path in all cases.
var originPattern = regexp.MustCompile(`^((?:https|wss)://(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::[0-9]{1,5})?)/?$`)

var numericHost = regexp.MustCompile(`://[0-9.]+(?::|$)`)

func origins(list []any) []string {
	var valid []string
	for _, one := range list {
		text, _ := one.(string)
		if len(text) > 300 || len(valid) >= maxDomains {
			continue
		}
		if found := originPattern.FindStringSubmatch(strings.ToLower(text)); found != nil &&
			!numericHost.MatchString(found[1]) && !slices.Contains(valid, found[1]) {
			valid = append(valid, found[1])
		}
	}
	return valid
}
