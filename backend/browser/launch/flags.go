package launch

import (
	"os"
	"strings"
)

// flags must not weaken the isolation of pages. As root, though, Chromium runs without its sandbox.
func flags(o Options, profile string) []string {
	f := []string{
		"--remote-debugging-pipe",
		"--user-data-dir=" + profile,
		"--no-startup-window",
		"--site-per-process",

		"--no-first-run", "--no-default-browser-check", "--disable-default-apps",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-domain-reliability", "--disable-breakpad", "--metrics-recording-only",
		"--disable-client-side-phishing-detection", "--no-pings", "--disable-quic",
		"--disable-search-engine-choice-screen", "--disable-extensions",
		"--disable-component-extensions-with-background-pages",
		"--disable-field-trial-config",
		"--disable-features=" + strings.Join([]string{
			"Translate", "OptimizationHints", "MediaRouter", "DialMediaRouteProvider",
			"AutofillServerCommunication", "CertificateTransparencyComponentUpdater",
			"InterestFeedContentSuggestions", "GlobalMediaControls", "LensOverlay",
			// A page restored from a cache would return with numbers that were reported as gone.
			"BackForwardCache", "Prerender2",
		}, ","),

		// Pages offer tools through WebMCP; see page_tools.
		"--enable-features=WebMCP",

		"--deny-permission-prompts", "--disable-notifications", "--disable-prompt-on-repost",
		"--disable-hang-monitor", "--hide-crash-restore-bubble", "--noerrdialogs",
		"--password-store=basic", "--use-mock-keychain",

		"--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-background-timer-throttling",
		// A page that has not been painted yet would otherwise lose presses and keys without a sign of it.
		"--allow-pre-commit-input",
		"--force-color-profile=srgb",
		"--window-size=1280,800",
	}
	if o.Headless {
		f = append(f, "--headless=new", "--mute-audio")
	}
	if o.Proxy != "" {
		f = append(f,
			"--proxy-server=http://"+o.Proxy,
			// Without this flag, Chromium sends loopback addresses past the proxy and its rules.
			"--proxy-bypass-list=<-loopback>",
			"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
			"--webrtc-ip-handling-policy=disable_non_proxied_udp")
	}
	if os.Geteuid() == 0 {
		// Chromium does not start as root with its sandbox enabled.
		f = append(f, "--no-sandbox", "--test-type")
	}
	if smallShm() {
		f = append(f, "--disable-dev-shm-usage")
	}
	return append(f, o.ExtraFlags...)
}
