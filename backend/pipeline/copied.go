package pipeline

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// findCopied adds to the description what its context has read, the likely sources of copied data, and whether the call
// sends words that its caller chose. It is for callers that outside text can influence: data that other programs send
// counts as their user's own.
func (p *Pipeline) findCopied(c *callState) {
	if !steerable(c.call.From) || len(c.desc.CopiedFrom) > 0 {
		return
	}
	c.desc.ReadSources = p.read.Sources(contextKey(c.call.From))
	if c.isComposed() {
		c.desc.ComposedAfter = p.privateSources(c)
	}
	data := c.desc.Data
	if c.desc.RunsProgram {
		data += " " + c.desc.Target // the command line itself can send data
	}
	// An address contains data after its host and in the labels of its name. A method may precede the address.
	target := c.desc.Target
	if _, after, found := strings.Cut(target, " "); found && !c.desc.RunsProgram {
		target = after
	}
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		data += " " + strings.ReplaceAll(u.Hostname(), ".", " ") + " " + u.Path + " " + u.RawQuery + " " + u.Fragment
	}
	if !c.sendsData() || c.desc.IsPageLink {
		return
	}
	c.desc.CopiedFrom = p.read.CopiedFrom(contextKey(c.call.From), data, c.ownSource)
	if len(c.desc.CopiedFrom) == 0 && c.isFragment() {
		c.desc.CopiedFrom = p.typed.find(contextKey(c.call.From), c.desc.Data, func(all string) []string {
			return p.read.CopiedFrom(contextKey(c.call.From), all, c.ownSource)
		})
	}
}

const maxFragment = 24

// isFragment reports whether the call types so little that it may continue an earlier text, as single keys do.
func (c *callState) isFragment() bool {
	return c.def.Group == "environment" && c.desc.Data != "" && len(c.desc.Data) <= maxFragment
}

// maxTyped limits the remembered end of the text typed in one context, in bytes.
const maxTyped = 256

// typedText remembers, by context, the end of the text that was typed in fragments, so that data typed letter by letter
// is still recognized.
type typedText struct {
	mu       sync.Mutex
	contexts map[string]string
}

func (t *typedText) find(key, data string, search func(all string) []string) []string {
	t.mu.Lock()
	before := t.contexts[key]
	t.mu.Unlock()
	if before == "" {
		return nil
	}
	return search(before + data)
}

func (t *typedText) add(key, data string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.contexts == nil || len(t.contexts) >= maxSessions && t.contexts[key] == "" {
		t.contexts = map[string]string{} // dropping the fragments only makes the search find less
	}
	all := t.contexts[key] + data
	t.contexts[key] = all[max(0, len(all)-maxTyped):]
}

func steerable(from toolspec.Provenance) bool {
	switch from.Caller {
	case toolspec.CallerModel, toolspec.CallerRun, toolspec.CallerCreatedTool, toolspec.CallerPanel, toolspec.CallerApp:
		return true
	}
	return from.Subagent.Conversation != "" // a subagent is a model
}

func contextKey(from toolspec.Provenance) string {
	if from.Conversation != "" {
		return from.Conversation
	}
	return string(from.Caller) + "\x00" + from.Client + "\x00" + from.Session
}

func (c *callState) sendsData() bool {
	return len(c.desc.Hosts) > 0 || c.desc.Network || c.def.Origin == toolspec.OriginMCP
}

// ownSource reports whether source is also the destination of the data: the page that is typed into, or the server or
// panel that is called.
func (c *callState) ownSource(source string) bool {
	switch c.def.Origin {
	case toolspec.OriginMCP:
		if source == "mcp:"+c.def.Owner {
			return true
		}
	case toolspec.OriginPanel:
		if source == policy.PanelSource(c.def.Owner) {
			return true
		}
	}
	return slices.ContainsFunc(c.desc.Hosts, func(host string) bool { return sameHost(source, host) })
}

func sameHost(source, host string) bool {
	u, err := url.Parse(source)
	if err != nil || u.Host == "" {
		return strings.EqualFold(source, host)
	}
	return strings.EqualFold(u.Host, host) || strings.EqualFold(u.Hostname(), host)
}

// noteRead records the text that a call read, from outside and from files, so that it is recognized when a later call
// sends it.
func (p *Pipeline) noteRead(c *callState, result toolspec.Result) {
	if steerable(c.call.From) && c.isFragment() && len(c.desc.CopiedFrom) == 0 && len(c.desc.SecretArgs) == 0 {
		p.typed.add(contextKey(c.call.From), c.desc.Data)
	}
	outside, private := result.Sources, result.PrivateSources
	if !keepsContext(c.call.From) || len(outside)+len(private) == 0 {
		return
	}
	text := result.ModelText()
	for _, source := range outside {
		p.read.Record(contextKey(c.call.From), source, text)
	}
	for _, source := range private {
		p.read.RecordPrivate(contextKey(c.call.From), source, text)
	}
}
