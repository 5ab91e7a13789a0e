package pipeline

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// findCopied notes in the description where the data of a call looks copied from, for callers that text
// from outside can influence. What programs send counts as their user's own.
func (p *Pipeline) findCopied(c *callState) {
	if !steerable(c.call.From) || len(c.desc.CopiedFrom) > 0 {
		return
	}
	c.desc.LocalSources = p.read.Sources(contextKey(c.call.From))
	data := c.desc.Data
	if c.desc.RunsProgram {
		data += " " + c.desc.Target // the command line itself can carry data out
	}
	// An address carries data after its host and in the labels of its name. A method may precede it.
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

// maxFragment is how long a typed text may be to count as a part of a longer one.
const maxFragment = 24

// isFragment reports whether what the call types may continue what was typed before, as single keys do.
func (c *callState) isFragment() bool {
	return c.def.Group == "environment" && c.desc.Data != "" && len(c.desc.Data) <= maxFragment
}

// maxTyped bounds what is remembered of what an asking context typed, in bytes.
const maxTyped = 256

// typedText remembers the end of what each asking context typed in fragments, so that data which is typed
// letter by letter is still recognised.
type typedText struct {
	mu       sync.Mutex
	contexts map[string]string
}

// find calls search with what was typed before, followed by data.
func (t *typedText) find(key, data string, search func(all string) []string) []string {
	t.mu.Lock()
	before := t.contexts[key]
	t.mu.Unlock()
	if before == "" {
		return nil
	}
	return search(before + data)
}

// add appends a fragment that was typed.
func (t *typedText) add(key, data string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.contexts == nil || len(t.contexts) >= maxSessions && t.contexts[key] == "" {
		t.contexts = map[string]string{} // forgetting only means that less is found
	}
	all := t.contexts[key] + data
	t.contexts[key] = all[max(0, len(all)-maxTyped):]
}

// steerable reports whether text from outside can influence what the caller asks for.
func steerable(from toolspec.Provenance) bool {
	switch from.Caller {
	case toolspec.CallerModel, toolspec.CallerRun, toolspec.CallerCreated, toolspec.CallerPanel, toolspec.CallerApp:
		return true
	}
	return from.Subagent.Conversation != "" // a subagent is a model
}

// contextKey identifies one asking context: a conversation, or else a program's session.
func contextKey(from toolspec.Provenance) string {
	if from.Conversation != "" {
		return from.Conversation
	}
	return string(from.Caller) + "\x00" + from.Client + "\x00" + from.Session
}

// sendsData reports whether the call could send data to a host, to a server or to a program it runs.
func (c *callState) sendsData() bool {
	return len(c.desc.Hosts) > 0 || c.desc.Network || c.def.Origin == toolspec.OriginMCP
}

// ownSource reports whether source is where the data would go anyway: the page that is typed into, or
// the server that is called.
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

// readsFiles reports whether a call's answer may hold the content of files: that of a tool which reads
// them, or of a program, which may read any.
func (c *callState) readsFiles() bool {
	return c.desc.RunsProgram || c.def.Group == "files"
}

// readFrom returns what the text of a result was read from besides Sources: what the tool says, or the
// files that the call named.
func (c *callState) readFrom(result toolspec.Result) []string {
	if len(result.LocalSources) > 0 || len(result.Sources) > 0 || !c.readsFiles() {
		return result.LocalSources
	}
	var read []string
	for _, file := range c.desc.Files {
		if file.Use == toolspec.UseRead {
			read = append(read, "file "+file.Path)
		}
	}
	if len(read) == 0 && c.desc.RunsProgram {
		read = []string{"a command of this machine"}
	}
	return read
}

// noteRead remembers what a call read (text from outside and the content of files), so that it is
// recognised when a later call sends it out.
func (p *Pipeline) noteRead(c *callState, result toolspec.Result) {
	if steerable(c.call.From) && c.isFragment() && len(c.desc.CopiedFrom) == 0 && len(c.desc.SecretArgs) == 0 {
		p.typed.add(contextKey(c.call.From), c.desc.Data)
	}
	sources := slices.Concat(result.Sources, c.readFrom(result))
	if !steerable(c.call.From) || len(sources) == 0 {
		return
	}
	text := result.ModelText()
	for _, source := range sources {
		p.read.Record(contextKey(c.call.From), source, text)
	}
}
