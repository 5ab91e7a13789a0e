package unattended

import (
	"context"
	"log/slog"
	"time"
)

const (
	// StoreAgain is the time between two attempts to store something.
	StoreAgain = 5 * time.Second
	storeLimit = 10 * time.Second
)

// Store stores the end of a run. It calls store again until that succeeds or closing is closed, so that a full disk
// does not leave the run behind. It also works after the context of the run is over.
func Store(closing <-chan struct{}, log *slog.Logger, run string, store func(context.Context) error) {
	for {
		ctx, cancel := context.WithTimeout(context.Background(), storeLimit)
		err := store(ctx)
		cancel()
		if err == nil {
			return
		}
		log.Error("the end of a run is not stored yet", "run", run, "err", err)
		select {
		case <-closing:
			return
		case <-time.After(StoreAgain):
		}
	}
}
