package manifest

import (
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/shared/excerpt"
)

// CSP lists what a page of kind webview may load or connect to besides its own files. The members have the names of MCP
// Apps. Each entry is an origin, such as "https://api.example.com" or "https://*.example.com", whose host
// permissions.net must allow.
type CSP struct {
	// ConnectDomains applies to fetch and sockets (also wss:), ResourceDomains to scripts, styles, images, fonts and
	// media, FrameDomains to frames in the page, and BaseURIDomains to a <base> element.
	ConnectDomains  []string `json:"connectDomains"`
	ResourceDomains []string `json:"resourceDomains"`
	FrameDomains    []string `json:"frameDomains"`
	BaseURIDomains  []string `json:"baseUriDomains"`
}

// originForm is a scheme, a name of at least two parts after an optional "*.", and an optional port. It allows no
// character that could end a directive of a content security policy.
var originForm = regexp.MustCompile(`^(https|wss)://((?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+` +
	`[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?::[0-9]{1,5})?$`)

// originHost returns the host of origin, with "*." if origin has that. ok is false if origin is not allowed in a CSP.
// sockets is true if it may have the scheme wss.
func originHost(origin string, sockets bool) (host string, ok bool) {
	parts := originForm.FindStringSubmatch(origin)
	if parts == nil || parts[1] == "wss" && !sockets || strings.Trim(parts[2], "0123456789.") == "" ||
		len(origin) > 260 {
		return "", false
	}
	return parts[2], true
}

func (c *checker) checkWebview(page *UI) {
	p := Problem{Expected: "an HTML file in the panel's folder"}
	entry := strings.ToLower(page.Entry)
	switch {
	case !c.usable("/ui/entry"):
	case strings.TrimSpace(entry) == "":
		p.Text = `ui.entry is missing: the page's file, such as "index.html"`
	case !fs.ValidPath(entry) || strings.ContainsAny(entry, "\\:\x00") || strings.HasPrefix(entry, ".") ||
		strings.Contains(entry, "/."):
		p.Text = fmt.Sprintf("ui.entry %q is not a file of the panel's folder", excerpt.TruncateRunes(page.Entry, 80))
	case !strings.HasSuffix(entry, ".html") && !strings.HasSuffix(entry, ".htm"):
		p.Text = fmt.Sprintf("ui.entry %q is not an HTML file", excerpt.TruncateRunes(page.Entry, 80))
	}
	if p.Text != "" {
		c.fail("/ui/entry", p, `"index.html"`)
	}
	for _, list := range []struct {
		name    string
		origins []string
	}{
		{"connectDomains", page.CSP.ConnectDomains},
		{"resourceDomains", page.CSP.ResourceDomains},
		{"frameDomains", page.CSP.FrameDomains},
		{"baseUriDomains", page.CSP.BaseURIDomains},
	} {
		for i, origin := range list.origins {
			c.checkOrigin("/ui/csp/"+list.name+"/"+strconv.Itoa(i), origin, list.name == "connectDomains")
		}
	}
}

func (c *checker) checkOrigin(at, origin string, sockets bool) {
	if !c.usable(at) {
		return
	}
	shown := excerpt.TruncateRunes(origin, 80)
	host, ok := originHost(origin, sockets)
	if !ok {
		right := "https://api.example.com"
		if u, err := url.Parse(strings.ToLower(origin)); err == nil {
			if _, ok := originHost("https://"+u.Host, false); ok {
				right = "https://" + u.Host
			}
		}
		c.fail(at, Problem{
			Expected: "an origin such as https://api.example.com",
			Text:     fmt.Sprintf("%q is not an origin such as https://api.example.com", shown),
		}, quote(right))
		return
	}
	net, domain := c.manifest.Permissions.Net, strings.TrimPrefix(host, "*.")
	if !net.Any && !slices.Contains(net.List, host) && !slices.Contains(net.List, domain) &&
		!c.unusable("/permissions/net") {
		c.notGranted(at, domain, fmt.Sprintf("%q leads to %s; add that host to permissions.net", shown, domain))
	}
}
