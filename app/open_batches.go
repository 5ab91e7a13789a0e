package app

import (
	"context"

	"sextant/backend/batch"
	"sextant/backend/browser"
	data "sextant/shared/batch"
	"sextant/shared/event"
)

// openBatches opens the batches. They run in a program that serves, and in one that was started to run them.
func (s *System) openBatches(ctx context.Context, options OpenOptions) (err error) {
	store, run := batch.Store(s.Store.Batches), options.Serve || options.RunBatches
	if options.Queue != nil {
		store, run = options.Queue, false // its workers run the rows
	}
	s.Batches, err = batch.Open(ctx, batch.Config{
		Store: store, Browsers: s.browsers, Recipes: s.Recipes, CardUse: s.Pipeline.CardUse, Do: s.do,
		Unattended: s.unattended, Runs: run, Log: s.Log,
		Changed: func(one data.Batch) {
			s.Events.Broadcast(event.New(event.BatchesChanged, event.BatchNotice{Batch: one.ID}))
		},
		Ended: func(one data.Batch) { s.Desktop.ShowBatch(one) },
	})
	if err != nil {
		return err
	}
	s.OnClose("batches", s.Batches.Close)
	return nil
}

// takenOver returns the browser of a run that the person has taken over, nil for any other session.
func (s *System) takenOver(session string) *browser.Browser {
	if !s.unattended.IsTakenOver(session) {
		return nil
	}
	return s.browsers.Leased(session)
}

// addBatch adds a batch for the assistant.
func (s *System) addBatch(ctx context.Context, recipe, name, table string, browsers int) (data.Batch, error) {
	return s.Batches.Add(ctx, batch.New{Name: name, Recipe: recipe, Table: []byte(table), Browsers: browsers})
}
