package observe

import (
	"context"
	"time"

	"sextant/backend/browser/observe/collect"
)

const (
	maxTextDocuments = 8
	// newTextTimeout bounds the reading of all documents. The action has ended and must be reported.
	newTextTimeout = time.Second
)

// TakeNewText returns the text that has appeared in the documents of a snapshot since the last call, as
// collect.TakeNewText does. Documents that do not answer are left out.
func (s *Snapshot) TakeNewText(ctx context.Context, since time.Duration) (all collect.NewText) {
	ctx, cancel := context.WithTimeout(ctx, newTextTimeout)
	defer cancel()
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
