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

// readFrom returns the private sources of the text of a result: those that the tool or its inner calls name, what a
// program can read, the files that the call names if the tool names no source at all, the panel that answered, and the
// pages where the person is signed in. readBefore are those that the context knew before the call.
func (p *Pipeline) readFrom(c *callState, result toolspec.Result, readBefore []string) []string {
	read := slices.Clone(result.PrivateSources)
	for _, source := range result.Sources {
		if !isWebPage(source) {
			read = append(read, source)
		}
	}
	switch {
	case len(result.PrivateSources) > 0:
	case c.desc.RunsProgram || len(result.Sources) == 0:
		files := 0
		for _, file := range c.desc.Files {
			if file.Use == toolspec.UseRead {
				read, files = append(read, "file "+file.Path), files+1
			}
		}
		if files == 0 && c.desc.RunsProgram { // it may read any file
			read = append(read, "a command of this machine")
		}
	case c.def.Group == "environment" && keepsContext(c.call.From) && p.cfg.SignedIn != nil &&
		p.cfg.SignedIn(c.call.From.Session):
		read = append(read, result.Sources...)
	}
	if c.def.Group == "panel" && c.def.Hints.ReadOnly {
		read = append(read, policy.PanelSource(c.def.Owner))
	}
	for _, source := range p.read.Private(contextKey(c.call.From)) {
		if !slices.Contains(readBefore, source) {
			read = append(read, source) // by an inner call
		}
	}
	slices.Sort(read)
	return slices.Compact(read)
}

// keepsContext reports whether a model may later act on what the call reads: of a model itself, or of the person in a
// conversation.
func keepsContext(from toolspec.Provenance) bool { return steerable(from) || from.Conversation != "" }
