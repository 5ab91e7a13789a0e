package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/tools/files/history"
	"sextant/backend/tools/files/safefs"
	"sextant/backend/tools/files/textfile"
	"sextant/shared/toolspec"
)

// maxPreviewed is the largest file in bytes that is compared for a question.
const maxPreviewed = 1 << 20

var errNoPreview = errors.New("not compared")

// describeChange adds the question and the difference to the description of a change to one file. next returns the new
// content. editArg is the argument that a person may edit.
func (t *Tools) describeChange(
	d toolspec.Description, a safefs.Target, editArg string, next func(before []byte) ([]byte, error),
) toolspec.Description {
	before, err := t.currentState(a)
	var after []byte
	if err == nil {
		after, err = next(before.Content)
	}
	if err != nil {
		// The call itself reports the problem.
		d.Question = "Change " + shownNames([]safefs.Target{a}) + "?"
		return d
	}
	compared := history.Compare(a.DisplayPath, before.Content, after)
	if compared.Note == "" {
		d.Diff, d.EditArg = compared.Text, editArg
	}
	d.Question = changeQuestion(a, before, after, compared)
	return d
}

// currentState returns the state of an ordinary file up to maxPreviewed, or of a missing one.
func (t *Tools) currentState(a safefs.Target) (history.State, error) {
	if info, err := t.fs.Lstat(a); err == nil && (!info.Mode().IsRegular() || info.Size() > maxPreviewed) {
		return history.State{}, errNoPreview
	}
	return t.history.Read(context.Background(), a)
}

func changeQuestion(a safefs.Target, before history.State, after []byte, d history.Diff) string {
	name := shownNames([]safefs.Target{a})
	lines := func(n int) string { return english.Plural(n, "line", "") }
	switch {
	case !before.Exists:
		return fmt.Sprintf("Create %s with %s?", name, lines(textfile.CountLines(string(after))))
	case d.Note != "":
		return fmt.Sprintf("Replace the content of %s?", name)
	case d.Added == 0 && d.Removed == 0:
		return fmt.Sprintf("Write %s again, without a change?", name)
	case d.Removed == 0:
		return fmt.Sprintf("Add %s to %s?", lines(d.Added), name)
	case d.Added == 0:
		return fmt.Sprintf("Remove %s from %s?", lines(d.Removed), name)
	}
	return fmt.Sprintf("Change %s in %s?", lines(max(d.Added, d.Removed)), name)
}
