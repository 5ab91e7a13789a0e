package app

import (
	"context"
	"sync"
	"time"
)

// inBackground starts run, which ends when the system closes.
func (s *System) inBackground(name string, run func(context.Context)) {
	ctx, stop := context.WithCancel(context.Background())
	var wait sync.WaitGroup
	s.OnClose(name, func() error {
		stop()
		wait.Wait()
		return nil
	})
	wait.Go(func() { run(ctx) })
}

// indexMessages indexes the messages of an older data folder for search. It pauses after each batch for as long as the
// batch took, and continues at the next start if the program ends.
func (s *System) indexMessages(ctx context.Context) {
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
}

// checkDatabase checks a database that is too large to check before the window opens. If it is damaged, snapshots have
// a banner.
func (s *System) checkDatabase(ctx context.Context) {
	if !s.Store.Unchecked() {
		return
	}
	if err := s.Store.Check(ctx); err != nil && ctx.Err() == nil {
		s.Log.Error("the database did not pass its check", "err", err)
		text := "The stored conversations did not pass their check. " + err.Error()
		s.databaseProblem.Store(&text)
	}
}
