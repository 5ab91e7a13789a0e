package pages

import (
	"net/http"
	"regexp"
	"strings"
)

// OriginRules lists the origins that a page may use, by purpose as in MCP Apps: Connect (fetch, sockets),
// Resource (scripts, styles, pictures, fonts, media), Frame (frames in the page), Base (a <base> element).
type OriginRules struct {
	Connect, Resource, Frame, Base []string
	// AllowsEval lets the page run text as script, which some MCP Apps need.
	AllowsEval bool
}

// origin matches the only accepted form of a source. It excludes paths, and characters that end a directive.
var origin = regexp.MustCompile(
	`^(?:https|wss)://(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::[0-9]{1,5})?$`,
)

var numericHost = regexp.MustCompile(`^[a-z]+://[0-9.]+(?::|$)`)

const maxSources = 32

func sources(list []string) []string {
	var valid []string
	for _, s := range list {
		if len(s) <= 300 && origin.MatchString(s) && !numericHost.MatchString(s) && len(valid) < maxSources {
			valid = append(valid, s)
		}
	}
	return valid
}

// Allows reports whether host is in one of the lists. host is lower-case, with its port unless that is 80 or
// 443.
func (o OriginRules) Allows(host string) bool {
	for _, list := range [][]string{o.Connect, o.Resource, o.Frame, o.Base} {
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

// policy returns the Content-Security-Policy of the documents below base. base replaces 'self', which would allow other
// panels' files and means nothing in an opaque origin.
func policy(base, shell string, grants OriginRules) string {
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
	// Inline script is as trusted as the page's files: the limit is the origins that the page may use.
	scripts := with(resource, own, "'unsafe-inline'")
	if grants.AllowsEval {
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
	// The bridge creates the only Trusted Types policy, which keeps out documents without the bridge.
	add("require-trusted-types-for", "'script'")
	add("trusted-types", "default")
	add("sandbox", "allow-scripts")
	return b.String()
}

// inertPolicy is for files that are not HTML: opened directly, such as an SVG, they can do nothing.
func inertPolicy(shell string) string {
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors " + shell + "; sandbox"
}

const disabledFeatures = "accelerometer=(), ambient-light-sensor=(), attribution-reporting=(), autoplay=(), " +
	"bluetooth=(), " +
	"browsing-topics=(), camera=(), clipboard-read=(), clipboard-write=(), compute-pressure=(), " +
	"cross-origin-isolated=(), display-capture=(), encrypted-media=(), fullscreen=(), gamepad=(), " +
	"geolocation=(), gyroscope=(), hid=(), identity-credentials-get=(), idle-detection=(), " +
	"keyboard-map=(), language-detector=(), language-model=(), local-fonts=(), local-network-access=(), " +
	"magnetometer=(), microphone=(), midi=(), otp-credentials=(), payment=(), picture-in-picture=(), " +
	"publickey-credentials-create=(), publickey-credentials-get=(), screen-wake-lock=(), serial=(), " +
	"storage-access=(), summarizer=(), sync-xhr=(), translator=(), usb=(), web-share=(), " +
	"window-management=(), xr-spatial-tracking=()"

func setHeaders(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", disabledFeatures)
	h.Set("X-DNS-Prefetch-Control", "off")
	// An opaque origin loads module scripts, fonts and its own data across origins. The key in the address
	// keeps other pages out.
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
