package policy

import (
	"fmt"
	"strings"

	"sextant/shared/toolspec"
)

func scheme(address string) string {
	name, rest, found := strings.Cut(address, ":")
	if !found || name == "" || !isScheme(name) {
		return ""
	}
	name = strings.ToLower(name)
	switch name {
	case "http", "https", "file", "data", "blob", "about", "javascript", "view-source", "chrome", "devtools", "ftp":
		return name
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if rest != "" && strings.Trim(rest, "0123456789") == "" {
		return "" // a port
	}
	return name
}

func isScheme(name string) bool {
	for i, r := range strings.ToLower(name) {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return false
		}
	}
	return true
}

// refuseScheme refuses every scheme except http and https, such as file: and javascript:, but allows about:blank.
func refuseScheme(f facts) (Decision, bool) {
	for _, address := range []string{f.address, f.targetAddress()} {
		clean := cleanAddress(address)
		switch s := scheme(clean); {
		case s == "", s == "http", s == "https", strings.EqualFold(clean, "about:blank"):
		default:
			return Decision{
				Verdict: VerdictRefuse, ErrorType: toolspec.SecurityError,
				Reason:     fmt.Sprintf("addresses that begin with %s: are closed to tools", s),
				Suggestion: "Use an http or https address. Files are read with read_file.",
			}, true
		}
	}
	return Decision{}, false
}

// cleanAddress removes what browsers remove from a URL: tabs and line ends anywhere, and control characters and spaces
// around it.
func cleanAddress(address string) string {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	return strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(address)
}

func (f facts) targetAddress() string {
	t := f.in.Description.Target
	if !f.isInterfaceTool() || strings.ContainsAny(t, " \"") {
		return ""
	}
	return t
}

func refuseClosedHost(f facts) (Decision, bool) {
	if f.actsOnOpenPage() {
		return Decision{}, false
	}
	for _, h := range f.hosts {
		if IsLocalHost(h) && !f.hostIsOpen(h) {
			return Decision{
				Verdict: VerdictRefuse, ErrorType: toolspec.PermissionError,
				Reason:     h + " is on this machine or in a private network, which is closed to tools",
				Suggestion: f.howToOpen(h),
			}, true
		}
	}
	return Decision{}, false
}

func (f facts) howToOpen(host string) string {
	from := f.in.Call.From
	switch {
	case from.Interactive:
		return "It opens when you type the address yourself, or with the setting allow_hosts = " + host + "."
	case from.Caller == toolspec.CallerRun:
		return "Write the address in the task, or run with --allow-hosts " + host + "."
	}
	return "Start with --allow-hosts " + host + ", or set SEXTANT_ALLOW_HOSTS=" + host + "."
}

func (f facts) hostIsOpen(host string) bool {
	return HostMatches(host, f.in.Settings.AllowHosts) || HostMatchesExactly(host, f.in.OpenedHosts) ||
		HostMatchesExactly(host, f.in.Call.From.TypedHosts)
}

func (f facts) typedHosts() []string {
	var hosts []string
	for _, h := range f.hosts {
		if HostMatchesExactly(h, f.in.Call.From.TypedHosts) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// Decide checks each call that a created tool makes.
func refuseInReadOnly(f facts) (Decision, bool) {
	if f.in.Settings.Mode != ModeReadOnly || f.in.Definition.Origin == toolspec.OriginCreated ||
		f.in.Definition.Hints.Inert || f.in.Definition.Hints.ReadOnly || f.onlyMovesView() || f.readsOnly() {
		return Decision{}, false
	}
	d := Decision{
		Verdict: VerdictRefuse, ErrorType: toolspec.PermissionError,
		Reason:     "the mode is Read-only, and " + f.in.Call.Tool + " can change something",
		Suggestion: "Choose the mode Ask in the status bar, or set SEXTANT_MODE=ask.",
		Try:        f.isSettledByTrial(f.reasons()),
	}
	if f.in.Description.Trial != nil {
		// Which files would be a way for the program to say something.
		d.Reason = "the mode is Read-only, and on a copy of the folder this command changed files"
	}
	return d, true
}

func (f facts) onlyMovesView() bool {
	if !f.isInterfaceTool() {
		return false
	}
	switch f.in.Definition.Group {
	case "navigation", "workspace", "activity_bar":
		return true
	}
	switch f.in.Definition.Name {
	case "navigate_page", "annotate_page", "scroll_page", "get_page_content", "take_screenshot", "wait_for",
		"browser_tabs", "get_annotations", "get_selection", "select_text", "hover_element":
		return true
	}
	return false
}
