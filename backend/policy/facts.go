package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"sextant/shared/toolspec"
)

type facts struct {
	in      Input
	args    json.RawMessage
	address string
	// hosts have the form host or host:port. For a call on a page, it is the host of the page.
	hosts []string
	// outside are the sorted sources of outside text that could have caused the call, none for a call by the person.
	outside []string
	party   string
}

func newFacts(in Input) facts {
	if !in.Settings.Mode.Valid() {
		in.Settings.Mode = ModeAsk
	}
	f := facts{in: in, args: canonical(in.Call.Args), party: party(in.Call.From)}
	f.address = AddressOf(in.Definition, f.args)
	for _, h := range in.Description.Hosts {
		f.hosts = append(f.hosts, NormalizeHost(h))
	}
	// The URL in the arguments counts only if the description has no hosts, because the argument may be an alias.
	if h := HostOf(f.address); h != "" && len(f.hosts) == 0 {
		f.hosts = append(f.hosts, h)
	}
	f.hosts = sortedSet(f.hosts)
	if !isByPerson(in.Call.From.Caller) {
		f.outside = sortedSet(slices.Clone(in.Call.From.Outside))
	}
	if f.isOwnPanelTool() {
		own := PanelSource(in.Call.From.Client)
		f.outside = slices.DeleteFunc(f.outside, func(source string) bool { return source == own })
	}
	if f.isOwnAppTool() {
		own := AppSource(in.Call.From.Client)
		f.outside = slices.DeleteFunc(f.outside, func(source string) bool { return source == own })
	}
	return f
}

// isByPerson reports whether the person made exactly this call, so that outside text cannot have caused it.
func isByPerson(c toolspec.Caller) bool {
	return c == toolspec.CallerPerson || c == toolspec.CallerPilot
}

// party returns "" for the window and the command line.
func party(p toolspec.Provenance) string {
	switch p.Caller {
	case toolspec.CallerHTTP, toolspec.CallerMCP, toolspec.CallerPanel, toolspec.CallerCreatedTool, toolspec.CallerApp:
		if p.Client != "" {
			return string(p.Caller) + ":" + p.Client
		}
		return string(p.Caller)
	}
	return ""
}

func (f facts) isInterfaceTool() bool {
	d := f.in.Definition
	if d.Origin != toolspec.OriginBaseline {
		return false
	}
	switch d.Group {
	case "navigation", "environment", "input", "workspace", "activity_bar":
		return true
	}
	return false
}

// actsOnOpenPage reports whether the call acts on an open page. The policy decided about the page's host when the page
// was opened.
func (f facts) actsOnOpenPage() bool {
	return f.isInterfaceTool() && f.in.Definition.Group == "environment" && f.address == ""
}

func (f facts) isTainted() bool { return len(f.outside) > 0 }

// PanelHostSuffix is the suffix of a panel's host: the page of the panel notes has the host "notes.panel". Text that
// was read there has the source "panel:notes".
const PanelHostSuffix = ".panel"

func (f facts) hostWasRead(host string) bool {
	return slices.ContainsFunc(f.outside, func(source string) bool { return isSourceOf(source, host) })
}

func isSourceOf(source, host string) bool {
	if id, panel := strings.CutPrefix(source, "panel:"); panel {
		return id+PanelHostSuffix == host
	}
	return HostOf(source) == host || NormalizeHost(source) == host
}

// readElsewhere returns the sources of outside text other than the hosts of the call.
func (f facts) readElsewhere() []string {
	return slices.DeleteFunc(slices.Clone(f.outside), func(source string) bool {
		return slices.ContainsFunc(f.hosts, func(host string) bool { return isSourceOf(source, host) })
	})
}

// namesHosts reports whether the person typed all hosts of the call in this turn.
func (f facts) namesHosts() bool {
	return len(f.hosts) > 0 && len(f.typedHosts()) == len(f.hosts)
}

// AddressOf returns the address in the arguments of a page or web tool, "" for none.
func AddressOf(def toolspec.Definition, args json.RawMessage) string {
	if def.Origin != toolspec.OriginBaseline {
		return ""
	}
	switch def.Group {
	case "environment", "web":
	default:
		return ""
	}
	var named struct {
		URL any `json:"url"`
		URI any `json:"uri"`
	}
	if err := json.Unmarshal(args, &named); err != nil {
		return ""
	}
	for _, v := range []any{named.URL, named.URI} {
		if s, ok := v.(string); ok && strings.TrimSpace(s) != "" {
			return strings.TrimSpace(s)
		}
	}
	return ""
}

// HostOf returns the normalized host of a web address, "" for none. It accepts a URL without a scheme, as a browser
// does.
func HostOf(address string) string {
	if address == "" {
		return ""
	}
	address = cleanAddress(address)
	// Browsers read a backslash as a slash, so the host ends there.
	address = strings.ReplaceAll(address, `\`, "/")
	if scheme(address) == "" {
		address = "https://" + strings.TrimLeft(address, "/")
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return NormalizeHost(u.Host)
}

func sortedSet(list []string) []string {
	list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
	slices.Sort(list)
	return slices.Compact(list)
}

func decodeNumbers(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	return dec.Decode(into)
}

// callDigest binds an answer to the call that was shown.
func callDigest(tool string, args json.RawMessage, folder string, from toolspec.Provenance) string {
	from.Outside = sortedSet(slices.Clone(from.Outside))
	from.TypedHosts = sortedSet(slices.Clone(from.TypedHosts))
	b, err := json.Marshal([]any{tool, string(args), folder, from})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
