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

// facts are an Input read once: hosts normalised, sources sorted, the kind of tool known.
type facts struct {
	in   Input
	args json.RawMessage
	// address is the URL the call names, "" for none.
	address string
	// hosts are all hosts the call would talk to, host or host:port; for a call that acts on
	// a page, the one that the page is from.
	hosts []string
	// outside are the sources of outside text that count for this caller.
	outside []string
	party   string
}

func newFacts(in Input) facts {
	if !in.Settings.Mode.Valid() {
		in.Settings.Mode = Ask
	}
	f := facts{in: in, args: canonical(in.Call.Args), party: party(in.Call.From)}
	f.address = addressOf(in, f.args)
	for _, h := range in.Description.Hosts {
		f.hosts = append(f.hosts, NormalizeHost(h))
	}
	// The address in the arguments counts when the description forgets it. When it does not,
	// it knows better: what was written may be an alias.
	if h := hostOf(f.address); h != "" && len(f.hosts) == 0 {
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

// isByPerson reports whether a person gave exactly this call, so that no outside text can
// have steered it.
func isByPerson(c toolspec.Caller) bool {
	return c == toolspec.CallerPerson || c == toolspec.CallerPilot
}

// party names the program a call comes from; the doors a person sits at are all "".
func party(p toolspec.Provenance) string {
	switch p.Caller {
	case toolspec.CallerHTTP, toolspec.CallerMCP, toolspec.CallerPanel, toolspec.CallerCreated, toolspec.CallerApp:
		if p.Client != "" {
			return string(p.Caller) + ":" + p.Client
		}
		return string(p.Caller)
	}
	return ""
}

// isInterfaceTool reports whether the tool is one of our own hands and eyes: it drives the page, the
// window or the panels, and reaches nothing by itself.
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

// actsOnOpenPage reports whether the call acts on a page that is open already: whether it may be
// was judged when it was opened, and acting on it opens and contacts nothing new.
func (f facts) actsOnOpenPage() bool {
	return f.isInterfaceTool() && f.in.Definition.Group == "environment" && f.address == ""
}

func (f facts) isTainted() bool { return len(f.outside) > 0 }

// PanelHost ends what stands for a host where a call acts on the page of a panel: "notes.panel". What was
// newFacts there has the source "panel:notes".
const PanelHost = ".panel"

// hostWasRead reports whether host is one whose page stands in the context.
func (f facts) hostWasRead(host string) bool {
	return slices.ContainsFunc(f.outside, func(source string) bool {
		if id, panel := strings.CutPrefix(source, "panel:"); panel {
			return id+PanelHost == host
		}
		return hostOf(source) == host || NormalizeHost(source) == host
	})
}

// addressOf is the URL a call of our own web and page tools names.
func addressOf(in Input, args json.RawMessage) string {
	if in.Definition.Origin != toolspec.OriginBaseline {
		return ""
	}
	switch in.Definition.Group {
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

// hostOf is the normalised host of an address, "" when it names none. An address without
// a scheme is read as a browser reads it.
func hostOf(address string) string {
	if address == "" {
		return ""
	}
	address = cleanAddress(address)
	// Browsers read a backslash as a slash, and so what follows it is not the host.
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

// callDigest binds an answer to what was asked: SHA-256 over tool, canonical arguments, folder and provenance, in
// hexadecimal.
func callDigest(tool string, args json.RawMessage, folder string, from toolspec.Provenance) string {
	from.Outside = sortedSet(slices.Clone(from.Outside))
	from.TypedHosts = sortedSet(slices.Clone(from.TypedHosts))
	b, err := json.Marshal([]any{tool, string(args), folder, from})
	if err != nil {
		// Strings and plain structs only: this cannot happen, and an empty hash fits no answer.
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
