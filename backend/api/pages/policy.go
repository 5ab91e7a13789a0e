package pages

import (
	"net/http"
	"regexp"
	"strings"
)

// Grants are origins by what a page may do with them, in the words of MCP Apps: Connect
// (fetch, sockets), Resource (scripts, styles, pictures, fonts, media), Frame (frames in
// the page), Base (a <base> element).
type Grants struct {
	Connect, Resource, Frame, Base []string
	// Eval lets the page run text as script, as views do that show code. It reaches no further by that.
	Eval bool
}

// origin is the only form of a source that gets into a policy: https or wss, a name with a
// dot or more, "*." before it at most, a port. No path, and nothing that ends a directive.
var origin = regexp.MustCompile(`^(?:https|wss)://(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::[0-9]{1,5})?$`)

// numeric is a host that is an address rather than a name.
var numeric = regexp.MustCompile(`^[a-z]+://[0-9.]+(?::|$)`)

// most bounds the sources of one directive.
const most = 32

// sources are the well-formed ones of list. The manifest's judge has told what is wrong with
// the others; here they have no effect.
func sources(list []string) []string {
	var good []string
	for _, s := range list {
		if len(s) <= 300 && origin.MatchString(s) && !numeric.MatchString(s) && len(good) < most {
			good = append(good, s)
		}
	}
	return good
}

// Reach reports whether host, in lower case and with its port unless that is 80 or 443, is one of
// the origins.
func (g Grants) Reach(host string) bool {
	for _, list := range [][]string{g.Connect, g.Resource, g.Frame, g.Base} {
		for _, source := range sources(list) {
			_, granted, _ := strings.Cut(source, "://")
			granted = strings.TrimSuffix(strings.TrimSuffix(granted, ":443"), ":80")
			if below, wild := strings.CutPrefix(granted, "*"); granted == host || wild &&
				strings.HasSuffix(host, below) {
				return true
			}
		}
	}
	return false
}

// policy is the Content-Security-Policy of everything below base, the panel's own keyed
// address. That address stands in place of 'self', which would let in other panels' files
// and means nothing in an opaque origin.
func policy(base, shell string, grants Grants) string {
	own, resource := base, sources(grants.Resource)
	var b strings.Builder
	add := func(directive string, words ...string) {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(directive)
		for _, w := range words {
			b.WriteByte(' ')
			b.WriteString(w)
		}
	}
	with := func(more []string, words ...string) []string { return append(words, more...) }
	orNone := func(list []string) []string {
		if len(list) == 0 {
			return []string{"'none'"}
		}
		return list
	}
	add("default-src", "'none'")
	// Inline script is the page's own, as are its files: what it may reach is the border.
	scripts := with(resource, own, "'unsafe-inline'")
	if grants.Eval {
		scripts = append(scripts, "'unsafe-eval'")
	}
	add("script-src", scripts...)
	add("style-src", with(resource, own, "'unsafe-inline'")...)
	add("img-src", with(resource, own, "data:", "blob:")...)
	add("font-src", with(resource, own, "data:")...)
	add("media-src", with(resource, own, "data:", "blob:")...)
	add("connect-src", with(sources(grants.Connect), own)...)
	add("frame-src", orNone(sources(grants.Frame))...)
	add("worker-src", "'none'")
	add("object-src", "'none'")
	add("manifest-src", "'none'")
	add("base-uri", orNone(sources(grants.Base))...)
	add("form-action", "'none'")
	add("frame-ancestors", shell)
	add("webrtc", "'block'")
	// The bridge makes the one policy there is; it keeps documents out in which it would not stand.
	add("require-trusted-types-for", "'script'")
	add("trusted-types", "default")
	add("sandbox", "allow-scripts")
	return b.String()
}

// inert is the policy of what is no document of ours: shown by itself, such as an SVG, it does
// nothing.
func inert(shell string) string {
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors " + shell + "; sandbox"
}

// features are switched off for pages, whatever the frame's attributes say.
const features = "accelerometer=(), ambient-light-sensor=(), attribution-reporting=(), autoplay=(), bluetooth=(), " +
	"browsing-topics=(), camera=(), " +
	"clipboard-read=(), clipboard-write=(), compute-pressure=(), cross-origin-isolated=(), display-capture=(), " +
	"encrypted-media=(), " +
	"fullscreen=(), gamepad=(), geolocation=(), gyroscope=(), hid=(), identity-credentials-get=(), " +
	"idle-detection=(), " +
	"keyboard-map=(), language-detector=(), language-model=(), local-fonts=(), local-network-access=(), " +
	"magnetometer=(), microphone=(), midi=(), otp-credentials=(), payment=(), " +
	"picture-in-picture=(), publickey-credentials-create=(), publickey-credentials-get=(), screen-wake-lock=(), " +
	"serial=(), " +
	"storage-access=(), summarizer=(), sync-xhr=(), translator=(), usb=(), web-share=(), window-management=(), " +
	"xr-spatial-tracking=()"

// guarded sets what every answer carries.
func guarded(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", features)
	h.Set("X-DNS-Prefetch-Control", "off")
	// An opaque origin asks for module scripts, fonts and its own data across origins. The key
	// in the address is what keeps others away.
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
