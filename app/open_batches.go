package app

import (
	"context"
	"errors"

	"sextant/backend/batch"
	"sextant/backend/browser"
	"sextant/backend/recipes"
	"sextant/backend/surface"
	data "sextant/shared/batch"
	"sextant/shared/event"
)

// openBatches opens the batches. They run in a program that serves, and in one that was started to run them.
func (s *System) openBatches(ctx context.Context, options OpenOptions) (err error) {
	s.Batches, err = batch.Open(ctx, batch.Config{
		Store: s.Store.Batches, Browsers: s.browsers, Recipe: s.Recipes.Get, Do: s.do, Unattended: s.unattended,
		Needs: func(ctx context.Context, name string, values map[string]string) (recipes.Needs, error) {
			return s.Recipes.NeedsOf(ctx, name, values, s.Pipeline.CardUse)
		},
		Runs: options.Serve || options.RunBatches, Log: s.Log, Changed: s.batchChanged,
	})
	if err != nil {
		return err
	}
	s.OnClose("batches", s.Batches.Close)
	return nil
}

func (s *System) batchChanged(one data.Batch) {
	s.Events.Broadcast(event.New(event.BatchesChanged, event.BatchNotice{Batch: one.ID}))
}

// pictureTokens makes a picture of a row about 800 pixels wide.
const pictureTokens = 600

// rowPicture returns a picture of the page on which a row works.
func (s *System) rowPicture(ctx context.Context, id string, row int) (picture []byte, media string, err error) {
	session := batch.Session(id, row)
	b := s.browsers.Leased(session)
	if b == nil || b.TabCount(session) == 0 {
		return nil, "image/png", nil
	}
	shot, err := b.Session(session).Screenshot(ctx, surface.ScreenshotOptions{MaxTokens: pictureTokens})
	if fault := (*surface.Fault)(nil); errors.As(err, &fault) { // the page is loading, or the row has ended meanwhile
		return nil, "image/png", nil
	}
	return shot.Data, shot.MIME, err
}

// takenOver returns the browser of a run that the person has taken over, nil for any other session.
func (s *System) takenOver(session string) *browser.Browser {
	if !s.unattended.IsTakenOver(session) {
		return nil
	}
	return s.browsers.Leased(session)
}
