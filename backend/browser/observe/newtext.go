package observe

import (
	"context"
	"time"

	"sextant/backend/browser/observe/collect"
)

const maxTextDocuments = 8

// TakeNewText returns the text that has appeared in the documents of a snapshot since the last call, as
// collect.TakeNewText does. Documents that do not answer are left out.
func (s *Snapshot) TakeNewText(ctx context.Context, since time.Duration) (all collect.NewText) {
	for _, d := range s.Documents[:min(len(s.Documents), maxTextDocuments)] {
		text, err := collect.TakeNewText(ctx, d.Document, since)
		if err != nil {
			continue
		}
		all.Lines = append(all.Lines, text.Lines...)
		all.More += text.More
	}
	return all
}
