package shell

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/overlay"
	"sextant/backend/tools/files/history"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	maxTrialFile  = 1 << 20
	maxTrialDiff  = 64 << 10
	maxTrialNames = 3
	maxTrialName  = 80
)

// trialText collects what a person reads about the changes of a trial.
type trialText struct {
	diff strings.Builder
	// names and files are, for each kind, the outermost files and folders, and how many files there are.
	names map[overlay.Kind][]string
	files map[overlay.Kind]int
	// created are the new folders.
	created map[string]bool
}

// describeTrial describes changes for the policy and for the person. Deletions come first.
func (t *Tools) describeTrial(p run, layer *overlay.Layer, changes []overlay.Change) *toolspec.Trial {
	trial := &toolspec.Trial{}
	text := trialText{names: map[overlay.Kind][]string{}, files: map[overlay.Kind]int{}, created: map[string]bool{}}
	var deleted, others []overlay.Change
	repository, gone := false, 0
	for _, c := range changes {
		switch {
		case c.Path == ".git" || strings.HasPrefix(c.Path, ".git/"):
			repository = true
			if c.Kind == overlay.Deleted {
				gone += max(1, c.Files)
			}
		case c.Kind == overlay.Deleted:
			deleted = append(deleted, c)
		default:
			others = append(others, c)
		}
	}
	if repository {
		use := toolspec.FileUse{Path: filepath.Join(p.workspace, ".git"), Use: toolspec.UseWrite}
		if gone > 0 {
			use.Use = toolspec.UseDelete
		}
		trial.Files = append(trial.Files, use)
		text.addRepository(gone)
	}
	for _, c := range deleted {
		trial.Files = append(trial.Files, t.trialUse(p, c.Path, toolspec.UseDelete))
		text.add(c, "")
	}
	for _, c := range others {
		trial.Files = append(trial.Files, t.trialUse(p, c.Path, toolspec.UseWrite))
		text.add(c, diffOf(p.workspace, layer, c))
	}
	trial.Diff = text.diff.String()
	if len(changes) > 0 {
		trial.Question = text.question(p.Command)
	}
	return trial
}

// trialUse classifies a path as it is written, because a trial can replace a link, and where the link leads.
func (t *Tools) trialUse(p run, path string, use toolspec.Use) toolspec.FileUse {
	path = filepath.Join(p.workspace, path)
	place := t.cfg.Places.Classify(path)
	if place.Kind == protectedpaths.KindOrdinary {
		place = t.cfg.Places.Classify(resolved(path))
	}
	return toolspec.FileUse{Path: path, Use: use, Sensitive: place.Description}
}

func (x *trialText) addRepository(gone int) {
	name := "the git repository"
	if gone > 0 {
		name += " (" + english.Plural(gone, "file", "") + " of it deleted)"
	}
	x.names[overlay.Changed], x.files[overlay.Changed] = []string{name}, 1
	x.diff.WriteString("changed " + name + "\n")
}

func (x *trialText) add(c overlay.Change, diff string) {
	name := shownName(c.Path)
	if c.Folder {
		name += "/"
	}
	if c.Files > 0 {
		name += " (" + english.Plural(c.Files, "file", "") + ")"
	}
	line := string(c.Kind) + " " + name
	if c.Detail != "" {
		line += ": " + shownName(c.Detail)
	}
	if len(diff) > maxTrialDiff-x.diff.Len() {
		diff, line = "", line+" (the difference is too long to show)"
	}
	x.diff.WriteString(line + "\n" + diff)
	if !c.Folder || c.Files > 0 {
		x.files[c.Kind] += max(1, c.Files)
	}
	if !x.isInCreated(c.Path) {
		x.names[c.Kind] = append(x.names[c.Kind], name)
	}
	if c.Kind == overlay.Created && c.Folder {
		x.created[c.Path] = true
	}
}

func (x *trialText) isInCreated(path string) bool {
	for at := filepath.Dir(path); at != "."; at = filepath.Dir(at) {
		if x.created[at] {
			return true
		}
	}
	return false
}

func (x *trialText) question(command string) string {
	var parts []string
	for _, verb := range []struct {
		kind overlay.Kind
		text string
	}{{overlay.Changed, "change"}, {overlay.Created, "create"}, {overlay.Deleted, "delete"}} {
		names := x.names[verb.kind]
		switch {
		case len(names) > maxTrialNames:
			parts = append(parts, verb.text+" "+english.Plural(max(len(names), x.files[verb.kind]), "file", ""))
		case len(names) > 0:
			parts = append(parts, verb.text+" "+english.OxfordWordSeries(names, "and"))
		}
	}
	text := english.OxfordWordSeries(parts, "and")
	return strings.ToUpper(text[:1]) + text[1:] + " with “" + excerpt.Line(command, maxTrialName) + "”?"
}

// shownName escapes what could look like other text, and cuts a long name in its middle.
func shownName(name string) string {
	name = excerpt.Escape(filepath.ToSlash(name))
	if runes := []rune(name); utf8.RuneCountInString(name) > maxTrialName {
		half := maxTrialName / 2
		name = string(runes[:half]) + "…" + string(runes[len(runes)-half:])
	}
	return name
}

// diffOf returns the unified diff of a text file, a line that says why there is none, or "" if there is nothing to
// compare.
func diffOf(workspace string, layer *overlay.Layer, c overlay.Change) string {
	before, after, err := layer.Contents(workspace, c, maxTrialFile)
	switch {
	case errors.Is(err, overlay.ErrTooLarge):
		return "  (too large to show)\n"
	case err != nil: // a folder or a link
		return ""
	}
	d := history.Compare(shownName(c.Path), before, after)
	if d.Note != "" {
		return fmt.Sprintf("  (%s)\n", d.Note) + d.Text
	}
	return d.Text
}
