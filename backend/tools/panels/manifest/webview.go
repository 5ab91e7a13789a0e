package manifest

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/mend"
	"sextant/shared/clip"
)

// CSP is what a page of kind webview may reach beyond its own files, in the words of MCP
// Apps. Each entry is an origin, such as "https://api.example.com", whose host is one of
// permissions.net.
type CSP struct {
	// ConnectDomains are asked by fetch and sockets (wss: too), ResourceDomains give scripts,
	// styles, pictures, fonts and media, FrameDomains may be framed in the page, and
	// BaseURIDomains may stand in a <base> element.
	ConnectDomains  []string `json:"connectDomains"`
	ResourceDomains []string `json:"resourceDomains"`
	FrameDomains    []string `json:"frameDomains"`
	BaseURIDomains  []string `json:"baseUriDomains"`
}

// ruleDomain is an origin: a scheme, a name of two parts or more that may begin with "*.",
// and a port. Nothing else can stand in a policy, least of all what ends a directive.
var ruleDomain = regexp.MustCompile(`^(https|wss)://((?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?::[0-9]{1,5})?$`)

// badDomain says why a page may not have an origin, "" when it may.
func badDomain(domain string, sockets bool, net Hosts) string {
	parts := ruleDomain.FindStringSubmatch(domain)
	if parts == nil || parts[1] == "wss" && !sockets || strings.Trim(parts[2], "0123456789.") == "" || len(domain) > 260 {
		return "is not an origin such as https://api.example.com"
	}
	host := strings.TrimPrefix(parts[2], "*.")
	if !net.Any && !slices.Contains(net.List, parts[2]) && !slices.Contains(net.List, host) {
		return fmt.Sprintf("leads to %s; add that host to permissions.net", host)
	}
	return ""
}

// webview judges ui of kind webview: its entry and what it may reach.
func (j *judge) webview(ui *UI) {
	p := Problem{Expected: "an HTML file in the panel's folder"}
	switch entry := strings.ToLower(ui.Entry); {
	case strings.TrimSpace(ui.Entry) == "":
		p.Text = `ui.entry is missing: the page's file, such as "index.html"`
	case !fs.ValidPath(ui.Entry) || strings.ContainsAny(ui.Entry, "\\:\x00") || strings.HasPrefix(ui.Entry, ".") || strings.Contains(ui.Entry, "/."):
		p.Text = fmt.Sprintf("ui.entry %q is not a file of the panel's folder", clip.Runes(ui.Entry, 80))
	case !strings.HasSuffix(entry, ".html") && !strings.HasSuffix(entry, ".htm"):
		p.Text = fmt.Sprintf("ui.entry %q is not an HTML file", clip.Runes(ui.Entry, 80))
	}
	if p.Text != "" {
		j.wrong("/ui/entry", p, `"index.html"`)
	}
	for _, list := range []struct {
		name    string
		domains []string
	}{
		{"connectDomains", ui.CSP.ConnectDomains},
		{"resourceDomains", ui.CSP.ResourceDomains},
		{"frameDomains", ui.CSP.FrameDomains},
		{"baseUriDomains", ui.CSP.BaseURIDomains},
	} {
		for i, domain := range list.domains {
			j.domain("/ui/csp/"+list.name+"/"+strconv.Itoa(i), domain, list.name == "connectDomains")
		}
	}
}

// domain judges one origin that a page may reach; its host has to be granted.
func (j *judge) domain(at, domain string, sockets bool) {
	if !j.usable(at) {
		return
	}
	why := badDomain(domain, sockets, j.manifest.Permissions.Net)
	switch {
	case why == "":
	case strings.HasPrefix(why, "leads to"):
		if !j.spoiled("/permissions/net") {
			host := strings.TrimPrefix(ruleDomain.FindStringSubmatch(domain)[2], "*.")
			j.ungranted(at, host, fmt.Sprintf("%q %s", clip.Runes(domain, 80), why))
		}
	default:
		mended := "https://" + strings.ToLower(mend.Host(domain))
		if badDomain(mended, false, Hosts{Any: true}) != "" {
			mended = "https://api.example.com"
		}
		j.wrong(at, Problem{Expected: "an origin such as https://api.example.com", Text: fmt.Sprintf("%q %s", clip.Runes(domain, 80), why)}, loose.Quote(mended))
	}
}
