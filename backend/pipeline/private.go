package pipeline

import (
	"slices"
	"strings"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

// privateSources returns the private sources in the context of the call, except those that it sends to.
func (p *Pipeline) privateSources(c *callState) []string {
	all := append(p.read.Private(contextKey(c.call.From)), c.call.From.Private...)
	for _, source := range c.call.From.Outside {
		if !isWebPage(source) {
			all = append(all, source)
		}
	}
	all = slices.DeleteFunc(all, c.ownSource)
	slices.Sort(all)
	return slices.Compact(all)
}

// isWebPage reports whether a source of outside text is a web page ("https://shop.example", "data:"). All others are
// the person's own: attachments, and what servers and panels know.
func isWebPage(source string) bool {
	return strings.Contains(source, "://") || strings.HasSuffix(source, ":")
}

// readFrom returns what private text a result contains: what the tool says, the files that the call names if the tool
// names no source, what a program can read, and the pages where the person is signed in.
func (p *Pipeline) readFrom(c *callState, result toolspec.Result) []string {
	read := slices.Clone(result.PrivateSources)
	for _, source := range result.Sources {
		if !isWebPage(source) {
			read = append(read, source)
		}
	}
	switch {
	case len(result.PrivateSources) > 0:
	case c.desc.RunsProgram, c.def.Group == "files" && len(result.Sources) == 0:
		files := 0
		for _, file := range c.desc.Files {
			if file.Use == toolspec.UseRead {
				read, files = append(read, "file "+file.Path), files+1
			}
		}
		if files == 0 && c.desc.RunsProgram { // it may read any file
			read = append(read, "a command of this machine")
		}
	case c.def.Group == "environment" && steerable(c.call.From) && p.cfg.SignedIn != nil && len(result.Sources) > 0:
		for _, address := range p.cfg.SignedIn(c.call.From.Session) {
			for _, source := range result.Sources {
				if policy.HostOf(source) == policy.HostOf(address) {
					read = append(read, source)
				}
			}
		}
	}
	return read
}
