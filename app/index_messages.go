package app

import (
	"context"
	"sync"
	"time"
)

// indexMessages indexes the messages of an older data folder for search, in the background. It pauses after each batch
// for as long as the batch took, and continues at the next start if the program ends.
func (s *System) indexMessages() {
	ctx, stop := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	s.OnClose("search index", func() error {
		stop()
		wait.Wait()
		return nil
	})
	wait.Go(func() {
		for {
			began := time.Now()
			left, err := s.Store.IndexBacklog(ctx)
			if err != nil && ctx.Err() == nil {
				s.Log.Warn("search does not find all older messages; the rest is indexed at the next start", "err", err)
			}
			if err != nil || !left {
				return
			}
			select {
			case <-time.After(time.Since(began)):
			case <-ctx.Done():
				return
			}
		}
	})
}
