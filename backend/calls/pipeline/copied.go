package pipeline

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"sextant/backend/guard/policy"
	"sextant/shared/toolspec"
)

// copied notes in the description where the data of a call looks copied from, for callers that
// text from outside can steer. Programs' own words count as their user's (ARCHITECTURE 12).
func (p *Pipeline) copied(f *flight) {
	if !steerable(f.call.From) || len(f.desc.Copied) > 0 {
		return
	}
	f.desc.Local = p.read.Sources(talk(f.call.From))
	data := f.desc.Data
	if f.desc.Starting {
		data += " " + f.desc.Target // what a command says may leave with it
	}
	// An address carries data behind its host, and in the labels of its name; a method may stand
	// before it.
	target := f.desc.Target
	if _, after, found := strings.Cut(target, " "); found && !f.desc.Starting {
		target = after
	}
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		data += " " + strings.ReplaceAll(u.Hostname(), ".", " ") + " " + u.Path + " " + u.RawQuery + " " + u.Fragment
	}
	if !f.leaves() || f.desc.Linked {
		return
	}
	f.desc.Copied = p.read.From(talk(f.call.From), data, f.own)
	if len(f.desc.Copied) == 0 && f.piece() {
		f.desc.Copied = p.given.with(talk(f.call.From), f.desc.Data, func(all string) []string {
			return p.read.From(talk(f.call.From), all, f.own)
		})
	}
}

// maxPiece is how long a typed text may be to be a piece of a longer one.
const maxPiece = 24

// piece reports whether what the call types may go on from what was typed before, as single keys
// do.
func (f *flight) piece() bool {
	return f.def.Group == "environment" && f.desc.Data != "" && len(f.desc.Data) <= maxPiece
}

// maxGiven bounds what is kept of what a conversation typed.
const maxGiven = 256

// given keeps the end of what a conversation typed in pieces, so that data which is typed letter
// by letter is known as one.
type given struct {
	mu    sync.Mutex
	talks map[string]string
}

// with hands what was typed, and data behind it, to find.
func (g *given) with(talk, data string, find func(all string) []string) []string {
	g.mu.Lock()
	before := g.talks[talk]
	g.mu.Unlock()
	if before == "" {
		return nil
	}
	return find(before + data)
}

// add notes a piece that was typed.
func (g *given) add(talk, data string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.talks == nil || len(g.talks) >= maxSessions && g.talks[talk] == "" {
		g.talks = map[string]string{} // forgetting only means less is found
	}
	all := g.talks[talk] + data
	g.talks[talk] = all[max(0, len(all)-maxGiven):]
}

func steerable(from toolspec.Provenance) bool {
	switch from.Caller {
	case toolspec.CallerModel, toolspec.CallerRun, toolspec.CallerCreated, toolspec.CallerPanel, toolspec.CallerApp:
		return true
	}
	return from.Child.Conversation != "" // a model, whoever it works for
}

// talk is what one context is known by.
func talk(from toolspec.Provenance) string {
	if from.Conversation != "" {
		return from.Conversation
	}
	return string(from.Caller) + "\x00" + from.Client + "\x00" + from.Session
}

// leaves reports whether the call could take data away: to a host, to a server, to what it runs.
func (f *flight) leaves() bool {
	return len(f.desc.Hosts) > 0 || f.desc.Network || f.def.Origin == toolspec.OriginMCP
}

// own reports whether source is where the data would go anyway: the page typed into, the server
// that is called.
func (f *flight) own(source string) bool {
	switch f.def.Origin {
	case toolspec.OriginMCP:
		if source == "mcp:"+f.def.Owner {
			return true
		}
	case toolspec.OriginPanel:
		if source == policy.PanelSource(f.def.Owner) {
			return true
		}
	}
	return slices.ContainsFunc(f.desc.Hosts, func(host string) bool { return sameHost(source, host) })
}

func sameHost(source, host string) bool {
	u, err := url.Parse(source)
	if err != nil || u.Host == "" {
		return strings.EqualFold(source, host)
	}
	return strings.EqualFold(u.Host, host) || strings.EqualFold(u.Hostname(), host)
}

// tellsFiles reports whether a call's answer may hold what stands in files: a tool that reads
// them, or a program, which may read any.
func (f *flight) tellsFiles() bool {
	return f.desc.Starting || f.def.Group == "files" || f.def.Group == "look"
}

// readFrom says what else than Sources the text of a result was read from: what the tool says,
// or the files that the call named.
func (f *flight) readFrom(result toolspec.Result) []string {
	if len(result.Read) > 0 || len(result.Sources) > 0 || !f.tellsFiles() {
		return result.Read
	}
	var read []string
	for _, file := range f.desc.Files {
		if file.Use == toolspec.UseRead {
			read = append(read, "file "+file.Path)
		}
	}
	if len(read) == 0 && f.desc.Starting {
		read = []string{"a command of this machine"}
	}
	return read
}

// noteRead keeps what a call read, so that it is known again on its way out: text from outside,
// and the content of files.
func (p *Pipeline) noteRead(f *flight, result toolspec.Result) {
	if steerable(f.call.From) && f.piece() && len(f.desc.Copied) == 0 && len(f.desc.Secret) == 0 {
		p.given.add(talk(f.call.From), f.desc.Data)
	}
	sources := slices.Concat(result.Sources, f.readFrom(result))
	if !steerable(f.call.From) || len(sources) == 0 {
		return
	}
	text := result.ModelText()
	for _, source := range sources {
		p.read.Read(talk(f.call.From), source, text)
	}
}
