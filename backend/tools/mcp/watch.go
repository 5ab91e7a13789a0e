package mcp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// quiet is how long the config must rest before it is read: editors write in steps.
const quiet = 150 * time.Millisecond

func (s *Servers) watch(ctx context.Context) {
	var events chan fsnotify.Event
	var faults chan error
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		s.log.Warn("watching MCP config; it is read every 2 s instead", "error", err)
	} else {
		defer watcher.Close()
		events, faults = watcher.Events, watcher.Errors
	}
	// The folder, not the file: editors replace the file.
	folder := filepath.Dir(s.cfg.Path)
	watching := watcher != nil && watcher.Add(folder) == nil
	slow := time.NewTicker(rescan)
	defer slow.Stop()
	soon := time.NewTimer(quiet)
	defer soon.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-faults: //nolint:errcheck // any fault only means: look again soon
			soon.Reset(quiet)
		case e := <-events:
			if filepath.Base(e.Name) == filepath.Base(s.cfg.Path) {
				soon.Reset(quiet)
			}
		case <-slow.C:
			if !watching && watcher != nil {
				watching = watcher.Add(folder) == nil
			}
			s.reload()
		case <-soon.C:
			s.reload()
		}
	}
}

// asText is v as JSON, for comparing; plain data always can be.
func asText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
