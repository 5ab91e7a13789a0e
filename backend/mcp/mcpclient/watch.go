package mcpclient

import (
	"context"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settleTime is the pause between a change of the config and reading it, because editors write in steps.
	settleTime = 150 * time.Millisecond
	// pollInterval is the time between reads without a noticed change, because the watcher may miss one.
	pollInterval = 2 * time.Second
)

func (s *Servers) watch(ctx context.Context) {
	var events chan fsnotify.Event
	var faults chan error
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		s.log.Warn("MCP config cannot be watched; it is read every 2 s instead", "err", err)
	} else {
		defer watcher.Close()
		events, faults = watcher.Events, watcher.Errors
	}
	// Watch the folder instead of the file, because editors replace the file.
	folder := filepath.Dir(s.cfg.Path)
	watching := watcher != nil && watcher.Add(folder) == nil
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	settled := time.NewTimer(settleTime)
	defer settled.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-faults: //nolint:errcheck // any fault only means that something may have changed
			settled.Reset(settleTime)
		case e := <-events:
			if filepath.Base(e.Name) == filepath.Base(s.cfg.Path) {
				settled.Reset(settleTime)
			}
		case <-poll.C:
			if !watching && watcher != nil {
				watching = watcher.Add(folder) == nil
			}
			s.reload()
		case <-settled.C:
			s.reload()
		}
	}
}
